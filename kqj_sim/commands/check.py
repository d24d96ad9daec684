"""The command `check`: records against the referee, and against a replay."""

from __future__ import annotations

import click

from kqj_sim.api.checking import RecordCheck
from kqj_sim.commands.command import Command
from kqj_sim.commands.input import open_lines
from kqj_sim.commands.options import announce_compiling, quiet_option
from kqj_sim.commands.say import say
from kqj_sim.messages import visible


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim check rounds.jsonl
  kqj-sim records --deals 1000 | kqj-sim check -
  kqj-sim check --replay rounds.jsonl
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--replay",
    is_flag=True,
    help="Play each round again, too, and compare; runs the policy files that the records name.",
)
@quiet_option
def check(files: tuple[str, ...], replay: bool, quiet: bool) -> None:
    """Check recorded rounds against an independent referee.

    Prints each discrepancy with its file and line; the exit status is 1 if there are any.  The
    referee finds whatever the rules do not allow; --replay also finds a changed seed, deal or
    player.
    """
    checked = RecordCheck(replay, None if quiet else announce_compiling)
    for file in files:
        name = "stdin" if file == "-" else visible(file)
        with open_lines(file) as lines:
            for line, discrepancy in checked.check_file(lines):
                say(f"{name}:{line}: {discrepancy}")
    if not quiet:
        for line_of_summary in checked.summarise():
            say(line_of_summary, err=True)
    if checked.discrepancy_count:
        click.get_current_context().exit(1)
