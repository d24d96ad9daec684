"""The picture of a simulation of Kwajongen: card points, callers, results, tricks.

Shares carry the intervals of the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.output import figures
from kqj_sim.output.numbers import KeyFigure
from kqj_sim.places import name_places
from kqj_sim.stats.intervals import estimate_share
from kqj_sim.stats.tables import get_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure

    from kqj_sim.stats.tally import Tally

SEATS, TRICKS = KwajongenRules.seats, KwajongenRules.tricks
PLACE_NAMES = name_places(SEATS)
"""The places in the order of speaking."""
_RESULTS = {"made": "caller's team", "tie": "tied", "failed": "others"}

_TRICK_JOINT = ("taken", "contracting_tricks")


def count_by_result(tally: Tally, column: str) -> dict[str, dict[int, int]]:
    """Return the played rounds by result and by a column that is counted with it."""
    found: dict[str, dict[int, int]] = {result: {} for result in _RESULTS}
    values, occurrences = tally.get_cells(("result", column))
    for (result, number), count in zip(values.tolist(), occurrences.tolist(), strict=True):
        name = get_labels("result", "kwajongen")[result]
        if name in found:
            found[name][number] = count
    return found


def count_callers(tally: Tally) -> tuple[dict[int, int], int]:
    """Return the deals by the caller's place, and all deals."""
    values, occurrences = tally.get_cells(("place",))
    found = dict(zip(values[:, 0].tolist(), occurrences.tolist(), strict=True))
    return {place: count for place, count in found.items() if place >= 0}, int(occurrences.sum())


def count_tricks(tally: Tally) -> dict[int, int]:
    """Return the played rounds by the tricks of the caller's team."""
    values, occurrences = tally.get_cells(_TRICK_JOINT)
    return {
        number: count
        for (taken, number), count in zip(values.tolist(), occurrences.tolist(), strict=True)
        if taken
    }


def draw_rounds(figure: SubFigure, tally: Tally, confidence: float) -> str:
    """Draw the picture of a simulation; return what is left out: nothing."""
    every: Any = figure.subplots(2, 2)
    (points, calls), (tricks, trumps) = every
    draw_points(points, tally)
    _draw_calls(calls, tally, confidence)
    _draw_tricks(tricks, tally, confidence)
    _draw_trumps(trumps, tally, confidence)
    return ""


def draw_points(axes: Axes, tally: Tally) -> None:
    """Draw the played rounds by the card points of the caller's team, coloured by the winner."""
    axes.set_title("Card points of the caller's team, by who wins")
    found = count_by_result(tally, "contracting_card_points")
    played = sum(sum(points.values()) for points in found.values())
    if not played:
        figures.draw_message(axes)
        return
    every = np.arange(max(max(points, default=0) for points in found.values()) + 1)
    heights = {
        result: np.array([100 * points.get(at, 0) / played for at in every.tolist()])
        for result, points in found.items()
    }
    figures.draw_stacks(axes, every, heights, 0.9)
    axes.set_xlabel("card points; the cards dealt have 26.7 on average")
    axes.set_ylabel("% of played rounds")
    axes.grid(axis="y")
    colours = {winner: figures.RESULT_COLOURS[result] for result, winner in _RESULTS.items()}
    figures.draw_legend(axes, colours, "upper right")


def _draw_calls(axes: Axes, tally: Tally, confidence: float) -> None:
    """Draw by place the share of play among those asked, and of callers among all deals."""
    axes.set_title("Who says play, by place")
    places, deals = count_callers(tally)
    if not places:
        figures.draw_message(axes)
        return
    asked, rates, callers = deals, [], []
    for place in range(SEATS):
        count = places.get(place, 0)
        rates.append(estimate_share(count, asked, confidence))
        callers.append(estimate_share(count, deals, confidence))
        asked -= count
    for shift, colour, shares in ((-0.2, figures.BLUE, rates), (0.2, figures.GREEN, callers)):
        at = [place + shift for place in range(SEATS)]
        figures.draw_bars(axes, at, shares, 0.38, colour, numbers=True)
    axes.set_xticks(range(SEATS), PLACE_NAMES)
    axes.set_ylabel("%")
    axes.set_ylim(0, 1.25 * axes.get_ylim()[1])
    figures.draw_legend(
        axes, {"of those asked": figures.BLUE, "of all deals": figures.GREEN}, "upper center", 2
    )


def _draw_tricks(axes: Axes, tally: Tally, confidence: float) -> None:
    axes.set_title("Tricks of the caller's team")
    found = count_tricks(tally)
    if not found:
        figures.draw_message(axes)
        return
    played, every = sum(found.values()), range(TRICKS + 1)
    shares = [estimate_share(found.get(number, 0), played, confidence) for number in every]
    figures.draw_bars(axes, every, shares, 0.72, figures.BLUE, numbers=True)
    axes.set_xticks(every)
    axes.set_xlabel("tricks")
    axes.set_ylabel("% of played rounds")


def _draw_trumps(axes: Axes, tally: Tally, confidence: float) -> None:
    axes.set_title("Who wins, by the caller's trumps")
    found = count_by_result(tally, "sender_trumps")
    rows = {}
    for number in sorted({number for trumps in found.values() for number in trumps}):
        results = {result: trumps.get(number, 0) for result, trumps in found.items()}
        rows[f"{number}\n{sum(results.values()):,}\nrounds"] = results
    if not rows:
        figures.draw_message(axes)
        return
    figures.draw_stacked_rows(axes, rows, list(_RESULTS), "won", confidence)
    axes.set_ylabel("trumps of the caller")
    axes.set_xlabel(
        f"% of rounds; share won by the caller's team with its {100 * confidence:g}% interval"
    )


GROUP_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("deals played, %", "calls", "played_share"),
    KeyFigure("won by the caller's team, %", "results", "caller_won_share"),
    KeyFigure("all four tricks, %", "capot", "either_capot_share"),
    KeyFigure("gain of the caller's team, mean points", "scores", "change_difference_mean"),
)
