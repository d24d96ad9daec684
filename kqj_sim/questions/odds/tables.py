"""Tables of the estimates of calls and cards."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kqj_sim.games import find_game
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.odds import Odds
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow

BEST = "best"
"""The group column that marks the best option."""

LEAD = "lead"
_BEST_MARK = "*"


def make_odds_tables(odds: Odds) -> list[Table]:
    """Return all tables: the options, with auctions the contracts, and the bidding."""
    if odds.kind == "card":
        return [_make_option_table(odds, "cards", "Legal cards", "card")]
    table = _make_option_table(odds, "calls", "Calls", "call")
    return [table, *find_game(odds.rules.game).part("answers").list_tables(odds)]


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
    nothing = Estimate(math.nan, math.nan, math.nan, 0 if odds.kind == "card" else odds.deals)

    def lines() -> Iterator[TableRow]:
        for option in odds.ranking:
            groups = (_BEST_MARK if option == odds.best else "", odds.get_text(option))
            for measure in measures:
                estimate = odds.estimate(measure.name, option)
                yield groups, measure.name, estimate
                if measure.name == RANKING_MEASURE:
                    yield groups, LEAD, leads.get(option, nothing)

    groups = (BEST, group)
    return Table(
        name, title, groups, [*lines()], odds.measures.note, counted=False, game=odds.rules.game
    )
