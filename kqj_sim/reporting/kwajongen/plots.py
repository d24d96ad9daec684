"""The picture of a simulation of Kwajongen: card points, who plays, results, tricks.

Shares carry the intervals of the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.intervals import Estimate, estimate_share
from kqj_sim.analysis.tables import get_labels
from kqj_sim.reporting.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PlotCounts,
    draw_bars,
    draw_legend,
    draw_stacked_rows,
    hide_axes,
)
from kqj_sim.rules import KwajongenRules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.where import Expression

SEATS, TRICKS = KwajongenRules.seats, KwajongenRules.tricks
PLACE_NAMES = ("dealer's left", "2nd", "3rd", "dealer")
"""The places in the order of speaking, in words."""
RESULT_STYLES = {
    "made": ("caller's team", BLUE), "tie": ("tied", GREY), "failed": ("others", ORANGE),
}  # fmt: skip
"""Who wins, in words, and their colours."""

_CARD_POINTS_JOINT = ("result", "contracting_card_points")
_PLACE_JOINT = ("place", "result")
_TRUMP_JOINT = ("sender_trumps", "result")
_TRICK_JOINT = ("taken", "contracting_tricks")


class KwajongenPlotCounts(PlotCounts):
    """What the picture shows, counted chunk by chunk of rows."""

    def __init__(self, where: Expression | None = None) -> None:
        super().__init__(
            "kwajongen", (_CARD_POINTS_JOINT, _PLACE_JOINT, _TRUMP_JOINT, _TRICK_JOINT), where
        )

    def by_result(self, columns: tuple[str, str]) -> dict[str, dict[int, int]]:
        """Played rounds by result, and by the column that stands beside it."""
        found: dict[str, dict[int, int]] = {result: {} for result in RESULT_STYLES}
        other = next(name for name in columns if name != "result")
        values, counts = self.cells(("result", other))
        for (result, number), count in zip(values.tolist(), counts.tolist(), strict=True):
            name = get_labels("result", "kwajongen")[result]
            if name in found:
                found[name][number] = count
        return found

    def places(self) -> tuple[dict[int, int], int]:
        """Deals by the caller's place, and all deals."""
        values, counts = self.cells(("place",))
        found = dict(zip(values[:, 0].tolist(), counts.tolist(), strict=True))
        return {place: count for place, count in found.items() if place >= 0}, int(counts.sum())

    def tricks(self) -> dict[int, int]:
        """Played rounds by the tricks of the caller's team."""
        values, counts = self.cells(_TRICK_JOINT)
        return {
            number: count
            for (taken, number), count in zip(values.tolist(), counts.tolist(), strict=True)
            if taken
        }


def draw_simulation(figure: Figure, counts: KwajongenPlotCounts, confidence: float) -> None:
    """Draw the picture of a simulation."""
    every: Any = figure.subplots(2, 2)
    (points, calls), (tricks, trumps) = every
    _draw_points(points, counts)
    _draw_calls(calls, counts, confidence)
    _draw_tricks(tricks, counts, confidence)
    _draw_trumps(trumps, counts, confidence)


def _draw_points(axes: Axes, counts: KwajongenPlotCounts) -> None:
    """Played rounds by the card points of the caller's team, coloured by who wins."""
    axes.set_title("Card points of the caller's team, by who wins")
    found = counts.by_result(_CARD_POINTS_JOINT)
    played = sum(sum(points.values()) for points in found.values())
    if not played:
        hide_axes(axes)
        return
    last = max(max(points, default=0) for points in found.values())
    base = np.zeros(last + 1)
    for result, (_, colour) in RESULT_STYLES.items():
        heights = np.array([100 * found[result].get(at, 0) / played for at in range(last + 1)])
        axes.bar(range(last + 1), heights, 0.9, base, color=colour, linewidth=0)
        base += heights
    axes.set_xlabel("card points; the cards dealt have 26.7 on average")
    axes.set_ylabel("% of played rounds")
    axes.grid(axis="y", alpha=0.3)
    draw_legend(axes, dict(RESULT_STYLES.values()), "upper right")


def _draw_calls(axes: Axes, counts: KwajongenPlotCounts, confidence: float) -> None:
    """Of all deals who becomes caller, and of those asked who says play."""
    axes.set_title("Who says play, by place")
    places, deals = counts.places()
    if not places:
        hide_axes(axes)
        return
    asked, rates, callers = deals, [], []
    for place in range(SEATS):
        count = places.get(place, 0)
        rates.append(estimate_share(count, asked, confidence))
        callers.append(estimate_share(count, deals, confidence))
        asked -= count
    for shift, colour, shares in ((-0.2, BLUE, rates), (0.2, GREEN, callers)):
        _draw_percent_bars(axes, [place + shift for place in range(SEATS)], shares, colour, 0.38)
    axes.set_xticks(range(SEATS), PLACE_NAMES)
    axes.set_ylabel("%")
    axes.set_ylim(0, 1.25 * axes.get_ylim()[1])
    draw_legend(axes, {"of those asked": BLUE, "of all deals": GREEN}, "upper center", 2)


def _draw_tricks(axes: Axes, counts: KwajongenPlotCounts, confidence: float) -> None:
    """Played rounds by the tricks of the caller's team."""
    axes.set_title("Tricks of the caller's team")
    found = counts.tricks()
    if not found:
        hide_axes(axes)
        return
    played = sum(found.values())
    shares = [estimate_share(found.get(n, 0), played, confidence) for n in range(TRICKS + 1)]
    _draw_percent_bars(axes, list(range(TRICKS + 1)), shares, BLUE, 0.72)
    axes.set_xticks(range(TRICKS + 1))
    axes.set_xlabel("tricks")
    axes.set_ylabel("% of played rounds")


def _draw_trumps(axes: Axes, counts: KwajongenPlotCounts, confidence: float) -> None:
    """Who wins, by the number of the caller's trumps."""
    axes.set_title("Who wins, by the caller's trumps")
    found = counts.by_result(_TRUMP_JOINT)
    numbers = sorted({number for trumps in found.values() for number in trumps})
    if not numbers:
        hide_axes(axes)
        return
    counts_of = {n: {result: trumps.get(n, 0) for result, trumps in found.items()} for n in numbers}
    rows = {f"{n}\n{sum(each.values()):,}\nrounds": each for n, each in counts_of.items()}
    colours = {result: colour for result, (_, colour) in RESULT_STYLES.items()}
    draw_stacked_rows(axes, rows, colours, "won", confidence)
    axes.set_ylabel("trumps of the caller")
    axes.set_xlabel(
        f"% of rounds; share won by the caller's team with its {100 * confidence:g}% interval"
    )


def _draw_percent_bars(
    axes: Axes, at: list[float] | list[int], shares: list[Estimate], colour: str, width: float
) -> None:
    """Bars with intervals, in per cent, with their numbers."""
    draw_bars(axes, at, shares, width, colour)
    for x, each in zip(at, shares, strict=True):
        top = 100 * (each.high if each.observations else 0)
        axes.text(x, top, f"{100 * each.value:.1f}", ha="center", va="bottom", fontsize=9)
    axes.grid(axis="y", alpha=0.3)
