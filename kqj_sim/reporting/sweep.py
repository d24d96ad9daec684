"""A sweep in words and as a report.

The picture of a sweep: lines over one parameter, or heat maps over two.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.compare import COMPARISON_TERMS
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.reporting.figures import BLUE, GREEN, GREY, ORANGE, render_figure
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.run import Report, Run, describe_rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.sweep import Setting, Sweep
    from kqj_sim.reporting.run import Run


_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "standing", "run"}
"""Columns of the tables that a parameter's must not be confused with."""

MAX_NAMED_SETTINGS = 10
"""Sets of values that a sentence names."""


@dataclass(frozen=True)
class SweepRun(Run):
    """A run in which a policy's parameters vary; `policies` are the policy and the field."""

    sweep: Sweep | None = None

    @property
    def _required_result(self) -> Sweep:
        assert self.sweep is not None
        return self.sweep

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of = self._required_result
        return {
            **super().to_dict(),
            "policy": of.policy,
            "field": of.field,
            "vary": {each.name: list(each.values) for each in of.varied_parameters},
            "asked": {"deals": of.plan.deals, "until": of.plan.until, "cap": of.plan.cap},
            "method": of.plan.interval_method,
            "comparison": "Hsu's multiple comparisons with the best, Bonferroni",
            "best": list(of.best.values),
            "best_player": of.best.player,
            "not_told_from_best": [list(each.values) for each in of.tied_with_best],
            "rounds_a_deal_and_set": len(of.match.arrangements),
            "worth_times_as_many_rounds": None
            if math.isnan(of.relative_efficiency)
            else of.relative_efficiency,
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of = self._required_result
        return (
            f"{describe_rules(of.rules)}; {of.policy} against {of.field}, its side holding every "
            f"side's cards; {of.deals:,} deals from {of.first:,}, seed {of.seed}, the same for all "
            f"{len(of.settings)}"
        )

    def describe_intervals(self) -> str:
        """The method, and what the intervals hold for."""
        of = self._required_result
        return (
            f"±: {100 * of.plan.confidence:g}% intervals, each by itself; {of.plan.interval_method}"
        )


def make_sweep_report(sweep: Sweep) -> Report:
    """Everything that is shown of a sweep."""
    run = SweepRun(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy, sweep.field),
        players=tuple(each.player for each in sweep.settings),
        seed=sweep.seed,
        first=sweep.first,
        deals=sweep.deals,
        confidence=sweep.plan.confidence,
        interrupted=sweep.interrupted,
        sweep=sweep,
    )
    return Report(run, [_make_table(sweep)], write_headline(sweep))


def format_setting(sweep: Sweep, setting: Setting) -> str:
    """A set of values: `take=35, lap2=30`."""
    pairs = zip(sweep.varied_parameters, setting.values, strict=True)
    return ", ".join(f"{each.name}={value}" for each, value in pairs)


def format_points(estimate: Estimate) -> str:
    """Points with their interval."""
    return str(format_number(estimate.value, estimate.low, estimate.high, "points"))


def write_headline(sweep: Sweep) -> list[str]:
    """The best set of values, those that cannot be told from it, and what a round is worth."""
    best, maybe = sweep.best, sweep.tied_with_best
    sure = f"{100 * sweep.plan.confidence:g}%"
    lines = [
        f"Best: {format_setting(sweep, best)}, {format_points(best.points)} points a round more "
        f"than "
        f"{sweep.field}"
    ]
    count = len(sweep.settings)
    if len(maybe) + 1 == count > 1:
        lines.append(f"None of the {count} is shown worse than another ({sure})")
    elif maybe:
        names = [format_setting(sweep, each) for each in maybe[:MAX_NAMED_SETTINGS]]
        if len(maybe) > len(names):
            names.append(f"{len(maybe) - len(names)} more")
        lines.append(f"Not told from it ({sure}, all {count} together): {'; '.join(names)}")
    elif count > 1:
        lines.append(f"It is shown better than all the others ({sure}, all {count} together)")
    if not math.isnan(sweep.relative_efficiency):
        lines.append(
            f"For the difference of two, a round here is worth {sweep.relative_efficiency:.1f} "
            f"independent ones"
        )
    return lines


def _make_table(sweep: Sweep) -> Table:
    """A row a set of values."""
    names = tuple(
        f"{each.name} (parameter)" if each.name in _COLUMNS else each.name
        for each in sweep.varied_parameters
    )
    words = COMPARISON_TERMS[sweep.rules.game]
    lines: list[TableRow] = []
    for each in sweep.settings:
        group = (*(_parse_whole_number(value) for value in each.values), each.standing)
        lines += [
            (group, "more than the field, points a round", "points", each.points),
            (group, "more than the best other, points a round", "points", each.above),
            (group, f"{words.takes}, share of its rounds", "share", each.taken),
            (group, f"{words.made}, share of its {words.contracts}", "share", each.made),
        ]
    return make_table(
        "sweep",
        f"{sweep.policy} with other parameters, against {sweep.field}",
        (*names, "standing"),
        lines,
        "standing: `maybe` cannot be told from the best.  More than the best other: intervals that "
        "hold for all together (Hsu 1984, Bonferroni), from the differences on the same deals.",
        counted=False,
    )


def _parse_whole_number(value: str) -> int | str:
    """A whole number as such, so that tables sort by it."""
    return int(value) if value.lstrip("-").isdigit() else value


MAX_PARAMETERS = 2
"""Parameters that a picture has room for."""
_MAX_LABELLED_CELLS = 144
"""Cells of a heat map that get their numbers written in."""


def render_sweep(sweep: Sweep, run: Run, format: str) -> bytes:
    """The picture of a sweep of one or two parameters, as `pictures.picture`."""

    def paint(figure: Figure) -> None:
        lines = [*write_headline(sweep)[:2], run.summary()]
        title = "\n".join(piece for line in lines for piece in textwrap.wrap(line, 120))
        figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        if len(sweep.varied_parameters) == 1:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
            _draw_points(upper, sweep)
            _draw_shares(lower, sweep)
        else:
            left, right = figure.subplots(1, 2)
            _draw_map(left, sweep, "points")
            _draw_map(right, sweep, "taken")
            _draw_frame_legend(figure)

    return render_figure(paint, (10, 8) if len(sweep.varied_parameters) == 1 else (14, 6.8), format)


def _get_axis_positions(sweep: Sweep) -> tuple[list[float], list[str] | None]:
    """Where the values stand on the axis, and their names if they are no numbers."""
    values = sweep.varied_parameters[0].values
    try:
        return [float(value) for value in values], None
    except ValueError:
        return [float(place) for place in range(len(values))], list(values)


def _draw_points(axes: Axes, sweep: Sweep) -> None:
    """Points a round with intervals; what may be the best is filled."""
    places, _ = _get_axis_positions(sweep)
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
                yerr=_compute_error_lengths([points for _, points in chosen]),
                fmt="o", markerfacecolor=face, markeredgecolor=edge, ecolor=edge,
                markersize=size, capsize=3, label=label,
            )  # fmt: skip
    axes.set_title(f"Points a round more than the field, with {confidence} intervals")
    axes.set_ylabel("points a round")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="best", frameon=False)


def _draw_shares(axes: Axes, sweep: Sweep) -> None:
    """How often its side takes, and how many of its contracts it makes."""
    places, names = _get_axis_positions(sweep)
    words = COMPARISON_TERMS[sweep.rules.game]
    taken, made = f"{words.takes}, % of its rounds", f"{words.made}, % of its {words.contracts}"
    for label, colour, marker, shares in (
        (taken, GREEN, "s", [each.taken for each in sweep.settings]),
        (made, ORANGE, "^", [each.made for each in sweep.settings]),
    ):
        axes.errorbar(
            places,
            [100 * each.value for each in shares],
            yerr=100 * np.array(_compute_error_lengths(shares)),
            color=colour,
            marker=marker,
            markersize=5,
            linewidth=1,
            capsize=3,
            label=label,
        )
    axes.set_title(words.both)
    axes.set_ylabel("%")
    axes.set_xlabel(sweep.varied_parameters[0].name)
    axes.set_xticks(places if len(places) <= 15 else places[:: len(places) // 10], names)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="best", frameon=False)


def _draw_map(axes: Axes, sweep: Sweep, what: str) -> None:
    """A heat map: rows are the first parameter's values, columns the second's."""
    rows, columns = (each.values for each in sweep.varied_parameters)
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
    words = COMPARISON_TERMS[sweep.rules.game]
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
    axes.set_xlabel(sweep.varied_parameters[1].name)
    axes.set_ylabel(sweep.varied_parameters[0].name)
    axes.spines[:].set_visible(False)
    figure = axes.figure
    figure.colorbar(image, ax=axes, shrink=0.8)
    _draw_frames(axes, sweep.settings, len(columns))
    if values.size <= _MAX_LABELLED_CELLS:
        middle = (limits[0] + limits[1]) / 2
        halves = scale * np.array([each.high - each.low for each in found]).reshape(shape) / 2
        for (row, column), value in np.ndenumerate(values):
            dark = abs(value) > 0.6 * limit if what == "points" else value > middle
            axes.text(
                column, row, f"{value:z.{decimals}f}\n±{halves[row, column]:.{decimals}f}",
                ha="center", va="center", fontsize=8, color="white" if dark else "black",
            )  # fmt: skip


_FRAME_STYLES = {"best": ("solid", 3.0, "best"), "maybe": ("dotted", 2.0, "not told from it")}


def _draw_frames(axes: Axes, settings: Sequence[Setting], columns: int) -> None:
    """A frame around the best, a dotted one around what cannot be told from it."""
    from matplotlib.patches import Rectangle

    for number, each in enumerate(settings):
        if each.standing in _FRAME_STYLES:
            style, width, _ = _FRAME_STYLES[each.standing]
            row, column = divmod(number, columns)
            corner = (column - 0.46, row - 0.46)
            axes.add_patch(
                Rectangle(corner, 0.92, 0.92, fill=False, linestyle=style, linewidth=width)
            )


def _draw_frame_legend(figure: Figure) -> None:
    """A legend of the frames below the maps."""
    from matplotlib.patches import Rectangle

    frames = [
        Rectangle((0, 0), 1, 1, fill=False, linestyle=style, linewidth=width / 2, label=label)
        for style, width, label in _FRAME_STYLES.values()
    ]
    figure.legend(handles=frames, loc="outside lower center", ncols=2, frameon=False)


def _compute_error_lengths(estimates: Sequence[Estimate]) -> list[list[float]]:
    """How far intervals reach below and above; 0 where there is none."""
    below = [np.nan_to_num(each.value - each.low) for each in estimates]
    above = [np.nan_to_num(each.high - each.value) for each in estimates]
    return [below, above]
