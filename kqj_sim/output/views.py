"""Views: what a page shows of some tables, as data: sentences, pictures and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kqj_sim.output import figures
from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.group_words import format_heading, format_value
from kqj_sim.output.page import Picture
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kqj_sim.output.numbers import Numbers

# Charts of estimates for pages: heat maps, dots with intervals, distributions.


def make_heat_maps(
    name: str,
    caption: str,
    panels: Mapping[str, Mapping[tuple[Any, ...], Estimate]],
    rows: tuple[str, Sequence[Any]],
    columns: tuple[str, Sequence[Any]],
    unit: str = "share",
    *,
    diverging: bool = False,
    min_observations: int = MIN_OBSERVATIONS,
) -> Picture:
    """Return heat maps below each other on one scale; without SVG if there is only one cell.

    Args:
        panels: by title the estimates by (row, column).
        rows, columns: label, and keys in order, rows from the top; keys without cells are left
            out.
        unit: "share" or "points".
        diverging: use colours that part at 0.
        min_observations: cells with fewer observations stay empty.
    """
    if sum(map(_count_points, panels.values())) < 2:
        return Picture(name, caption, "")
    scale = 100 if unit == "share" else 1
    shown: dict[str, dict[tuple[Any, Any], float]] = {
        title: {
            (key[0], key[1]): scale * each.value
            for key, each in cells.items()
            if each.observations >= min_observations
        }
        for title, cells in panels.items()
    }
    used = [{key[axis] for cells in shown.values() for key in cells} for axis in (0, 1)]
    down = [key for key in rows[1] if key in used[0]]
    across = [key for key in columns[1] if key in used[1]]
    top = max((abs(v) for cells in shown.values() for v in cells.values()), default=1.0) or 1.0

    def draw(figure: Figure) -> None:
        every = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axes, (title, cells) in zip(every, shown.items(), strict=True):
            texts = {
                key: f"{round(value):+d}" if diverging else f"{value:.1f}"
                for key, value in cells.items()
            }
            limits = (-top if diverging else 0.0, top)
            figures.draw_heat_map(
                axes, cells, down, across, limits, texts=texts, diverging=diverging
            )
            axes.set_title(title)
            axes.set_ylabel(rows[0])
        every[-1].set_xlabel(columns[0])

    height = 0.6 + len(panels) * (0.45 + 0.33 * len(down))
    return Picture(name, caption, figures.render_page_figure(draw, height))


def make_dots(
    name: str,
    caption: str,
    series: Mapping[str, Mapping[Any, Estimate]],
    label: str,
    unit: str = "share",
    *,
    names: Mapping[Any, str] | None = None,
    logarithmic: bool = False,
    middle: float | None = None,
    rows: str = "",
) -> Picture:
    """Return dots with intervals; without SVG if there are no two to compare.

    Args:
        label: what the numbers are.
        rows: what the rows are, where their names do not say it.
        series, unit, names, logarithmic, middle: as for `draw_dots`.
    """
    series = {key: numbers for key, numbers in series.items() if _count_points(numbers) > 0}
    if sum(map(_count_points, series.values())) < 2:
        return Picture(name, caption, "")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        figures.draw_dots(axes, series, unit, names=names, logarithmic=logarithmic, middle=middle)
        axes.set_xlabel(label)
        axes.set_ylabel(rows)
        if len(series) > 1:
            figure.legend(loc="outside upper left", ncols=min(3, len(series)))

    keys = {key for numbers in series.values() for key in numbers}
    height = 0.75 + len(keys) * (0.24 + 0.1 * len(series)) + (0.3 if len(series) > 1 else 0)
    return Picture(name, caption, figures.render_page_figure(draw, height))


def _count_points(numbers: Mapping[Any, Estimate]) -> int:
    """Return how many estimates rest on observations."""
    return sum(each.observations > 0 for each in numbers.values())


def make_distribution(
    name: str,
    caption: str,
    stacks: Mapping[str, Mapping[int, Estimate]],
    label: str,
    counted: str,
    *,
    step: int = 1,
    threshold: tuple[float, str] | None = None,
) -> Picture:
    """Return a distribution, stacked by result.

    Args:
        stacks: by result the shares by the lowest number of a step.
        label: what the number is.
        counted: what the shares are of.
    """

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        steps = _trim_tails(stacks.values())
        heights = {
            name: np.array([100 * shares[at].value if at in shares else 0.0 for at in steps])
            for name, shares in stacks.items()
        }
        wide = step > 1
        top = figures.draw_stacks(
            axes, np.array(steps), heights, step if wide else 0.85,
            align="edge" if wide else "center",
        )  # fmt: skip
        if steps:
            # What is marked is seen, too.
            marked = [] if threshold is None else [threshold[0]]
            axes.set_xlim(min([steps[0], *marked]) - step, max([steps[-1], *marked]) + 2 * step)
            axes.set_ylim(0, 1.12 * top.max() or 1)
        if threshold is not None:
            figures.draw_threshold(axes, *threshold)
        axes.set_xlabel(label)
        axes.set_ylabel(counted)
        axes.grid(axis="y")
        if len(stacks) > 1:
            figure.legend(loc="outside upper left", ncols=3)

    return Picture(name, caption, figures.render_page_figure(draw, 3.0))


def _trim_tails(stacks: Iterable[Mapping[int, Estimate]]) -> list[int]:
    """Return the steps of a distribution without the tails that hold a thousandth of it."""
    heights: dict[int, float] = {}
    for shares in stacks:
        for at, each in shares.items():
            heights[at] = heights.get(at, 0.0) + each.value
    steps = sorted(heights)
    for _ in range(2):
        # Sums up to each step, once from below and once from above.
        sums = accumulate(heights[at] for at in steps)
        little = sum(heights.values()) / 2000
        steps = [at for at, height in zip(steps, sums, strict=True) if height > little][::-1]
    return steps


QUANTITY = "quantity"
"""Names the quantities of a picture where they are its rows or its series."""


@dataclass(frozen=True)
class Dots:
    """Dots with intervals: a row for each group, a series for each value of `series`.

    Attributes:
        name: of its file.
        label: of the axis of numbers.
        quantities: the quantities, by what they are called.
        series: the group column, or QUANTITY, whose values are the series; empty for one series.
        rows: how a row is called by its group, such as "team {}", or QUANTITY; empty for the value
            of the last group column besides that of the series.
        logarithmic: for numbers far apart.
        middle: a value to mark.
        is_split: the numbers are shares of a whole: marks them if all were equal.
        min_observations: numbers of fewer observations are not drawn.
        needs: a table without which it is left out, besides its own.
    """

    name: str
    caption: str
    label: str
    table: str
    quantities: Mapping[str, str]
    series: str = ""
    rows: str = ""
    logarithmic: bool = False
    middle: float | None = None
    is_split: bool = False
    min_observations: int = MIN_OBSERVATIONS
    needs: str = ""

    def draw(self, found: Numbers) -> Picture:
        """Return the picture; it is empty if there are no two numbers to compare."""
        groups, game = found.tables_by_name[self.table].groups, found.run.rules.game
        row = self.rows or next(each for each in groups[::-1] if each != self.series)
        series: dict[str, dict[str, Estimate]] = {}
        for words, quantity in self.quantities.items():
            for group, estimate in found.estimates(self.table, quantity).items():
                if estimate.observations < self.min_observations:
                    continue
                named = {QUANTITY: words, **_name_values(groups, group, found)}
                name = named.get(self.series, "")
                if name[:1].isdigit():
                    # A number does not say what it is of.
                    name += f" {format_heading(self.series, game)}"
                key = named.get(row) or row.format(*group)
                series.setdefault(name, {})[key] = estimate
        middle = self.middle
        if self.is_split:
            middle = 1 / max(1, sum(map(len, series.values())))
        keys = {key for numbers in series.values() for key in numbers}
        numbered = row in groups and all(key[0].isdigit() for key in keys)
        return make_dots(
            self.name, self.caption, series, self.label, found.get_unit(quantity),
            logarithmic=self.logarithmic, middle=middle,
            rows=format_heading(row, game) if numbered else "",
        )  # fmt: skip


@dataclass(frozen=True)
class HeatMap:
    """Numbers by two group columns, the rows and the columns; a panel for each value of a third.

    Attributes:
        title: above it; if there are panels, above each is the value of the third column.
        upward: whether rows are numbers that grow upwards.
        diverging: use colours that part at 0.
    """

    name: str
    caption: str
    title: str
    table: str
    quantity: str
    upward: bool = False
    diverging: bool = False
    min_observations: int = MIN_OBSERVATIONS
    needs: str = ""

    def draw(self, found: Numbers) -> Picture:
        """Return the picture; it is empty if there is a single cell."""
        groups = found.tables_by_name[self.table].groups
        numbers = found.estimates(self.table, self.quantity)
        panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
        axes: tuple[dict[str, Any], dict[str, Any]] = {}, {}
        for group, estimate in sorted(numbers.items()) if self.upward else numbers.items():
            named = [*_name_values(groups, group, found).values()]
            title = self.title
            if len(groups) == 3:
                title = f"{format_heading(groups[2], found.run.rules.game)}: {named[2]}"
            panels.setdefault(title, {})[named[0], named[1]] = estimate
            for axis, text, value in zip(axes, named, group, strict=False):
                axis[text] = value
        down, across = axes
        headings = [format_heading(each, found.run.rules.game) for each in groups]
        return make_heat_maps(
            self.name, self.caption, dict(sorted(panels.items())),
            (headings[0], [*down][:: -1 if self.upward else 1]),
            (headings[1], sorted(across, key=across.__getitem__)),
            found.get_unit(self.quantity),
            diverging=self.diverging, min_observations=self.min_observations,
        )  # fmt: skip


@dataclass(frozen=True)
class Distribution:
    """A distribution of a number, stacked by quantity.

    Attributes:
        label: what the number is.
        counted: what the shares are of.
        quantities: the shares, by what they are called, from below.
        threshold: a number to mark, and its words.
    """

    name: str
    caption: str
    label: str
    counted: str
    table: str
    quantities: Mapping[str, str]
    step: int = 1
    threshold: tuple[float, str] | None = None
    needs: str = ""

    def draw(self, found: Numbers) -> Picture:
        """Return the picture."""
        stacks: dict[str, dict[int, Estimate]] = {}
        for words, quantity in self.quantities.items():
            shares = {at: each for (at,), each in found.estimates(self.table, quantity).items()}
            if any(each.value for each in shares.values()):
                stacks[words] = shares
        return make_distribution(
            self.name, self.caption, stacks, self.label, self.counted,
            step=self.step, threshold=self.threshold,
        )  # fmt: skip


def _name_values(groups: Sequence[str], group: Sequence[Any], found: Numbers) -> dict[str, str]:
    game = found.run.rules.game
    return {
        column: format_value(column, value, game)
        for column, value in zip(groups, group, strict=True)
    }


Drawn: TypeAlias = Dots | HeatMap | Distribution
"""A picture of the numbers of a table."""


@dataclass(frozen=True)
class View:
    """A part of a page, made of some tables; those that there are not are left out.

    Attributes:
        name: for links and, if there are no others, of its sentence.
        tables: names of the tables shown.
        folded: names of the tables shown on demand.
        note: how to read it.
        sentences: macros of the game's template, each a paragraph.
        needs: a table without which it is left out.
        needs_play: whether it is left out if every deal was passed out.
    """

    name: str
    title: str
    pictures: tuple[Drawn, ...] = ()
    tables: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    note: str = ""
    sentences: tuple[str, ...] = ()
    needs: str = ""
    needs_play: bool = True
