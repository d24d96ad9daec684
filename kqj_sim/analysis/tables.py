"""A table of results: numbers with their intervals, in long form.

What tables are made from: joint counts, grouped, chosen, and put into lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.columns import get_column_numbers, get_columns

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.analysis.joint_counts import JointCounts
    from kqj_sim.experiment import Experiment


Unit: TypeAlias = Literal["share", "points", "count", "amount", "rounds", "change"]
"""A `change` is one of a score of a few points, of which hundredths are shown."""

TableRow: TypeAlias = tuple[tuple[int | str, ...], str, Unit, Estimate]
"""A row of a table: its group (a value for each group column), quantity, unit, number."""

TableRows: TypeAlias = Iterable[TableRow]


@dataclass(frozen=True)
class Table:
    """A named table.

    Attributes:
        name, title: what it is called by programs and by people.
        groups: names of the group columns.
        lines: its rows, a number each.
        note: what people should know of it.
        counted: whether people are shown the number of observations behind each number.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    lines: tuple[TableRow, ...]
    note: str = ""
    counted: bool = True

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The lines as a frame with a row a number.

        Its columns are those of `groups` (text or int), then `quantity` (text), `unit` ("share"
        from 0 to 1, "points", "count", "amount" or "rounds"), `value`, `low` and `high` (floats;
        the bounds are NaN where an interval has no meaning), and `deals`, the number of
        observations behind the number: deals, or games where the title says so.
        """
        # Here and not above: whoever only reads the lines need not wait for it.
        import pandas as pd

        data: dict[str, list[object]] = {
            column: [group[place] for group, *_ in self.lines]
            for place, column in enumerate(self.groups)
        }
        data["quantity"] = [quantity for _, quantity, _, _ in self.lines]
        data["unit"] = [unit for _, _, unit, _ in self.lines]
        for column in ("value", "low", "high"):
            data[column] = [getattr(estimate, column) for *_, estimate in self.lines]
        data["deals"] = [estimate.observations for *_, estimate in self.lines]
        return pd.DataFrame(data)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The different quantities, in the order of the table."""
        return tuple(dict.fromkeys(quantity for _, quantity, _, _ in self.lines))

    def estimates(self, quantity: str) -> dict[tuple[Any, ...], Estimate]:
        """The numbers of a quantity by group, in the order of the table."""
        return {
            group: Estimate(float(each.value), float(each.low), float(each.high), each.observations)
            for group, name, _, each in self.lines
            if name == quantity
        }


def make_table(
    name: str,
    title: str,
    groups: tuple[str, ...],
    lines: TableRows,
    note: str = "",
    counted: bool = True,
) -> Table:
    """The table of these lines, in their order."""
    return Table(name, title, groups, tuple(lines), note, counted)


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

DEVIATION = "standard deviation"

SHARE_OF_DEALS = "share of all deals"
SHARE_OF_TAKEN = "share of taken deals"

BONUS_SIDES = ("contracting", "defending", "either")
"""The side that has a bonus, in the group column `side`."""

ColumnValues = tuple[int, ...]
"""Values of several columns; labelled columns by the number of the label."""


def get_labels(column: str, game: str) -> tuple[str, ...]:
    """The labels of a column of a game, empty if it holds numbers."""
    numbers = get_column_numbers(game)
    return get_columns(game)[numbers[column]].labels if column in numbers else ()


@dataclass(frozen=True)
class TableBuilder:
    """What tables are made of: the counts, how they are grouped and chosen, the confidence.

    `notes` are told under every table.
    """

    experiment: Experiment
    by: tuple[str, ...]
    where: str | None
    counts: JointCounts
    confidence: float
    notes: tuple[str, ...] = ()

    def split(
        self, extra_groups: tuple[str, ...], values: tuple[str, ...], taken: bool = True
    ) -> dict[ColumnValues, dict[ColumnValues, int]]:
        """For each group, by `by` and then `extra_groups`, the deals with each of `values`.

        Of the taken deals, or of all if `taken` is false.  Ungrouped there is always the one
        group, groups without deals are left out.
        """
        columns = (*self.by, *extra_groups)
        split: dict[ColumnValues, dict[ColumnValues, int]] = {} if columns else {(): {}}
        cells, counts = self.counts.cells((*(["taken"] if taken else []), *columns, *values))
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            if taken:
                if cell[0] == 0:
                    continue
                cell = cell[1:]
            group = split.setdefault(tuple(cell[: len(columns)]), {})
            group[tuple(cell[len(columns) :])] = count
        return split

    def group_histograms(
        self, extra_groups: tuple[str, ...], value: str, taken: bool = True
    ) -> dict[ColumnValues, dict[int, int]]:
        """The same for a single column, by its values."""
        return {
            group: {values[0]: count for values, count in counts.items()}
            for group, counts in self.split(extra_groups, (value,), taken).items()
        }

    def share(self, count: int, observations: int) -> Estimate:
        """A share with its interval."""
        return intervals.estimate_share(count, observations, self.confidence)

    def mean(
        self, histogram: Mapping[int, int], limits: tuple[float, float] | None = None
    ) -> Estimate:
        """Return a mean with its interval; `limits` are the least and the greatest value."""
        return intervals.estimate_mean(histogram, self.confidence, limits)

    def table(
        self,
        name: str,
        title: str,
        extra_groups: tuple[str, ...],
        lines: TableRows,
        note: str = "",
    ) -> Table:
        """The table of these lines, whose groups hold numbers of labels; made texts here."""
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
                unit,
                estimate,
            )
            for group, quantity, unit, estimate in lines
        ]
        notes = [*([note] if note else []), *deviation_notes(labelled), *self.notes]
        if self.where is not None:
            notes.append(f"Of the deals with {self.where}.")
        return make_table(name, title, groups, labelled, " ".join(notes))


def describe_distribution(
    histogram: Mapping[int, int], confidence: float
) -> list[tuple[str, Estimate]]:
    """Mean, standard deviation and the quantiles of QUANTILES, each with its name."""
    estimates = [
        ("mean", intervals.estimate_mean(histogram, confidence)),
        (DEVIATION, intervals.estimate_standard_deviation(histogram, confidence)),
    ]
    for probability in QUANTILES:
        name = "median" if probability == 0.5 else f"quantile {round(100 * probability)}%"
        estimates.append((name, intervals.estimate_quantile(histogram, probability, confidence)))
    return estimates


def deviation_notes(lines: Iterable[TableRow]) -> list[str]:
    """Return the note on standard deviations that are missing, if some are."""
    least = intervals.ENOUGH_FOR_DEVIATION
    if any(
        quantity.endswith(DEVIATION) and 0 < each.observations < least
        for _, quantity, _, each in lines
    ):
        return [f"No standard deviation is given for fewer than {least:,} observations."]
    return []


def select_groupings(
    builder: TableBuilder, groupings: Iterable[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """The groupings that say something new."""
    return [own for own in groupings if not {*own} & {*builder.by}]


def name_grouping(groups: tuple[str, ...]) -> tuple[str, str]:
    """How a grouping is named in a table's name and in its title."""
    return (
        "".join(f"{'_and' * (place > 0) or '_by'}_{name}" for place, name in enumerate(groups)),
        f", by {' and '.join(groups)}" if groups else "",
    )
