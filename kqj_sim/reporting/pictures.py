"""Pictures of one figure, drawn and made a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kqj_sim.reporting.plots import STYLE, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
