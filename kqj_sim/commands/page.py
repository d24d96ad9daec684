"""The command `page`: cards in several words, and where the page is."""

from __future__ import annotations

from typing import Any

from kqj_sim.commands.from_function import prepare
from kqj_sim.commands.odds import join_cards
from kqj_sim.commands.stdout import write_line
from kqj_sim.messages import visible
from kqj_sim.question import CommandDescription


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write the page and print its path."""
    output, _ = prepare(asked, given)
    given["hand"] = join_cards(given["hand"])
    path = asked.function(**given)
    if not output["quiet"]:
        write_line(visible(str(path)))
