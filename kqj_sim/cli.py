"""The program `kqj-sim`: its commands, loaded when they are used, and its exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from kqj_sim.commands.errors import (
    DEBUG,
    ENVIRONMENT_PREFIX,
    HintingGroup,
    exit_with_error,
    show_warning,
)
from kqj_sim.messages import shorten
from kqj_sim.version import __version__

QUESTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "What is my hand worth? Which card should I play?": {
        "odds": ("questions.odds", "Estimate the value of each call, or card, and name the best."),
        "page": ("questions.odds", "Open a page in which you tap cards instead of typing them."),
        "review": ("questions.review", "Grade recorded rounds: where were the points lost?"),
        "solve": ("questions.solve", "Find the best play with all cards open."),
    },
    "Who wins the game?": {
        "equity": ("questions.equity", "Estimate the chance to win the game, from every score."),
    },
    "How often does something happen?": {
        "simulate": ("questions.simulate", "Play deals and summarise the results in tables."),
        "report": ("questions.report", "Play deals and write a report with tables and plots."),
        "columns": ("commands.listings", "List the columns of the rows, for --by and --where."),
    },
    "Which strategy is better?": {
        "compare": ("questions.compare", "Compare policies on the same deals and rank them."),
        "sweep": ("questions.compare", "Vary a policy's parameters and score every setting."),
        "tune": ("questions.compare", "Search a policy's parameters for more points a round."),
        "policies": ("commands.listings", "List the policies and explain their parameters."),
    },
    "Rounds in files": {
        "records": ("questions.records", "Play deals and write each round as a line of JSON."),
        "show": ("questions.records", "Show one round: hands, calls, tricks, points and scores."),
        "check": ("questions.records", "Check recorded rounds against an independent referee."),
    },
    "For other programs": {
        "serve": ("commands.serve", "Answer questions of other programs, a line of JSON each."),
    },
}
"""The commands by question, each with its module, below `kqj_sim`, and its summary.

The module defines the command, or the function of which it is made.
"""

COMMANDS: Mapping[str, tuple[str, str]] = {
    name: entry for commands in QUESTIONS.values() for name, entry in commands.items()
}


class LazyCommands(Mapping[str, click.Command]):
    """The commands by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        module, _ = COMMANDS[name]
        function = getattr(import_module(f"kqj_sim.{module}"), name)
        if isinstance(function, click.Command):
            return function
        from kqj_sim.commands.from_function import make_command, write_tables
        from kqj_sim.commands.runs import RUNS

        return make_command(function, RUNS.get(name, write_tables))

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class CommandGroup(HintingGroup):
    """The group of commands; errors are one line on stderr.

    The exit status is 0 for success, 1 for failure, 2 for wrong usage, and 128 plus its number
    after a signal: 130 after Ctrl-C, 143 after TERM.
    """

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, standalone_mode: bool = True, **options: Any
    ) -> Any:
        """Run a command; with `standalone_mode`, exit the process with the command's status."""
        options["prog_name"] = options.get("prog_name") or "kqj-sim"
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **options)
        _open_missing_streams()
        try:
            with warnings.catch_warnings():
                warnings.showwarning = show_warning
                status = super().main(args, standalone_mode=False, **options)
            sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            exit_with_error(error, sys.argv[1:] if args is None else args)
        sys.exit(status if isinstance(status, int) else 0)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line; `help COMMAND` is `COMMAND --help`."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Check the environment variables, then run the command that `ctx` names."""
        check_environment(self)
        return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, by question."""
        return list(COMMANDS)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by question, from the table without importing them, then options."""
        width = max(map(len, COMMANDS))
        for question, commands in QUESTIONS.items():
            formatter.write_paragraph()
            formatter.write(f"{question}\n")
            with formatter.indentation():
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, (_, summary) in commands.items()]
                )
        click.Command.format_options(self, ctx, formatter)


def _open_missing_streams() -> None:
    """Discard what is written to a stream that was closed at the start (`>&-`)."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # Else the first file opened would get this number, and what is meant for the stream.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _list_variables(group: click.Group, prefix: str) -> Iterator[str]:
    """Yield the names of the environment variables that set options of a group's commands."""
    for name, command in group.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield f"{prefix}_{name}_{parameter.name}".upper()
        if isinstance(command, click.Group):
            yield from _list_variables(command, f"{prefix}_{name}")


def check_environment(program: click.Group) -> None:
    """Raise UsageError for an environment variable KQJ_SIM_... that sets no option."""
    variables = [name for name in os.environ if name.startswith(f"{ENVIRONMENT_PREFIX}_")]
    known = {DEBUG, *_list_variables(program, ENVIRONMENT_PREFIX)} if variables else {DEBUG}
    for name in variables:
        if name not in known:
            raise click.UsageError(
                f"the variable {shorten(name)} sets no option: that of `simulate --deals` is "
                f"{ENVIRONMENT_PREFIX}_SIMULATE_DEALS"
            )


@click.group(
    name="kqj-sim",
    cls=CommandGroup,
    commands=LazyCommands(),
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": ENVIRONMENT_PREFIX,
        "max_content_width": 100,
    },
    epilog="""\b
Examples:
  kqj-sim odds 9h 8h Ah Ks 4d --return 7h
  kqj-sim simulate --deals 1e6
  kqj-sim compare standard:take=45 standard
  kqj-sim sweep points --vary take=0:60:10 --plot take.png

`kqj-sim help odds` explains a command.

\b
Completion for bash (for zsh and fish: zsh_source, fish_source):
  eval "$(_KQJ_SIM_COMPLETE=bash_source kqj-sim)"

Options can also be set in a TOML file (--config) and by environment variables, such as
KQJ_SIM_SIMULATE_DEALS for --deals of simulate.
""",
)
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    """Find out what a hand of KQJ is worth, which strategy is better, and how often things happen.

    KQJ is a card game of the Belote family for six; Kwajongen (--game kwajongen) is a small game
    for four.  The answers come from playing thousands to millions of deals.
    """
