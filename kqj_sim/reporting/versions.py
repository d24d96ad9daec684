"""Versions of a deal, as two policies play it with the sides exchanged, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.record import Record
from kqj_sim.reporting.grid import PIPED_WIDTH
from kqj_sim.reporting.rounds import (
    describe_speaker,
    format_call,
    format_card_text,
    render_round,
)
from kqj_sim.reporting.run import describe_policies

if TYPE_CHECKING:
    from rich.console import RenderableType

MIN_WIDTH_SIDE_BY_SIDE = 96
"""Width of a round, in characters."""


def render_versions(
    records: Sequence[Record], tables: Sequence[Sequence[str]], width: int | None
) -> list[RenderableType]:
    """Return the different versions of a deal for a screen, two side by side if it is wide enough.

    Args:
        records: the rounds, all of the same deal.
        tables: the names of the seats' players in each.
        width: characters in a line; None: not a terminal.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    groups: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        groups.setdefault(_list_actions(record), []).append(number)
    parts: list[RenderableType] = []
    for number, group in enumerate(groups.values(), start=1):
        lines = [f"Version {number}: {describe_policies(tables[each])}" for each in group[:1]]
        lines += [f"and with {describe_policies(tables[each])}" for each in group[1:]]
        first = records[group[0]]
        if number > 1:
            lines.append(describe_first_difference(records[0], first))
        shown = render_round(first, tables[group[0]])
        parts.append(Group(Text("\n".join(lines), "bold"), Text(""), *shown))
    if len(parts) == 1:
        parts.append(Text("The round is the same in every seating.", "italic"))
    if len(parts) == 2 and (width or PIPED_WIDTH) >= 2 * MIN_WIDTH_SIDE_BY_SIDE + 3:
        beside = Table.grid(padding=(0, 3), expand=True)
        beside.add_row(*parts)
        return [beside]
    spaced = [line for part in parts for line in (Text(""), part)]
    return spaced[1:]


def _list_actions(record: Record) -> str:
    """Return all calls and cards of a round as one text."""
    return repr((record.calls, [trick.cards for trick in record.tricks]))


def describe_first_difference(one: Record, other: Record) -> str:
    """Describe the first difference of two rounds of a deal; empty if there is none.

    For example `Differs from version 1 in trick 3: the dealer plays K♠, not A♠`.
    """
    for here, there in zip(one.calls, other.calls, strict=False):
        if here != there:
            who = describe_speaker(other, there.seat)
            said, instead = format_call(there), format_call(here)
            return f"Differs from version 1 in the calls: {who} says {said}, not {instead}"
    for number, (before, after) in enumerate(zip(one.tricks, other.tricks, strict=True), start=1):
        for turn, (card, instead) in enumerate(zip(before.cards, after.cards, strict=True)):
            if card != instead:
                who = describe_speaker(one, (before.leader + turn) % len(one.players))
                played, other_card = (format_card_text(each) for each in (instead, card))
                return (
                    f"Differs from version 1 in trick {number}: {who} plays {played}, "
                    f"not {other_card}"
                )
    return ""
