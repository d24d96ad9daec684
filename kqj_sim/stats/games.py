"""The tables, terms and examples of each game, as one value per game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kqj_sim.stats.kqj import detail_tables as kqj_detail_tables
from kqj_sim.stats.kqj import tables as kqj_tables
from kqj_sim.stats.kwajongen import tables as kwajongen_tables
from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment


@dataclass(frozen=True)
class TableSet:
    """Tables of a game's rounds, as functions.

    Attributes:
        list_joints: returns the tuples of columns of which the tables need joint counts.
        derive_columns: returns the columns that the tables need besides those of the rows.
        make_tables: makes every table that applies to the experiment.
    """

    list_joints: Callable[[Experiment], list[tuple[str, ...]]]
    derive_columns: Callable[[Experiment], list[DerivedColumn]]
    make_tables: Callable[[TableBuilder], Iterable[Table]]


@dataclass(frozen=True)
class ComparisonTerms:
    """The quantities of a game in comparisons and sweeps, by identifier, and the words on them.

    Attributes:
        takes: share of rounds in which a side is Sender.
        made: share of these with the best result.
        both: heading of the two together.
        won, lost, defended: points from contracts made, from those that failed, and from those of
            the other side.
        bonuses: points besides those of the cards; empty if there are none.
        score: the score of a side in a round.
        note: the definitions of these, in a sentence.
        decimals: decimals of points a round whose interval does not decide them.
    """

    takes: str
    made: str
    both: str
    won: str
    lost: str
    defended: str
    bonuses: str
    score: str
    note: str
    decimals: int


class ExpressionExamples(NamedTuple):
    """Expressions over a game's columns, for error messages."""

    whole: str
    label: str
    among: str


@dataclass(frozen=True)
class AnalyzedGame:
    """A game as the analysis sees it.

    Attributes:
        tables: the tables of `simulate`.
        detail_tables: the further tables of a report.
        list_notes: returns the notes under every table.
        game_only_tables: names of the tables that only whole games give, besides those of games.
        terms: the words of comparisons and sweeps.
        indifference: default difference that does not matter, in points a round.
        examples: expressions for error messages.
    """

    tables: TableSet
    detail_tables: TableSet
    list_notes: Callable[[Experiment], tuple[str, ...]]
    game_only_tables: tuple[str, ...]
    terms: ComparisonTerms
    indifference: float
    examples: ExpressionExamples


KQJ = AnalyzedGame(
    tables=TableSet(kqj_tables.list_joints, kqj_tables.derive_columns, kqj_tables.make_tables),
    detail_tables=TableSet(
        kqj_detail_tables.list_detail_joints,
        kqj_detail_tables.derive_detail_columns,
        kqj_detail_tables.make_detail_tables,
    ),
    list_notes=kqj_tables.list_notes,
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

KWAJONGEN = AnalyzedGame(
    tables=TableSet(
        kwajongen_tables.list_joints,
        kwajongen_tables.derive_columns,
        kwajongen_tables.make_tables,
    ),
    detail_tables=TableSet(
        kwajongen_tables.list_detail_joints,
        lambda experiment: [],
        kwajongen_tables.make_detail_tables,
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


def get_analyzed_game(game: str) -> AnalyzedGame:
    """Return a game by its name, `kqj` or `kwajongen`."""
    return {"kqj": KQJ, "kwajongen": KWAJONGEN}[game]
