"""The tables of what calls are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby

from kqj_sim.analysis.intervals import CONFIDENCE, Estimate, number, share
from kqj_sim.analysis.odds_answer import Answer, Odds
from kqj_sim.analysis.table import Line, Table, Unit, make_table
from kqj_sim.rules import MOST

NAMES = {
    "wins": "wins the round",
    "difference": "score difference",
    "makes": "own contract made",
    "plays": "own side plays",
    "litigation": "litigation",
    "passed_out": "passed out",
    "total": "own total",
    "capot": "Capot",
    "kq": "KQ",
    "kqj": "KQJ",
}
"""What people read for each of `analysis.odds_answer.QUANTITIES`."""

BEHIND = "less than the best"
BEST = "*"

_RARE = 0.005
"""Amounts are told up to the first that no contract reaches more often than this."""


def odds_tables(odds: Odds, confidence: float = CONFIDENCE) -> list[Table]:
    """All tables: the calls, with auctions the contracts, and what was heard."""
    note = "Score difference: the own side's score less that of the best other one."
    tables = [calls_table(odds, NAMES, note, confidence)]
    if odds.calls < len(odds.options):
        tables.append(_contracts(odds, confidence))
    if odds.asked:
        tables.append(_heard(odds, confidence))
    return tables


def calls_table(odds: Answer, texts: Mapping[str, str], note: str, confidence: float) -> Table:
    """Every call, the best first.

    Args:
        odds: what was found.
        texts: what people read for each quantity.
        note: below the table.
        confidence: of the intervals.
    """
    names = [
        name
        for name in texts
        if name not in ("litigation", "tie", "passed_out")
        or any(odds.estimate(name, call).value > 0 for call in range(odds.calls))
    ]

    def lines() -> Iterator[Line]:
        for call in odds.ranking:
            group = (BEST if call == odds.best else "", odds.options[call].text)
            for name in names:
                unit: Unit = "share" if odds.quantities[name] else "points"
                yield group, texts[name], unit, odds.estimate(name, call, confidence)
                if name == "difference":
                    behind = Estimate(math.nan, math.nan, math.nan, odds.deals)
                    if call != odds.best:
                        behind = odds.estimate("difference", odds.best, confidence, less=call)
                    yield group, BEHIND, "points", behind

    return make_table(
        "calls",
        "What each call is worth",
        ("best", "call"),
        lines(),
        note,
        counted=False,
    )


def _contracts(odds: Odds, confidence: float) -> Table:
    """By amount the chance to reach it, if the own side plays a contract."""
    played = range(odds.calls, len(odds.options))
    lowest = odds.options[played[0]].amount

    def lines() -> Iterator[Line]:
        for amount in range(lowest, MOST + 1, 10):
            chances = [odds.reaches(option, amount, confidence) for option in played]
            if amount > lowest and max(chance.value for chance in chances) < _RARE:
                break
            for option, chance in zip(played, chances, strict=True):
                yield (str(amount),), str(odds.options[option].contract), "share", chance
        for option in played:
            chance = odds.estimate("capot", option, confidence)
            yield ("Capot",), str(odds.options[option].contract), "share", chance

    return make_table(
        "contracts",
        "Chance to reach each amount, by contract",
        ("amount",),
        lines(),
        f"The contract is played at {lowest}, with no further call.",
        counted=False,
    )


def _heard(odds: Odds, confidence: float) -> Table:
    """What was heard: the share of hands with which each place would have said it."""

    def lines() -> Iterator[Line]:
        for place, which in groupby(range(len(odds.asked)), lambda n: odds.asked[n].place):
            numbers = list(which)
            tried = int(odds.answers[numbers[0], 0])
            agreed = int(odds.answers[numbers[-1], 1])
            group = (place, ", ".join(odds.asked[number].text for number in numbers))
            yield group, "hands looked at", "count", number(tried)
            yield group, "would say so", "share", share(agreed, tried, confidence)

    return make_table(
        "heard",
        "What was heard",
        ("place", "calls"),
        lines(),
        "Hands of cards that the player and the places above do not have.",
        counted=False,
    )
