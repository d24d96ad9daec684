"""Tables of results: numbers with their intervals, in long form, and what they are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from kqj_sim.columns import Column
from kqj_sim.games import find_column
from kqj_sim.simulation.rows import to_pandas
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.core.types import Int32Array, Int64Array
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.rows import Rows

TableRow: TypeAlias = tuple[tuple[int | str, ...], str, Estimate]
"""A row of a table: its group (a value for each group column), quantity, number."""

TableRows: TypeAlias = Iterable[TableRow]


@dataclass(frozen=True)
class Table:
    """A named table.

    Attributes:
        name, title: its name for programs and for people.
        lines: its rows, a number each.
        note: remarks for people.
        counted: True to show the number of observations behind each number.
        spread: a group column whose values are the columns on a screen, with a row for each
            quantity; empty for a column for each quantity.
        observations: what is counted, in the plural.
        parameters: the group columns that are parameters of a policy.
        game: the game whose quantities these are, and whose columns the other group columns are.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    lines: Sequence[TableRow]
    note: str = ""
    counted: bool = True
    spread: str = ""
    observations: str = "deals"
    parameters: tuple[str, ...] = ()
    game: str = field(kw_only=True)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The lines as a data frame, with one row per number.

        Its columns are those of `groups` (text or int), then `quantity` (text), `unit` (a `Unit`;
        a "share" lies between 0 and 1), `value`, `low` and `high` (floats; the bounds are NaN where
        there is no interval), and `deals`, the number of observations behind the number: deals, or
        games where the title says so.
        """
        # Imported here, as it is slow and most uses need the lines only.
        import pandas as pd

        return pd.DataFrame(self.list_columns())

    def list_columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame, by name."""
        data: dict[str, list[Any]] = {
            column: [group[place] for group, *_ in self.lines]
            for place, column in enumerate(self.groups)
        }
        data["quantity"] = [quantity for _, quantity, _ in self.lines]
        data["unit"] = [find_quantity(quantity, self.game).unit for _, quantity, _ in self.lines]
        data["value"] = [float(estimate.value) for *_, estimate in self.lines]
        for place, column in enumerate(("low", "high")):
            data[column] = [float(estimate.finite_bounds[place]) for *_, estimate in self.lines]
        data["deals"] = [estimate.observations for *_, estimate in self.lines]
        return data

    def make_api_frame(self) -> pd.DataFrame:
        """Return the frame with categories for texts; its `n` counts observations."""
        frame = self.frame.rename(columns={"deals": "n"})
        for name in (*self.groups, "quantity", "unit"):
            frame[name] = _convert_groups(list(frame[name]), find_column(name, self.game))
        return frame.astype({"value": "float64", "low": "float64", "high": "float64", "n": "int64"})

    @property
    def quantities(self) -> tuple[str, ...]:
        """The different quantities, in the order of the table."""
        return tuple(dict.fromkeys(quantity for _, quantity, _ in self.lines))

    def estimates(self, quantity: str) -> dict[tuple[Any, ...], Estimate]:
        """Return the numbers of a quantity by group, in the order of the table."""
        return {
            group: intervals.make_plain(estimate)
            for group, name, estimate in self.lines
            if name == quantity
        }

    def find_estimates(self, quantity: str, groups: Mapping[str, object]) -> list[Estimate]:
        """Return the numbers of a quantity in the groups with these values, places also by name."""
        wanted = {}
        for name, value in groups.items():
            column = find_column(name, self.game)
            if column is not None and name == "place" and value in column.categories:
                value = column.categories.index(str(value))
            wanted[self.groups.index(name)] = value
        return [
            estimate
            for group, name, estimate in self.lines
            if name == quantity and all(group[at] == value for at, value in wanted.items())
        ]


def _convert_groups(values: Sequence[Any], column: Column | None) -> Any:
    """Return values as frames hold them: those of a column as in frames of rows, other texts as
    categories in the order in which they come."""
    texts = tuple(dict.fromkeys(values)) if all(isinstance(each, str) for each in values) else ()
    if column is None or not {*texts} <= {*column.labels}:
        column = Column("", 0, 0, "", labels=texts)
    numbers = np.array([column.labels.index(each) if texts else each for each in values])
    return to_pandas(column, numbers, None if column.null is None else numbers == column.null)


def describe_estimate(name: str, estimate: Estimate) -> dict[str, float]:
    """Return the columns of a number of a frame: `NAME`, `NAME_low` and `NAME_high`."""
    low, high = estimate.finite_bounds
    return {name: float(estimate.value), f"{name}_low": low, f"{name}_high": high}


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_DEVIATION = "_standard_deviation"

BONUS_SIDES = ("contracting", "defending", "either")
"""The side that has a bonus, in the group column `side`."""

ColumnValues = tuple[int, ...]
"""Values of several columns; labelled columns by the number of the label."""


def get_labels(column: str, game: str) -> tuple[str, ...]:
    """Return the labels of a column of a game, empty if it holds numbers."""
    described = find_column(column, game)
    return described.labels if described else ()


@dataclass(frozen=True)
class DerivedColumn:
    """A column that is computed from others, within int16.

    Attributes:
        low, high: the range of its values, both included.
        sources: the columns of the rows from which it is computed.
        compute: computes it, int32 (rows,).
    """

    name: str
    low: int
    high: int
    sources: tuple[str, ...]
    compute: Callable[[Rows], Int32Array]


class CellCounts(Protocol):
    """Counts of rows by the values of columns, as `JointCounts` has them."""

    def get_cells(self, columns: Sequence[str]) -> tuple[Int64Array, Int64Array]:
        """Return the combinations of values that occur, and their numbers of rows."""


@dataclass(frozen=True)
class TableBuilder:
    """Joint counts of an experiment, and the grouping and confidence of the tables made of them.

    Attributes:
        by: columns that group every table.
        where: the expression that selects deals, or None.
    """

    experiment: Experiment
    by: tuple[str, ...]
    where: str | None
    counts: CellCounts
    confidence: float
    notes: tuple[str, ...] = ()

    def count_groups(
        self, extra_groups: tuple[str, ...], values: tuple[str, ...], taken: bool = True
    ) -> dict[ColumnValues, dict[ColumnValues, int]]:
        """Count the deals with each of `values` in each group, by `by` and then `extra_groups`.

        The deals are the taken ones, or all if `taken` is false.  Groups without deals are left
        out, but without any grouping columns there is always the one group.
        """
        columns = (*self.by, *extra_groups)
        groups: dict[ColumnValues, dict[ColumnValues, int]] = {} if columns else {(): {}}
        cells, counts = self.counts.get_cells((*(["taken"] if taken else []), *columns, *values))
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            if taken:
                if cell[0] == 0:
                    continue
                cell = cell[1:]
            group = groups.setdefault(tuple(cell[: len(columns)]), {})
            group[tuple(cell[len(columns) :])] = count
        return groups

    def group_histograms(
        self, extra_groups: tuple[str, ...], value: str, taken: bool = True
    ) -> dict[ColumnValues, dict[int, int]]:
        """Return the histogram of a column in each group; arguments as for `count_groups`."""
        return {
            group: {values[0]: count for values, count in counts.items()}
            for group, counts in self.count_groups(extra_groups, (value,), taken).items()
        }

    def share(self, count: int, observations: int) -> Estimate:
        """Estimate a share."""
        return intervals.estimate_share(count, observations, self.confidence)

    def mean(
        self, histogram: Mapping[int, int], limits: tuple[float, float] | None = None
    ) -> Estimate:
        """Estimate a mean; `limits` are the smallest and the largest possible value."""
        return intervals.estimate_mean(histogram, self.confidence, limits)

    def split(
        self, histograms: Mapping[ColumnValues, Mapping[int, int]], quantities: Mapping[str, int]
    ) -> TableRows:
        """Yield the share of some values, by quantity, in the histogram of each group."""
        for group, counts in histograms.items():
            deals = sum(counts.values())
            for quantity, value in quantities.items():
                yield group, quantity, self.share(counts.get(value, 0), deals)

    def list_shares(self, column: str, quantity: str, values: Sequence[int] = ()) -> TableRows:
        """Yield the share of taken deals with each value of a column: some, or those that occur."""
        for group, counts in self.group_histograms((), column).items():
            deals = sum(counts.values())
            for value in values or sorted(counts):
                yield (*group, value), quantity, self.share(counts.get(value, 0), deals)

    def list_joint_shares(
        self, column: str, other: str, quantities: Mapping[str, int], step: int = 1
    ) -> TableRows:
        """Yield the share of taken deals in each step of a column with some values of another."""
        for group, counts in self.count_groups((), (column, other)).items():
            deals = sum(counts.values())
            cells: Counter[tuple[int, int]] = Counter()
            for (number, value), count in counts.items():
                cells[number // step * step, value] += count
            for start in sorted({start for start, _ in cells}):
                for quantity, value in quantities.items():
                    yield (*group, start), quantity, self.share(cells[start, value], deals)

    def list_means(self, columns: Sequence[str], quantity: str) -> TableRows:
        """Yield the mean of each column in all deals, those passed out included, by its number."""
        histograms = [self.group_histograms((), column, taken=False) for column in columns]
        for group in histograms[0]:
            for number, histogram in enumerate(histograms):
                yield (*group, number), quantity, self.mean(histogram[group])

    def list_distributions(self, groups: tuple[str, ...], column: str, name: str) -> TableRows:
        """Yield the distribution of a column in the taken deals, as `describe_distribution`."""
        for group, histogram in self.group_histograms(groups, column).items():
            for quantity, estimate in describe_distribution(name, histogram, self.confidence):
                yield group, quantity, estimate

    def table(
        self,
        name: str,
        title: str,
        extra_groups: tuple[str, ...],
        lines: TableRows,
        note: str = "",
    ) -> Table:
        """Return the table of these lines, with labels for the numbers in their groups."""
        groups = (*self.by, *extra_groups)
        game = self.experiment.rules.game
        texts = [BONUS_SIDES if group == "side" else get_labels(group, game) for group in groups]
        labelled: list[TableRow] = [
            (
                tuple(
                    text[int(value)] if text else value
                    for text, value in zip(texts, group, strict=True)
                ),
                quantity,
                estimate,
            )
            for group, quantity, estimate in lines
        ]
        notes = [*([note] if note else []), *list_deviation_notes(labelled), *self.notes]
        if self.where is not None:
            notes.append(f"Of the deals with {self.where}.")
        return Table(name, title, groups, labelled, " ".join(notes), game=game)


def describe_distribution(
    name: str, histogram: Mapping[int, int], confidence: float
) -> list[tuple[str, Estimate]]:
    """Return mean, standard deviation and the quantiles of QUANTILES of the numbers of a `name`.

    Each has its identifier, such as `rounds_mean` or `rounds_quantile_25`.
    """
    estimates = [
        (f"{name}_mean", intervals.estimate_mean(histogram, confidence)),
        (f"{name}{_DEVIATION}", intervals.estimate_standard_deviation(histogram, confidence)),
    ]
    for probability in QUANTILES:
        end = "median" if probability == 0.5 else f"quantile_{round(100 * probability):02}"
        estimate = intervals.estimate_quantile(histogram, probability, confidence)
        estimates.append((f"{name}_{end}", estimate))
    return estimates


def list_deviation_notes(lines: Iterable[TableRow]) -> list[str]:
    """Return the note on missing standard deviations, if some are missing."""
    least = intervals.MIN_DEVIATION_OBSERVATIONS
    if any(
        quantity.endswith(_DEVIATION) and 0 < estimate.observations < least
        for _, quantity, estimate in lines
    ):
        return [f"No standard deviation is given for fewer than {least:,} observations."]
    return []


def select_groupings(
    builder: TableBuilder, groupings: Iterable[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Return the groupings by columns that do not group every table anyway."""
    return [grouping for grouping in groupings if not {*grouping} & {*builder.by}]


def name_grouping(groups: tuple[str, ...]) -> tuple[str, str]:
    """Return the parts of a table's name and of its title that name a grouping."""
    return (
        "".join(f"{'_and' * (place > 0) or '_by'}_{name}" for place, name in enumerate(groups)),
        f", by {' and '.join(groups)}" if groups else "",
    )
