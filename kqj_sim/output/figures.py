"""Pictures: the one module that knows matplotlib.

A `Chart` draws numbers as dots, heat maps, a distribution or lines.  A page shows each as a picture
of its own, `--plot` and `plot()` several as a `Drawing`.  The same numbers give the same bytes.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.errors import InputError
from kqj_sim.output.grid import MIN_OBSERVATIONS, break_long_words, format_number
from kqj_sim.output.page import INK, Picture, minify_svg
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Colours that differ for every kind of colour vision (Okabe and Ito, "Color universal design").
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
RED, SKY, GREY = "#D55E00", "#56B4E9", "#8C8C8C"

_SERIES_STYLES = (
    (BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"), (RED, "v"), (SKY, "P"),
)  # fmt: skip
"""Colour and marker of the first, second, ... series."""
RESULT_COLOURS = {
    "made": BLUE, "won": BLUE, "wins": BLUE,
    "failed": ORANGE, "lost": ORANGE, "loses": ORANGE,
    "litigation": GREY, "tied": GREY, "tie": GREY, "even": GREY,
    "passed out": PURPLE,
}  # fmt: skip
"""Colours of the results of rounds, under each of the names that tables give them."""

# Inches; text of 10 points stays legible where a phone shows PAGE_WIDTH in 60 millimetres.
PAGE_WIDTH, _CHART_WIDTH, _LONE_WIDTH, _TEXT_HEIGHT = 4.8, 6.4, 8.5, 0.19
_CHARACTERS_PER_INCH = 12.3
_SMALL = 9
"""Size of numbers written beside marks, in points."""
_MOST_CHARACTERS_ACROSS = 45
"""Names below a heat map that are longer together are written aslant."""
_MOST_NAMED_STEPS = 10
"""Steps of a distribution of single numbers that all have a tick."""
_DASHES = (0, (4, 3))
_NO_LEGEND = "_nolegend_"
_MIN_TICK_RATIO = 1.25
"""Ticks of a logarithmic axis with a smaller ratio would be written over each other."""

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    # Names of files may hold $, ^ and _, which are TeX to matplotlib.
    "text.parse_math": False,
    "text.usetex": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GREY,
    "grid.alpha": 0.35,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "kqj-sim",
}


class NothingToDrawError(InputError):
    """Results too few for a picture; one line that says why."""


class Chart(NamedTuple):
    """Numbers to be drawn.

    Attributes:
        name: of its file on a page.
        title: what it shows.
        height: inches, on a page.
        parts: functions that draw its parts, below each other, each on axes of its own.
        legend: columns of its legend; 0 for none.
    """

    name: str
    title: str
    height: float
    parts: tuple[Callable[[Axes], None], ...]
    legend: int = 0

    def make_picture(self) -> Picture:
        """Return it as a picture of a page: SVG, PAGE_WIDTH wide, without background."""

        def draw(figure: Figure) -> None:
            _draw_chart(figure, self, "outside upper left")
            figure.patch.set_alpha(0)
            for axes in figure.axes:
                axes.patch.set_alpha(0)

        svg = render_figure(draw, (PAGE_WIDTH, self.height), "svg").decode()
        return Picture(self.name, self.title, minify_svg(svg))


@dataclass(frozen=True)
class Drawing:
    """Charts under lines of text, so many beside each other."""

    lines: Sequence[str]
    charts: Sequence[Chart]
    columns: int = 2

    def render(self, format: str) -> bytes:
        """Return it as a "png", "svg" or "pdf" file."""
        return render_figure(self._draw, self._measure(), format)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the first chart on axes, or all of it on a new figure of pyplot; return the axes."""
        import matplotlib
        from matplotlib.text import Text

        with matplotlib.rc_context(_STYLE):
            if axes is not None:
                chart = self.charts[0]
                chart.parts[0](axes)
                _set_title(axes, chart.title, _LONE_WIDTH)
                if chart.legend:
                    axes.legend(handles=_list_handles(axes))
                # Axes have had some of their texts since before the style.
                for text in axes.findobj(Text):
                    text.set_parse_math(False)
                    text.set_usetex(False)
                return axes
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=self._measure(), layout="constrained")
            self._draw(figure)
            return figure.axes[0]

    def _list_rows(self) -> list[Sequence[Chart]]:
        starts = range(0, len(self.charts), self.columns)
        return [self.charts[start : start + self.columns] for start in starts]

    def _measure(self) -> tuple[float, float]:
        """Return width and height in inches."""
        beside = min(self.columns, len(self.charts))
        width = beside * _CHART_WIDTH if beside > 1 else _LONE_WIDTH
        lines = self._wrap_lines(width).count("\n") + 1
        return width, _TEXT_HEIGHT * lines + sum(map(_measure_row, self._list_rows()))

    def _wrap_lines(self, width: float) -> str:
        characters = int(width * _CHARACTERS_PER_INCH)
        return "\n".join(wrap_text(line, characters) for line in self.lines if line)

    def _draw(self, figure: Figure) -> None:
        rows, width = self._list_rows(), self._measure()[0]
        figure.suptitle(self._wrap_lines(width), fontsize=10.5, x=0.01, ha="left")
        heights = [_measure_row(row) for row in rows]
        bands: Any = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)
        for band, row in zip(bands.flat, rows, strict=True):
            places: Any = band.subfigures(1, len(rows[0]), squeeze=False)
            for place, chart in zip(places.flat, row, strict=False):
                _draw_chart(place, chart, "outside lower left")
                if len(chart.parts) == 1:
                    _set_title(place.axes[0], chart.title, width / len(rows[0]))


def _measure_row(charts: Sequence[Chart]) -> float:
    return max(chart.height for chart in charts) + 0.35  # a title


def _draw_chart(figure: Figure | SubFigure, chart: Chart, legend_place: Any) -> None:
    every: Any = figure.subplots(len(chart.parts), 1, squeeze=False)
    for axes, draw in zip(every[:, 0], chart.parts, strict=True):
        draw(axes)
    if chart.legend:
        # Legends of labels, `figure.legend()`, leave out those that begin with _, as names may.
        figure.legend(handles=_list_handles(every[0, 0]), loc=legend_place, ncols=chart.legend)


def _list_handles(axes: Axes) -> list[Any]:
    return [container for container in axes.containers if container.get_label() != _NO_LEGEND]


def _set_title(axes: Axes, title: str, width: float) -> None:
    if not axes.get_title(loc="left"):
        axes.set_title(wrap_text(title.removesuffix("."), int(9.5 * width)))


def check_axes(ax: object) -> None:
    """Raise InputError unless an argument of users is axes, or None."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax: it is axes of matplotlib, not {type(ax).__name__}")


@contextmanager
def _apply_style() -> Iterator[None]:
    """Draw in the style of this module alone, whatever the user's settings and backend."""
    if "matplotlib" not in sys.modules:
        # An unknown name there makes the import fail.
        backend = os.environ.pop("MPLBACKEND", None)
        try:
            importlib.import_module("matplotlib")
        finally:
            if backend is not None:
                os.environ["MPLBACKEND"] = backend
    import matplotlib

    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    with matplotlib.rc_context(defaults | _STYLE):
        yield


def render_figure(draw: Callable[[Figure], None], size: tuple[float, float], format: str) -> bytes:
    """Return a figure as a "png", "svg" or "pdf" file; `size` is width and height in inches."""
    with _apply_style():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        out = BytesIO()
        # No date: the same run gives the same file.
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
        figure.savefig(out, format=format, dpi=120, metadata=metadata)
        return out.getvalue()


def wrap_text(text: str, width: int) -> str:
    """Break a text into lines of at most `width` characters, at spaces or in specifications."""
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return break_long_words("\n".join(lines), width) or text


def compute_error_lengths(estimates: Iterable[Estimate], scale: float = 1) -> list[list[float]]:
    """Return how far intervals reach below and above, (2, n), times `scale`; 0 without one."""
    lengths_of_all = (
        (scale * (estimate.value - estimate.low), scale * (estimate.high - estimate.value))
        for estimate in estimates
    )
    below_and_above = [
        [max(0.0, length) if math.isfinite(length) else 0.0 for length in lengths]
        for lengths in lengths_of_all
    ]
    return [list(lengths) for lengths in zip(*below_and_above, strict=True)] or [[], []]


def _count_points(numbers: Mapping[Any, Estimate]) -> int:
    """Return how many estimates rest on observations."""
    return sum(estimate.observations > 0 for estimate in numbers.values())


# The kinds of charts.


def make_message(words: str) -> Chart:
    """Return words in the place of a chart."""

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)

    return Chart("message", "", 2.0, (draw,))


def make_dots(
    name: str,
    title: str,
    series: Mapping[str, Mapping[Any, Estimate]],
    label: str,
    unit: str = "share",
    *,
    names: Mapping[Any, str] | None = None,
    logarithmic: bool = False,
    middle: float | None = None,
    rows: str = "",
    numbered: bool = False,
) -> Chart | None:
    """Return dots with intervals in a row for each key; None if there are no two to compare.

    Args:
        series: by name the estimates by key; keys from the top in order of first appearance.
        label: what the numbers are.
        unit: "share", drawn in per cent, or another.
        names: texts of keys, where they differ from the keys.
        logarithmic: for numbers far apart; zeros have no dot, with numbers the word `none`.
        middle: a value to mark, in the units of the estimates.
        rows: what the rows are, where their names do not say it.
        numbered: whether numbers are written beside the dots.
    """
    series = {key: numbers for key, numbers in series.items() if _count_points(numbers) > 0}
    if sum(map(_count_points, series.values())) < 2:
        return None
    keys = list(dict.fromkeys(key for numbers in series.values() for key in numbers))
    scale = 100 if unit == "share" else 1

    def draw(axes: Axes) -> None:
        if middle is not None:
            # First, so that the axis has a margin beside it; above the dots all the same.
            axes.axvline(scale * middle, color=INK, linewidth=1, linestyle=_DASHES, zorder=2.01)
        written: list[tuple[Estimate, float]] = []
        for number, (words, numbers) in enumerate(series.items()):
            colour, marker = _SERIES_STYLES[number % len(_SERIES_STYLES)]
            colour = RESULT_COLOURS.get(words, colour)
            shift = 0.62 * (0.5 - (number + 0.5) / len(series))
            places = {key: len(keys) - 1 - keys.index(key) + shift for key in numbers}
            dots = [
                (estimate, places[key])
                for key, estimate in numbers.items()
                if not math.isnan(estimate.value) and (estimate.value > 0 or not logarithmic)
            ]
            for key, estimate in numbers.items() if logarithmic and numbered else ():
                if estimate.value == 0:
                    axes.text(
                        0.02, places[key], "none", va="center", color=colour, fontsize=_SMALL,
                        transform=axes.get_yaxis_transform(),
                    )  # fmt: skip
            axes.errorbar(
                [scale * estimate.value for estimate, _ in dots], [place for _, place in dots],
                xerr=compute_error_lengths((estimate for estimate, _ in dots), scale), fmt=marker,
                color=colour, markersize=6, elinewidth=1.5, capsize=2.5, label=words,
            )  # fmt: skip
            written += dots
        if logarithmic:
            from matplotlib.ticker import LogFormatter

            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(LogFormatter())
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.minorticks_off()
        texts = [wrap_text((names or {}).get(key, str(key)), 20) for key in keys[::-1]]
        axes.set_yticks(range(len(keys)), texts)
        above = len(series) == 1
        axes.set_ylim(-0.6, len(keys) - (0.2 if numbered and above else 0.4))
        axes.tick_params("y", length=0)
        axes.grid(axis="x")
        if numbered and written:
            _write_numbers(axes, written, unit, above)
        axes.set_xlabel(label)
        axes.set_ylabel(rows)

    several = len(series) > 1
    height = 0.75 + len(keys) * (0.24 + 0.1 * len(series)) + 0.3 * several
    if numbered:
        height = 0.9 + len(keys) * (0.22 + 0.2 * len(series)) + 0.3 * several
    return Chart(name, title, height, (draw,), min(3, len(series)) if several else 0)


def _write_numbers(
    axes: Axes, dots: Sequence[tuple[Estimate, float]], unit: str, above: bool
) -> None:
    """Write the numbers of dots `above` them, or else at the right of their intervals."""
    scale = 100 if unit == "share" else 1
    ends = [scale * end for estimate, _ in dots for end in estimate[:3] if math.isfinite(end)]
    least, most = min(ends), max(ends)
    if axes.get_xscale() == "log":
        least = min(end for end in ends if end > 0)
        axes.set_xlim(least / 1.5, most * (most / least) ** 0.3)
    elif unit == "share":
        most = min(100, 1.15 * most) or 100
        axes.set_xlim(-0.03 * most, (1.03 if above else 1.25) * most)
    else:
        # Equal numbers need a width, too.
        room = 0.15 * (most - least) or 1.0
        axes.set_xlim(least - room, most + 2 * room)
    if unit == "share":
        right = min(100, axes.get_xlim()[1])
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= right])
    left, right = axes.get_xlim()
    for estimate, row in dots:
        if above:
            # A number near an end of the axis grows away from it.
            where = (scale * estimate.value - left) / (right - left)
            align = "left" if where < 0.3 else "right" if where > 0.7 else "center"
            at, offset, vertical = (scale * estimate.value, row), (0, 6), "baseline"
        else:
            align, vertical = "left", "center"
            end = estimate.high if math.isfinite(estimate.high) else estimate.value
            at, offset = (scale * end, row), (7, 0)
        axes.annotate(
            str(format_number(estimate, unit)), at, offset, textcoords="offset points", ha=align,
            va=vertical, fontsize=_SMALL,
        )  # fmt: skip


def make_heat_maps(
    name: str,
    title: str,
    panels: Mapping[str, Mapping[tuple[Any, ...], Estimate]],
    rows: tuple[str, Sequence[Any]],
    columns: tuple[str, Sequence[Any]],
    unit: str = "share",
    *,
    diverging: bool = False,
    min_observations: int = MIN_OBSERVATIONS,
    texts: Mapping[tuple[Any, ...], str] | None = None,
    names: Mapping[Any, str] | None = None,
    colour_bar: bool = False,
) -> Chart | None:
    """Return heat maps below each other on one scale; None if there is only one cell.

    Args:
        panels: by title the estimates by (row, column).
        rows, columns: label, and keys in order, rows from the top; keys without cells are left
            out.
        unit: "share" or "points".
        diverging: use colours that part at 0.
        min_observations: cells with fewer observations stay empty.
        texts: what is written in the cells instead of numbers.
        names: texts of keys, where they differ from the keys.
        colour_bar: whether a bar says what the colours mean.
    """
    if sum(map(_count_points, panels.values())) < 2:
        return None
    scale = 100 if unit == "share" else 1
    shown: dict[str, dict[tuple[Any, ...], float]] = {
        words: {
            key: scale * estimate.value
            for key, estimate in cells.items()
            if estimate.observations >= min_observations
        }
        for words, cells in panels.items()
    }
    used = [{key[axis] for cells in shown.values() for key in cells} for axis in (0, 1)]
    down = [key for key in rows[1] if key in used[0]]
    across = [key for key in columns[1] if key in used[1]]
    top = max((abs(v) for cells in shown.values() for v in cells.values()), default=1.0) or 1.0

    def draw(axes: Axes, words: str, is_last: bool) -> None:
        import matplotlib
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        normal = Normalize(-top if diverging else 0.0, top)
        palette = matplotlib.colormaps["PuOr" if diverging else "viridis"]
        for (row, column), value in shown[words].items():
            x, y = across.index(column), down.index(row)
            colour = palette(normal(value))
            axes.fill(
                [x - 0.48, x + 0.48, x + 0.48, x - 0.48], [y - 0.47, y - 0.47, y + 0.47, y + 0.47],
                color=colour,
            )  # fmt: skip
            luminance = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]
            text = f"{round(value):+d}" if diverging else f"{value:.1f}"
            axes.text(
                x, y, text if texts is None else texts.get((row, column), ""), ha="center",
                va="center", fontsize=9.5, color="#ffffff" if luminance < 0.5 else "#000000",
            )  # fmt: skip
        axes.set_xlim(-0.5, max(len(across), 1) - 0.5)
        axes.set_ylim(max(len(down), 1) - 0.5, -0.5)
        across_texts, down_texts = (
            [(names or {}).get(key, str(key)) for key in keys] for keys in (across, down)
        )
        axes.set_xticks(range(len(across)), across_texts)
        axes.set_yticks(range(len(down)), down_texts)
        if sum(map(len, across_texts)) > _MOST_CHARACTERS_ACROSS:
            axes.tick_params("x", rotation=30)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(words)
        axes.set_ylabel(rows[0])
        if colour_bar:
            axes.figure.colorbar(ScalarMappable(normal, palette), ax=axes, shrink=0.8)
        if is_last:
            axes.set_xlabel(columns[0])

    last = [*shown][-1]
    parts = tuple(partial(draw, words=words, is_last=words == last) for words in shown)
    lines = max((text.count("\n") + 1 for text in (texts or {}).values()), default=1)
    row_height = 0.33 + 0.22 * (lines - 1)
    return Chart(name, title, 0.6 + len(panels) * (0.45 + row_height * len(down)), parts)


def make_distribution(
    name: str,
    title: str,
    stacks: Mapping[str, Mapping[Any, Estimate]],
    label: str,
    counted: str,
    *,
    step: float = 1,
    adjoining: bool | None = None,
    threshold: tuple[float, str] | None = None,
    totals: Mapping[int, Estimate] | None = None,
    alike: Sequence[Mapping[str, Mapping[Any, Estimate]]] = (),
) -> Chart:
    """Return a distribution, stacked by result.

    Args:
        stacks: by result the shares by the lowest number of a step; RESULT_COLOURS has the colours.
        label: what the number is.
        counted: what the shares are of.
        adjoining: whether bars adjoin; None: if they stand for more than one number.
        threshold: a number to mark, and its words.
        totals: the shares of all results together, whose intervals and numbers are drawn.
        alike: other stacks, on whose scales these are drawn.
    """

    every = [stacks, *alike]
    adjoin = step > 1 if adjoining is None else adjoining

    def draw(axes: Axes) -> None:
        steps = _trim_tails(shares for others in every for shares in others.values())
        top = np.zeros(len(steps))
        for number, (result, shares) in enumerate(stacks.items()):
            height = _list_heights(shares, steps)
            some = height > 0
            if not some.any():
                continue
            axes.bar(
                np.array(steps)[some], height[some], step if adjoin else 0.85 * step, top[some],
                align="edge" if adjoin else "center", linewidth=0, label=result,
                facecolor=RESULT_COLOURS.get(result, _SERIES_STYLES[number][0]),
            )  # fmt: skip
            top = top + height
        if steps:
            # What is marked is seen, too.
            marked = [] if threshold is None else [threshold[0]]
            axes.set_xlim(min([steps[0], *marked]) - step, max([steps[-1], *marked]) + 2 * step)
            tops = [
                sum((_list_heights(shares, steps) for shares in others.values()), 0 * top)
                for others in every
            ]
            axes.set_ylim(0, (1.12 if totals is None else 1.25) * np.max(tops) or 1)
        if threshold is not None:
            axes.axvline(threshold[0], color=INK, linewidth=1.2, linestyle=_DASHES)
            axes.annotate(
                threshold[1], (threshold[0], 1), (4, -2), xycoords=("data", "axes fraction"),
                textcoords="offset points", va="top", ha="left", fontsize=_SMALL,
            )  # fmt: skip
        if not adjoin and len(steps) <= _MOST_NAMED_STEPS:
            axes.set_xticks(steps)
        elif not adjoin:
            axes.locator_params(axis="x", integer=True)
        if totals is not None:
            _draw_totals(axes, totals)
        axes.set_xlabel(label)
        axes.set_ylabel(counted)
        axes.grid(axis="y")

    return Chart(name, title, 3.0, (draw,), 3 if len(stacks) > 1 else 0)


def _trim_tails(stacks: Iterable[Mapping[Any, Estimate]]) -> list[Any]:
    """Return the steps of a distribution without the tails that hold a thousandth of it."""
    heights: dict[Any, float] = {}
    for shares in stacks:
        for at, estimate in shares.items():
            heights[at] = heights.get(at, 0.0) + estimate.value
    steps = sorted(heights)
    for _ in range(2):
        # Sums up to each step, once from below and once from above.
        sums = accumulate(heights[at] for at in steps)
        little = sum(heights.values()) / 2000
        steps = [at for at, height in zip(steps, sums, strict=True) if height > little][::-1]
    return steps


def _list_heights(shares: Mapping[Any, Estimate], steps: Sequence[Any]) -> Float64Array:
    return np.array([100 * shares[at].value if at in shares else 0.0 for at in steps])


def _draw_totals(axes: Axes, totals: Mapping[int, Estimate]) -> None:
    shares = {at: estimate for at, estimate in totals.items() if estimate.value > 0}
    axes.errorbar(
        list(shares), [100 * estimate.value for estimate in shares.values()],
        compute_error_lengths(shares.values(), 100), fmt="none", ecolor=INK, elinewidth=1.2,
        capsize=2.5, label=_NO_LEGEND,
    )  # fmt: skip
    for at, estimate in shares.items():
        axes.annotate(
            f"{100 * estimate.value:.1f}" if estimate.value >= 0.0005 else "<0.1",
            (at, 100 * estimate.high), (0, 2), textcoords="offset points", ha="center",
            fontsize=_SMALL,
        )  # fmt: skip


def make_lines(
    name: str,
    title: str,
    lines: Mapping[str, Mapping[Any, Estimate]],
    label: str,
    counted: str,
    unit: str = "points",
    *,
    joined: bool = True,
    band: bool = False,
    names: Mapping[Any, str] | None = None,
    logarithmic: bool = False,
    tolerance: float | None = None,
) -> Chart:
    """Return estimates over numbers.

    Args:
        lines: by name the estimates by number.
        label: what the numbers are.
        counted: what the estimates are of.
        unit: "share", drawn in per cent, or another.
        joined: whether the estimates of a name are joined by a line.
        band: draw intervals as a band instead of error bars.
        names: texts of the numbers on the axis.
        logarithmic: for numbers far apart.
        tolerance: differences of at most this are marked as equal.
    """
    scale = 100 if unit == "share" else 1
    places = sorted({place for line in lines.values() for place in line})

    def draw(axes: Axes) -> None:
        if unit != "share":
            axes.axhline(0, color=INK, linewidth=1, linestyle=_DASHES)
        for number, (words, line) in enumerate(lines.items()):
            colour, marker = _SERIES_STYLES[number % len(_SERIES_STYLES)]
            dash = ("-", "--", ":")[number // len(_SERIES_STYLES) % 3]
            values = [scale * estimate.value for estimate in line.values()]
            errors: Any = compute_error_lengths(line.values(), scale)
            if band:
                low, high = (
                    [scale * estimate[bound] for estimate in line.values()] for bound in (1, 2)
                )
                axes.fill_between([*line], low, high, color=colour, alpha=0.18, linewidth=0)
            axes.errorbar(
                [*line], values, yerr=None if band or not np.any(errors) else errors,
                fmt=("" if band else marker) + (dash if joined else ""), color=colour,
                linewidth=1.2, elinewidth=1.5, capsize=2.5, markersize=5, label=words,
            )  # fmt: skip
        if logarithmic:
            axes.set_xscale("log")
            axes.minorticks_off()
            ticks = _choose_ticks(places[0], places[-1])
            axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        elif names is not None or len(places) <= 15:
            axes.set_xticks(places, [(names or {}).get(place, f"{place:g}") for place in places])
        if tolerance is not None:
            axes.axhspan(-tolerance, tolerance, color=INK, alpha=0.08, linewidth=0)
            axes.annotate(
                f"within ±{tolerance:g}: equal", (0.99, tolerance), (0, 3),
                xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
                fontsize=_SMALL,
            )  # fmt: skip
        axes.set_xlabel(label)
        axes.set_ylabel(counted)
        axes.grid(axis="y")

    return Chart(name, title, 3.4, (draw,), 3 if len(lines) > 1 else 0)


def _choose_ticks(first: float, last: float) -> list[float]:
    """Return the first and the last number of a logarithmic axis, and round ones between."""
    between = [n * 10**power for power in range(8) for n in (1, 2, 5)]
    ends = sorted({first, last} if last > _MIN_TICK_RATIO * first else {last})
    return sorted(
        [*ends, *(n for n in between if first * _MIN_TICK_RATIO < n < last / _MIN_TICK_RATIO)]
    )
