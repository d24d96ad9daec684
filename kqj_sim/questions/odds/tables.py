"""Tables of the estimates of calls and cards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from kqj_sim.positions.kqj_calls import KqjCallOdds
from kqj_sim.positions.kwajongen import KwajongenCallOdds
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.odds import CardOdds, Odds
from kqj_sim.rules import MAX_TOTAL
from kqj_sim.stats.intervals import Estimate, estimate_share, make_count
from kqj_sim.stats.tables import Table, TableRow, make_table

LEAD = "lead"
_BEST_MARK = "*"

_MIN_SHOWN_PROBABILITY = 0.005
"""Amounts are shown up to the first that no contract reaches more often than this."""


def make_odds_tables(odds: Odds) -> list[Table]:
    """Return all tables: the options, with auctions the contracts, and the bidding."""
    if isinstance(odds, CardOdds):
        return [_make_option_table(odds, "cards", "Legal cards", "card")]
    tables = [_make_option_table(odds, "calls", "Calls", "call")]
    if isinstance(odds, KqjCallOdds):
        if odds.contract_options:
            tables.append(_make_contract_table(odds))
        if odds.question_count:
            tables.append(_make_bidding_table(odds))
    elif isinstance(odds, KwajongenCallOdds) and odds.question_count:
        agreed = odds.estimate_bidding_probability()
        line: TableRow = ((odds.position.place,), "agreeing_share", "share", agreed)
        title = "Deals in which everybody before you passes"
        tables.append(
            make_table("heard", title, ("players",), [line], "", counted=False, game="kwajongen")
        )
    return tables


def _make_option_table(odds: Odds, name: str, title: str, group: str) -> Table:
    """Return the table of the options, the best first."""
    measures = [
        measure
        for measure in odds.measures.measures
        if measure.name not in odds.measures.rare
        or any(odds.estimate(measure.name, option).value > 0 for option in odds.ranking)
    ]
    leads = odds.estimate_leads()
    # Results of cards give no deals here.
    nothing = Estimate(
        math.nan, math.nan, math.nan, 0 if isinstance(odds, CardOdds) else odds.deals
    )

    def lines() -> Iterator[TableRow]:
        for option in odds.ranking:
            groups = (_BEST_MARK if option == odds.best else "", odds.get_text(option))
            for measure in measures:
                estimate = odds.estimate(measure.name, option)
                yield groups, measure.name, measure.unit, estimate
                if measure.name == RANKING_MEASURE:
                    yield groups, LEAD, measure.unit, leads.get(option, nothing)

    groups = ("best", group)
    return make_table(
        name, title, groups, lines(), odds.measures.note, counted=False, game=odds.rules.game
    )


def _make_contract_table(odds: KqjCallOdds) -> Table:
    """Return the chance to reach each amount, if the player's side plays a contract."""
    played = odds.contract_options
    lowest = odds.options[played[0]].amount

    def lines() -> Iterator[TableRow]:
        for amount in range(lowest, MAX_TOTAL + 1, 10):
            chances = [odds.estimate_reach_probability(option, amount) for option in played]
            if amount > lowest and max(chance.value for chance in chances) < _MIN_SHOWN_PROBABILITY:
                break
            for option, chance in zip(played, chances, strict=True):
                yield (str(amount),), name_reach_share(odds, option), "share", chance
        for option in played:
            chance = odds.estimate("own_capot_share", option)
            yield ("Capot",), name_reach_share(odds, option), "share", chance

    return make_table(
        "contracts",
        "Chance to reach each amount",
        ("amount",),
        lines(),
        f"Your side plays the contract at {lowest}, with no further call.",
        counted=False,
    )


def name_reach_share(odds: KqjCallOdds, option: int) -> str:
    """Return the quantity that is the chance to reach an amount in the contract of an option."""
    return f"reach_{str(odds.options[option].contract).lower()}_share"


def _make_bidding_table(odds: KqjCallOdds) -> Table:
    """Return the share of hands with which each place would have called as observed."""

    def lines() -> Iterator[TableRow]:
        indices = range(odds.question_count)
        for place, group in groupby(indices, lambda index: odds.observed_calls[index].place):
            questions = list(group)
            tried = int(odds.question_counts[questions[0], 0])
            agreed = int(odds.question_counts[questions[-1], 1])
            calls = ", ".join(odds.observed_calls[index].text for index in questions)
            yield (place, calls), "hands_tried_count", "count", make_count(tried)
            share = estimate_share(agreed, tried, odds.confidence)
            yield (place, calls), "agreeing_share", "share", share

    return make_table(
        "heard",
        "How likely the calls of the others are",
        ("place", "calls"),
        lines(),
        "Hands are drawn from the cards that neither you nor the places above hold.",
        counted=False,
    )
