"""The figure kit: one style, and one function for each kind of drawing.

`render_figure` makes the files of `--plot`, `render_page_figure` the pictures of pages.  Both call
a function that draws with the `draw_*` functions here.  The same numbers give the same bytes.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kqj_sim.errors import InputError
from kqj_sim.output.grid import break_long_words
from kqj_sim.output.matplotlib_style import apply_style
from kqj_sim.output.page import INK, minify_svg
from kqj_sim.stats.intervals import Estimate, estimate_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Colours that differ for every kind of colour vision (Okabe and Ito, "Color universal design").
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#8C8C8C"
RED = "#D55E00"

SERIES_STYLES = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"))
"""Colour and marker of the first, second, ... series."""
RESULT_COLOURS = {
    "made": BLUE, "won": BLUE, "wins": BLUE,
    "failed": ORANGE, "lost": ORANGE, "loses": ORANGE,
    "litigation": GREY, "tied": GREY, "tie": GREY,
    "passed out": PURPLE,
}  # fmt: skip
"""Colours of the results of rounds, under each of the names that tables give them."""

PAGE_WIDTH = 4.8
"""Inches: text of 10 points stays legible where a phone shows that in 60 millimetres."""
SMALL = 9
"""Size of numbers written beside marks, in points."""
DASHES = (0, (4, 3))
"""The line style of thresholds and reference lines."""

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


@dataclass(frozen=True)
class Drawing:
    """A picture of results on its own figure, `size` inches, or its main part on given axes."""

    draw: Callable[[Figure], None]
    draw_main: Callable[[Axes], None]
    size: tuple[float, float]

    def render(self, format: str) -> bytes:
        """Return it as a "png", "svg" or "pdf" file."""
        return render_figure(self.draw, self.size, format)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the main part on axes, or all of it on a new figure of pyplot; return the axes."""
        import matplotlib
        from matplotlib.text import Text

        with matplotlib.rc_context(_STYLE):
            if axes is not None:
                self.draw_main(axes)
                # Axes have had some of their texts since before the style.
                for text in axes.findobj(Text):
                    text.set_parse_math(False)
                    text.set_usetex(False)
                return axes
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=self.size, layout="constrained")
            self.draw(figure)
            return figure.axes[0]


def render_figure(draw: Callable[[Figure], None], size: tuple[float, float], format: str) -> bytes:
    """Return a figure as a "png", "svg" or "pdf" file; `size` is width and height in inches."""
    with apply_style(_STYLE):
        return _save_figure(_make_figure(draw, size), format)


def render_page_figure(draw: Callable[[Figure], None], height: float) -> str:
    """Return a figure as SVG for a page: PAGE_WIDTH wide, `height` inches high, no background."""
    with apply_style(_STYLE):
        figure = _make_figure(draw, (PAGE_WIDTH, height))
        figure.patch.set_alpha(0)
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        return minify_svg(_save_figure(figure, "svg").decode())


def _make_figure(draw: Callable[[Figure], None], size: tuple[float, float]) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    return figure


def _save_figure(figure: Figure, format: str) -> bytes:
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
        (scale * (each.value - each.low), scale * (each.high - each.value)) for each in estimates
    )
    below_and_above = [
        [max(0.0, length) if math.isfinite(length) else 0.0 for length in lengths]
        for lengths in lengths_of_all
    ]
    return [list(lengths) for lengths in zip(*below_and_above, strict=True)] or [[], []]


def draw_title_lines(figure: Figure, texts: Iterable[str], width: int) -> None:
    """Write texts on top of a figure, broken into lines of at most `width` characters."""
    lines = "\n".join(wrap_text(text, width) for text in texts)
    figure.suptitle(lines, fontsize=10.5, x=0.01, ha="left")


def draw_message(axes: Axes, words: str = "no rounds were played") -> None:
    """Replace the axes by a message."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)


def draw_legend(
    target: Axes | Figure | SubFigure,
    colours: Mapping[str, str],
    place: Any,
    columns: int = 1,
    *,
    dotted: str = "",
) -> None:
    """Draw a legend of colours by name.

    Legends of labels, `axes.legend()`, leave out those that begin with _, as names of files may.

    Args:
        target: axes, or a figure for a legend outside of its axes.
        place: position, as matplotlib names it.
        dotted: name of the dotted line, if there is one.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=colour, label=name) for name, colour in colours.items()]
    if dotted:
        handles.append(Line2D([], [], color=INK, linestyle=":", label=dotted))
    target.legend(handles=handles, loc=place, ncols=columns, handlelength=1.4, columnspacing=1.2)


def draw_threshold(
    axes: Axes, value: float, words: str = "", align: Literal["left", "right"] = "left"
) -> None:
    """Mark a value of the horizontal axis by a dashed line, with words beside its top."""
    axes.axvline(value, color=INK, linewidth=1.2, linestyle=DASHES)
    axes.annotate(
        words, (value, 1), (4 if align == "left" else -4, -2),
        xycoords=("data", "axes fraction"), textcoords="offset points",
        va="top", ha=align, fontsize=SMALL,
    )  # fmt: skip


def draw_line(
    axes: Axes,
    x: Sequence[float],
    estimates: Sequence[Estimate],
    style: str,
    colour: str,
    *,
    label: str = "",
    scale: float = 1,
    band: bool = False,
    **marker: Any,
) -> None:
    """Draw estimates over numbers, with their intervals.

    Args:
        style: marker and dashes, as matplotlib writes them: "o-", "--".
        scale: factor of the estimates, 100 for per cent.
        band: draw the intervals as a band instead of error bars.
        marker: properties of the markers, as matplotlib names them.
    """
    values = [scale * each.value for each in estimates]
    if band:
        low, high = ([scale * each[bound] for each in estimates] for bound in (1, 2))
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, values, style, color=colour, label=label)
        return
    axes.errorbar(
        x, values, yerr=compute_error_lengths(estimates, scale), fmt=style, color=colour,
        linewidth=1, elinewidth=1.5, capsize=2.5, label=label, **{"markersize": 5, **marker},
    )  # fmt: skip


def draw_bars(
    axes: Axes,
    x: Sequence[float],
    shares: Sequence[Estimate],
    width: float,
    colour: str,
    *,
    numbers: bool = False,
) -> None:
    """Draw upright bars with intervals, in per cent; with their `numbers` above them."""
    axes.bar(
        x, [100 * each.value for each in shares], width, color=colour,
        yerr=compute_error_lengths(shares, 100), error_kw={"elinewidth": 1.2, "capsize": 2.5},
    )  # fmt: skip
    for at, each in zip(x, shares, strict=True) if numbers else ():
        top = 100 * (each.high if each.observations else 0)
        axes.text(at, top, f"{100 * each.value:.1f}", ha="center", va="bottom", fontsize=SMALL)
    axes.grid(axis="y")


def draw_stacks(
    axes: Axes,
    x: NDArray[Any],
    heights: Mapping[str, NDArray[np.float64]],
    width: float,
    *,
    align: Literal["center", "edge"] = "center",
    base: float = 0,
) -> NDArray[np.float64]:
    """Draw upright bars stacked by result; return the top of each stack, (n,).

    Args:
        x: position of each stack, (n,).
        heights: by result, from below, the height in each stack, (n,); RESULT_COLOURS has their
            colours, other names take those of SERIES_STYLES.
        align: whether `x` are centres or left edges.
    """
    top = np.full(len(x), float(base))
    for number, (name, height) in enumerate(heights.items()):
        colour = RESULT_COLOURS.get(name, SERIES_STYLES[number % len(SERIES_STYLES)][0])
        some = height > 0
        axes.bar(
            x[some], height[some], width, top[some], align=align, facecolor=colour, linewidth=0,
            label=name,
        )  # fmt: skip
        top = top + height
    return top


def draw_stacked_rows(
    axes: Axes,
    rows: Mapping[str, Mapping[str, int]],
    results: Sequence[str],
    best: str,
    confidence: float,
) -> None:
    """Draw a row of stacked shares for each name, in per cent.

    Args:
        rows: by name, from top to bottom, the number of rounds by result.
        results: the results from left to right; the first is shown with its interval.
        best: what the first is called.
    """
    places = np.arange(len(rows))[::-1]
    left = np.zeros(len(rows))
    for number, result in enumerate(results):
        shares = [
            estimate_share(counts.get(result, 0), sum(counts.values()), confidence)
            for counts in rows.values()
        ]
        values = np.array([100 * each.value for each in shares])
        axes.barh(places, values, 0.72, left, color=RESULT_COLOURS[result])
        if number == 0:
            axes.errorbar(
                values, places, xerr=compute_error_lengths(shares, 100), fmt="none", ecolor=INK,
                elinewidth=1.5, capsize=2.5,
            )  # fmt: skip
            for place, value in zip(places, values, strict=True):
                axes.text(101, place, f"{value:.1f}%\n{best}", va="center", fontsize=SMALL)
        left += values
    axes.set_yticks(places, list(rows))
    axes.spines["left"].set_visible(False)
    axes.tick_params("y", length=0)
    axes.set_xlim(-1, 101)


def draw_dots(
    axes: Axes,
    series: Mapping[str, Mapping[Any, Estimate]],
    unit: str,
    *,
    names: Mapping[Any, str] | None = None,
    logarithmic: bool = False,
    middle: float | None = None,
    write: Callable[[Estimate], str] | None = None,
) -> None:
    """Draw a row for each key, in it a dot with its interval for each series.

    Args:
        series: by name the estimates by key; keys from the top in order of first appearance.
        unit: "share", drawn in per cent, or another.
        names: texts of keys, where they differ from the keys.
        logarithmic: for numbers far apart; zeros have no dot, with numbers the word `none`.
        middle: a value to mark, in the units of the estimates.
        write: returns the number to write beside a dot; None: no numbers.
    """
    keys = list(dict.fromkeys(key for numbers in series.values() for key in numbers))
    scale = 100 if unit == "share" else 1
    if middle is not None:
        # First, so that the axis has a margin beside it; above the dots all the same.
        axes.axvline(scale * middle, color=INK, linewidth=1, linestyle=DASHES, zorder=2.01)
    written: list[tuple[Estimate, float]] = []
    for number, (name, numbers) in enumerate(series.items()):
        colour, marker = SERIES_STYLES[number % len(SERIES_STYLES)]
        shift = 0.62 * (0.5 - (number + 0.5) / len(series))
        rows = {key: len(keys) - 1 - keys.index(key) + shift for key in numbers}
        dots = [
            (each, rows[key])
            for key, each in numbers.items()
            if not math.isnan(each.value) and (each.value > 0 or not logarithmic)
        ]
        for key, each in numbers.items() if logarithmic and write is not None else ():
            if each.value == 0:
                axes.text(
                    0.02, rows[key], "none", va="center", color=colour, fontsize=SMALL,
                    transform=axes.get_yaxis_transform(),
                )  # fmt: skip
        axes.errorbar(
            [scale * each.value for each, _ in dots], [row for _, row in dots],
            xerr=compute_error_lengths((each for each, _ in dots), scale), fmt=marker,
            color=colour, markersize=6, elinewidth=1.5, capsize=2.5, label=name,
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
    axes.set_ylim(-0.6, len(keys) - (0.4 if write is None or len(series) > 1 else 0.2))
    axes.tick_params("y", length=0)
    axes.grid(axis="x")
    if write is not None:
        _write_beside_dots(axes, written, scale, write, above=len(series) == 1)


def _write_beside_dots(
    axes: Axes,
    dots: Sequence[tuple[Estimate, float]],
    scale: float,
    write: Callable[[Estimate], str],
    above: bool,
) -> None:
    """Write the numbers of dots `above` them, or else at the right of their intervals."""
    left, right = axes.get_xlim()
    for each, row in dots:
        if above:
            # A number near an end of the axis grows away from it.
            where = (scale * each.value - left) / (right - left)
            align = "left" if where < 0.3 else "right" if where > 0.7 else "center"
            at, offset, vertical = (scale * each.value, row), (0, 6), "baseline"
        else:
            align, vertical = "left", "center"
            at, offset = (scale * each.high, row), (7, 0)
        axes.annotate(
            write(each), at, offset, textcoords="offset points", ha=align, va=vertical,
            fontsize=SMALL,
        )  # fmt: skip


def draw_heat_map(
    axes: Axes,
    values: Mapping[tuple[Any, Any], float],
    rows: Sequence[Any],
    columns: Sequence[Any],
    limits: tuple[float, float],
    *,
    texts: Mapping[tuple[Any, Any], str] | None = None,
    frames: Mapping[tuple[Any, Any], str] | None = None,
    diverging: bool = False,
) -> None:
    """Draw a heat map, with numbers in its cells or else a colour bar.

    Args:
        values: by (row, column).
        rows, columns: their keys in order, rows from the top.
        limits: the values at the ends of the colours.
        frames: line styles of frames around cells.
        diverging: use colours that part in the middle.
    """
    import matplotlib
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    normal = Normalize(*limits)
    palette = matplotlib.colormaps["PuOr" if diverging else "viridis"]
    for (row, column), value in values.items():
        x, y = columns.index(column), rows.index(row)
        colour = palette(normal(value))
        corners = [x - 0.48, x + 0.48, x + 0.48, x - 0.48], [y - 0.47, y - 0.47, y + 0.47, y + 0.47]
        axes.fill(*corners, color=colour)
        luminance = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]
        ink = "#ffffff" if luminance < 0.5 else "#000000"
        axes.text(
            x, y, (texts or {}).get((row, column), ""), ha="center", va="center", fontsize=9.5,
            color=ink,
        )  # fmt: skip
        if frames and (row, column) in frames:
            style = frames[row, column]
            axes.fill(*corners, fill=False, edgecolor=ink, linestyle=style, linewidth=2.5)
    axes.set_xlim(-0.5, max(len(columns), 1) - 0.5)
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), [str(key) for key in columns])
    axes.set_yticks(range(len(rows)), [str(key) for key in rows])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if texts is None:
        axes.figure.colorbar(ScalarMappable(normal, palette), ax=axes, shrink=0.8)
