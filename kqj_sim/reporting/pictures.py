"""Pictures of one figure, drawn and made a file."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "kqj-sim",
}
"""Settings of matplotlib for every picture of one figure."""


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


def save(figure: Figure, format: str) -> bytes:
    """A figure as a file."""
    out = BytesIO()
    # No date: the same run gives the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    figure.savefig(out, format=format, dpi=120, metadata=metadata)
    return out.getvalue()
