"""What tables are made from: joint counts, grouped, chosen, and put into lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.table import Line, Lines, Table, make_table
from kqj_sim.columns import column_numbers, columns_of

if TYPE_CHECKING:
    from kqj_sim.analysis.counts import JointCounts
    from kqj_sim.experiment import Experiment

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

DEVIATION = "standard deviation"

OF_DEALS = "share of all deals"
OF_TAKEN = "share of taken deals"

SIDES = ("contracting", "defending", "either")
"""The side that has a bonus, in the group column `side`."""

Values = tuple[int, ...]
"""Values of several columns; labelled columns by the number of the label."""


def labels(column: str, game: str) -> tuple[str, ...]:
    """The labels of a column of a game, empty if it holds numbers."""
    numbers = column_numbers(game)
    return columns_of(game)[numbers[column]].labels if column in numbers else ()


@dataclass(frozen=True)
class Source:
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
        self, own: tuple[str, ...], values: tuple[str, ...], taken: bool = True
    ) -> dict[Values, dict[Values, int]]:
        """For each group, by `by` and then `own`, the deals with each of `values`.

        Of the taken deals, or of all if `taken` is false.  Ungrouped there is always the one
        group, groups without deals are left out.
        """
        columns = (*self.by, *own)
        split: dict[Values, dict[Values, int]] = {} if columns else {(): {}}
        cells, counts = self.counts.cells((*(["taken"] if taken else []), *columns, *values))
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            if taken:
                if cell[0] == 0:
                    continue
                cell = cell[1:]
            group = split.setdefault(tuple(cell[: len(columns)]), {})
            group[tuple(cell[len(columns) :])] = count
        return split

    def histograms(
        self, own: tuple[str, ...], value: str, taken: bool = True
    ) -> dict[Values, dict[int, int]]:
        """The same for a single column, by its values."""
        return {
            group: {values[0]: count for values, count in counts.items()}
            for group, counts in self.split(own, (value,), taken).items()
        }

    def share(self, count: int, observations: int) -> Estimate:
        """A share with its interval."""
        return intervals.share(count, observations, self.confidence)

    def mean(
        self, histogram: Mapping[int, int], limits: tuple[float, float] | None = None
    ) -> Estimate:
        """Return a mean with its interval; `limits` are the least and the greatest value."""
        return intervals.mean(histogram, self.confidence, limits)

    def table(
        self,
        name: str,
        title: str,
        own: tuple[str, ...],
        lines: Lines,
        note: str = "",
    ) -> Table:
        """The table of these lines, whose groups hold numbers of labels; made texts here."""
        groups = (*self.by, *own)
        game = self.experiment.rules.game
        texts = [SIDES if group == "side" else labels(group, game) for group in groups]
        labelled: list[Line] = [
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


def spread(histogram: Mapping[int, int], confidence: float) -> list[tuple[str, Estimate]]:
    """Mean, standard deviation and the quantiles of QUANTILES, each with its name."""
    estimates = [
        ("mean", intervals.mean(histogram, confidence)),
        (DEVIATION, intervals.standard_deviation(histogram, confidence)),
    ]
    for probability in QUANTILES:
        name = "median" if probability == 0.5 else f"quantile {round(100 * probability)}%"
        estimates.append((name, intervals.quantile(histogram, probability, confidence)))
    return estimates


def deviation_notes(lines: Iterable[Line]) -> list[str]:
    """Return the note on standard deviations that are missing, if some are."""
    least = intervals.ENOUGH_FOR_DEVIATION
    if any(
        quantity.endswith(DEVIATION) and 0 < each.observations < least
        for _, quantity, _, each in lines
    ):
        return [f"No standard deviation is given for fewer than {least:,} observations."]
    return []


def wanted(source: Source, owns: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The groupings that say something new."""
    return [own for own in owns if not {*own} & {*source.by}]


def grouping_names(own: tuple[str, ...]) -> tuple[str, str]:
    """How a grouping is named in a table's name and in its title."""
    return (
        "".join(f"{'_and' * (place > 0) or '_by'}_{name}" for place, name in enumerate(own)),
        f", by {' and '.join(own)}" if own else "",
    )
