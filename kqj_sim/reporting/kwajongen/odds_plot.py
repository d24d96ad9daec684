"""The pictures of what playing and passing are worth in Kwajongen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.odds_answer import DRAWN, LOST, OUT, WON
from kqj_sim.reporting.charts import drawn
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.kwajongen.odds import odds_report
from kqj_sim.reporting.odds import answer
from kqj_sim.reporting.page import INK, Part, Picture, Section
from kqj_sim.reporting.pictures import BLUE, GREY, ORANGE, PURPLE, errors, headline, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.kwajongen.odds import KwajongenOdds

_ENDINGS = (
    ("wins", WON, BLUE), ("loses", LOST, ORANGE), ("tie", DRAWN, GREY), ("passed out", OUT, PURPLE),
)  # fmt: skip
_POINTS = {
    "difference": "What each call is worth, in points",
    "wins": "Rounds the own side wins, %",
}
"""Quantities that are drawn as points with intervals, and their titles."""


def draw_odds(odds: KwajongenOdds, confidence: float, format: str) -> bytes:
    """The picture in a format of matplotlib's, such as "png", "svg" or "pdf".

    Above the worth of both calls and their chances to win, with intervals; below what the round
    is worth to the own side after each, by how it ends.
    """

    def paint(figure: Figure) -> None:
        run = odds_report(odds, confidence).run
        headline(figure, (*answer(odds, confidence), run.summary()), 104)
        panels: Any = figure.subplots(2, 2, height_ratios=(1.0, 2.6))
        for axes, (quantity, title) in zip(panels[0], _POINTS.items(), strict=True):
            axes.set_title(title, fontsize=10)
            _draw_points(axes, odds, quantity, confidence)
        for axes, option in zip(panels[1], odds.ranking, strict=True):
            axes.set_title(_title(odds, option, confidence), fontsize=10)
            _draw_worths(axes, odds, option, confidence)
        _legend(figure, odds)

    return picture(paint, (8.4, 6.0), format)


def page_pictures(
    odds: KwajongenOdds, confidence: float
) -> tuple[dict[str, list[Picture]], Section]:
    """The pictures of a page: by name those of a table (none), and a section of others."""
    means, worths = [], []
    for quantity, title in _POINTS.items():

        def draw_points(figure: Figure, quantity: str = quantity) -> None:
            _draw_points(figure.subplots(), odds, quantity, confidence)

        words = f"{title}, with intervals."
        means.append(Picture(quantity, words, drawn(1.4, draw_points)))
    for option in odds.ranking:

        def draw_worths(figure: Figure, option: int = option) -> None:
            _draw_worths(figure.subplots(), odds, option, confidence)
            _legend(figure, odds)

        words = _title(odds, option, confidence)
        worths.append(Picture(f"worth-{option}", words, drawn(2.6, draw_worths)))
    section = Section(
        "worth",
        "What the round is worth to the own side",
        (Part("On average", pictures=(*means,)), Part("In how many deals", pictures=(*worths,))),
        "Worth: by how much the other side's score changes less the own side's, with intervals.",
    )
    return {}, section


def _draw_points(axes: Axes, odds: KwajongenOdds, quantity: str, confidence: float) -> None:
    """A row a call, the best on top: a point with its interval, and its number."""
    is_share = odds.quantities[quantity]
    scale = 100 if is_share else 1
    found = [odds.estimate(quantity, option, confidence) for option in reversed(odds.ranking)]
    if is_share:
        axes.set_xlim(-3, 103)
    else:
        axes.axvline(0, color=INK, linewidth=1, linestyle=":")
        axes.margins(x=0.3)
    for row, each in enumerate(found):
        value, low, high = (scale * number for number in each[:3])
        axes.errorbar(
            [value], [row], xerr=[[max(0.0, value - low)], [max(0.0, high - value)]], fmt="o",
            color=BLUE, markersize=5, elinewidth=1.5, capsize=2.5,
        )  # fmt: skip
    left, right = axes.get_xlim()
    for row, each in enumerate(found):
        # A number near an end of the axis grows away from it.
        where = (scale * each.value - left) / (right - left)
        axes.annotate(
            str(format_number(*each[:3], "share" if is_share else "points")),
            (scale * each.value, row), (0, 6), textcoords="offset points", fontsize=9,
            ha="left" if where < 0.3 else "right" if where > 0.7 else "center",
        )  # fmt: skip
    axes.set_yticks(range(len(found)), [odds.options[n].text for n in reversed(odds.ranking)])
    axes.set_ylim(-0.5, len(found) - 0.2)
    axes.tick_params("y", length=0)
    axes.grid(axis="x", alpha=0.3)


def _draw_worths(axes: Axes, odds: KwajongenOdds, option: int, confidence: float) -> None:
    """How what the round is worth is distributed, by how it ends; the same scales for all calls."""
    most = odds.most_points
    reach = int(np.abs(odds.worths.sum(axis=(0, 1)).nonzero()[0] - most).max(initial=1))
    every = range(-reach, reach + 1)
    lower = np.zeros(len(every))
    for _, ending, colour in _ENDINGS:
        counts = odds.worths[option, ending, most - reach : most + reach + 1]
        heights = 100 * counts / odds.sums.weights
        axes.bar(every, heights, 0.85, lower, color=colour, linewidth=0)
        lower += heights
    shares = [odds.worth_share(option, worth, confidence) for worth in every]
    some = [at for at, each in zip(every, shares, strict=True) if each.value > 0]
    seen = [each for each in shares if each.value > 0]
    axes.errorbar(
        some, [100 * each.value for each in seen], errors(seen), fmt="none", ecolor=INK,
        elinewidth=1.2, capsize=2.5,
    )  # fmt: skip
    for at, each in zip(some, seen, strict=True):
        axes.annotate(
            f"{100 * each.value:.1f}" if each.value >= 0.0005 else "<0.1",
            (at, 100 * each.high), (0, 2),
            textcoords="offset points", ha="center", fontsize=9,
        )  # fmt: skip
    tallest = max(
        odds.worth_share(call, worth, confidence).high
        for call in range(odds.calls)
        for worth in every
    )
    axes.set_ylim(0, 112 * tallest)
    axes.set_xticks(
        every, [f"{worth:+d}".replace("-", "\N{MINUS SIGN}") if worth else "0" for worth in every]
    )
    axes.set_xlabel("points the round is worth")
    axes.set_ylabel("% of deals")
    axes.grid(axis="y", alpha=0.3)


def _title(odds: KwajongenOdds, option: int, confidence: float) -> str:
    worth = format_number(*odds.estimate("difference", option, confidence)[:3], "points")
    best = "  (best)" if option == odds.best else ""
    return f"{odds.options[option].text}: worth {worth}{best}"


def _legend(figure: Figure, odds: KwajongenOdds) -> None:
    """What the colours are, of those endings that occur."""
    from matplotlib.patches import Patch

    found = odds.worths.sum(axis=(0, 2))
    handles = [
        Patch(color=colour, label=name) for name, ending, colour in _ENDINGS if found[ending]
    ]
    figure.legend(
        handles=handles, loc="outside lower center", frameon=False, ncols=len(handles),
        handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip
