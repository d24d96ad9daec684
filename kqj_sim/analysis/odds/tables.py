"""Tables of the estimates of calls and cards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from kqj_sim.analysis.intervals import Estimate, estimate_share, make_count
from kqj_sim.analysis.odds.cards import CardOdds
from kqj_sim.analysis.odds.estimator import Odds
from kqj_sim.analysis.odds.kqj_calls import KqjCallOdds
from kqj_sim.analysis.odds.kwajongen import KwajongenCallOdds
from kqj_sim.analysis.odds.measures import RANKING_MEASURE
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.rules import MAX_TOTAL

_BEHIND_BEST = "less than the best"
_BEST_MARK = "*"

_MIN_SHOWN_PROBABILITY = 0.005
"""Amounts are shown up to the first that no contract reaches more often than this."""


def make_odds_tables(odds: Odds, confidence: float | None = None) -> list[Table]:
    """Return all tables: the options, with auctions the contracts, and the bidding.

    Args:
        odds: the estimates.
        confidence: confidence of the intervals, that of `odds` by default.
    """
    if isinstance(odds, CardOdds):
        return [_make_option_table(odds, "cards", "What each card is worth", "card", confidence)]
    tables = [_make_option_table(odds, "calls", "What each call is worth", "call", confidence)]
    if isinstance(odds, KqjCallOdds):
        if odds.option_count < len(odds.options):
            tables.append(_make_contract_table(odds, confidence))
        if odds.question_count:
            tables.append(_make_bidding_table(odds, confidence))
    elif isinstance(odds, KwajongenCallOdds) and odds.question_count:
        agreed = odds.estimate_bidding_probability(confidence)
        line: TableRow = ((odds.situation.place,), "would all pass", "share", agreed)
        tables.append(
            make_table("heard", "Those before you", ("players",), [line], "", counted=False)
        )
    return tables


def _make_option_table(
    odds: Odds, name: str, title: str, group: str, confidence: float | None
) -> Table:
    """Return the table of the options, the best first."""
    measures = [
        measure
        for measure in odds.measures.measures
        if measure.name not in odds.measures.rare
        or any(odds.estimate(measure.name, option).value > 0 for option in odds.ranking)
    ]
    leads = odds.estimate_leads(confidence)
    # Results of cards give no deals here.
    nothing = Estimate(
        math.nan, math.nan, math.nan, 0 if isinstance(odds, CardOdds) else odds.deals
    )

    def lines() -> Iterator[TableRow]:
        for option in odds.ranking:
            groups = (_BEST_MARK if option == odds.best else "", odds.get_text(option))
            for measure in measures:
                estimate = odds.estimate(measure.name, option, confidence)
                yield groups, measure.label, measure.unit, estimate
                if measure.name == RANKING_MEASURE:
                    yield groups, _BEHIND_BEST, measure.unit, leads.get(option, nothing)

    groups = ("best", group)
    return make_table(name, title, groups, lines(), odds.measures.note, counted=False)


def _make_contract_table(odds: KqjCallOdds, confidence: float | None) -> Table:
    """Return the chance to reach each amount, if the player's side plays a contract."""
    played = range(odds.option_count, len(odds.options))
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


def _make_bidding_table(odds: KqjCallOdds, confidence: float | None) -> Table:
    """Return the share of hands with which each place would have called as observed."""
    level = confidence or odds.confidence

    def lines() -> Iterator[TableRow]:
        indices = range(odds.question_count)
        for place, group in groupby(indices, lambda index: odds.observed_calls[index].place):
            questions = list(group)
            tried = int(odds.question_counts[questions[0], 0])
            agreed = int(odds.question_counts[questions[-1], 1])
            calls = ", ".join(odds.observed_calls[index].text for index in questions)
            yield (place, calls), "hands looked at", "count", make_count(tried)
            yield (place, calls), "would say so", "share", estimate_share(agreed, tried, level)

    return make_table(
        "heard",
        "What was heard",
        ("place", "calls"),
        lines(),
        "Hands of cards that the player and the places above do not have.",
        counted=False,
    )
