"""The group of commands, and how every one of them ends.

The command `kqj-sim`: parse, call one function, hand the result to a writer.
"""

from __future__ import annotations

import difflib
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from kqj_sim import __version__
from kqj_sim.commands.compare import compare
from kqj_sim.commands.errors import DEBUG, ENVIRONMENT_PREFIX, end
from kqj_sim.commands.listings import columns, policies
from kqj_sim.commands.odds import odds
from kqj_sim.commands.records import check, records, show
from kqj_sim.commands.report import report
from kqj_sim.commands.simulate import merge, simulate
from kqj_sim.commands.sweep import sweep
from kqj_sim.commands.train import train
from kqj_sim.commands.tune import tune
from kqj_sim.messages import shorten
from kqj_sim.run_scope import run_scope


class CommandGroup(click.Group):
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
            _open_missing_streams()
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
        except (Exception, KeyboardInterrupt) as error:
            if not standalone_mode:
                raise
            end(error, sys.argv[1:] if args is None else args)
        if standalone_mode:
            # Nor is there any for Python to look for when it ends, another fifth.
            gc.freeze()
            sys.exit(status if isinstance(status, int) else 0)
        return status

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that `ctx` names, if the variables of the environment are right."""
        check_environment(self)
        with run_scope():
            return super().invoke(ctx)


def _open_missing_streams() -> None:
    """Let output lead nowhere that was closed when the program began (`>&-`)."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _list_variables(group: click.Group, prefix: str) -> Iterator[str]:
    """The variables that set options of a group's commands."""
    for name, command in group.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield f"{prefix}_{name}_{parameter.name}".upper()
        if isinstance(command, click.Group):
            yield from _list_variables(command, f"{prefix}_{name}")


def check_environment(program: click.Group) -> None:
    """Raise UsageError for a variable KQJ_SIM_... that sets no option."""
    known = [*_list_variables(program, ENVIRONMENT_PREFIX), DEBUG]
    for name in os.environ:
        if name.startswith(f"{ENVIRONMENT_PREFIX}_") and name not in known:
            short = shorten(name)
            near = difflib.get_close_matches(short, known, n=1, cutoff=0)[0]
            raise click.UsageError(f"the variable {short} sets no option: did you mean {near}?")


@click.group(
    name="kqj-sim",
    cls=CommandGroup,
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
