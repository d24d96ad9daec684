"""Counts of a simulation's rows from which its picture is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.joint_counts import JointCounts
from kqj_sim.columns import get_columns

if TYPE_CHECKING:
    from kqj_sim.analysis.where import Expression
    from kqj_sim.rows import Rows


class PlotCounts:
    """Joint counts of columns of a game's rows, a reducer of a simulation.

    Args:
        game: the game's name.
        joints: the tuples of columns that are counted jointly.
        where: condition on the rows to count; None: all.
    """

    def __init__(
        self, game: str, joints: Sequence[tuple[str, ...]], where: Expression | None = None
    ) -> None:
        self._where = where
        self._counts = JointCounts(joints, (), get_columns(game))

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the rows that are read."""
        return self._counts.columns.union(() if self._where is None else self._where.columns)

    def add(self, rows: Rows) -> None:
        """Count the rows for which the condition holds."""
        kept = np.ones(len(rows), np.bool_) if self._where is None else self._where.mask(rows)
        self._counts.add(rows, kept)

    def merge(self, other: PlotCounts) -> None:
        """Add the counts of another part of the run."""
        self._counts.merge(other._counts)

    @property
    def layout(self) -> str:
        """A description of what is counted, as `Tally.layout`."""
        return self._counts.layout

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Return everything counted, as arrays by name."""
        return self._counts.numbers()

    def add_numbers(self, numbers: Mapping[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of other counts returned; raise KeyError if an array is missing."""
        self._counts.add_numbers(numbers)

    def cells(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the values of columns that occur, and how often, as `JointCounts.cells`."""
        return self._counts.get_cells(columns)
