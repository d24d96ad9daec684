"""One deal as it goes with other players: each version once, and where they part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.record import Call, Record
from kqj_sim.reporting.grid import PIPED_WIDTH
from kqj_sim.reporting.report import describe_policies
from kqj_sim.reporting.rounds import round_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

NARROWEST = 96
"""Characters that a round takes in width."""


def versions_parts(
    records: Sequence[Record], tables: Sequence[Sequence[str]], width: int | None
) -> list[RenderableType]:
    """The versions of a deal in parts for a screen, two side by side if it is wide enough.

    Args:
        records: the rounds, all of the same deal.
        tables: the players of the six seats of each, as they were named.
        width: characters in a line; None: not a terminal.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    groups: list[list[int]] = []
    for number, record in enumerate(records):
        for group in groups:
            if _course(records[group[0]]) == _course(record):
                group.append(number)
                break
        else:
            groups.append([number])
    parts: list[RenderableType] = []
    for number, group in enumerate(groups, start=1):
        lines = [f"Version {number}: {describe_policies(tables[each])}" for each in group[:1]]
        lines += [f"and with {describe_policies(tables[each])}" for each in group[1:]]
        first = records[group[0]]
        if number > 1:
            lines.append(f"From version 1 it parts {first_difference(records[0], first)}")
        parts.append(Group(Text("\n".join(lines), "bold"), Text(""), *round_parts(first)))
    if len(parts) == 1:
        parts.append(Text("All arrangements go the same way", "italic"))
    if len(parts) == 2 and (width or PIPED_WIDTH) >= 2 * NARROWEST + 3:
        beside = Table.grid(padding=(0, 3), expand=True)
        beside.add_row(*parts)
        return [beside]
    spaced: list[RenderableType] = []
    for part in parts:
        spaced += [Text(""), part] if spaced else [part]
    return spaced


def _course(record: Record) -> tuple[list[Call], list[list[str]]]:
    """All that was said and played."""
    return record.calls, [trick.cards for trick in record.tricks]


def first_difference(one: Record, other: Record) -> str:
    """Where two rounds of a deal part, in words; empty if they do not."""
    for here, there in zip(one.calls, other.calls, strict=False):
        if here != there:
            return f"at the calls: seat {there.seat} says {_said(there)} instead of {_said(here)}"
    for number, (before, after) in enumerate(zip(one.tricks, other.tricks, strict=True), start=1):
        for place, (card, instead) in enumerate(zip(before.cards, after.cards, strict=True)):
            if card != instead:
                seat = (before.leader + place) % len(one.players)
                return f"in trick {number}: seat {seat} plays {instead} instead of {card}"
    return ""


def _said(call: Call) -> str:
    """A call in words: `pass`, `take h`, `bid 150 NT Capot`."""
    amount = "" if call.amount is None else f" {call.amount}"
    contract = "" if call.contract is None else f" {call.contract}"
    return f"{call.call}{amount}{contract}{' Capot' if call.capot else ''}"
