"""Questions: public functions of which each is a command, too.

The signature of a question says which options it takes, its docstring explains them, and
`kqj_sim.options` says how each is read.  Nothing else describes the command.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ParamSpec, TypeVar, cast

from kqj_sim.arguments import RuleArguments, collect_rules, name_policy
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import GAMES, KQJ
from kqj_sim.messages import represent, shorten
from kqj_sim.options import OPTIONS, Option
from kqj_sim.plain import to_mapping, to_plain
from kqj_sim.runner import DEFAULT_RUNNER, Runner

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

TABLES_AND_PLOT = ("tables", "format", "out", "plot", "color", "quiet", "config")
"""Options of the output of most questions."""

_MAPPINGS = {"policy", "vary"}
"""Arguments that a mapping may be."""

COMMON_HELP = {
    "rules": "the rules of the table, in place of their fields.",
    "runner": "workers, progress and Ctrl-C; by default all processors, and no progress.",
}
"""What the parameters mean that every question has and no command."""


@dataclass(frozen=True)
class CommandDescription:
    """The details of a command that its function's signature does not say.

    Attributes:
        arguments: placeholders of the parameters that are typed without an option.
        output: options of what is written, which the function does not have.
        workers: options of who does the work, of "threads" and "cluster".
        options: the question's options by name, its own and those of `OPTIONS`.
        list_tables: returns the titles of the tables by name, for the values of all options;
            raises InputError for what cannot be written.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, str]
    output: tuple[str, ...]
    workers: tuple[str, ...]
    examples: str
    options: Mapping[str, Option]
    list_tables: Callable[..., Mapping[str, str]] | None = None
    help: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "help", read_arguments_help(self.function.__doc__ or ""))

    @property
    def name(self) -> str:
        """The name of the function and of the command."""
        return self.function.__name__


def question(
    *,
    arguments: Mapping[str, str] | None = None,
    output: tuple[str, ...] = (),
    workers: tuple[str, ...] = ("threads", "cluster"),
    examples: str = "",
    list_tables: Callable[..., Mapping[str, str]] | None = None,
    **own: Option,
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Decorate a public function: it reads its values as `OPTIONS` says, and becomes a command.

    A function without examples of command lines becomes none.

    Args:
        arguments, output, workers, examples, list_tables: attributes of `CommandDescription`.
        own: options that mean something else in this question than in others.
    """

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        options = {**OPTIONS, **own}
        signature = inspect.signature(function)

        @functools.wraps(function)
        def ask(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(_explain_call(function.__name__, signature, args, error)) from None
            values = bound.arguments
            for name in _MAPPINGS & values.keys():
                values[name] = to_mapping(values[name])
            values.update(to_plain(values))
            passed = dict(values)
            for name, value in values.items():
                # None is the default, or a wrong value.
                is_left_out = value is None and signature.parameters[name].default is None
                if name in options and not is_left_out:
                    values[name] = read_value(name, options[name], value)
            rule_values = values.pop("fields", {})
            if "rules" in signature.parameters:
                own_names = [name for name in signature.parameters if name != "fields"]
                values["rules"] = collect_rules(
                    values.get("rules"), rule_values, function.__name__, own_names
                )
            if "runner" in signature.parameters:
                runner = values.get("runner")
                if runner is None:
                    runner = DEFAULT_RUNNER
                if not isinstance(runner, Runner):
                    kind = type(runner).__name__
                    raise InputError(f"runner: it is kqj_sim.Runner(...), not {kind}")
                if runner.has_cluster and "cluster" not in workers:
                    raise InputError(f"cluster: {function.__name__} runs in threads only")
                made_by = _write_call(function.__name__, signature, passed)
                game = getattr(values.get("rules"), "game", KQJ.name)

                def load() -> None:
                    from kqj_sim.output.loading import load_ending

                    load_ending(function.__module__, game)

                values["runner"] = runner.for_call(made_by, load)
            return function(*bound.args, **bound.kwargs)

        shown = _name_rules(signature)
        ask.__signature__ = shown  # type: ignore[attr-defined]
        ask.__doc__ = _complete_docstring(function.__doc__ or "", shown, options)
        if examples:
            ask.command = CommandDescription(  # type: ignore[attr-defined]
                ask, arguments or {}, output, workers, examples, options, list_tables
            )
        return cast("Callable[_Parameters, _Result]", ask)

    return decorate


def _explain_call(
    name: str, signature: inspect.Signature, values: Sequence[object], error: TypeError
) -> str:
    """Return the line on a call whose arguments do not fit: one without a name gets its name."""
    named = [each for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
    places = len(signature.parameters) - len(named) - ("fields" in signature.parameters)
    if len(values) <= places or not named:
        return f"{name}(): {error}"
    return f"{name}(): write {named[0].name}={represent(values[places])}"


def _name_rules(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature with a keyword for each field of the rules, as type checkers show it."""
    parameters = dict(signature.parameters)
    if parameters.pop("fields", None) is None:
        return signature
    defaults = {"game": KQJ.name} | {
        rule.name: rule.default for each in GAMES.values() for rule in fields(each.rules)
    }
    named = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name],
            annotation=hint.__forward_arg__,
        )
        for name, hint in RuleArguments.__annotations__.items()
        if name in defaults
    ]  # fmt: skip
    return signature.replace(parameters=[*parameters.values(), *named])


def _write_call(function: str, signature: inspect.Signature, values: Mapping[str, Any]) -> str:
    """Return the Python call with these values, but those that are the default."""
    words = []
    for name, value in values.items():
        parameter = signature.parameters[name]
        if name == "fields":
            words += [f"{rule}={represent(each)}" for rule, each in value.items()]
        elif name == "rules" and value is not None:
            chosen = value.to_dict()
            default = type(value)().to_dict()
            words += [f"game={value.game!r}"] * (value.game != KQJ.name)
            words += [f"{rule}={each!r}" for rule, each in chosen.items() if each != default[rule]]
        elif parameter.kind is parameter.VAR_POSITIONAL:
            words += [_write_value(each) for each in value]
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            words.append(_write_value(value))
        elif name not in ("rules", "runner"):
            written = _write_value(value)
            words += [f"{name}={written}"] * (written != _write_value(parameter.default))
    return f"kqj_sim.{function}({', '.join(words)})"


def _write_value(value: Any) -> str:
    is_policy = callable(value) or isinstance(value, os.PathLike)
    return represent(name_policy(value) if is_policy else value)


def read_value(name: str, option: Option, value: Any) -> Any:
    """Return what the value of an option stands for; raise InputError, which names it."""
    with locate_errors(f"`{name}`"):
        is_simple = isinstance(value, str | int)
        allowed = (True, False) if option.is_switch else option.choices
        if allowed is not None and not (is_simple and value in allowed):
            expected = " or ".join(map(str, allowed))
            raise InputError(f"it is {expected}, not {shorten(represent(value))}")
        return value if option.parse is None else option.parse(value)


def read_arguments_help(docstring: str) -> dict[str, str]:
    """Return what a docstring says of each parameter."""
    block = re.search(r"\nArgs:\n(.*?)(?:\n\S|\Z)", inspect.cleandoc(docstring), re.DOTALL)
    texts = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", block[1], re.MULTILINE) if block else []
    return {name: " ".join(text.split()) for name, text in texts}


def _complete_docstring(
    docstring: str, signature: inspect.Signature, options: Mapping[str, Option]
) -> str:
    """Return a docstring with the parameters that it does not explain, as others share them."""
    told = read_arguments_help(docstring)
    lines = []
    for name in signature.parameters:
        shared = options[name].help if name in options else COMMON_HELP.get(name, "")
        text = told.get(name) or shared[:1].lower() + shared[1:]
        lines.append(f"    {name}: {text}")
    clean = inspect.cleandoc(docstring)
    explained = "\n".join(["\n\nArgs:", *lines])
    head, args, rest = clean.partition("\n\nArgs:\n")
    after = re.search(r"\n\n\S.*", rest, re.DOTALL)
    return f"{head}{explained}{after[0] if after else ''}" if args else f"{clean}{explained}"
