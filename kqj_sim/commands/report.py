"""The command `report`: what it writes to the terminal."""

from __future__ import annotations

from typing import Any

from kqj_sim.commands.from_function import ask_or_keep, end, prepare
from kqj_sim.commands.stdout import write_line
from kqj_sim.messages import visible
from kqj_sim.question import CommandDescription


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write the report, and print the path of its page, or the report if it cannot be written."""
    output, runner = prepare(asked, given)
    found, failure = ask_or_keep(asked, given, runner)
    if not found.files:
        write_line(found.to_markdown(), nl=False)
    elif not output["quiet"]:
        write_line(visible(str(found.path)))
    end(found, failure)
