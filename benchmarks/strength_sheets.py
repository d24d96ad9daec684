"""The results of matches as tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import msgspec

from benchmarks.matches import Alone, Contracts, Match
from benchmarks.sheets import Sheet


class Contest(msgspec.Struct, frozen=True):
    """Everybody against everybody in one variant.

    Attributes:
        variant: what is played.
        players: what they are called, in their order.
        base: whom each is measured against.
        alone: of each the results with it at all seats.
        matches: the matches, by the players' names.
    """

    variant: str
    players: list[str]
    base: str
    alone: dict[str, Alone]
    matches: dict[tuple[str, str], Match]

    def against(self, one: str, other: str) -> tuple[float, float, int]:
        """Return the points a round by which one leads another, the standard error, the deals."""
        if (one, other) in self.matches:
            match = self.matches[one, other]
            return match.points, match.error, match.deals
        points, error, deals = self.against(other, one)
        return 0.0 - points, error, deals

    def contracts(self, one: str, other: str) -> Contracts:
        """Return the contracts of one player against another, or at all seats."""
        if one == other:
            return self.alone[one].contracts
        if (one, other) in self.matches:
            return self.matches[one, other].own
        return self.matches[other, one].others


class Strength(msgspec.Struct, frozen=True):
    """Everything that was measured.

    Attributes:
        command: what made it.
        made: how, and on what.
        cards: contests of those who play cards.
        calls: contests of those who call.
    """

    command: str
    made: dict[str, str]
    cards: list[Contest]
    calls: list[Contest]


def make(strength: Strength) -> list[Sheet]:
    """Return all tables."""
    found = [Sheet("How it was made", ("what", "is"), 2, list(strength.made.items()))]
    if strength.cards:
        found.append(summary(strength))
    for kind, contests, ladder in (
        ("Cards", strength.cards, _ladder),
        ("Calls", strength.calls, _callers),
    ):
        for contest in contests:
            title = f"{kind}: {contest.variant}"
            found += [ladder(contest, title), _matrix(contest, title), _made(contest, title)]
    return found


def summary(strength: Strength) -> Sheet:
    """Tabulate strength at playing cards, in all variants, and time: for docs/strength.md."""
    first = strength.cards[0]
    header = ("policy", *(contest.variant for contest in strength.cards), "µs a round")
    rows = [
        (
            f"`{player}`",
            *(_points(contest, player, first.base) or "0" for contest in strength.cards),
            _time(first.alone[player].cards),
        )
        for player in first.players
    ]
    note = (
        f"Points a round that a side scores more than one of `{first.base}` on the same deals, "
        "with the standard error; microseconds that a side takes to play a round on one thread, "
        f"{first.variant}."
    )
    return Sheet("Points a round", header, 1, rows, note)


def _ladder(contest: Contest, title: str) -> Sheet:
    header = (
        "policy",
        "against the one before",
        f"against {contest.base}",
        "made, %",
        "µs a round",
    )
    before = {player: weaker for weaker, player in pairwise(contest.players)}
    rows = [
        (
            f"`{player}`",
            _points(contest, player, before.get(player, player)),
            _points(contest, player, contest.base),
            _share(contest.alone[player].contracts),
            _time(contest.alone[player].cards),
        )
        for player in contest.players
    ]
    note = (
        "Points: what a side scores more a round, with the standard error. Made: share of the "
        "contracts with this player at all seats. Time: from the calls to the scores of a round "
        "with this player at all seats, on one thread, divided by the number of teams."
    )
    return Sheet(title, header, 1, rows, note)


def _callers(contest: Contest, title: str) -> Sheet:
    header = (
        "policy", f"against {contest.base}", "its contracts, %", "made, %", "alone: taken, %",
        "made, %", "µs a deal",
    )  # fmt: skip
    rows = []
    for player in contest.players:
        own, alone = contest.contracts(player, contest.base), contest.alone[player]
        rows.append((
            f"`{player}`",
            _points(contest, player, contest.base),
            _taken(own),
            _share(own),
            _taken(alone.contracts),
            _share(alone.contracts),
            _time(alone.calls),
        ))  # fmt: skip
    note = (
        f"Points: what a side scores more a round, with the standard error; its contracts against "
        f"`{contest.base}`, of all rounds, and how many of them are made; the same with this "
        "caller at all seats. Time: of the calls of a deal with this caller at all seats, on one "
        "thread, divided by the number of teams."
    )
    return Sheet(title, header, 1, rows, note)


def _matrix(contest: Contest, title: str) -> Sheet:
    def cell(one: str, other: str) -> str:
        if one == other:
            return ""
        return f"{_points(contest, one, other)} ({_short(contest.against(one, other)[2])})"

    note = (
        "Points a round that the side of the row scores more than that of the column, with the "
        "standard error, and the number of deals."
    )
    return _square(contest, f"{title}, each against each", cell, note)


def _made(contest: Contest, title: str) -> Sheet:
    def cell(one: str, other: str) -> str:
        return _share(contest.contracts(one, other))

    note = "Share of the contracts of the row's side that it makes against the column's, in %."
    return _square(contest, f"{title}, contracts made", cell, note)


def _square(contest: Contest, title: str, cell: Callable[[str, str], str], note: str) -> Sheet:
    header = ("", *(f"`{player}`" for player in contest.players))
    rows = [
        (f"`{one}`", *(cell(one, other) for other in contest.players)) for one in contest.players
    ]
    return Sheet(title, header, 1, rows, note)


def _points(contest: Contest, one: str, other: str) -> str:
    """Return the score difference of two players; empty for a player against itself."""
    if one == other:
        return ""
    points, error, _ = contest.against(one, other)
    digits = 1 if error >= 0.095 else 2
    return f"{points:+.{digits}f} ±{error:.{digits}f}"


def _percent(part: int, whole: int) -> str:
    """Format a share in percent with its standard error."""
    if whole == 0:
        return ""
    share = part / whole
    likely = (part + 1) / (whole + 2)  # Not 0 where none, or all, were seen.
    error = math.sqrt(likely * (1 - likely) / whole)
    digits = 1 if error >= 0.00095 else 2
    return f"{100 * share:.{digits}f} ±{100 * error:.{digits}f}"


def _share(contracts: Contracts) -> str:
    return _percent(contracts.made, contracts.contracts)


def _taken(contracts: Contracts) -> str:
    return _percent(contracts.contracts, contracts.rounds)


def _time(microseconds: float) -> str:
    return f"{microseconds:,.0f}" if microseconds >= 100 else f"{microseconds:.2g}"


def _short(count: int) -> str:
    """Format a number of deals: 530, 12k, 1.3M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{letter}"
    return str(count)
