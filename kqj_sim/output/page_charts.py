"""Charts of estimates for pages: heat maps, dots with intervals, distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.output.figures import (
    draw_dots,
    draw_heat_map,
    draw_stacks,
    draw_threshold,
    render_page_figure,
)
from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.page import Picture
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        name, caption: of the picture.
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
            draw_heat_map(axes, cells, down, across, limits, texts=texts, diverging=diverging)
            axes.set_title(title)
            axes.set_ylabel(rows[0])
        every[-1].set_xlabel(columns[0])

    height = 0.6 + len(panels) * (0.45 + 0.33 * len(down))
    return Picture(name, caption, render_page_figure(draw, height))


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
        name, caption: of the picture.
        label: what the numbers are.
        rows: what the rows are, where their names do not say it.
        series, unit, names, logarithmic, middle: as for `draw_dots`.
    """
    series = {key: numbers for key, numbers in series.items() if _count_points(numbers) > 0}
    if sum(map(_count_points, series.values())) < 2:
        return Picture(name, caption, "")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        draw_dots(axes, series, unit, names=names, logarithmic=logarithmic, middle=middle)
        axes.set_xlabel(label)
        axes.set_ylabel(rows)
        if len(series) > 1:
            figure.legend(loc="outside upper left", ncols=min(3, len(series)))

    keys = {key for numbers in series.values() for key in numbers}
    height = 0.75 + len(keys) * (0.24 + 0.1 * len(series)) + (0.3 if len(series) > 1 else 0)
    return Picture(name, caption, render_page_figure(draw, height))


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
        name, caption: of the picture.
        stacks: by result the shares by the lowest number of a step.
        label: what the number is.
        counted: what the shares are of.
        step: width of a step.
        threshold: a number to mark, and its words.
    """

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        steps = _trim_tails(stacks.values())
        heights = {
            name: np.array([100 * shares[at].value if at in shares else 0.0 for at in steps])
            for name, shares in stacks.items()
        }
        wide = step > 1
        top = draw_stacks(
            axes, np.array(steps), heights, step if wide else 0.85,
            align="edge" if wide else "center",
        )  # fmt: skip
        if steps:
            # What is marked is seen, too.
            marked = [] if threshold is None else [threshold[0]]
            axes.set_xlim(min([steps[0], *marked]) - step, max([steps[-1], *marked]) + 2 * step)
            axes.set_ylim(0, 1.12 * top.max() or 1)
        if threshold is not None:
            draw_threshold(axes, *threshold)
        axes.set_xlabel(label)
        axes.set_ylabel(counted)
        axes.grid(axis="y")
        if len(stacks) > 1:
            figure.legend(loc="outside upper left", ncols=3)

    return Picture(name, caption, render_page_figure(draw, 3.0))


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
