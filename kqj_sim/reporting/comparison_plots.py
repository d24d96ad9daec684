"""Pictures of a comparison: who leads whom, deal by deal and as it went on."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from kqj_sim.analysis.comparison import Comparison, Pair
from kqj_sim.analysis.words import WORDS
from kqj_sim.reporting.comparison import answer, comparison_report
from kqj_sim.reporting.pictures import BLUE, ORANGE, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 60
"""Bars of a histogram, about."""
FEW = 8
"""So many different leads have a tick each, at most."""
NEAR = 1.25
"""Numbers of deals whose ratio is less would be written over each other."""


def draw_comparison(comparison: Comparison, format: str) -> bytes:
    """The picture of a comparison, as `pictures.picture`.

    Of two policies what the deals are worth, and the lead as it went on; of more the lead of each
    over the others, and of each over each.
    """
    several = len(comparison.names) > 2 and not comparison.interrupted

    def paint(figure: Figure) -> None:
        run = comparison_report(comparison).run
        lines = [answer(comparison)[0], run.summary(), run.intervals()]
        title = "\n".join(part for line in lines for part in textwrap.wrap(line, 125))
        figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1))
        if several:
            _draw_ranking(left, comparison)
            _draw_matrix(right, comparison)
        else:
            _draw_leads(left, comparison, comparison.pairs[0])
            _draw_course(right, comparison, comparison.pairs[0])

    height = max(5.0, 2.6 + 0.55 * len(comparison.names)) if several else 5.4
    return picture(paint, (13, height), format)


def _unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.games else "points a round"


def _decimals(comparison: Comparison) -> int:
    """Decimals of a lead: per cent of the games have one."""
    return 1 if comparison.games else WORDS[comparison.rules.game].decimals


def _draw_leads(axes: Axes, comparison: Comparison, pair: Pair) -> None:
    """How often each lead occurred, where there was one."""
    sums, scale = pair.sums, pair.points / pair.contest.scale
    leads = {lead: count for lead, count in sums.leads.items() if lead != 0}
    even = sums.leads[0] / max(1, sums.deals)
    what = "games" if comparison.games else "deals"
    axes.set_title(f"What the {what} are worth; {100 * even:.1f}% of them nothing")
    axes.set_xlabel(f"lead of {comparison.names[pair.one]}, {_unit(comparison)}")
    axes.set_ylabel(f"% of the {what}")
    if not leads:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no lead in any of them", ha="center", transform=axes.transAxes)
        return
    values = np.array(sorted(leads)) * scale
    counts = np.array([leads[lead] for lead in sorted(leads)]) * 100 / sums.deals
    most = np.abs(values).max()
    step = float(np.diff(np.sort([0.0, *values])).min())
    width = max(step, 2 * most / BINS)
    # A bar for each value stands there, one for several between them.
    shift = 0.0 if width == step else 0.5
    tallest = 0.0
    for sign, colour, policy in ((1, BLUE, pair.one), (-1, ORANGE, pair.other)):
        # The same bins to either side of nothing, as the two sides are to be compared.
        own = values * sign > 0
        bins = np.ceil(np.abs(values[own]) / width - 1e-9).astype(int)
        shares = np.bincount(bins, counts[own], 1)
        tallest = max(tallest, shares.max())
        label = f"{comparison.names[policy]} ahead: {counts[own].sum():.1f}%"
        middle = sign * (np.arange(len(shares)) - shift) * width
        axes.bar(middle, shares, 0.95 * width, color=colour, label=label)
    axes.set_ylim(0, 1.25 * tallest)
    if len(values) <= FEW:
        axes.set_xticks([0.0, *values])
    axes.legend(frameon=False, loc="upper left")
    axes.grid(axis="y", alpha=0.3)


def _draw_course(axes: Axes, comparison: Comparison, pair: Pair) -> None:
    """The lead and its interval at each look."""
    what = "games" if comparison.games else "deals"
    axes.set_title(f"Lead of {comparison.names[pair.one]} as it went on")
    axes.set_xlabel(f"{what} played")
    axes.set_ylabel(_unit(comparison))
    plan = pair.plan
    looks = [(moments[0], lead) for moments, lead in zip(pair.course, pair.leads, strict=True)]
    if not looks:
        looks = [(pair.sums.deals, pair.lead)]
    deals = [look for look, _ in looks]
    value, low, high = (np.array([lead[k] for _, lead in looks]) for k in range(3))
    if len(looks) == 1:
        errors = [value - low, high - value]
        axes.errorbar(deals, value, yerr=np.nan_to_num(errors), fmt="o", color=BLUE, capsize=4)
    else:
        axes.fill_between(deals, low, high, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(deals, value, color=BLUE)
        axes.set_xscale("log")
        axes.minorticks_off()
    ticks = _ticks(deals[0], deals[-1])
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.axhline(0, color="black", linewidth=1)
    if plan.watched:
        axes.axhspan(-plan.indifference, plan.indifference, color="black", alpha=0.08, linewidth=0)
        axes.annotate(
            f"within ±{plan.indifference:g}: equal", (0.99, plan.indifference), (0, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", fontsize=9,
        )  # fmt: skip
    axes.grid(alpha=0.3)


def _ticks(first: int, last: int) -> list[int]:
    """The first and the last number of deals, and round ones between."""
    between = [n * 10**power for power in range(8) for n in (1, 2, 5)]
    ends = sorted({first, last} if last > NEAR * first else {last})
    return sorted([*ends, *(n for n in between if first * NEAR < n < last / NEAR)])


def _draw_ranking(axes: Axes, comparison: Comparison) -> None:
    """The mean lead of each over the others, best first."""
    axes.set_title("Mean lead over the others")
    axes.set_xlabel(_unit(comparison))
    order, decimals = comparison.ranking, _decimals(comparison)
    for row, policy in enumerate(reversed(order)):
        lead = comparison.mean_lead(policy)
        errors = np.nan_to_num([[lead.value - lead.low], [lead.high - lead.value]])
        axes.errorbar([lead.value], [row], xerr=errors, fmt="o", color=BLUE, capsize=4)
        axes.annotate(
            f"{lead.value:+.{decimals}f}", (lead.value, row), (0, 7), textcoords="offset points",
            ha="center", fontsize=9,
        )  # fmt: skip
    names = [comparison.names[policy] for policy in reversed(order)]
    axes.set_yticks(range(len(order)), [_wrapped(name) for name in names])
    axes.set_ylim(-0.6, len(order) - 0.3)
    axes.axvline(0, color="black", linewidth=1)
    axes.grid(axis="x", alpha=0.3)


def _draw_matrix(axes: Axes, comparison: Comparison) -> None:
    """The lead of the row over the column; grey where neither is shown better."""
    axes.set_title(f"Lead of the row over the column, {_unit(comparison)}")
    order = comparison.ranking
    size, decimals = len(order), _decimals(comparison)
    colours = np.zeros((size, size))
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one == other:
                continue
            lead = comparison.lead(one, other)
            told = lead.low > 0 or lead.high < 0
            colours[row, column] = lead.value if told else 0.0
            half = (lead.high - lead.low) / 2
            text = f"{lead.value:+.{decimals}f}"
            text += "" if math.isnan(half) else f"\n±{half:.{decimals}f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=9)
    most = max(np.abs(colours).max(), 1e-9)
    axes.imshow(colours, cmap="RdBu", vmin=-2 * most, vmax=2 * most, aspect="auto")
    names = [_wrapped(comparison.names[policy], 16) for policy in order]
    axes.set_xticks(range(size), names, rotation=30 if size > 4 else 0, ha="center", fontsize=9)
    axes.set_yticks(range(size), names, fontsize=9)
    axes.tick_params(length=0)


def _wrapped(name: str, width: int = 26) -> str:
    return "\n".join(textwrap.wrap(name, width)) or name
