"""The picture of a simulation, drawn from the counts of its tables, of either game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from kqj_sim.games import find_game
from kqj_sim.output.figures import Drawing, draw_title_lines
from kqj_sim.questions.simulate.group_plots import (
    draw_first_measure,
    draw_games,
    draw_groups,
    list_groups,
)
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.output.numbers import KeyFigure
    from kqj_sim.output.run import Run
    from kqj_sim.stats.tally import Tally


class GamePictures(NamedTuple):
    """The pictures of a game's simulations.

    Attributes:
        draw_rounds: draws single rounds; returns what it left out, in sentences.
        draw_points: draws the results of single rounds by points on axes.
        group_figures: the key figures of groups.
    """

    draw_rounds: Callable[[SubFigure, Tally, float], str]
    draw_points: Callable[[Axes, Tally], None]
    group_figures: tuple[KeyFigure, ...]


_WIDTH, _ROUNDS_HEIGHT, _GAMES_HEIGHT = 13.0, 9.0, 3.4
"""Inches."""


def make_simulation_drawing(tally: Tally, run: Run) -> Drawing:
    """Return the picture of a simulation.

    The groups are drawn if the run has any to compare, else its games, if it has any, above its
    rounds.
    """
    confidence = run.confidence or DEFAULT_CONFIDENCE
    pictures = find_game(run.rules.game).part("pictures")
    tables = {table.name: table for table in tally.tables(confidence)}
    groups = list_groups(tables, tally.by)
    has_groups, has_games = len(groups) > 1, "games" in tables

    def draw(figure: Figure) -> None:
        heights = [_GAMES_HEIGHT] * has_games
        heights.append(_compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT)
        parts = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])
        if has_games:
            draw_games(parts.pop(0), tables, tally.make_length_table(confidence))
        if has_groups:
            left_out = draw_groups(parts[0], tables, tally, groups, pictures.group_figures)
        else:
            left_out = pictures.draw_rounds(parts[0], tally, confidence)
        draw_title_lines(figure, [run.describe(), *([left_out] if left_out else [])], 150)

    rounds = _compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT

    def draw_main(axes: Axes) -> None:
        if has_groups:
            draw_first_measure(axes, tables, tally, groups, pictures.group_figures)
        else:
            pictures.draw_points(axes, tally)

    return Drawing(draw, draw_main, (_WIDTH, 0.4 + rounds + _GAMES_HEIGHT * has_games))


def _compute_groups_height(groups: int) -> float:
    return 1.4 + 0.36 * min(groups, 40)
