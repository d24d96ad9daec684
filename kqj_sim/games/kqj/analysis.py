"""KQJ as the analysis sees it."""

from __future__ import annotations

from kqj_sim.games.kqj import detail_tables, tables
from kqj_sim.stats.games import AnalyzedGame, ComparisonTerms, ExpressionExamples, TableSet

ANALYSIS = AnalyzedGame(
    tables=TableSet(tables.list_joints, tables.derive_columns, tables.make_tables),
    detail_tables=TableSet(
        detail_tables.list_detail_joints,
        detail_tables.derive_detail_columns,
        detail_tables.make_detail_tables,
    ),
    list_notes=tables.list_notes,
    game_only_tables=(),
    terms=ComparisonTerms(
        takes="sender_share",
        made="sender_made_share",
        both="Contracts taken and made",
        won="made_per_round",
        lost="failed_per_round",
        defended="defended_per_round",
        bonuses="bonuses_per_round",
        score="score_per_round",
        note="Points won or lost: the lead of one's side in these rounds, spread over all rounds.",
        decimals=1,
    ),
    indifference=0.5,
    examples=ExpressionExamples(
        "lap == 2 and sender_trumps >= 4", 'contract == "NT"', "place in (0, 5)"
    ),
)
