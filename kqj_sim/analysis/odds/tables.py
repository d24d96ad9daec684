"""The table of what cards are worth.

The tables of what calls are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby

from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE, Estimate, estimate_share, make_count
from kqj_sim.analysis.odds.calls import CallOdds, KqjCallOdds
from kqj_sim.analysis.odds.cards import RANKING_MEASURE, CardOdds
from kqj_sim.analysis.tables import Table, TableRow, Unit, make_table
from kqj_sim.rules import MAX_TOTAL

BEHIND_BEST = "less than the best"


def make_card_table(odds: CardOdds) -> Table:
    """Every card that may be played, the best first."""
    measures = [
        measure
        for measure in odds.card_measures.measures
        if measure.name != "litigation"
        or any(each.measures[measure.name].value > 0 for each in odds.cards)
    ]

    def lines() -> Iterator[TableRow]:
        for each in odds.cards:
            group = ("*" if each.versus_best is None else "", str(each.card))
            for measure in measures:
                yield (
                    group,
                    measure.text,
                    measure.unit,
                    _drop_exact_interval(each.measures[measure.name]),
                )
                if measure.name == RANKING_MEASURE:
                    yield (
                        group,
                        BEHIND_BEST,
                        odds.card_measures.ranking_unit,
                        _estimate_deficit(each.versus_best),
                    )

    return make_table(
        "cards",
        "What each card is worth",
        ("best", "card"),
        lines(),
        odds.card_measures.note,
        counted=False,
    )


def _drop_exact_interval(estimate: Estimate) -> Estimate:
    """An exact number has no interval."""
    if estimate.low == estimate.high == estimate.value:
        return estimate._replace(low=math.nan, high=math.nan)
    return estimate


def _estimate_deficit(versus_best: dict[str, Estimate] | None) -> Estimate:
    """By how much a card scores less than the best; NaN for the best itself."""
    if versus_best is None:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value, low, high, deals = _drop_exact_interval(versus_best[RANKING_MEASURE])
    return Estimate(0.0 - value, 0.0 - high, 0.0 - low, deals)


QUANTITY_LABELS = {
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
"""What people read for each of `analysis.odds.calls.QUANTITIES`."""

BEHIND_BEST = "less than the best"
BEST_MARK = "*"

_MIN_SHOWN_PROBABILITY = 0.005
"""Amounts are told up to the first that no contract reaches more often than this."""


def make_call_tables(odds: KqjCallOdds, confidence: float = DEFAULT_CONFIDENCE) -> list[Table]:
    """All tables: the calls, with auctions the contracts, and what was heard."""
    note = "Score difference: the own side's score less that of the best other one."
    tables = [make_call_table(odds, QUANTITY_LABELS, note, confidence)]
    if odds.calls < len(odds.options):
        tables.append(_make_contract_table(odds, confidence))
    if odds.asked:
        tables.append(_make_bidding_table(odds, confidence))
    return tables


def make_call_table(
    odds: CallOdds, labels: Mapping[str, str], note: str, confidence: float
) -> Table:
    """Every call, the best first.

    Args:
        odds: what was found.
        labels: what people read for each quantity.
        note: below the table.
        confidence: of the intervals.
    """
    names = [
        name
        for name in labels
        if name not in ("litigation", "tie", "passed_out")
        or any(odds.estimate(name, call).value > 0 for call in range(odds.calls))
    ]

    def lines() -> Iterator[TableRow]:
        for call in odds.ranking:
            group = (BEST_MARK if call == odds.best else "", odds.options[call].text)
            for name in names:
                unit: Unit = "share" if odds.quantities[name] else "points"
                yield group, labels[name], unit, odds.estimate(name, call, confidence)
                if name == "difference":
                    behind = Estimate(math.nan, math.nan, math.nan, odds.deals)
                    if call != odds.best:
                        behind = odds.estimate("difference", odds.best, confidence, baseline=call)
                    yield group, BEHIND_BEST, "points", behind

    return make_table(
        "calls",
        "What each call is worth",
        ("best", "call"),
        lines(),
        note,
        counted=False,
    )


def _make_contract_table(odds: KqjCallOdds, confidence: float) -> Table:
    """By amount the chance to reach it, if the own side plays a contract."""
    played = range(odds.calls, len(odds.options))
    lowest = odds.options[played[0]].amount

    def lines() -> Iterator[TableRow]:
        for amount in range(lowest, MAX_TOTAL + 1, 10):
            chances = [
                odds.estimate_reach_probability(option, amount, confidence) for option in played
            ]
            if amount > lowest and max(chance.value for chance in chances) < _MIN_SHOWN_PROBABILITY:
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


def _make_bidding_table(odds: KqjCallOdds, confidence: float) -> Table:
    """What was heard: the share of hands with which each place would have said it."""

    def lines() -> Iterator[TableRow]:
        for place, which in groupby(range(len(odds.asked)), lambda n: odds.asked[n].place):
            numbers = list(which)
            tried = int(odds.answers[numbers[0], 0])
            agreed = int(odds.answers[numbers[-1], 1])
            group = (place, ", ".join(odds.asked[number].text for number in numbers))
            yield group, "hands looked at", "count", make_count(tried)
            yield group, "would say so", "share", estimate_share(agreed, tried, confidence)

    return make_table(
        "heard",
        "What was heard",
        ("place", "calls"),
        lines(),
        "Hands of cards that the player and the places above do not have.",
        counted=False,
    )
