"""The table of what cards are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.odds_play import BY, PlayOdds
from kqj_sim.analysis.table import Line, Table, make_table

BEHIND = "less than the best"


def card_table(odds: PlayOdds) -> Table:
    """Every card that may be played, the best first."""
    measures = [
        measure
        for measure in odds.telling.measures
        if measure.name != "litigation"
        or any(each.measures[measure.name].value > 0 for each in odds.cards)
    ]

    def lines() -> Iterator[Line]:
        for each in odds.cards:
            group = ("*" if each.to_best is None else "", str(each.card))
            for measure in measures:
                yield group, measure.text, measure.unit, _shown(each.measures[measure.name])
                if measure.name == BY:
                    yield group, BEHIND, odds.telling.worth, _behind(each.to_best)

    return make_table(
        "cards",
        "What each card is worth",
        ("best", "card"),
        lines(),
        odds.telling.note,
        counted=False,
    )


def _shown(estimate: Estimate) -> Estimate:
    """An exact number has no interval."""
    if estimate.low == estimate.high == estimate.value:
        return estimate._replace(low=math.nan, high=math.nan)
    return estimate


def _behind(to_best: dict[str, Estimate] | None) -> Estimate:
    """By how much a card scores less than the best; NaN for the best itself."""
    if to_best is None:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value, low, high, deals = _shown(to_best[BY])
    return Estimate(0.0 - value, 0.0 - high, 0.0 - low, deals)
