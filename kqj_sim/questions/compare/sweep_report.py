"""Reports of sweeps over a policy's parameters: headline, table and picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kqj_sim.games import find_game
from kqj_sim.messages import capitalize
from kqj_sim.output.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Drawing,
    NothingToDrawError,
    draw_heat_map,
    draw_line,
    draw_title_lines,
)
from kqj_sim.output.grid import NO_INTERVAL, SCREEN_WIDTH, make_grids
from kqj_sim.output.run import Report, Run
from kqj_sim.output.sentences import say
from kqj_sim.questions.compare.same_player import describe_open_parts
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.questions.compare.settings import Setting, Sweep
    from kqj_sim.stats.intervals import Estimate


_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "status", "run"}
"""Columns of the tables whose names a parameter cannot have."""

MAX_NAMED_SETTINGS = 4
"""Sets of values that a sentence names."""

MAX_SHOWN_SETTINGS = 18
"""Sets of values that the key figures show; of more sets the best ones."""


def _list_details(of: Sweep) -> dict[str, Any]:
    return {
        "policy": of.policy.name,
        "field": of.opponents.name,
        "vary": {each.name: list(each.values) for each in of.varied_parameters},
        "asked": {"deals": of.plan.deals, "until": of.plan.precision, "cap": of.plan.max_deals},
        "method": of.plan.interval_method,
        "comparison": "Hsu's multiple comparisons with the best, Bonferroni",
        "best": [*of.best.values.values()],
        "best_player": of.best.policy,
        "not_told_from_best": [[*each.values.values()] for each in of.tied_with_best],
        "rounds_a_deal_and_set": len(of.match.arrangements),
        "worth_times_as_many_rounds": None
        if math.isnan(of.relative_efficiency)
        else of.relative_efficiency,
    }


def make_sweep_report(sweep: Sweep) -> Report:
    """Return the report of a sweep."""
    run = Run(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy.name, sweep.opponents.name),
        players=tuple(each.policy for each in sweep.settings),
        seed=sweep.plan.seed,
        first=sweep.plan.first,
        deals=sweep.deals,
        confidence=sweep.plan.confidence,
        interrupted=sweep.interrupted,
        description=say(__name__, "sweep", sweep),
        intervals=say(__name__, "sweep_intervals", sweep),
        details=_list_details(sweep),
    )
    tables = [_make_table(sweep, sweep.settings)]
    count, grids, remarks = len(sweep.settings), [], list_remarks(sweep)
    half_width = max((each.points.high - each.points.low) / 2 for each in sweep.settings)
    remarks += sweep.plan.list_shortfalls(half_width, f"{sweep.deals:,} deals")
    if count > 1:
        tables.append(_make_best_other_table(sweep))
    if count > MAX_SHOWN_SETTINGS:
        ranked = sorted(sweep.settings, key=lambda each: -each.points.value)
        best = _make_table(sweep, ranked[:MAX_SHOWN_SETTINGS])
        grids = make_grids(best, SCREEN_WIDTH)
        remarks.append(f"The best {MAX_SHOWN_SETTINGS} of {count}; --tables sweep shows all.")
    return Report(
        run, tables, write_headline(sweep), grids or ["sweep"], remarks=remarks,
    )  # fmt: skip


def _format_values(setting: Setting) -> str:
    """Return a set of values as in a specification: `take=35,lap2=30`."""
    return ",".join(f"{name}={value}" for name, value in setting.values.items())


def _name_further(setting: Setting) -> str:
    """Return a set of values whose only parameter was named before: `35`."""
    first, *others = setting.values.values()
    return _format_values(setting) if others else first


def write_headline(sweep: Sweep) -> list[str]:
    """Return the best set of values, those tied with it and the next one, in sentences."""
    best, tied, count = sweep.best, sweep.tied_with_best, len(sweep.settings)
    name = _format_values(best)
    if count == 1:
        return [say(__name__, "single_setting", name, best.points, sweep)]
    names = [name, *(_name_further(each) for each in tied)]
    if len(tied) > MAX_NAMED_SETTINGS:
        names = [name, f"{len(tied)} others"]
    worse = [each for each in sweep.settings if each.status == "worse"]
    if not worse:
        return [say(__name__, "tied_settings", names, count)]
    following = min(worse, key=lambda each: each.loss.value)
    others = _name_further(best), _name_further(following)
    return [say(__name__, "best_setting", names, *others, following.loss, sweep), *sweep.edges]


def list_remarks(sweep: Sweep) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks = [f"{line}." for line in describe_open_parts([sweep.policy])]
    if not math.isnan(sweep.relative_efficiency):
        remarks.append(say(__name__, "sweep_efficiency", sweep.relative_efficiency))
    return remarks


def _make_setting_table(
    sweep: Sweep, name: str, title: str, lines: Sequence[TableRow], note: str = ""
) -> Table:
    """Return a table grouped by the parameters and the status."""
    names = (each.name for each in sweep.varied_parameters)
    parameters = tuple(f"{each} (parameter)" if each in _COLUMNS else each for each in names)
    return Table(
        name, title, (*parameters, "status"), lines, note,
        counted=False, parameters=parameters, game=sweep.rules.game,
    )  # fmt: skip


def _get_group(setting: Setting) -> tuple[int | str, ...]:
    """Return the values of the group columns."""
    return (*(_parse_whole_number(value) for value in setting.values.values()), setting.status)


def _make_table(sweep: Sweep, settings: Sequence[Setting]) -> Table:
    """Return the table of sets of values."""
    terms = find_game(sweep.rules.game).part("analysis").terms
    lines: list[TableRow] = []
    for each in settings:
        group = _get_group(each)
        lines += [
            (group, "lead_over_opponents_per_round", each.points),
            (group, "loss_to_best_per_round", each.loss),
            (group, terms.takes, each.taken),
            (group, terms.made, each.made),
        ]
    title = f"{sweep.policy.name} against {sweep.opponents.name}"
    return _make_setting_table(sweep, "sweep", title, lines)


def _make_best_other_table(sweep: Sweep) -> Table:
    """Return the table of each set against the best of the others."""
    lines: list[TableRow] = [
        (_get_group(each), "lead_over_best_other_per_round", each.lead_over_best_other)
        for each in sweep.settings
    ]
    note = (
        "Multiple comparisons with the best (Hsu 1984, Bonferroni); the intervals hold jointly.  "
        "One that ends at 0 shows that a value is not the best."
    )
    title = "Lead over the best of the others"
    return _make_setting_table(sweep, "best_other", title, lines, note)


def _parse_whole_number(value: str) -> int | str:
    """Return a whole number as int, so that tables sort by it, other texts unchanged."""
    return int(value) if value.lstrip("-").isdigit() else value


MAX_PARAMETERS = 2
"""Parameters for which a picture has room."""

_MAX_LABELLED_CELLS = 144
"""Cells of a heat map that get their numbers written in."""


def explain_parameters(count: int) -> str:
    """Return the message on a picture of too many parameters."""
    return f"--plot draws at most {MAX_PARAMETERS} parameters, not {count}"


def make_sweep_drawing(sweep: Sweep, run: Run) -> Drawing:
    """Return the picture of a sweep of one or two parameters.

    Raises:
        NothingToDrawError: there is a single setting, or there are more parameters.
    """
    if len(sweep.varied_parameters) > MAX_PARAMETERS:
        raise NothingToDrawError(explain_parameters(len(sweep.varied_parameters)))
    if len(sweep.settings) == 1:
        raise NothingToDrawError("a sweep of one value is a single point")
    single = len(sweep.varied_parameters) == 1

    def draw(figure: Figure) -> None:
        draw_title_lines(figure, [*write_headline(sweep), run.describe()], 115)
        if single:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
            _draw_points(upper, sweep)
            _draw_shares(lower, sweep)
        else:
            left, right = figure.subplots(1, 2)
            _draw_map(left, sweep, "points")
            _draw_map(right, sweep, "taken")
            _draw_frame_legend(figure)

    def draw_main(axes: Axes) -> None:
        if not single:
            _draw_map(axes, sweep, "points")
            return
        _draw_points(axes, sweep)
        places, names = _get_axis_positions(sweep)
        axes.set_xticks(places, names)
        axes.set_xlabel(sweep.varied_parameters[0].name)

    return Drawing(draw, draw_main, (10, 8) if single else (14, 6.8))


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
        "worse": ("worse than the best", "white", BLUE, 6),
        "tied": (f"statistically tied with the best ({confidence})", BLUE, BLUE, 6),
        "best": ("best", ORANGE, ORANGE, 9),
    }
    for status, (label, face, edge, size) in styles.items():
        chosen = {
            place: each.points
            for place, each in zip(places, settings, strict=True)
            if each.status == status
        }
        if chosen:
            draw_line(
                axes, list(chosen), list(chosen.values()), "o", edge,
                label=label, markerfacecolor=face, markersize=size,
            )  # fmt: skip
    axes.set_title(f"Lead over the opponents, with {confidence} intervals")
    axes.set_ylabel("points a round")
    axes.grid(axis="y")
    axes.legend(loc="best")


def _draw_shares(axes: Axes, sweep: Sweep) -> None:
    """Draw the shares of rounds taken and of contracts made."""
    places, names = _get_axis_positions(sweep)
    words = find_game(sweep.rules.game).part("analysis").terms
    taken, made = (_label_per_cent(sweep, each) for each in (words.takes, words.made))
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


def _label_per_cent(sweep: Sweep, quantity: str) -> str:
    """Return the heading of a share that is drawn in per cent."""
    return find_quantity(quantity, sweep.rules.game).heading.replace(", share", ", %")


_FRAME_STYLES = {
    "best": ("solid", "best"),
    "tied": ("dotted", "statistically tied with the best"),
}
"""Line styles and names of the frames around cells, by `Setting.status`."""


def _draw_map(axes: Axes, sweep: Sweep, quantity: Literal["points", "taken"]) -> None:
    """Draw a heat map: rows are the first parameter's values, columns the second's."""
    first, second = sweep.varied_parameters
    words, is_share = find_game(sweep.rules.game).part("analysis").terms, quantity == "taken"
    scale, decimals = (100, 1) if is_share else (1, words.decimals)
    by_cell = dict(zip(product(first.values, second.values), sweep.settings, strict=True))
    found: dict[tuple[Any, Any], Estimate] = {
        cell: getattr(setting, quantity) for cell, setting in by_cell.items()
    }
    values = {cell: scale * each.value for cell, each in found.items()}
    # Symmetric about 0, where a side scores as much as the field.
    limit = max(*map(abs, values.values()), 1e-9)
    low, high = (min(values.values()), max(values.values())) if is_share else (-limit, limit)
    texts = {}
    for cell, each in found.items():
        half = scale * (each.high - each.low) / 2
        interval = f"±{half:.{decimals}f}" if math.isfinite(half) else NO_INTERVAL
        texts[cell] = f"{values[cell]:z.{decimals}f}\n{interval}"
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
    takes = capitalize(_label_per_cent(sweep, words.takes))
    title = takes if is_share else "Lead over the opponents, points a round"
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
