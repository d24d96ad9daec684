"""The picture of a simulation, drawn by each game's own."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kqj_sim.reporting.figures import PlotCounts, render_figure
from kqj_sim.reporting.kqj.plots import KqjPlotCounts
from kqj_sim.reporting.kqj.plots import draw_simulation as paint_kqj
from kqj_sim.reporting.kwajongen.plots import KwajongenPlotCounts
from kqj_sim.reporting.kwajongen.plots import draw_simulation as paint_kwajongen
from kqj_sim.rules import require_kqj_rules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kqj_sim.analysis.where import Expression
    from kqj_sim.reporting.run import Run


def make_plot_counts(game: str, where: Expression | None = None) -> PlotCounts:
    """Nothing counted yet of what the picture of a game shows."""
    return KqjPlotCounts(where) if game == "kqj" else KwajongenPlotCounts(where)


def render_simulation(counts: PlotCounts, run: Run, format: str) -> bytes:
    """The picture of a simulation, as `pictures.picture`."""

    def paint(figure: Figure) -> None:
        confidence = run.confidence or 0.95
        title = "\n".join(textwrap.wrap(run.summary(), 130))
        figure.suptitle(title, fontsize=12, x=0.01, ha="left")
        if isinstance(counts, KqjPlotCounts):
            paint_kqj(figure, counts, require_kqj_rules(run.rules), confidence)
        elif isinstance(counts, KwajongenPlotCounts):
            paint_kwajongen(figure, counts, confidence)

    return render_figure(paint, (13, 9.2), format)
