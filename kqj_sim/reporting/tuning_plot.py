"""The picture of a search for better parameters: what it scored, and where its centre went."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kqj_sim.reporting.pictures import BLUE, GREEN, GREY, ORANGE, PURPLE, picture
from kqj_sim.reporting.tuning import answer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kqj_sim.analysis.tune import Tuning
    from kqj_sim.reporting.report import Run


def draw_tuning(tuning: Tuning, run: Run, format: str) -> bytes:
    """The picture of a search, as `pictures.picture`."""

    def paint(figure: Figure) -> None:
        title = [piece for line in (*answer(tuning), run.summary()) for piece in _wrapped(line)]
        figure.suptitle("\n".join(title), fontsize=11, x=0.01, ha="left")
        upper, lower = figure.subplots(2, 1, sharex=True)
        generations = [each.number for each in tuning.generations]
        scored = [points for each in tuning.generations for points in (each.points, each.best)]
        if min(scored) <= 0 <= max(scored):
            upper.axhline(0, color=GREY, linewidth=1)
        upper.plot(generations, [each.best for each in tuning.generations], ".", color=ORANGE,
                   label="best candidate, luck included")  # fmt: skip
        upper.plot(generations, [each.points for each in tuning.generations], "o-", color=BLUE,
                   markersize=4, label="mean of the candidates")  # fmt: skip
        upper.set_title("Points a round more than the field, by generation")
        upper.set_ylabel("points a round")
        colours = (BLUE, ORANGE, GREEN, PURPLE, GREY)
        for number, each in enumerate(tuning.searched):
            width = (each.high - each.low) / 100
            values = [(g.values[number] - each.low) / width for g in tuning.generations]
            style = ("-", "--", ":")[number // len(colours) % 3]
            lower.plot(
                [0, *generations], [(each.start - each.low) / width, *values], style,
                color=colours[number % len(colours)], label=each.name,
            )  # fmt: skip
        lower.set_title("The centre of the search, as % of each parameter's range")
        lower.set_ylabel("% of the range")
        lower.set_ylim(-2, 102)
        lower.set_xlabel("generation")
        lower.xaxis.get_major_locator().set_params(integer=True)
        for axes in (upper, lower):
            axes.grid(axis="y", alpha=0.3)
            axes.legend(loc="best", frameon=False, ncols=2 + len(tuning.searched) // 6)

    return picture(paint, (10, 8), format)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, 120)
