"""Pictures of comparisons of policies."""

from __future__ import annotations

import math
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from kqj_sim.games import find_game
from kqj_sim.output.figures import (
    BLUE,
    DASHES,
    ORANGE,
    SMALL,
    Drawing,
    NothingToDrawError,
    draw_dots,
    draw_heat_map,
    draw_legend,
    draw_line,
    draw_title_lines,
    wrap_text,
)
from kqj_sim.output.grid import NO_INTERVAL
from kqj_sim.output.page import INK
from kqj_sim.questions.compare.compare_report import (
    get_unit,
    make_comparison_report,
    write_headline,
)
from kqj_sim.questions.compare.pairs import Comparison, PolicyPair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BINS = 60
"""Bars of a histogram, about."""
MAX_LEAD_TICKS = 8
"""So many different leads have a tick each, at most."""
MIN_TICK_RATIO = 1.25
"""Ticks whose numbers of deals have a smaller ratio would be written over each other."""


def make_comparison_drawing(comparison: Comparison) -> Drawing:
    """Return the picture of a comparison.

    Two policies: the distribution of the lead over the deals, and its estimate by number of deals
    if it was looked at more than once.  Several: the mean lead of each over the others, best first,
    and of each over each.

    Raises:
        NothingToDrawError: the two policies have the same results.
    """
    several = len(comparison.names) > 2 and not comparison.interrupted

    pair = comparison.pairs[0]
    has_history = len(pair.look_history) > 1
    if not several and set(pair.tally.leads) == {0}:
        raise NothingToDrawError("the two have the same results")

    def draw(figure: Figure) -> None:
        run = make_comparison_report(comparison).run
        lines = [write_headline(comparison)[0], run.describe(), run.describe_intervals()]
        draw_title_lines(figure, lines, 125 if several or has_history else 100)
        if several:
            left, right = figure.subplots(1, 2)
            _draw_ranking(left, comparison)
            _draw_matrix(right, comparison)
        elif has_history:
            left, right = figure.subplots(1, 2)
            _draw_leads(left, comparison, pair)
            _draw_look_history(right, comparison, pair)
        else:
            _draw_leads(figure.subplots(), comparison, pair)

    height = max(5.0, 2.6 + 0.55 * len(comparison.names)) if several else 5.4
    draw_main = partial(_draw_ranking if several else _draw_pair, comparison=comparison)
    return Drawing(draw, draw_main, (13 if several or has_history else 8.5, height))


def _draw_pair(axes: Axes, comparison: Comparison) -> None:
    """Draw the distribution of the leads of the first pair."""
    _draw_leads(axes, comparison, comparison.pairs[0])


def _get_lead_unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.plan.games else "points a round"


def _get_lead_decimals(comparison: Comparison) -> int:
    if comparison.plan.games:
        return 1
    decimals: int = find_game(comparison.rules.game).part("analysis").terms.decimals
    return decimals


def _draw_leads(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    """Draw the distribution of the leads other than 0."""
    sums, scale = pair.tally, pair.points_per_lead / pair.match.lead_divisor
    leads = {lead: count for lead, count in sums.leads.items() if lead != 0}
    even = sums.leads[0] / max(1, sums.deals)
    unit = get_unit(comparison)
    axes.set_title(f"Lead by {unit}; {100 * even:.1f}% of the {unit}s even")
    axes.set_xlabel(f"lead of {comparison.names[pair.one]}, {_get_lead_unit(comparison)}")
    axes.set_ylabel(f"% of the {unit}s")
    values = np.array(sorted(leads)) * scale
    counts = np.array([leads[lead] for lead in sorted(leads)]) * 100 / sums.deals
    step = float(np.diff(np.sort([0.0, *values])).min())
    width = max(step, 2 * np.abs(values).max() / MAX_BINS)
    # The bar of a single value is centred on it, that of several lies between them.
    shift = 0.0 if width == step else 0.5
    tallest, colours = 0.0, {}
    for sign, colour, policy in ((1, BLUE, pair.one), (-1, ORANGE, pair.other)):
        # The same bins on either side of 0, as the two sides are to be compared.
        ahead = values * sign > 0
        bins = np.ceil(np.abs(values[ahead]) / width - 1e-9).astype(int)
        shares = np.bincount(bins, counts[ahead], 1)
        tallest = max(tallest, shares.max())
        label = f"{comparison.names[policy]} ahead: {counts[ahead].sum():.1f}%"
        middle = sign * (np.arange(len(shares)) - shift) * width
        colours[label] = colour
        axes.bar(middle, shares, 0.95 * width, color=colour)
    axes.set_ylim(0, 1.25 * tallest)
    if len(values) <= MAX_LEAD_TICKS:
        axes.set_xticks([0.0, *values])
    draw_legend(axes, colours, "upper left")
    axes.grid(axis="y")


def _draw_look_history(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    """Draw the lead and its interval at each look."""
    axes.set_title("Lead by number of deals, with intervals")
    axes.set_xlabel(f"{get_unit(comparison)}s played")
    axes.set_ylabel(f"lead of {comparison.names[pair.one]}, {_get_lead_unit(comparison)}")
    deals = [int(moments[0]) for moments in pair.look_history]
    draw_line(axes, deals, pair.list_leads(), "-", BLUE, band=True)
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = _choose_ticks(deals[0], deals[-1])
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.axhline(0, color=INK, linewidth=1, linestyle=DASHES)
    if pair.plan.is_sequential:
        indifference = pair.plan.indifference
        axes.axhspan(-indifference, indifference, color=INK, alpha=0.08, linewidth=0)
        axes.annotate(
            f"within ±{indifference:g}: equal", (0.99, indifference), (0, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
            fontsize=SMALL,
        )  # fmt: skip
    axes.grid()


def _choose_ticks(first: int, last: int) -> list[int]:
    """Return the first and the last number of deals, and round ones between."""
    between = [n * 10**power for power in range(8) for n in (1, 2, 5)]
    ends = sorted({first, last} if last > MIN_TICK_RATIO * first else {last})
    return sorted(
        [*ends, *(n for n in between if first * MIN_TICK_RATIO < n < last / MIN_TICK_RATIO)]
    )


def _draw_ranking(axes: Axes, comparison: Comparison) -> None:
    """Draw the mean lead of each policy over the others, best first."""
    axes.set_title("Mean lead over the others")
    decimals = _get_lead_decimals(comparison)
    means = {policy: comparison.estimate_mean_lead(policy) for policy in comparison.ranking}
    names = dict(enumerate(comparison.names))
    draw_dots(
        axes, {"": means}, "points", names=names, middle=0,
        write=lambda lead: f"{lead.value:+.{decimals}f}",
    )  # fmt: skip
    axes.set_xlabel(_get_lead_unit(comparison))


def _draw_matrix(axes: Axes, comparison: Comparison) -> None:
    """Draw the lead of the row over the column; pale where neither is significantly better."""
    order, decimals = comparison.ranking, _get_lead_decimals(comparison)
    values, texts = {}, {}
    for cell in permutations(order, 2):
        lead = comparison.lead(*cell)
        values[cell] = lead.value if lead.low > 0 or lead.high < 0 else 0.0
        half = (lead.high - lead.low) / 2
        texts[cell] = f"{lead.value:+.{decimals}f}"
        texts[cell] += f"\n±{half:.{decimals}f}" if math.isfinite(half) else f"\n{NO_INTERVAL}"
    most = max(*map(abs, values.values()), 1e-9)
    # Twice the largest lead, so that no cell is dark.
    draw_heat_map(axes, values, order, order, (-2 * most, 2 * most), texts=texts, diverging=True)
    names = [wrap_text(comparison.names[policy], 16) for policy in order]
    axes.set_xticks(range(len(order)), names, rotation=30 if len(order) > 4 else 0, fontsize=SMALL)
    axes.set_yticks(range(len(order)), names, fontsize=SMALL)
    axes.set_title(f"Lead of the row over the column, {_get_lead_unit(comparison)}")
