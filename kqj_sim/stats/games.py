"""The tables, terms and examples of a game, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder


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
        indifference: default difference that does not matter, in points a round.
    """

    tables: TableSet
    detail_tables: TableSet
    list_notes: Callable[[Experiment], tuple[str, ...]]
    game_only_tables: tuple[str, ...]
    terms: ComparisonTerms
    indifference: float
    examples: ExpressionExamples
