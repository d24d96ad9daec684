"""The picture of a simulation, drawn from the counts of its tables, of either game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kqj_sim.output.figures import Drawing, draw_title_lines
from kqj_sim.output.group_plots import (
    draw_first_measure,
    draw_games,
    draw_groups,
    list_groups,
)
from kqj_sim.output.kqj.plots import draw_all_totals as draw_kqj_totals
from kqj_sim.output.kqj.plots import draw_simulation as draw_kqj
from kqj_sim.output.kwajongen.plots import draw_points as draw_kwajongen_points
from kqj_sim.output.kwajongen.plots import draw_simulation as draw_kwajongen
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.output.run import Run
    from kqj_sim.stats.tally import Tally

_DRAW: Mapping[str, Callable[[SubFigure, Tally, float], tuple[str, ...]]] = {
    "kqj": draw_kqj,
    "kwajongen": draw_kwajongen,
}
"""By game, the function that draws single rounds and returns what it left out, in words."""

_DRAW_MAIN: Mapping[str, Callable[[Axes, Tally], None]] = {
    "kqj": draw_kqj_totals,
    "kwajongen": draw_kwajongen_points,
}
"""By game, the function that draws the results of single rounds by points on axes."""

_WIDTH, _ROUNDS_HEIGHT, _GAMES_HEIGHT = 13.0, 9.0, 3.4
"""Inches."""


def make_simulation_drawing(tally: Tally, run: Run) -> Drawing:
    """Return the picture of a simulation.

    The groups are drawn if the run has any to compare, else its games, if it has any, above its
    rounds.
    """
    confidence = run.confidence or DEFAULT_CONFIDENCE
    tables = {table.name: table for table in tally.tables(confidence)}
    groups = list_groups(tables, tally.by)
    has_groups, has_games = len(groups) > 1, "games" in tables

    def draw(figure: Figure) -> None:
        heights = [_GAMES_HEIGHT] * has_games
        heights.append(_compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT)
        parts = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])
        remarks: tuple[str, ...] = ()
        if has_games:
            remarks += draw_games(parts.pop(0), tables, tally.make_length_table(confidence))
        if has_groups:
            remarks += draw_groups(parts[0], tables, tally, groups)
        else:
            remarks += _DRAW[run.rules.game](parts[0], tally, confidence)
        draw_title_lines(figure, [run.describe(), *([" ".join(remarks)] if remarks else [])], 150)

    rounds = _compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT

    def draw_main(axes: Axes) -> None:
        if has_groups:
            draw_first_measure(axes, tables, tally, groups)
        else:
            _DRAW_MAIN[run.rules.game](axes, tally)

    return Drawing(draw, draw_main, (_WIDTH, 0.4 + rounds + _GAMES_HEIGHT * has_games))


def _compute_groups_height(groups: int) -> float:
    return 1.4 + 0.36 * min(groups, 40)
