"""The command `report`: what it writes to the terminal."""

from __future__ import annotations

from typing import Any

from kqj_sim.commands.from_function import ask, exit_if_interrupted, prepare
from kqj_sim.commands.say import say
from kqj_sim.messages import visible
from kqj_sim.question import CommandDescription


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write the report, and print the path of its page."""
    output, runner = prepare(asked, given)
    found = ask(asked, given, runner)
    if not output["quiet"]:
        say(visible(str(found.path)))
    exit_if_interrupted(found)
