"""The tally of an experiment: rows in, tables out, in memory that does not grow with the deals."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import detail_tables, game_tables, tables
from kqj_sim.analysis.counts import Derived, JointCounts
from kqj_sim.analysis.expression import compile_expression
from kqj_sim.analysis.intervals import CONFIDENCE
from kqj_sim.analysis.source import Source
from kqj_sim.analysis.table import Table
from kqj_sim.columns import COLUMN_NUMBER, COLUMNS
from kqj_sim.rules import SEATS

if TYPE_CHECKING:
    from kqj_sim.rows import GameRows, Rows
    from kqj_sim.simulation import Experiment


class ColumnError(ValueError):
    """A name that is no column; its one line names the nearest that is."""


class Tally:
    """Counts of an experiment's rows and games, from which its tables are made.

    `by` are columns that group every table of rounds; `where` is an expression, and only the
    deals for which it holds are counted.  Games are counted whole, whatever `where` and `by`.
    With `detail` it makes the further tables of a report too.
    One tally serves one thread; `merge` adds another's counts to it, in any order with the same
    outcome.  Raises ColumnError for a name in `by` that is no column, ExpressionError for
    `where`, and TooManyCombinations if `by` has too many groups to be numbered.
    """

    def __init__(
        self,
        experiment: Experiment,
        by: Sequence[str] = (),
        where: str | None = None,
        detail: bool = False,
    ) -> None:
        self.experiment = experiment
        self.detail = detail
        self.by = tuple(dict.fromkeys(by))
        self.where = where
        for name in self.by:
            if name not in COLUMN_NUMBER:
                near = difflib.get_close_matches(name, COLUMN_NUMBER, n=1)
                raise ColumnError(
                    f"{name!r} is no column to group by"
                    + (f": did you mean {near[0]}?" if near else f", such as {COLUMNS[0].name}")
                )
        games = experiment.games is not None
        self._expression = compile_expression(where, games=games) if where is not None else None
        needed, derived = tables.joints(experiment), _derived(experiment)
        if detail:
            needed += detail_tables.joints(experiment)
            derived += detail_tables.derived(experiment)
        joints = [tuple(dict.fromkeys((*self.by, *columns))) for columns in needed]
        self._counts = JointCounts(joints, derived)
        self._games: dict[str, Counter[int]] = {}
        self._every_row = np.ones(0, np.bool_)
        self.deals = 0
        """Deals added, those for which `where` does not hold included."""

    def add(self, rows: Rows) -> None:
        """Count a chunk of rows; raises ValueError if a value leaves its column's range."""
        self._counts.add(rows, self._kept(rows))
        self.deals += len(rows)

    def add_games(self, games: GameRows) -> None:
        """Count finished games."""
        for name, values in game_tables.measures(games).items():
            distinct, numbers = np.unique(values, return_counts=True)
            self._games.setdefault(name, Counter()).update(
                dict(zip(distinct.tolist(), numbers.tolist(), strict=True))
            )

    def merge(self, other: Tally) -> None:
        """Add the counts of other deals; raises ValueError if `other` counts something else."""
        mine, others = ((_rangeless(t.experiment), t.by, t.where, t.detail) for t in (self, other))
        if mine != others:
            raise ValueError("only tallies of the same experiment, by and where can be merged")
        self._counts.merge(other._counts)
        for name, counter in other._games.items():
            self._games.setdefault(name, Counter()).update(counter)
        self.deals += other.deals

    @property
    def layout(self) -> str:
        """What is counted, in words that are the same only where `numbers` can be added."""
        return self._counts.layout

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""
        numbers = self._counts.numbers() | {"deals": np.array([self.deals])}
        for name, counter in self._games.items():
            values = sorted(counter)
            numbers[f"games {name}"] = np.array([values, [counter[value] for value in values]])
        return numbers

    def add_numbers(self, numbers: Mapping[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of a tally with the same `layout` gave; raises KeyError."""
        self._counts.add_numbers(numbers)
        self.deals += int(numbers["deals"][0])
        for key, array in numbers.items():
            kind, _, name = key.partition(" ")
            if kind == "games":
                self._games.setdefault(name, Counter()).update(
                    dict(zip(*array.tolist(), strict=True))
                )

    def tables(self, confidence: float = CONFIDENCE) -> list[Table]:
        """Every table that has a meaning for the experiment and any number in it."""
        source = Source(self.experiment, self.by, self.where, self._counts, confidence)
        made = tables.tables(source)
        if self.detail:
            made += detail_tables.tables(source)
        if self._games:
            made += game_tables.tables(self.experiment, self._games, confidence)
            if self.detail:
                made.append(game_tables.lengths(self._games, confidence))
        return [table for table in made if table.lines]

    def _kept(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows are counted, bool (rows,)."""
        if self._expression is not None:
            return self._expression.mask(rows)
        if len(self._every_row) < len(rows):
            self._every_row = np.ones(len(rows), np.bool_)
        return self._every_row[: len(rows)]


def _rangeless(experiment: Experiment) -> Experiment:
    """An experiment whatever deals or games of it are played."""
    return replace(experiment, first=0, deals=1, games=experiment.games and 1)


def _derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows."""
    rules = experiment.rules
    score = COLUMNS[COLUMN_NUMBER["score_0"]]
    defending = COLUMNS[COLUMN_NUMBER["defending_score"]]
    # Twice the difference to a defending team if there are two of them, to stay in integers.
    times = rules.teams - 1
    made = [
        Derived(
            "score_difference",
            -defending.high,
            times * score.high,
            lambda rows: times * rows.column("contracting_score") - rows.column("defending_score"),
        )
    ]
    if rules.partners == "random":
        made += [
            Derived(f"seat_score_{seat}", score.low, score.high, _seat_score(seat))
            for seat in range(SEATS)
        ]
    elif rules.teams == 2:
        made.append(
            Derived(
                "team_difference",
                -score.high,
                score.high,
                lambda rows: rows.column("score_0") - rows.column("score_1"),
            )
        )
    return made


def _seat_score(seat: int) -> Callable[[Rows], NDArray[np.int16]]:
    """What computes the score of the player at a seat: that of his team of the round."""

    def compute(rows: Rows) -> NDArray[np.int16]:
        team = rows.column(f"team_of_seat_{seat}")
        scores = np.zeros(len(rows), np.int16)
        for number in range(3):  # products vectorise, three times as fast as a choice
            scores += rows.column(f"score_{number}") * (team == number)
        return scores

    return compute
