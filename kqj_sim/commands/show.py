"""The command `show`: a round on the screen."""

from __future__ import annotations

from typing import Any

from kqj_sim.commands.from_function import ask, prepare, reject_options
from kqj_sim.commands.output import print_screen
from kqj_sim.commands.stdout import write_line
from kqj_sim.question import CommandDescription


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Print the round, and what it has against the rules."""
    output, runner = prepare(asked, given)
    if given["file"] is not None:
        reject_options(
            ("file", "line", *asked.output),
            "is for a round that is played: leave it out, or the FILE",
        )
    parts, discrepancies = ask(asked, given, runner)
    print_screen(parts, output["color"])
    for each in discrepancies:
        write_line(f"Warning: against the rules: {each}", err=True)
