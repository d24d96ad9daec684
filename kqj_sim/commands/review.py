"""The command `review`: rounds that cannot be read, and the exit status."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from kqj_sim.commands.from_function import ask, prepare, reject_options
from kqj_sim.commands.output import Output, choose_tables
from kqj_sim.commands.stdout import write_line
from kqj_sim.games import GAMES
from kqj_sim.question import CommandDescription
from kqj_sim.questions.review import COUNTS_ROUNDS, FOR_PLAYED
from kqj_sim.signals import get_exit_status
from kqj_sim.suffixes import PAGE_SUFFIXES

_OF_POLICIES = {
    "game", *(rule.name for each in GAMES.values() for rule in fields(each.rules)),
    "impose", "first", "deals", "games",
}  # fmt: skip
"""Options of rounds that are played."""


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write the review, and a line on stderr for each round that cannot be reviewed."""
    context = click.get_current_context()
    if not given["policy"]:
        reject_options(given.keys() - {"deals"}, COUNTS_ROUNDS)
        reject_options(given.keys() - _OF_POLICIES, FOR_PLAYED)
        for name in _OF_POLICIES:  # A file of options may set them for other commands.
            del given[name]
    output, runner = prepare(asked, given)
    assert asked.list_tables is not None
    shown = choose_tables(output["tables"], asked.list_tables())
    seats = given["seat"]
    with Output(output["out"], output["format"], None, output["color"], PAGE_SUFFIXES) as files:
        from kqj_sim.questions.review.play import NothingReviewedError

        try:
            found = ask(asked, given, runner)
        except NothingReviewedError:
            context.exit(1)  # Each of the records has had its line.
        if found.deals:
            files.write_result(found, shown)
    if found.without_player:
        total = f"{found.without_player:,} of {found.without_player + found.deals:,} rounds"
        write_line(f"Left out: {total}, without {' or '.join(seats)} at the table", err=True)
    if (end := found.describe_end()) is not None:
        write_line(end, err=True)
    if found.interrupted and not found.out_of_time:
        context.exit(get_exit_status())
    if found.errors or not found.deals:
        context.exit(1)
