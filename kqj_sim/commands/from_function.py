"""Commands made from public functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import fields
from typing import Any

import click
from click.core import ParameterSource

from kqj_sim.arguments import drop_overridden, explain_foreign_rule
from kqj_sim.commands.command import Command
from kqj_sim.commands.config import CONFIG_KEY, read_config
from kqj_sim.commands.errors import exit_interrupted
from kqj_sim.commands.stdout import write_line
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, KQJ, make_rules
from kqj_sim.messages import shell_join
from kqj_sim.options import OPTIONS, Option, read_number, speak_shell
from kqj_sim.question import CommandDescription
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.suffixes import PAGE_FORMATS, PAGE_SUFFIXES, TABLE_SUFFIXES

WITHOUT_EFFECT = ("force", "save")
"""Other options without effect on the results, left out of the command that made them."""


class ValueType(click.ParamType[Any]):
    """A value that is read as its option says."""

    def __init__(self, option: Option) -> None:
        self.name = (option.metavar or "text").lower()
        self._option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; raise BadParameter if it cannot be used."""
        assert self._option.parse is not None
        try:
            return self._option.parse(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


class RepeatableType(click.types.StringParamType):
    """A value that may be repeated: in a variable of the environment each line is one.

    Click cuts variables at blanks, which names of files and players may hold.
    """

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the lines that are not empty."""
        return [line for line in rv.splitlines() if line.strip()]


def make_number_type(lowest: int, example: str) -> ValueType:
    """Return the type of a whole number, also written 1e6, 1M or 1,000,000."""
    return ValueType(Option("", **read_number(lowest, example)))


def make_command(
    function: Callable[..., Any], run: Callable[[CommandDescription, dict[str, Any]], None]
) -> click.Command:
    """Return the command of a `question`; `run` asks it and writes the answer."""
    question: CommandDescription = function.command  # type: ignore[attr-defined]
    signature = inspect.signature(inspect.unwrap(function))
    taken = [name for name in signature.parameters if name not in ("rules", "fields", "runner")]
    params: list[click.Parameter] = []
    for name in taken:
        parameter = signature.parameters[name]
        if name in question.arguments:
            metavar = question.arguments[name]
            params.append(
                click.Argument(
                    [name],
                    nargs=-1 if metavar.endswith("...") else 1,
                    required=not metavar.startswith("["),
                    metavar=metavar,
                )
            )
        else:
            params.append(
                make_option(
                    name, question.options[name], parameter.default, question.help.get(name, "")
                )
            )
    if "rules" in signature.parameters:
        params += _list_rule_options()
    workers = question.workers if "runner" in signature.parameters else ()
    params += [make_option(name, question.options[name]) for name in (*workers, *question.output)]
    names = {option.flag or name: name for name, option in question.options.items()}

    def call(**typed: Any) -> None:
        run(question, {names.get(flag, flag): value for flag, value in typed.items()})

    summary = inspect.cleandoc(function.__doc__ or "").partition("\n\nArgs:")[0]
    if any("FILE" in metavar for metavar in question.arguments.values()):
        summary += "  Give - as FILE for stdin."
    command = Command(
        question.name, callback=call, params=params, help=speak_shell(summary),
        epilog=f"\b\nExamples:\n{question.examples}",
    )  # fmt: skip
    command.list_tables = lambda context: _list_tables(question, context)
    return command


def _list_tables(question: CommandDescription, context: click.Context) -> Iterable[str]:
    values = {**context.params, "tables": "all"}
    # Click keeps arguments before an option without a value as words.
    values |= {name: context.args for name in question.arguments if values[name] is None}
    try:
        values["rules"] = pop_rules(values, context)
        return (question.list_tables or dict)(**values)
    except (InputError, click.UsageError):  # The command will say what is wrong.
        return ()


def make_option(name: str, option: Option, default: Any = None, help: str = "") -> click.Option:
    """Return the option of the command line for a parameter."""
    # Variables of the environment have the name of the option, not that of the parameter.
    name = option.flag or name
    flag = name.replace("_", "-")
    # Docstrings are wrapped, so that they lose the blanks between sentences.
    text, end, rest = speak_shell(help or option.help).replace(". [", ".  [").partition(".  [")
    if option.note:
        text = f"{text.removesuffix('.')} ({option.note}){'' if end else '.'}"
    text += end + rest
    default = option.default if default is None else default
    settings: dict[str, Any] = {"help": text[:1].upper() + text[1:]}
    if name == "config":
        settings |= {"is_eager": True, "expose_value": False, "callback": read_config}
    if option.choices is not None:
        settings["type"] = click.Choice(option.choices)
    elif option.multiple:
        settings["type"] = RepeatableType()
    elif option.parse is not None:
        settings["type"] = ValueType(option)
    elif option.is_switch:
        switch = f"/--no-{flag}" if option.section == "Rules" else ""
        return click.Option(
            [f"--{flag}{switch}", name], is_flag=True, default=bool(default),
            show_default=bool(switch), **settings,
        )  # fmt: skip
    if default is inspect.Parameter.empty:
        settings["required"] = True
    elif default is not None:
        settings |= {"default": default, "show_default": True}
    return click.Option(
        [f"--{flag}", name], metavar=option.metavar, multiple=option.multiple, **settings
    )


def _list_rule_options() -> Iterator[click.Option]:
    yield make_option("game", OPTIONS["game"], KQJ.name)
    for described in GAMES.values():
        rules = described.rules
        for rule in fields(rules):
            yield make_option(rule.name, OPTIONS[rule.name], rule.default)


def write_tables(
    question: CommandDescription,
    values: dict[str, Any],
    complete: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Ask a question, and write the tables and the picture of its result.

    Args:
        complete: changes the values of the question, after the options of the output are checked.
    """
    from kqj_sim.commands.output import Output, choose_tables

    output, runner = prepare(question, values)
    shown = None
    if question.list_tables is not None:
        shown = choose_tables(output["tables"], question.list_tables(**values, **output))
    files = Output(
        output["out"], output["format"], output.get("plot"), output["color"],
        PAGE_SUFFIXES if question.options["format"].choices == PAGE_FORMATS else TABLE_SUFFIXES,
    )  # fmt: skip

    if complete is not None:
        complete(values)
    with files:
        result, failure = ask_or_keep(question, values, runner)
        files.write_result(result, shown)
    end(result, failure)


def prepare(question: CommandDescription, values: dict[str, Any]) -> tuple[dict[str, Any], Runner]:
    """Return the options of the output, and the runner; remove theirs from `values`.

    The rules replace their fields there.
    """
    from kqj_sim.commands.output import list_command_words

    output = {name: values.pop(name) for name in question.output if name in values}
    quiet = bool(output.get("quiet"))
    if "game" in values:
        values["rules"] = pop_rules(values, click.get_current_context())
    if isinstance(values.get("policy"), tuple):
        values["policy"] = drop_overridden(values["policy"])
    context = click.get_current_context()
    config: tuple[str, str] | None = context.meta.get(CONFIG_KEY)
    hidden = frozenset((*question.output, *question.workers, *WITHOUT_EFFECT))
    program, name, *words = list_command_words(context, hidden, with_config=config is None)
    options = ["--config", config[0]] if config else []
    runner = Runner(
        **{name: values.pop(name) for name in question.workers if name in values},
        progress=not quiet,
        tell=None if quiet else lambda line: write_line(line, err=True),
        tell_error=lambda line: write_line(line, err=True),
        made_by=shell_join([program, name, *options, *words]),
        config=config,
    )
    return output, runner


def pop_rules(options: dict[str, Any], context: click.Context) -> GameRules:
    """Return the rules and remove their options from `options`; raise InputError or UsageError."""
    chosen: str = options.pop("game")
    values = {}
    for game, described in GAMES.items():
        rules = described.rules
        for rule in fields(rules):
            value = options.pop(rule.name)
            if game == chosen:
                values[rule.name] = value
                continue
            source = context.get_parameter_source(rule.name)
            if value != rule.default or source is not ParameterSource.DEFAULT:
                raise click.UsageError(explain_foreign_rule(rule.name, game))
    return make_rules(chosen, values)


def ask(question: CommandDescription, values: dict[str, Any], runner: Runner) -> Any:
    """Return the answer to a question with these values of its parameters."""
    words: list[Any] = []
    for name in question.arguments:
        words += values[name] if isinstance(values[name], tuple) else [values[name]]
    # Options that may be repeated are an empty tuple unless they were typed.
    options = {
        name: value
        for name, value in values.items()
        if name not in question.arguments and value != ()
    }
    return question.function(*words, **options, runner=runner)


def ask_or_keep(
    question: CommandDescription, values: dict[str, Any], runner: Runner
) -> tuple[Any, OSError | None]:
    """Return the answer as `ask`, and the error of a file that must not cost the answer."""
    from kqj_sim.results import UnwrittenFileError

    try:
        return ask(question, values, runner), None
    except UnwrittenFileError as error:
        return error.result, error


def reject_options(names: Container[str], reason: str) -> None:
    """Raise UsageError if another option than these was given on the command line."""
    context = click.get_current_context()
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in names and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} {reason}")


def end(result: Any, failure: OSError | None) -> None:
    """End a command: raise the error of a file, or exit if Ctrl-C ended the run."""
    if failure is not None:
        write_line("\n".join(failure.__notes__), err=True)
        raise OSError(failure.errno, failure.strerror, failure.filename)
    if result.interrupted:
        exit_interrupted(result.describe_interruption())
