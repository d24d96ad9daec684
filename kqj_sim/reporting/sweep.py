"""Reports of sweeps over a policy's parameters: headline, table and picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kqj_sim.analysis.games import get_analyzed_game
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.reporting.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    draw_heat_map,
    draw_line,
    draw_title_lines,
    render_figure,
)
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.run import Report, Run, describe_rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.sweep import Setting, Sweep


_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "standing", "run"}
"""Columns of the tables whose names a parameter cannot have."""

MAX_NAMED_SETTINGS = 10
"""Sets of values that a sentence names."""


@dataclass(frozen=True)
class SweepRun(Run):
    """A sweep over a policy's parameters; `policies` are the policy and the field."""

    sweep: Sweep | None = None

    @property
    def _required_result(self) -> Sweep:
        assert self.sweep is not None
        return self.sweep

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of = self._required_result
        return {
            **super().to_dict(),
            "policy": of.policy,
            "field": of.opponents,
            "vary": {each.name: list(each.values) for each in of.varied_parameters},
            "asked": {"deals": of.plan.deals, "until": of.plan.precision, "cap": of.plan.max_deals},
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

    def describe(self) -> str:
        """Return the run in a line for people."""
        of = self._required_result
        return (
            f"{describe_rules(of.rules)}; {of.policy} against {of.opponents}, its side holding "
            f"every side's cards; {of.deals:,} deals from {of.first:,}, seed {of.seed}, the same "
            f"for all {len(of.settings)}"
        )

    def describe_intervals(self) -> str:
        """Describe the intervals: confidence level and method."""
        of = self._required_result
        return (
            f"±: {100 * of.plan.confidence:g}% intervals, each by itself; {of.plan.interval_method}"
        )


def make_sweep_report(sweep: Sweep) -> Report:
    """Return the report of a sweep."""
    run = SweepRun(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy, sweep.opponents),
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
    """Return a set of values as text: `take=35, lap2=30`."""
    pairs = zip(sweep.varied_parameters, setting.values, strict=True)
    return ", ".join(f"{each.name}={value}" for each, value in pairs)


def format_points(estimate: Estimate) -> str:
    """Return points with their interval as text."""
    return str(format_number(estimate.value, estimate.low, estimate.high, "points"))


def write_headline(sweep: Sweep) -> list[str]:
    """Return the best set of values, those tied with it, and the relative efficiency, in lines."""
    best, maybe = sweep.best, sweep.tied_with_best
    sure = f"{100 * sweep.plan.confidence:g}%"
    lines = [
        f"Best: {format_setting(sweep, best)}, {format_points(best.points)} points a round more "
        f"than "
        f"{sweep.opponents}"
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
    """Return the table of the sets of values."""
    names = tuple(
        f"{each.name} (parameter)" if each.name in _COLUMNS else each.name
        for each in sweep.varied_parameters
    )
    words = get_analyzed_game(sweep.rules.game).terms
    lines: list[TableRow] = []
    for each in sweep.settings:
        group = (*(_parse_whole_number(value) for value in each.values), each.status)
        lines += [
            (group, "more than the field, points a round", "points", each.points),
            (
                group,
                "more than the best other, points a round",
                "points",
                each.lead_over_best_other,
            ),
            (group, f"{words.takes}, share of its rounds", "share", each.taken),
            (group, f"{words.made}, share of its {words.contracts}", "share", each.made),
        ]
    return make_table(
        "sweep",
        f"{sweep.policy} with other parameters, against {sweep.opponents}",
        (*names, "standing"),
        lines,
        "standing: `maybe` cannot be told from the best.  More than the best other: intervals that "
        "hold for all together (Hsu 1984, Bonferroni), from the differences on the same deals.",
        counted=False,
    )


def _parse_whole_number(value: str) -> int | str:
    """Return a whole number as int, so that tables sort by it, other texts unchanged."""
    return int(value) if value.lstrip("-").isdigit() else value


MAX_PARAMETERS = 2
"""Parameters that a picture has room for."""
_MAX_LABELLED_CELLS = 144
"""Cells of a heat map that get their numbers written in."""


def render_sweep(sweep: Sweep, run: Run, format: str) -> bytes:
    """Return the picture of a sweep of one or two parameters as a "png", "svg" or "pdf" file."""
    single = len(sweep.varied_parameters) == 1

    def draw(figure: Figure) -> None:
        draw_title_lines(figure, [*write_headline(sweep)[:2], run.describe()], 115)
        if single:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
            _draw_points(upper, sweep)
            _draw_shares(lower, sweep)
        else:
            left, right = figure.subplots(1, 2)
            _draw_map(left, sweep, "points")
            _draw_map(right, sweep, "taken")
            _draw_frame_legend(figure)

    return render_figure(draw, (10, 8) if single else (14, 6.8), format)


def _get_axis_positions(sweep: Sweep) -> tuple[list[float], list[str] | None]:
    """Return the positions of the values on the axis, and their names if they are no numbers."""
    values = sweep.varied_parameters[0].values
    try:
        return [float(value) for value in values], None
    except ValueError:
        return [float(place) for place in range(len(values))], list(values)


def _draw_points(axes: Axes, sweep: Sweep) -> None:
    """Draw points a round with intervals; what may be the best is filled."""
    places, _ = _get_axis_positions(sweep)
    settings = sweep.settings
    confidence = f"{100 * sweep.plan.confidence:g}%"
    bounds = [bound for each in settings for bound in (each.points.low, each.points.high)]
    if np.nanmin([0.0, *bounds]) < 0 < np.nanmax([0.0, *bounds]):
        axes.axhline(0, color=GREY, linewidth=1)
    axes.plot(places, [each.points.value for each in settings], color=BLUE, linewidth=1, alpha=0.5)
    styles = {
        "no": ("shown worse than another", "white", BLUE, 6),
        "maybe": (f"not told from the best ({confidence}, all together)", BLUE, BLUE, 6),
        "best": ("best", ORANGE, ORANGE, 9),
    }
    for standing, (label, face, edge, size) in styles.items():
        chosen = {
            place: each.points
            for place, each in zip(places, settings, strict=True)
            if each.status == standing
        }
        if chosen:
            draw_line(
                axes, list(chosen), list(chosen.values()), "o", edge,
                label=label, face=face, size=size,
            )  # fmt: skip
    axes.set_title(f"Points a round more than the field, with {confidence} intervals")
    axes.set_ylabel("points a round")
    axes.grid(axis="y")
    axes.legend(loc="best")


def _draw_shares(axes: Axes, sweep: Sweep) -> None:
    """Draw the shares of rounds taken and of contracts made."""
    places, names = _get_axis_positions(sweep)
    words = get_analyzed_game(sweep.rules.game).terms
    taken, made = f"{words.takes}, % of its rounds", f"{words.made}, % of its {words.contracts}"
    shares = [each.taken for each in sweep.settings]
    draw_line(axes, places, shares, "s-", GREEN, label=taken, scale=100)
    shares = [each.made for each in sweep.settings]
    draw_line(axes, places, shares, "^-", ORANGE, label=made, scale=100)
    axes.set_title(words.both)
    axes.set_ylabel("%")
    axes.set_xlabel(sweep.varied_parameters[0].name)
    axes.set_xticks(places if len(places) <= 15 else places[:: len(places) // 10], names)
    axes.grid(axis="y")
    axes.legend(loc="best")


_FRAME_STYLES = {"best": ("solid", "best"), "maybe": ("dotted", "not told from it")}
"""Line styles and names of the frames around cells, by `Setting.status`."""


def _draw_map(axes: Axes, sweep: Sweep, quantity: Literal["points", "taken"]) -> None:
    """Draw a heat map: rows are the first parameter's values, columns the second's."""
    first, second = sweep.varied_parameters
    words, is_share = get_analyzed_game(sweep.rules.game).terms, quantity == "taken"
    scale, decimals = (100, 1) if is_share else (1, words.decimals)
    by_cell = dict(zip(product(first.values, second.values), sweep.settings, strict=True))
    found: dict[tuple[Any, Any], Estimate] = {
        cell: getattr(setting, quantity) for cell, setting in by_cell.items()
    }
    values = {cell: scale * each.value for cell, each in found.items()}
    # Symmetric about 0, where a side scores as much as the field.
    limit = max(*map(abs, values.values()), 1e-9)
    low, high = (min(values.values()), max(values.values())) if is_share else (-limit, limit)
    texts = {
        cell: f"{values[cell]:z.{decimals}f}\n±{scale * (each.high - each.low) / 2:.{decimals}f}"
        for cell, each in found.items()
    }
    frames = {
        cell: _FRAME_STYLES[setting.status][0]
        for cell, setting in by_cell.items()
        if setting.status in _FRAME_STYLES
    }
    draw_heat_map(
        axes, values, first.values[::-1], second.values, (low, high),
        texts=texts if len(values) <= _MAX_LABELLED_CELLS else None,
        frames=frames, diverging=not is_share,
    )  # fmt: skip
    takes = f"{words.takes[0].upper()}{words.takes[1:]}, % of its rounds"
    title = takes if is_share else "Points a round more than the field"
    axes.set_title(f"{title}, with {100 * sweep.plan.confidence:g}% intervals")
    if len(second.values) > 12:
        axes.tick_params("x", rotation=90)
    axes.set_xlabel(second.name)
    axes.set_ylabel(first.name)


def _draw_frame_legend(figure: Figure) -> None:
    """Draw a legend of the frames below the maps."""
    from matplotlib.patches import Rectangle

    frames = [
        Rectangle((0, 0), 1, 1, fill=False, linestyle=style, linewidth=1.2, label=label)
        for style, label in _FRAME_STYLES.values()
    ]
    figure.legend(handles=frames, loc="outside lower center", ncols=2)
