"""The picture of a simulation, drawn by each game's own."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kqj_sim.reporting.kqj.plots import KqjCounts
from kqj_sim.reporting.kqj.plots import paint as paint_kqj
from kqj_sim.reporting.kwajongen.plots import KwajongenCounts
from kqj_sim.reporting.kwajongen.plots import paint as paint_kwajongen
from kqj_sim.reporting.pictures import picture
from kqj_sim.reporting.plot_counts import PlotCounts
from kqj_sim.rules import kqj_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kqj_sim.analysis import Expression
    from kqj_sim.reporting.report import Run


def plot_counts(game: str, where: Expression | None = None) -> PlotCounts:
    """Nothing counted yet of what the picture of a game shows."""
    return KqjCounts(where) if game == "kqj" else KwajongenCounts(where)


def draw(counts: PlotCounts, run: Run, format: str) -> bytes:
    """The picture of a simulation, as `pictures.picture`."""

    def paint(figure: Figure) -> None:
        confidence = run.confidence or 0.95
        title = "\n".join(textwrap.wrap(run.summary(), 130))
        figure.suptitle(title, fontsize=12, x=0.01, ha="left")
        if isinstance(counts, KqjCounts):
            paint_kqj(figure, counts, kqj_of(run.rules), confidence)
        elif isinstance(counts, KwajongenCounts):
            paint_kwajongen(figure, counts, confidence)

    return picture(paint, (13, 9.2), format)
