"""Rounds as `show` prints them: of a file, played, or as two policies play the same deal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kqj_sim.notation.people import name_people_in
from kqj_sim.output.run import describe_policies
from kqj_sim.paired.match import Match
from kqj_sim.policies.players import Player
from kqj_sim.questions.records.rounds import (
    describe_speaker,
    format_call,
    format_card_text,
    render_partial_round,
    render_round,
)
from kqj_sim.questions.records.sources import read_round
from kqj_sim.record import Record
from kqj_sim.referee import check_record
from kqj_sim.rules import GameRules
from kqj_sim.simulation.recording import play_records

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

MIN_WIDTH_SIDE_BY_SIDE = 96
"""Width of a round, in characters."""


def render_file(file: str, line: int) -> tuple[Sequence[RenderableType], list[str]]:
    """Return a round of a file for a screen, and its rule violations; or raise RecordError."""
    record, title = read_round(file, line)
    if not isinstance(record, Record):
        return render_partial_round(record, title), []
    return render_checked(record, None, title)


def render_checked(
    record: Record, players: Sequence[str] | None, title: str = ""
) -> tuple[Sequence[RenderableType], list[str]]:
    """Return a round for a screen as `render_round`, and what it has against the rules."""
    discrepancies = [name_people_in(each, record) for each in check_record(record)]
    return render_round(record, players, title=title), discrepancies


class _Versions:
    """Versions of a deal: two side by side if the screen is wide enough, else one below another."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self._parts = parts

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.table import Table
        from rich.text import Text

        if len(self._parts) == 2 and options.max_width >= 2 * MIN_WIDTH_SIDE_BY_SIDE + 3:
            beside = Table.grid(padding=(0, 3), expand=True)
            beside.add_row(*self._parts)
            yield beside
            return
        for number, part in enumerate(self._parts):
            if number > 0:
                yield Text("")
            yield part


def play_versions(
    players: tuple[Player, Player],
    opponents: Player | None,
    rules: GameRules,
    seed: int,
    deal: int,
) -> Sequence[RenderableType]:
    """Play a deal as two policies do, with the sides exchanged; return its different versions.

    Without `opponents` the policies themselves play the other sides.
    """
    from rich.console import Group
    from rich.text import Text

    match = Match(rules, players, opponents, seed)
    records = [next(play_records(each)) for each in match.make_experiments(deal, 1)]
    seatings = [[each.given for each in seated] for seated in match.list_seatings()]
    groups: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        groups.setdefault(_list_actions(record), []).append(number)
    parts: list[RenderableType] = []
    for number, group in enumerate(groups.values(), start=1):
        lines = [f"Version {number}: {describe_policies(seatings[each])}" for each in group[:1]]
        lines += [f"and with {describe_policies(seatings[each])}" for each in group[1:]]
        first = records[group[0]]
        if number > 1:
            lines.append(describe_first_difference(records[0], first))
        shown = render_round(first, seatings[group[0]])
        parts.append(Group(Text("\n".join(lines), "bold"), Text(""), *shown))
    if len(parts) == 1:
        parts.append(Text("The round is the same in every seating.", "italic"))
    return [_Versions(parts)]


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
