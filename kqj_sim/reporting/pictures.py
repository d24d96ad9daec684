"""Pictures of one figure, drawn and made a file."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kqj_sim.analysis.intervals import Estimate, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that differ for every kind of colour vision (Okabe and Ito, "Color universal design").
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#8C8C8C"

STYLE: dict[Any, Any] = {
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


def picture(paint: Callable[[Figure], None], size: tuple[float, float], format: str) -> bytes:
    """What `paint` draws on a figure, in a format of matplotlib's: "png", "svg" or "pdf".

    `size` is its width and height in inches.
    """
    import matplotlib

    with matplotlib.rc_context(STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure)
        return save(figure, format)


def save(figure: Figure, format: str) -> bytes:
    """A figure as a file."""
    out = BytesIO()
    # No date: the same run gives the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    figure.savefig(out, format=format, dpi=120, metadata=metadata)
    return out.getvalue()


def headline(figure: Figure, texts: Iterable[str], width: int) -> None:
    """Texts on top, broken into lines of so many signs."""
    lines = [line for text in texts for line in textwrap.wrap(text, width)]
    figure.suptitle("\n".join(lines), fontsize=10, x=0.01, ha="left")


def say_nothing(axes: Axes) -> None:
    """Nothing but these words."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "no rounds were played", ha="center", transform=axes.transAxes)


def legend(
    axes: Axes,
    colours: Mapping[str, str],
    place: Literal["upper right", "upper center"],
    columns: int = 1,
) -> None:
    """Colours and what they are."""
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    axes.legend(handles=patches, loc=place, frameon=False, ncols=columns)


def errors(shares: list[Estimate]) -> list[list[float]]:
    """How far the intervals reach below and above, in per cent."""
    below = [max(0.0, 100 * (each.value - each.low)) for each in shares]
    above = [max(0.0, 100 * (each.high - each.value)) for each in shares]
    return [below, above]


def bars(
    axes: Axes, at: Sequence[float], shares: list[Estimate], width: float, colour: str
) -> None:
    """Bars with intervals, in per cent."""
    axes.bar(
        at, [100 * each.value for each in shares], width, color=colour, yerr=errors(shares),
        error_kw={"elinewidth": 1.2, "capsize": 2.5},
    )  # fmt: skip


def stacked_rows(
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
            share(counts.get(result, 0), sum(counts.values()), confidence)
            for counts in rows.values()
        ]
        values = np.array([100 * each.value for each in shares])
        axes.barh(places, values, 0.72, left, color=colour)
        if number == 0:
            axes.errorbar(
                values, places, xerr=errors(shares), fmt="none", ecolor="black",
                elinewidth=1.4, capsize=3,
            )  # fmt: skip
            for place, value in zip(places, values, strict=True):
                axes.text(101, place, f"{value:.1f}%\n{best}", va="center", fontsize=9)
        left += values
    axes.set_yticks(places, list(rows))
    axes.set_xlim(0, 100)
