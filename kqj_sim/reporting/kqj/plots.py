"""The picture of a simulation of KQJ: totals, who takes, results and bonuses.

Counted and drawn here; shares carry the intervals of the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.intervals import Estimate, estimate_share
from kqj_sim.cards import SUIT_SYMBOLS
from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.reporting.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PlotCounts,
    compute_error_lengths,
    draw_bars,
    draw_legend,
    draw_stacked_rows,
    hide_axes,
)
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from kqj_sim.analysis.where import Expression

RESULT_COLOURS = {"made": BLUE, "failed": ORANGE, "litigation": GREY}
SIDES = {"contracting": (BLUE, "o"), "defending": (ORANGE, "s")}
HALF_OF_POINTS = 123
"""Half of the 236 card points and the 10 for the last trick: more wins with two teams, unless
KQ, KQJ or Capot come in."""
BIN_WIDTH = 10
MAX_LAPS_SHOWN = 3

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

JOINTS = (_RESULT_JOINT, _CALLER_JOINT, *((flag,) for flag in _BONUS_COLUMNS.values()))


class KqjPlotCounts(PlotCounts):
    """What the picture shows, counted chunk by chunk of rows."""

    def __init__(self, where: Expression | None = None) -> None:
        super().__init__("kqj", JOINTS, where)

    def totals(self) -> dict[str, dict[str, NDArray[np.int64]]]:
        """By contract and result the number of rounds with each total, (highest + 1,)."""
        found: dict[str, dict[str, NDArray[np.int64]]] = {}
        values, counts = self.cells(_RESULT_JOINT)
        highest = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["contracting_total"]].high
        for (contract, result, total), count in zip(values, counts, strict=True):
            results = found.setdefault(_get_label("contract", contract), {})
            name = _get_label("result", result)
            results.setdefault(name, np.zeros(highest + 1, np.int64))[total] += count
        found.pop("none", None)
        return found

    def count_callers(self) -> tuple[dict[tuple[int, int], int], int]:
        """Deals by lap and place of the contract that was played, and all deals."""
        values, counts = self.cells(_CALLER_JOINT)
        played = {
            (int(lap), int(place)): int(count)
            for (lap, place), count in zip(values, counts, strict=True)
            if place >= 0
        }
        return played, int(counts.sum())

    def bonuses(self, confidence: float) -> dict[tuple[str, str], Estimate]:
        """By bonus and side the share of played rounds that have it."""
        played = sum(int(c.sum()) for results in self.totals().values() for c in results.values())
        found = {}
        for key, flag in _BONUS_COLUMNS.items():
            values, counts = self.cells((flag,))
            found[key] = estimate_share(int(counts[values[:, 0] > 0].sum()), played, confidence)
        # Whoever did not win the last trick: the other side did.
        own = found["last trick", "contracting"].observations
        lost = own - round(found["last trick", "contracting"].value * own) if own else 0
        found["last trick", "defending"] = estimate_share(lost, own, confidence)
        return found


def draw_simulation(
    figure: Figure, counts: KqjPlotCounts, rules: KqjRules, confidence: float
) -> None:
    """Draw the picture of a simulation."""
    halves: Any = figure.subfigures(1, 2, width_ratios=(1.1, 1))
    left, right = halves
    _draw_totals(left.subplots(), counts, rules)
    taking, results, bonuses = right.subplots(3, 1, height_ratios=(1, 1, 1.15))
    _draw_callers(taking, counts, rules, confidence)
    _draw_results(results, counts, confidence)
    _draw_bonuses(bonuses, counts, confidence)


def _draw_totals(axes: Axes, counts: KqjPlotCounts, rules: KqjRules) -> None:
    """A ridge a contract: shares of its rounds by total, coloured by what came of them."""
    axes.set_title("Total of the contracting team, by contract")
    totals = counts.totals()
    if not totals:
        hide_axes(axes)
        return
    order = [name for name in _get_labels("contract") if name in totals]
    binned = {
        name: {result: _bin_totals(found) for result, found in totals[name].items()}
        for name in order
    }
    sums = {name: sum(found.sum() for found in totals[name].values()) for name in order}
    # Each on its own scale: a rare contract's few rounds would flatten all others.
    tallest = {name: np.asarray(sum(found.values())).max() for name, found in binned.items()}
    edges = np.arange(len(next(iter(binned[order[0]].values())))) * BIN_WIDTH
    last = 0
    for row, name in enumerate(reversed(order)):
        base = np.full(len(edges), float(row))
        for result, colour in RESULT_COLOURS.items():
            if result not in binned[name]:
                continue
            height = 0.85 * binned[name][result] / tallest[name]
            axes.bar(edges, height, BIN_WIDTH, base, align="edge", color=colour, linewidth=0)
            base = base + height
        everything = np.asarray(sum(totals[name].values()))
        last = max(last, int(np.flatnonzero(everything)[-1]))
        median = int(np.searchsorted(np.cumsum(everything), sums[name] / 2))
        axes.plot([median, median], [row, row + 0.9], color="black", linewidth=1.5)
        axes.annotate(
            f"median {median}",
            (median, row + 0.9),
            (3, 0),
            textcoords="offset points",
            fontsize=9,
            va="center",
        )
    axes.set_yticks(
        range(len(order)),
        [f"{_format_contract(name)}\n{sums[name]:,}\nrounds" for name in reversed(order)],
        va="bottom",
    )
    axes.tick_params("y", length=0)
    axes.set_xlim(0, last + 2 * BIN_WIDTH)
    axes.set_ylim(0, len(order) + 0.12)
    axes.set_xlabel(f"total in points (card points and bonuses), in steps of {BIN_WIDTH}")
    if rules.teams == 2 and rules.bidding == "take":
        axes.axvline(HALF_OF_POINTS, color="black", linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{HALF_OF_POINTS}: half of\n236 + 10",
            (HALF_OF_POINTS, len(order) + 0.1),
            (-4, 0),
            textcoords="offset points",
            fontsize=9,
            ha="right",
            va="top",
        )
    present = [name for name in RESULT_COLOURS if any(name in found for found in binned.values())]
    draw_legend(axes, {name: RESULT_COLOURS[name] for name in present}, "upper right")


def _draw_callers(axes: Axes, counts: KqjPlotCounts, rules: KqjRules, confidence: float) -> None:
    """Bars by place in the order of speaking, a colour a lap."""
    word = "take" if rules.bidding == "take" else "last bid"
    axes.set_title(f"Deals by lap and place of the {word}")
    played, deals = counts.count_callers()
    if not played:
        hide_axes(axes)
        return
    laps: dict[str, dict[int, int]] = {}
    top = max(lap for lap, _ in played)
    for (lap, place), count in sorted(played.items()):
        many = top > MAX_LAPS_SHOWN and lap >= MAX_LAPS_SHOWN
        name = f"lap {MAX_LAPS_SHOWN} and later" if many else f"lap {lap}" if lap else "imposed"
        places = laps.setdefault(name, {})
        places[place] = places.get(place, 0) + count
    width = 0.8 / len(laps)
    for number, (places, colour) in enumerate(
        zip(laps.values(), (BLUE, ORANGE, GREEN), strict=False)
    ):
        shares = [estimate_share(places.get(place, 0), deals, confidence) for place in range(6)]
        at = [place - 0.4 + width * (number + 0.5) for place in range(6)]
        draw_bars(axes, at, shares, 0.92 * width, colour)
    axes.set_xticks(range(6), ["opener", "2nd", "3rd", "4th", "5th", "dealer"])
    axes.set_ylabel("% of deals")
    axes.grid(axis="y", alpha=0.3)
    top_of_axis = axes.get_ylim()[1]
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= min(100, top_of_axis)])
    axes.set_ylim(0, 1.22 * top_of_axis)
    draw_legend(
        axes, dict(zip(laps, (BLUE, ORANGE, GREEN), strict=False)), "upper center", len(laps)
    )


def _draw_results(axes: Axes, counts: KqjPlotCounts, confidence: float) -> None:
    """Bars by contract, stacked by result, with the interval of the share made."""
    axes.set_title("What came of the contract")
    totals = counts.totals()
    if not totals:
        hide_axes(axes)
        return
    order = [name for name in _get_labels("contract") if name in totals]
    rows = {
        _format_contract(name): {result: int(found.sum()) for result, found in totals[name].items()}
        for name in order
    }
    draw_stacked_rows(axes, rows, RESULT_COLOURS, "made", confidence)
    axes.set_xlabel(
        f"% of the contract's rounds; share made with its {100 * confidence:g}% interval"
    )


def _draw_bonuses(axes: Axes, counts: KqjPlotCounts, confidence: float) -> None:
    """Dots on a logarithmic scale, as the shares lie far apart."""
    axes.set_title("Rounds with a bonus, by side")
    shares = counts.bonuses(confidence)
    if not any(each.observations for each in shares.values()):
        hide_axes(axes)
        return
    order = list(dict.fromkeys(bonus for bonus, _ in shares))
    positive = [100 * each.value for each in shares.values() if each.value > 0]
    lowest = 10 ** np.floor(np.log10(min(positive, default=1.0)) - 0.2)
    for (side, (colour, marker)), shift in zip(SIDES.items(), (0.17, -0.17), strict=True):
        for row, bonus in enumerate(reversed(order)):
            each = shares[bonus, side]
            if each.value == 0:
                axes.text(lowest * 1.1, row + shift, "none", va="center", color=colour, fontsize=9)
                continue
            axes.errorbar(
                [100 * each.value], [row + shift], xerr=compute_error_lengths([each]), fmt=marker,
                color=colour, ecolor=colour, markersize=6, elinewidth=1.4, capsize=3,
            )  # fmt: skip
            axes.annotate(
                f"{100 * each.value:#.3g}%",
                (min(100 * each.high, 100), row + shift),
                (7, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
    axes.set_xscale("log")
    axes.set_xlim(lowest, 400)
    ticks = [10.0**power for power in range(int(np.log10(lowest)), 3)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(order)), list(reversed(order)))
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("% of the played rounds, logarithmic")
    from matplotlib.lines import Line2D

    axes.legend(
        [
            Line2D([], [], color=colour, marker=marker, linestyle="none")
            for colour, marker in SIDES.values()
        ],
        SIDES,
        loc="upper left",
        frameon=False,
    )


def _bin_totals(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    padded = np.pad(totals, (0, -len(totals) % BIN_WIDTH))
    return np.asarray(padded.reshape(-1, BIN_WIDTH).sum(axis=1))


def _get_labels(column: str) -> tuple[str, ...]:
    return KQJ_COLUMNS[KQJ_COLUMN_NUMBERS[column]].labels


def _get_label(column: str, value: int) -> str:
    return _get_labels(column)[value]


def _format_contract(contract: str) -> str:
    return SUIT_SYMBOLS.get(contract, contract)
