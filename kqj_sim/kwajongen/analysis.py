"""Kwajongen as the analysis sees it."""

from __future__ import annotations

from kqj_sim.kwajongen import tables
from kqj_sim.stats.games import AnalyzedGame, ComparisonTerms, ExpressionExamples, TableSet

ANALYSIS = AnalyzedGame(
    tables=TableSet(
        tables.list_joints,
        tables.derive_columns,
        tables.make_tables,
    ),
    detail_tables=TableSet(
        tables.list_detail_joints,
        lambda experiment: [],
        tables.make_detail_tables,
    ),
    list_notes=lambda experiment: (),
    game_only_tables=("raised", "results_by_raised"),
    terms=ComparisonTerms(
        takes="caller_share",
        made="caller_round_won_share",
        both="Rounds as caller, and won",
        won="caller_won_per_round",
        lost="caller_lost_per_round",
        defended="against_caller_per_round",
        bonuses="",
        score="score_reduction_per_round",
        note="Points won or lost: how much more the others' score changes than one's own in these "
        "rounds, spread over all rounds.",
        decimals=3,
    ),
    indifference=0.01,
    examples=ExpressionExamples(
        "place == 3 and sender_trumps >= 2", 'trump == "h"', "place in (0, 3)"
    ),
)
