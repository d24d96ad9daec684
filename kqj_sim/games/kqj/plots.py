"""The picture of a simulation of KQJ: totals, takes or last bids, results and bonuses.

Shares carry the intervals of the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.cards import SUIT_SYMBOLS
from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS, TOTAL_STEP
from kqj_sim.output import figures
from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.numbers import KeyFigure
from kqj_sim.output.page import INK
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.rules import HALF_OF_POINTS, SEATS, KqjRules, require_kqj_rules
from kqj_sim.stats.intervals import Estimate, estimate_share
from kqj_sim.stats.quantiles import chi_square_tail

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from numpy.typing import NDArray

    from kqj_sim.stats.tally import Tally

PLACE_NAMES = name_places(SEATS)
MAX_LAPS_SHOWN = 3
SUIT_TOLERANCE = 0.01
"""Difference of shares made below which suits are drawn as one."""
SUIT_TEST_LEVEL = 0.001
"""Level of the test whether suits differ."""

_RESULTS = ("made", "failed", "litigation")
_RESULT_JOINT = ("contract", "result", "contracting_total")
_CALLER_JOINT = ("lap", "place")
_BONUS_COLUMNS = {
    ("last trick", "contracting"): "last_trick_contracting",
    ("Capot", "contracting"): "capot_contracting",
    ("Capot", "defending"): "capot_defending",
    ("KQ", "contracting"): "kq_contracting",
    ("KQ", "defending"): "kq_defending",
    ("KQJ", "contracting"): "kqj_contracting",
    ("KQJ", "defending"): "kqj_defending",
}

_Totals = dict[str, dict[str, "NDArray[np.int64]"]]


def count_totals(tally: Tally) -> _Totals:
    """Return by contract and result the number of rounds with each total, (highest + 1,)."""
    found: _Totals = {contract: {} for contract in _get_labels("contract")}
    highest = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["contracting_total"]].high
    values, occurrences = tally.get_cells(_RESULT_JOINT)
    for (contract, result, total), count in zip(values, occurrences, strict=True):
        results = found[_get_labels("contract")[contract]]
        name = _get_labels("result")[result]
        results.setdefault(name, np.zeros(highest + 1, np.int64))[total] += count
    return {name: results for name, results in found.items() if results and name != "none"}


def count_callers(tally: Tally) -> tuple[dict[tuple[int, int], int], int]:
    """Return the deals by lap and place of the contract that was played, and all deals."""
    values, occurrences = tally.get_cells(_CALLER_JOINT)
    played = {
        (int(lap), int(place)): int(count)
        for (lap, place), count in zip(values, occurrences, strict=True)
        if place >= 0
    }
    return played, int(occurrences.sum())


def estimate_bonuses(tally: Tally, confidence: float) -> dict[tuple[str, str], Estimate]:
    """Return by bonus and side the share of played rounds that have it."""
    totals = count_totals(tally)
    played = sum(int(each.sum()) for results in totals.values() for each in results.values())
    found = {}
    for key, flag in _BONUS_COLUMNS.items():
        values, occurrences = tally.get_cells((flag,))
        found[key] = estimate_share(int(occurrences[values[:, 0] > 0].sum()), played, confidence)
    # The defenders have each last trick that the contracting team has not.
    last = found["last trick", "contracting"]
    lost = last.observations - round(last.value * last.observations) if last.observations else 0
    found["last trick", "defending"] = estimate_share(lost, last.observations, confidence)
    return found


def merge_suits(totals: _Totals) -> _Totals:
    """Return totals with the suits as one contract, unless they differ.

    Suits differ if their shares made do, by more than SUIT_TOLERANCE and by a chi-square test.
    """
    suits = [name for name in totals if name in SUIT_SYMBOLS]
    rounds = np.array([sum(int(each.sum()) for each in totals[name].values()) for name in suits])
    made = np.array([int(totals[name].get("made", np.zeros(1)).sum()) for name in suits])
    if len(suits) < 2:
        return totals
    shares, overall = made / rounds, made.sum() / rounds.sum()
    if 0 < overall < 1 and np.ptp(shares) > SUIT_TOLERANCE:
        squares = (rounds * (shares - overall) ** 2).sum() / (overall * (1 - overall))
        if chi_square_tail(squares, len(suits) - 1) < SUIT_TEST_LEVEL:
            return totals
    merged: dict[str, NDArray[np.int64]] = {}
    for name in suits:
        for result, numbers in totals[name].items():
            merged[result] = merged[result] + numbers if result in merged else numbers
    one_name = " ".join(SUIT_SYMBOLS[name] for name in suits)
    return {one_name: merged, **{name: totals[name] for name in totals if name not in suits}}


def draw_rounds(figure: SubFigure, tally: Tally, confidence: float) -> str:
    """Draw the picture of a simulation; return what is left out, in sentences."""
    rules = require_kqj_rules(tally.experiment.rules)
    halves: Any = figure.subfigures(1, 2, width_ratios=(1.1, 1))
    left, right = halves
    every = merge_suits(count_totals(tally))
    rounds = {name: sum(int(n.sum()) for n in results.values()) for name, results in every.items()}
    few = [name for name in every if rounds[name] < MIN_OBSERVATIONS < max(rounds.values())]
    totals = {name: results for name, results in every.items() if name not in few}
    rare = {SUIT_SYMBOLS.get(name, name): rounds[name] for name in few}
    only_taker = only_contract = None
    panels: list[tuple[float, Callable[[Axes], None]]] = []
    places, deals = count_callers(tally)
    if len(places) > 1:
        panels.append((1, lambda axes: _draw_callers(axes, tally, rules, confidence)))
    elif places and tally.experiment.imposed is None:
        (((lap, place), count),) = places.items()
        only_taker = lap, PLACE_NAMES[place], estimate_share(count, deals, confidence)
    if len(totals) > 1:
        panels.append((0.2 + 0.2 * len(totals),
                       lambda axes: _draw_results(axes, totals, confidence)))  # fmt: skip
    elif totals:
        ((name, results),) = totals.items()
        made = int(results["made"].sum()) if "made" in results else 0
        share = estimate_share(made, rounds[name], confidence)
        only_contract = SUIT_SYMBOLS.get(name, name), share
    if totals:
        panels.append((1.15, lambda axes: _draw_bonuses(axes, tally, confidence)))
    _draw_totals(left.subplots(), totals, rules)
    if panels:
        heights = [height for height, _ in panels]
        axes_below = right.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, (_, draw) in zip(axes_below, panels, strict=True):
            draw(axes)
    return say(__name__, "left_out", rare, only_taker, only_contract, rules.bidding == "auction")


def draw_points(axes: Axes, tally: Tally) -> None:
    """Draw the totals of each contract by result on axes."""
    rules = require_kqj_rules(tally.experiment.rules)
    _draw_totals(axes, merge_suits(count_totals(tally)), rules)


def _draw_totals(axes: Axes, totals: _Totals, rules: KqjRules) -> None:
    if not totals:
        figures.draw_message(axes)
        return
    axes.set_title(f"Total of the contracting team{', by contract' * (len(totals) > 1)}")
    names = list(reversed(totals))
    labels, last = [], 0
    for row, name in enumerate(names):
        binned = {
            result: _bin_totals(totals[name][result])
            for result in _RESULTS
            if result in totals[name]
        }
        # Each contract on its own scale: the few rounds of a rare one would flatten all others.
        tallest = np.asarray(sum(binned.values())).max()
        heights = {result: 0.85 * each / tallest for result, each in binned.items()}
        edges = np.arange(len(next(iter(heights.values())))) * TOTAL_STEP
        figures.draw_stacks(axes, edges, heights, TOTAL_STEP, align="edge", base=row)
        everything = np.asarray(sum(totals[name].values()))
        last = max(last, int(np.flatnonzero(everything)[-1]))
        median = int(np.searchsorted(np.cumsum(everything), everything.sum() / 2))
        axes.plot([median, median], [row, row + 0.9], color=INK, linewidth=1.5)
        axes.annotate(
            f"median {median}", (median, row + 0.9), (3, 0), textcoords="offset points",
            fontsize=figures.SMALL, va="center",
        )  # fmt: skip
        labels.append(f"{SUIT_SYMBOLS.get(name, name)}\n{everything.sum():,}\nrounds")
    axes.set_yticks(range(len(names)), labels, va="bottom")
    axes.tick_params("y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(-TOTAL_STEP, last + 2 * TOTAL_STEP)
    axes.set_ylim(-0.02, len(names) + 0.12)
    axes.set_xlabel(f"points (cards and bonuses), in steps of {TOTAL_STEP}")
    if rules.teams == 2 and rules.bidding == "take":
        figures.draw_threshold(
            axes, HALF_OF_POINTS, f"{HALF_OF_POINTS}: half of\n236 + 10", "right"
        )
    present = {result for results in totals.values() for result in results}
    shown = {name: figures.RESULT_COLOURS[name] for name in _RESULTS if name in present}
    figures.draw_legend(axes, shown, "upper right")


def _draw_callers(axes: Axes, tally: Tally, rules: KqjRules, confidence: float) -> None:
    word = "take" if rules.bidding == "take" else "last bid"
    axes.set_title(f"Deals by lap and place of the {word}")
    played, deals = count_callers(tally)
    laps: dict[str, dict[int, int]] = {}
    top = max(lap for lap, _ in played)
    for (lap, place), count in sorted(played.items()):
        many = top > MAX_LAPS_SHOWN and lap >= MAX_LAPS_SHOWN
        name = f"lap {MAX_LAPS_SHOWN} and later" if many else f"lap {lap}" if lap else "imposed"
        places = laps.setdefault(name, {})
        places[place] = places.get(place, 0) + count
    colours = dict(zip(laps, (figures.BLUE, figures.ORANGE, figures.GREEN), strict=False))
    width = 0.8 / len(laps)
    seats = range(rules.seats)
    for number, (name, colour) in enumerate(colours.items()):
        shares = [estimate_share(laps[name].get(seat, 0), deals, confidence) for seat in seats]
        at = [seat - 0.4 + width * (number + 0.5) for seat in seats]
        figures.draw_bars(axes, at, shares, 0.92 * width, colour)
    axes.set_xticks(seats, PLACE_NAMES)
    axes.set_ylabel("% of deals")
    top_of_axis = axes.get_ylim()[1]
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= min(100, top_of_axis)])
    axes.set_ylim(0, 1.22 * top_of_axis)
    figures.draw_legend(axes, colours, "upper center", len(laps))


def _draw_results(axes: Axes, totals: _Totals, confidence: float) -> None:
    axes.set_title("Contracts made")
    rows = {
        SUIT_SYMBOLS.get(name, name): {result: int(each.sum()) for result, each in results.items()}
        for name, results in totals.items()
    }
    figures.draw_stacked_rows(axes, rows, _RESULTS, "made", confidence)
    axes.set_xlabel(f"% of rounds; share made with its {100 * confidence:g}% interval")


def _draw_bonuses(axes: Axes, tally: Tally, confidence: float) -> None:
    """Draw dots on a logarithmic scale, as the shares lie far apart."""
    axes.set_title("Rounds with a bonus, by side")
    shares = estimate_bonuses(tally, confidence)
    series = {
        side: {bonus: each for (bonus, of), each in shares.items() if of == side}
        for side in ("contracting", "defending")
    }
    positive = [100 * each.value for each in shares.values() if each.value > 0]
    lowest = 10 ** np.floor(np.log10(min(positive, default=1.0)) - 0.2)
    axes.set_xlim(lowest, 400)
    figures.draw_dots(
        axes, series, "share", logarithmic=True, write=lambda each: f"{100 * each.value:#.3g}%"
    )
    ticks = [10.0**power for power in range(int(np.log10(lowest)), 3)]
    axes.set_xticks(ticks)
    axes.set_xlabel("% of the rounds played, logarithmic")
    axes.legend(loc="upper left", title="team")


def _bin_totals(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    padded = np.pad(totals, (0, -len(totals) % TOTAL_STEP))
    return np.asarray(padded.reshape(-1, TOTAL_STEP).sum(axis=1))


def _get_labels(column: str) -> tuple[str, ...]:
    return KQJ_COLUMNS[KQJ_COLUMN_NUMBERS[column]].labels


GROUP_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("deals taken, %", "taking", "taken_share"),
    KeyFigure("contracts made, % of taken deals", "contracts", "made_share"),
    KeyFigure("contracting team's total, mean", "contracting_total", "contracting_total_mean"),
    KeyFigure("Capot, % of taken deals", "bonuses", "capot_share", ("either",)),
    KeyFigure("contracting team's lead in score, mean", "scores", "score_difference_mean"),
)
