"""Pictures of one figure, drawn and made a file.

Pictures of estimates for pages, as SVG: heat maps, dots with intervals, distributions.

All are as narrow as a phone can show, in colours that differ for every kind of colour vision, with
text as text; the same numbers give the same bytes.

What a picture of a simulation shows, counted chunk by chunk of rows.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.intervals import Estimate, estimate_share
from kqj_sim.analysis.joint_counts import JointCounts
from kqj_sim.columns import get_columns
from kqj_sim.reporting.page import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.where import Expression
    from kqj_sim.rows import Rows


# Colours that differ for every kind of colour vision (Okabe and Ito, "Color universal design").
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#8C8C8C"

FIGURE_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "kqj-sim",
}
"""Settings of matplotlib for every picture of one figure."""


def render_figure(draw: Callable[[Figure], None], size: tuple[float, float], format: str) -> bytes:
    """What `draw` draws on a figure, in a format of matplotlib's: "png", "svg" or "pdf".

    `size` is its width and height in inches.
    """
    import matplotlib

    with matplotlib.rc_context(FIGURE_STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        return render_file(figure, format)


def render_file(figure: Figure, format: str) -> bytes:
    """A figure as a file."""
    out = BytesIO()
    # No date: the same run gives the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    figure.savefig(out, format=format, dpi=120, metadata=metadata)
    return out.getvalue()


def draw_title_lines(figure: Figure, texts: Iterable[str], width: int) -> None:
    """Texts on top, broken into lines of so many signs."""
    lines = [line for text in texts for line in textwrap.wrap(text, width)]
    figure.suptitle("\n".join(lines), fontsize=10, x=0.01, ha="left")


def hide_axes(axes: Axes) -> None:
    """Nothing but these words."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "no rounds were played", ha="center", transform=axes.transAxes)


def draw_legend(
    axes: Axes,
    colours: Mapping[str, str],
    place: Literal["upper right", "upper center"],
    columns: int = 1,
) -> None:
    """Colours and what they are."""
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    axes.legend(handles=patches, loc=place, frameon=False, ncols=columns)


def compute_error_lengths(estimates: list[Estimate]) -> list[list[float]]:
    """How far the intervals reach below and above, in per cent."""
    below = [max(0.0, 100 * (each.value - each.low)) for each in estimates]
    above = [max(0.0, 100 * (each.high - each.value)) for each in estimates]
    return [below, above]


def draw_bars(
    axes: Axes, at: Sequence[float], shares: list[Estimate], width: float, colour: str
) -> None:
    """Bars with intervals, in per cent."""
    axes.bar(
        at,
        [100 * each.value for each in shares],
        width,
        color=colour,
        yerr=compute_error_lengths(shares),
        error_kw={"elinewidth": 1.2, "capsize": 2.5},
    )


def draw_stacked_rows(
    axes: Axes,
    rows: Mapping[str, Mapping[str, int]],
    colours: Mapping[str, str],
    best: str,
    confidence: float,
) -> None:
    """A bar a row, in per cent, stacked by what came of its rounds.

    Args:
        axes: where to draw.
        rows: by name, from top to bottom, how many rounds came to what.
        colours: of what they can come to, from left to right; of the first the interval is shown.
        best: what the first is called.
        confidence: of the interval.
    """
    places = np.arange(len(rows))[::-1]
    left = np.zeros(len(rows))
    for number, (result, colour) in enumerate(colours.items()):
        shares = [
            estimate_share(counts.get(result, 0), sum(counts.values()), confidence)
            for counts in rows.values()
        ]
        values = np.array([100 * each.value for each in shares])
        axes.barh(places, values, 0.72, left, color=colour)
        if number == 0:
            axes.errorbar(
                values, places, xerr=compute_error_lengths(shares), fmt="none", ecolor="black",
                elinewidth=1.4, capsize=3,
            )  # fmt: skip
            for place, value in zip(places, values, strict=True):
                axes.text(101, place, f"{value:.1f}%\n{best}", va="center", fontsize=9)
        left += values
    axes.set_yticks(places, list(rows))
    axes.set_xlim(0, 100)


SERIES_STYLES = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"))
"""Colours and marks of the first, second, ... series."""
RESULT_COLOURS = {
    "made": BLUE, "failed": ORANGE, "litigation": GREY, "won": BLUE, "lost": ORANGE, "tied": GREY,
}  # fmt: skip
PAGE_WIDTH = 4.8
"""Inches: text of 10 points stays legible where a phone shows that in 60 millimetres."""

_PAGE_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GREY,
    "grid.alpha": 0.35,
    "svg.fonttype": "none",
    "svg.hashsalt": "kqj-sim",
}

EstimatesByCell = Mapping[tuple[Any, ...], Estimate]


def render_svg(height: float, draw: Callable[[Figure], None]) -> str:
    """The SVG of what is drawn on a figure of this height, in inches."""
    import matplotlib

    with matplotlib.rc_context(_PAGE_STYLE):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_alpha(0)
        draw(figure)
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        out = BytesIO()
        # No date: the same numbers give the same file.
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=False)
    return _minify_svg(out.getvalue().decode())


def _minify_svg(svg: str) -> str:
    """The same picture without what does not show: comments, line ends, fractions of a dot."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    svg = re.sub(r' transform="rotate\(-0[^"]*"', "", svg)
    font = "font-family: 'DejaVu Sans', sans-serif"
    svg = svg.replace(f"{font}; ", "").replace("<svg ", f'<svg style="{font}" ', 1)
    svg = re.sub(r">\s+<", ">\n<", re.sub(r" *\n *", " ", svg)).strip() + "\n"
    return _remove_groups(svg)


def _remove_groups(svg: str) -> str:
    """The same picture without groups that do nothing but have a name, of which there are many."""
    kept: list[str] = []
    wanted: list[bool] = []
    for text in re.split(r"(</?g\b[^>]*>\n)", svg):
        closing = text.startswith("</g>")
        if not (closing or re.match(r"<g\b", text)):
            kept.append(text)
            continue
        wanted_now = wanted.pop() if closing else " " in re.sub(r' id="[^"]*"', "", text)
        if wanted_now:
            kept.append(text)
        if not closing and not text.endswith("/>\n"):
            wanted.append(wanted_now)
    return "".join(kept)


def render_heat_maps(
    panels: Mapping[str, EstimatesByCell],
    rows: tuple[str, Sequence[Any]],
    columns: tuple[str, Sequence[Any]],
    unit: str,
    *,
    diverging: bool = False,
    min_observations: int = 1,
    labels: Mapping[Any, str] | None = None,
) -> str:
    """Heat maps below each other on one scale, with their numbers.

    Args:
        panels: by title the estimates by (row, column).
        rows, columns: what they are, and their keys in order, rows from the top.
        unit: "share" or "points".
        diverging: colours that part at nothing.
        min_observations: with fewer observations a cell stays empty.
        labels: how keys are written where it is not as they are.
    """
    names = labels or {}
    scale = 100 if unit == "share" else 1
    shown = {
        title: {
            key: scale * each.value
            for key, each in cells.items()
            if each.observations >= min_observations
        }
        for title, cells in panels.items()
    }
    everywhere = [key for cells in shown.values() for key in cells]
    across = [key for key in rows[1] if any(key == row for row, _ in everywhere)]
    down = [key for key in columns[1] if any(key == column for _, column in everywhere)]
    values = [value for cells in shown.values() for value in cells.values()]
    top = max(map(abs, values), default=1.0) or 1.0
    low = -top if diverging else 0.0

    def draw(figure: Figure) -> None:
        import matplotlib
        from matplotlib.colors import Normalize

        colours = matplotlib.colormaps["PuOr" if diverging else "viridis"]
        normal = Normalize(low, top)
        every = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axes, (title, cells) in zip(every, shown.items(), strict=True):
            for (row, column), value in cells.items():
                x, y = down.index(column), across.index(row)
                colour = colours(normal(value))
                left, right, upper, lower = x - 0.48, x + 0.48, y - 0.47, y + 0.47
                axes.fill([left, right, right, left], [upper, upper, lower, lower], color=colour)
                dark = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 0.5
                axes.text(
                    x, y, f"{round(value):+d}" if diverging else f"{value:.1f}", ha="center",
                    va="center", fontsize=9.5, color="#ffffff" if dark else "#000000",
                )  # fmt: skip
            axes.set_title(title)
            axes.set_xlim(-0.5, max(len(down), 1) - 0.5)
            axes.set_ylim(max(len(across), 1) - 0.5, -0.5)
            axes.set_xticks(range(len(down)), [names.get(key, str(key)) for key in down])
            axes.set_yticks(range(len(across)), [names.get(key, str(key)) for key in across])
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
            axes.set_ylabel(rows[0])
        every[-1].set_xlabel(columns[0])

    return render_svg(0.6 + len(panels) * (0.45 + 0.33 * len(across)), draw)


def render_dots(
    series: Mapping[str, Mapping[Any, Estimate]],
    label: str,
    unit: str,
    *,
    names: Mapping[Any, str] | None = None,
    logarithmic: bool = False,
    whole: bool = False,
    middle: float | None = None,
) -> str:
    """A row a key, a dot with its interval a series.

    Args:
        series: by name the estimates by key; keys in the order of the first.
        label: what the numbers are.
        unit: "share", shown in per cent, or another.
        names: how keys are written where it is not as they are.
        logarithmic: for numbers far apart; what is nothing is left out.
        whole: from nothing to everything, so that pictures can be compared.
        middle: a value to mark, in the units of the estimates.
    """
    keys = list(dict.fromkeys(key for numbers in series.values() for key in numbers))
    scale = 100 if unit == "share" else 1

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shifts = [0.5 - (place + 0.5) / len(series) for place in range(len(series))]
        for (name, numbers), shift, (colour, mark) in zip(
            series.items(), shifts, SERIES_STYLES, strict=False
        ):
            told = [
                (len(keys) - 1 - keys.index(key) + 0.62 * shift, each)
                for key, each in numbers.items()
                if not math.isnan(each.value) and (each.value > 0 or not logarithmic)
            ]
            below = [_compute_reach(each.value - each.low, scale) for _, each in told]
            above = [_compute_reach(each.high - each.value, scale) for _, each in told]
            axes.errorbar(
                [scale * each.value for _, each in told], [row for row, _ in told],
                xerr=[below, above], fmt=mark, color=colour, markersize=6, elinewidth=1.5,
                capsize=2.5, label=name,
            )  # fmt: skip
        if middle is not None:
            axes.axvline(scale * middle, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        if whole:
            axes.set_xlim(-0.02 * scale, 1.02 * scale)
        if logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.minorticks_off()
        axes.set_yticks(
            range(len(keys)),
            ["\n".join(textwrap.wrap((names or {}).get(key, str(key)), 20)) for key in keys[::-1]],
        )
        axes.set_ylim(-0.6, len(keys) - 0.4)
        axes.tick_params("y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel(label)
        if len(series) > 1:
            figure.legend(loc="outside upper left", ncols=min(3, len(series)), frameon=False)

    rows = len(keys) * (0.24 + 0.1 * len(series))
    return render_svg(0.75 + rows + (0.3 if len(series) > 1 else 0), draw)


def _compute_reach(distance: float, scale: float) -> float:
    """How far an interval reaches to a side; nothing where there is none."""
    return 0.0 if math.isnan(distance) else max(0.0, scale * distance)


def render_distribution(
    stacks: Mapping[str, Mapping[int, Estimate]],
    label: str,
    counted: str,
    *,
    step: int = 1,
    threshold: tuple[float, str] | None = None,
) -> str:
    """A distribution: shares by a number in steps, stacked by what came of them.

    Args:
        stacks: by name the shares by the lowest number of a step.
        label: what the number is.
        counted: what the shares are of.
        step: how wide a step is.
        threshold: a number to mark, and its words.
    """

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        steps = _trim_tails(stacks.values())
        base = dict.fromkeys(steps, 0.0)
        for place, (name, shares) in enumerate(stacks.items()):
            colour = RESULT_COLOURS.get(name, SERIES_STYLES[place % len(SERIES_STYLES)][0])
            some = [at for at in steps if at in shares and shares[at].value > 0]
            heights = [100 * shares[at].value for at in some]
            axes.bar(
                some, heights, step if step > 1 else 0.85, [base[at] for at in some],
                align="edge" if step > 1 else "center", facecolor=colour, linewidth=0, label=name,
            )  # fmt: skip
            for at, height in zip(some, heights, strict=True):
                base[at] += height
        if steps:
            axes.set_xlim(steps[0] - step, steps[-1] + 2 * step)
            axes.set_ylim(0, 1.12 * max(base.values()) or 1)
        if threshold is not None:
            axes.axvline(threshold[0], color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
            axes.annotate(
                threshold[1], (threshold[0], 1), (4, -2), xycoords=("data", "axes fraction"),
                textcoords="offset points", va="top", fontsize=9,
            )  # fmt: skip
        axes.set_xlabel(label)
        axes.set_ylabel(counted)
        axes.grid(axis="y")
        if len(stacks) > 1:
            figure.legend(loc="outside upper left", ncols=3, frameon=False)

    return render_svg(3.0, draw)


def _trim_tails(stacks: Iterable[Mapping[int, Estimate]]) -> list[int]:
    """The steps of a distribution but for the tails in which a thousandth of everything lies."""
    heights: dict[int, float] = {}
    for shares in stacks:
        for at, each in shares.items():
            heights[at] = heights.get(at, 0.0) + each.value
    steps = sorted(heights)
    for _ in range(2):
        # What lies up to a step, once from below and once from above.
        upto = accumulate(heights[at] for at in steps)
        little = sum(heights.values()) / 2000
        steps = [at for at, height in zip(steps, upto, strict=True) if height > little][::-1]
    return steps


class PlotCounts:
    """Joint counts of columns of a game's rows; takes part in `fold`.

    Args:
        game: the game's name.
        joints: the tuples of columns.
        where: the rows that are counted; None: all.
    """

    def __init__(
        self, game: str, joints: Sequence[tuple[str, ...]], where: Expression | None = None
    ) -> None:
        self._where = where
        self._counts = JointCounts(joints, (), get_columns(game))

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the rows that are looked at."""
        return self._counts.columns.union(() if self._where is None else self._where.columns)

    def add(self, rows: Rows) -> None:
        """Count the rows for which the condition holds."""
        kept = np.ones(len(rows), np.bool_) if self._where is None else self._where.mask(rows)
        self._counts.add(rows, kept)

    def merge(self, other: PlotCounts) -> None:
        """Add what another one counted."""
        self._counts.merge(other._counts)

    @property
    def layout(self) -> str:
        """What is counted, as `Tally.layout`."""
        return self._counts.layout

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""
        return self._counts.numbers()

    def add_numbers(self, numbers: Mapping[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of other counts gave; raises KeyError."""
        self._counts.add_numbers(numbers)

    def cells(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As `JointCounts.cells`."""
        return self._counts.cells(columns)
