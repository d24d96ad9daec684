"""The group of commands, and how every one of them ends."""

from __future__ import annotations

import difflib
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import click

from kqj_sim import __version__
from kqj_sim.cli.compare import compare
from kqj_sim.cli.interrupt import INTERRUPTED
from kqj_sim.cli.listings import columns, policies
from kqj_sim.cli.merge import merge
from kqj_sim.cli.odds import odds
from kqj_sim.cli.report import report
from kqj_sim.cli.rounds import check, records, show
from kqj_sim.cli.simulate import simulate
from kqj_sim.cli.sweep import sweep
from kqj_sim.cli.train import train
from kqj_sim.cli.tune import tune

FAILED, WRONG_USAGE = 1, 2
ENVIRONMENT_PREFIX = "KQJ_SIM"


class Program(click.Group):
    """A group whose errors are one line on stderr.

    The exit status is 0 for done, 1 for failed, 2 for wrong usage and 130 for interrupted.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; as the program (`standalone_mode`) ends it with its exit status."""
        if standalone_mode:
            # Importing the libraries makes objects by the hundred thousand and no garbage: looking
            # for it as often as Python does by itself costs a fifth of a short run.
            gc.set_threshold(2_000_000, 10, 10)
        try:
            status = super().main(
                args,
                prog_name or "kqj-sim",
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            sys.stdout.flush()
        except Exception as error:
            if not standalone_mode:
                raise
            _end(error)
        if standalone_mode:
            # Nor is there any for Python to look for when it ends, another fifth.
            gc.freeze()
            sys.exit(status if isinstance(status, int) else 0)
        return status

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that `ctx` names, if the variables of the environment are right."""
        check_environment(self)
        return super().invoke(ctx)


def _end(error: Exception) -> NoReturn:
    """End the program by an expected error; another one is a mistake in it and goes on."""
    if isinstance(error, BrokenPipeError):
        # Whoever read the output has gone; Python must not try to write the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    if isinstance(error, click.Abort):
        click.echo("Interrupted", err=True)
        sys.exit(INTERRUPTED)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        sys.exit(WRONG_USAGE)
    if isinstance(error, click.ClickException):
        message, status = error.format_message(), error.exit_code
    elif isinstance(error, OSError):
        reason = error.strerror or str(error)
        message = f"{error.filename}: {reason}" if error.filename else reason
        status = FAILED
    elif type(error).__module__.startswith("kqj_sim."):
        # The package's own errors say in a line what would be right.  They are wrong values,
        # but for records, which come from files, and what went wrong while running.
        failed = not isinstance(error, ValueError) or type(error).__name__ == "RecordError"
        message, status = str(error), FAILED if failed else WRONG_USAGE
    else:
        raise error
    click.echo(f"Error: {' '.join(message.split())}", err=True)
    sys.exit(status)


def _variables(group: click.Group, prefix: str) -> Iterator[str]:
    """The variables that set options of a group's commands."""
    for name, command in group.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield f"{prefix}_{name}_{parameter.name}".upper()
        if isinstance(command, click.Group):
            yield from _variables(command, f"{prefix}_{name}")


def check_environment(program: click.Group) -> None:
    """Raise UsageError for a variable KQJ_SIM_... that sets no option."""
    known = list(_variables(program, ENVIRONMENT_PREFIX))
    for name in os.environ:
        if name.startswith(f"{ENVIRONMENT_PREFIX}_") and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
            raise click.UsageError(f"the variable {name} sets no option: did you mean {near}?")


@click.group(
    name="kqj-sim",
    cls=Program,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": ENVIRONMENT_PREFIX,
        "max_content_width": 100,
    },
    epilog="""\b
Examples:
  kqj-sim simulate --deals 1e6
  kqj-sim simulate --teams 3 --bidding auction --by contract --plot totals.png
  kqj-sim compare standard:take=45 standard
  kqj-sim sweep points --vary take=0:60:10 --plot take.png
  kqj-sim report --deals 1e6 --out taking
  kqj-sim show --seed 1 --deal 42
  kqj-sim records --deals 1000 --out rounds.jsonl && kqj-sim check rounds.jsonl

\b
Every option can also be set by a variable, --deals of simulate by KQJ_SIM_SIMULATE_DEALS,
and in a TOML file given by --config.  Completion for a shell (bash, zsh or fish):
  eval "$(_KQJ_SIM_COMPLETE=bash_source kqj-sim)"
""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Play KQJ or Kwajongen by the million and see what comes of it.

    KQJ is a six-player card game of the Belote family, Kwajongen (--game kwajongen) a small one
    for four.  Policies call and play the cards; the tables tell how often deals are taken, made
    and failed, by whom and with what scores.
    """


COMMANDS = (
    simulate, merge, odds, compare, sweep, tune, report, records, show, check, train, columns,
    policies,
)  # fmt: skip
for command in COMMANDS:
    main.add_command(command)
