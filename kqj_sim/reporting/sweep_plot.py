"""The picture of a sweep: lines over one parameter, or heat maps over two."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kqj_sim.analysis.words import WORDS
from kqj_sim.reporting.pictures import BLUE, GREEN, GREY, ORANGE, picture
from kqj_sim.reporting.sweep import answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.sweep import Setting, Sweep
    from kqj_sim.reporting.report import Run

MOST_PARAMETERS = 2
"""Parameters that a picture has room for."""
_MOST_NUMBERS = 144
"""Cells of a heat map that get their numbers written in."""


def draw_sweep(sweep: Sweep, run: Run, format: str) -> bytes:
    """The picture of a sweep of one or two parameters, as `pictures.picture`."""

    def paint(figure: Figure) -> None:
        lines = [*answer(sweep)[:2], run.summary()]
        title = "\n".join(piece for line in lines for piece in textwrap.wrap(line, 120))
        figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        if len(sweep.varied) == 1:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
            _draw_points(upper, sweep)
            _draw_shares(lower, sweep)
        else:
            left, right = figure.subplots(1, 2)
            _draw_map(left, sweep, "points")
            _draw_map(right, sweep, "taken")
            _explain_frames(figure)

    return picture(paint, (10, 8) if len(sweep.varied) == 1 else (14, 6.8), format)


def _places(sweep: Sweep) -> tuple[list[float], list[str] | None]:
    """Where the values stand on the axis, and their names if they are no numbers."""
    values = sweep.varied[0].values
    try:
        return [float(value) for value in values], None
    except ValueError:
        return [float(place) for place in range(len(values))], list(values)


def _draw_points(axes: Axes, sweep: Sweep) -> None:
    """Points a round with intervals; what may be the best is filled."""
    places, _ = _places(sweep)
    settings = sweep.settings
    confidence = f"{100 * sweep.plan.confidence:g}%"
    reached = [bound for each in settings for bound in (each.points.low, each.points.high)]
    if np.nanmin([0.0, *reached]) < 0 < np.nanmax([0.0, *reached]):
        axes.axhline(0, color=GREY, linewidth=1)
    axes.plot(places, [each.points.value for each in settings], color=BLUE, linewidth=1, alpha=0.5)
    looks = {
        "no": ("shown worse than another", "white", BLUE, 6),
        "maybe": (f"not told from the best ({confidence}, all together)", BLUE, BLUE, 6),
        "best": ("best", ORANGE, ORANGE, 9),
    }
    for standing, (label, face, edge, size) in looks.items():
        chosen = [
            (place, each.points)
            for place, each in zip(places, settings, strict=True)
            if each.standing == standing
        ]
        if chosen:
            axes.errorbar(
                [place for place, _ in chosen],
                [points.value for _, points in chosen],
                yerr=_reach([points for _, points in chosen]),
                fmt="o", markerfacecolor=face, markeredgecolor=edge, ecolor=edge,
                markersize=size, capsize=3, label=label,
            )  # fmt: skip
    axes.set_title(f"Points a round more than the field, with {confidence} intervals")
    axes.set_ylabel("points a round")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="best", frameon=False)


def _draw_shares(axes: Axes, sweep: Sweep) -> None:
    """How often its side takes, and how many of its contracts it makes."""
    places, names = _places(sweep)
    words = WORDS[sweep.rules.game]
    taken, made = f"{words.takes}, % of its rounds", f"{words.made}, % of its {words.contracts}"
    for label, colour, marker, shares in (
        (taken, GREEN, "s", [each.taken for each in sweep.settings]),
        (made, ORANGE, "^", [each.made for each in sweep.settings]),
    ):
        axes.errorbar(
            places, [100 * each.value for each in shares], yerr=100 * np.array(_reach(shares)),
            color=colour, marker=marker, markersize=5, linewidth=1, capsize=3, label=label,
        )  # fmt: skip
    axes.set_title(words.both)
    axes.set_ylabel("%")
    axes.set_xlabel(sweep.varied[0].name)
    axes.set_xticks(places if len(places) <= 15 else places[:: len(places) // 10], names)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="best", frameon=False)


def _draw_map(axes: Axes, sweep: Sweep, what: str) -> None:
    """A heat map: rows are the first parameter's values, columns the second's."""
    rows, columns = (each.values for each in sweep.varied)
    found: list[Estimate] = [getattr(each, what) for each in sweep.settings]
    scale = 100 if what == "taken" else 1
    shape = (len(rows), len(columns))
    values = scale * np.array([each.value for each in found]).reshape(shape)
    # Symmetric about 0, where a side scores as much as the field.
    limit = max(float(np.abs(values).max()), 1e-9)
    least, most = float(values.min()), float(values.max())
    # The darkest green is left out, so that frames and numbers can be seen on it.
    limits = (-limit, limit) if what == "points" else (least, most + (most - least) / 3)
    image = axes.imshow(
        values, cmap="PuOr" if what == "points" else "Greens", vmin=limits[0], vmax=limits[1],
        aspect="auto", origin="lower",
    )  # fmt: skip
    words = WORDS[sweep.rules.game]
    takes = f"{words.takes[0].upper()}{words.takes[1:]}, % of its rounds"
    with_intervals = f"with {100 * sweep.plan.confidence:g}% intervals"
    titles = {
        "points": f"Points a round more than the field, {with_intervals}",
        "taken": f"{takes}, {with_intervals}",
    }
    decimals = words.decimals if what == "points" else 1
    axes.set_title(titles[what])
    axes.set_xticks(range(len(columns)), columns, rotation=90 if len(columns) > 12 else 0)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel(sweep.varied[1].name)
    axes.set_ylabel(sweep.varied[0].name)
    axes.spines[:].set_visible(False)
    figure = axes.figure
    figure.colorbar(image, ax=axes, shrink=0.8)
    _mark(axes, sweep.settings, len(columns))
    if values.size <= _MOST_NUMBERS:
        middle = (limits[0] + limits[1]) / 2
        halves = scale * np.array([each.high - each.low for each in found]).reshape(shape) / 2
        for (row, column), value in np.ndenumerate(values):
            dark = abs(value) > 0.6 * limit if what == "points" else value > middle
            axes.text(
                column, row, f"{value:z.{decimals}f}\n±{halves[row, column]:.{decimals}f}",
                ha="center", va="center", fontsize=8, color="white" if dark else "black",
            )  # fmt: skip


_FRAMES = {"best": ("solid", 3.0, "best"), "maybe": ("dotted", 2.0, "not told from it")}


def _mark(axes: Axes, settings: Sequence[Setting], columns: int) -> None:
    """A frame around the best, a dotted one around what cannot be told from it."""
    from matplotlib.patches import Rectangle

    for number, each in enumerate(settings):
        if each.standing in _FRAMES:
            style, width, _ = _FRAMES[each.standing]
            row, column = divmod(number, columns)
            corner = (column - 0.46, row - 0.46)
            axes.add_patch(
                Rectangle(corner, 0.92, 0.92, fill=False, linestyle=style, linewidth=width)
            )


def _explain_frames(figure: Figure) -> None:
    """A legend of the frames below the maps."""
    from matplotlib.patches import Rectangle

    frames = [
        Rectangle((0, 0), 1, 1, fill=False, linestyle=style, linewidth=width / 2, label=label)
        for style, width, label in _FRAMES.values()
    ]
    figure.legend(handles=frames, loc="outside lower center", ncols=2, frameon=False)


def _reach(estimates: Sequence[Estimate]) -> list[list[float]]:
    """How far intervals reach below and above; 0 where there is none."""
    below = [np.nan_to_num(each.value - each.low) for each in estimates]
    above = [np.nan_to_num(each.high - each.value) for each in estimates]
    return [below, above]
