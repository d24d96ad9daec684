"""The picture of a simulation, of either game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.reporting.figures import draw_title_lines, render_figure
from kqj_sim.reporting.kqj import plots as kqj
from kqj_sim.reporting.kwajongen import plots as kwajongen
from kqj_sim.reporting.plot_counts import PlotCounts
from kqj_sim.rules import GameRules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kqj_sim.analysis.where import Expression
    from kqj_sim.reporting.run import Run


@dataclass(frozen=True)
class SimulationPlot:
    """The picture of a game's simulations.

    Attributes:
        joints: the tuples of columns that are counted for it.
        draw: draws counts on a figure, given the rules and the confidence of the intervals.
    """

    joints: Sequence[tuple[str, ...]]
    draw: Callable[[Figure, PlotCounts, GameRules, float], None]


_PLOTS: Mapping[str, SimulationPlot] = {
    "kqj": SimulationPlot(kqj.JOINTS, kqj.draw_simulation),
    "kwajongen": SimulationPlot(kwajongen.JOINTS, kwajongen.draw_simulation),
}


def make_plot_counts(game: str, where: Expression | None = None) -> PlotCounts:
    """Return empty counts for the picture of a game's simulations."""
    return PlotCounts(game, _PLOTS[game].joints, where)


def render_simulation(counts: PlotCounts, run: Run, format: str) -> bytes:
    """Return the picture of a simulation as a "png", "svg" or "pdf" file."""

    def draw(figure: Figure) -> None:
        draw_title_lines(figure, [run.describe()], 130)
        _PLOTS[run.rules.game].draw(figure, counts, run.rules, run.confidence or 0.95)

    return render_figure(draw, (13, 9.2), format)
