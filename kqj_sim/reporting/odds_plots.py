"""Pictures of the odds of calls, of both games, for `--plot` and for pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.odds.measures import DRAWN, LOST, NOT_PLAYED, WON
from kqj_sim.cards import format_contract
from kqj_sim.reporting.figures import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    RESULT_COLOURS,
    SMALL,
    compute_error_lengths,
    draw_dots,
    draw_legend,
    draw_line,
    draw_stacks,
    draw_title_lines,
    render_figure,
    render_page_figure,
)
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.kqj.plots import BIN_WIDTH, HALF_OF_POINTS
from kqj_sim.reporting.odds import (
    make_kqj_call_report,
    make_kwajongen_call_report,
    write_call_headline,
)
from kqj_sim.reporting.page import INK, Part, Picture, Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds.kqj_calls import KqjCallOdds
    from kqj_sim.analysis.odds.kwajongen import KwajongenCallOdds
    from kqj_sim.analysis.tables import Unit


_KQJ_ENDINGS = {"wins": WON, "loses": LOST, "litigation": DRAWN}
_KWAJONGEN_ENDINGS = {"wins": WON, "loses": LOST, "tie": DRAWN, "passed out": NOT_PLAYED}
"""Indices of the endings of rounds, from the bottom of a stack."""

_KWAJONGEN_QUANTITIES: dict[str, tuple[str, Unit]] = {
    "difference": ("What each call is worth, in points", "points"),
    "wins": ("Rounds the own side wins, %", "share"),
}
"""Titles and units of the quantities drawn as dots."""
_REACH_TITLE = "Chance to reach each amount, if the contract is played"
_CONTRACT_STYLES = {
    "s": (INK, "-"), "h": (RED, "-"), "d": (ORANGE, "--"),
    "c": (GREEN, "--"), "NT": (PURPLE, "-."), "AT": (BLUE, "-."),
}  # fmt: skip
"""Colours and dashes of the contracts."""


def render_kwajongen_call_odds(odds: KwajongenCallOdds, confidence: float, format: str) -> bytes:
    """Return the picture of playing and passing as a "png", "svg" or "pdf" file.

    Above the value and the chance to win of either call, with intervals; below the points that
    the round brings the player's side after either, by how it ends.
    """

    def draw(figure: Figure) -> None:
        run = make_kwajongen_call_report(odds, confidence).run
        draw_title_lines(figure, (*write_call_headline(odds, confidence), run.describe()), 100)
        panels: Any = figure.subplots(2, 2, height_ratios=(1.0, 2.6))
        for axes, (quantity, (title, _)) in zip(
            panels[0], _KWAJONGEN_QUANTITIES.items(), strict=True
        ):
            axes.set_title(title)
            _draw_kwajongen_dots(axes, odds, quantity, confidence)
        for axes, option in zip(panels[1], odds.ranking, strict=True):
            axes.set_title(_format_kwajongen_title(odds, option, confidence))
            _draw_kwajongen_distribution(axes, odds, option, confidence)
        _draw_kwajongen_legend(figure, odds)

    return render_figure(draw, (8.4, 6.0), format)


def make_kwajongen_pictures(
    odds: KwajongenCallOdds, confidence: float
) -> tuple[dict[str, list[Picture]], Section]:
    """Return the pictures of a page: by table (none), and a section of all others."""
    dots, distributions = [], []
    for quantity, (title, _) in _KWAJONGEN_QUANTITIES.items():

        def draw_means(figure: Figure, quantity: str = quantity) -> None:
            _draw_kwajongen_dots(figure.subplots(), odds, quantity, confidence)

        caption = f"{title}, with intervals."
        dots.append(Picture(quantity, caption, render_page_figure(draw_means, 1.4)))
    for option in odds.ranking:

        def draw_points(figure: Figure, option: int = option) -> None:
            _draw_kwajongen_distribution(figure.subplots(), odds, option, confidence)
            _draw_kwajongen_legend(figure, odds)

        caption = _format_kwajongen_title(odds, option, confidence)
        distributions.append(
            Picture(f"worth-{option}", caption, render_page_figure(draw_points, 2.6))
        )
    section = Section(
        "worth",
        "What the round is worth to the own side",
        (
            Part("On average", pictures=(*dots,)),
            Part("In how many deals", pictures=(*distributions,)),
        ),
        "Worth: by how much the other side's score changes less the own side's, with intervals.",
    )
    return {}, section


def _draw_kwajongen_dots(
    axes: Axes, odds: KwajongenCallOdds, quantity: str, confidence: float
) -> None:
    """Draw a row for each call, the best on top: a dot with its interval, and its number."""
    unit = _KWAJONGEN_QUANTITIES[quantity][1]
    found = {
        odds.options[option].text: odds.estimate(quantity, option, confidence)
        for option in odds.ranking
    }
    if unit == "share":
        axes.set_xlim(-3, 103)
    else:
        axes.margins(x=0.3)

    def write(estimate: Estimate) -> str:
        return str(format_number(*estimate[:3], unit))

    draw_dots(axes, {"": found}, unit, middle=None if unit == "share" else 0, write=write)


def _draw_kwajongen_distribution(
    axes: Axes, odds: KwajongenCallOdds, option: int, confidence: float
) -> None:
    """Draw the distribution of the points of the round, on the same scales for all calls."""
    most = odds.max_points
    reach = int(np.abs(odds.point_counts.sum(axis=(0, 1)).nonzero()[0] - most).max(initial=1))
    every = range(-reach, reach + 1)
    counts = odds.point_counts[option, :, most - reach : most + reach + 1]
    heights = {
        name: 100 * counts[ending] / odds.sums.weights
        for name, ending in _KWAJONGEN_ENDINGS.items()
    }
    draw_stacks(axes, np.array(every), heights, 0.85)
    shares = {points: odds.estimate_points_share(option, points, confidence) for points in every}
    shown = {points: each for points, each in shares.items() if each.value > 0}
    axes.errorbar(
        list(shown), [100 * each.value for each in shown.values()],
        compute_error_lengths(shown.values(), 100), fmt="none", ecolor=INK, elinewidth=1.2,
        capsize=2.5,
    )  # fmt: skip
    for points, each in shown.items():
        axes.annotate(
            f"{100 * each.value:.1f}" if each.value >= 0.0005 else "<0.1",
            (points, 100 * each.high), (0, 2), textcoords="offset points", ha="center",
            fontsize=SMALL,
        )  # fmt: skip
    tallest = max(
        odds.estimate_points_share(call, points, confidence).high
        for call in range(odds.option_count)
        for points in every
    )
    axes.set_xlim(-reach - 0.6, reach + 0.6)
    axes.set_ylim(0, 112 * tallest)
    ticks = [f"{n:+d}".replace("-", "\N{MINUS SIGN}") if n else "0" for n in every]
    axes.set_xticks(every, ticks)
    axes.set_xlabel("points the round is worth")
    axes.set_ylabel("% of deals")
    axes.grid(axis="y")


def _format_kwajongen_title(odds: KwajongenCallOdds, option: int, confidence: float) -> str:
    value = format_number(*odds.estimate("difference", option, confidence)[:3], "points")
    best = "  (best)" if option == odds.best else ""
    return f"{odds.options[option].text}: worth {value}{best}"


def _draw_kwajongen_legend(figure: Figure, odds: KwajongenCallOdds) -> None:
    """Draw a legend of the endings that occur."""
    found = odds.point_counts.sum(axis=(0, 2))
    colours = {name: RESULT_COLOURS[name] for name, at in _KWAJONGEN_ENDINGS.items() if found[at]}
    draw_legend(figure, colours, "outside lower center", len(colours))


def render_kqj_call_odds(odds: KqjCallOdds, confidence: float, format: str) -> bytes:
    """Return the picture of calls of KQJ as a "png", "svg" or "pdf" file.

    A panel for each call (with auctions for each contract, if it is played) shows the distribution
    of the total of the player's side, by who wins; with auctions a further one shows the chance to
    reach each amount.
    """
    played, shown = _list_contract_options(odds), _list_drawn_options(odds)
    columns = 2 if len(shown) <= 4 else 3
    rows = math.ceil(len(shown) / columns)

    def draw(figure: Figure) -> None:
        summary = make_kqj_call_report(odds, confidence).run.describe()
        draw_title_lines(figure, (*write_call_headline(odds, confidence), summary), 50 * columns)
        lower: Any = figure
        if played:
            halves: Any = figure.subfigures(2, 1, height_ratios=(4.2, 2.5 * rows + 0.6))
            upper, lower = halves
            axes = upper.subplots()
            axes.set_title(_REACH_TITLE)
            _draw_reach(axes, odds, confidence, played)
        panels = lower.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, option in zip(panels.flat, shown, strict=False):
            axes.set_title(_format_kqj_title(odds, option, confidence))
            _draw_totals(axes, odds, option)
            axes.label_outer()
        for axes in panels.flat[len(shown) :]:
            axes.set_axis_off()
        for axes in panels.flat[max(0, len(shown) - columns) : len(shown)]:
            axes.tick_params(labelbottom=True)
        _draw_kqj_legend(lower, 4)

    height = 2.1 + 2.5 * rows + (4.2 if played else 0)
    return render_figure(draw, (4.2 * columns, height), format)


def make_kqj_pictures(
    odds: KqjCallOdds, confidence: float
) -> tuple[dict[str, list[Picture]], Section]:
    """Return the pictures of a page: by table, and a section of all others."""
    played, shown = _list_contract_options(odds), _list_drawn_options(odds)
    tallest = max(
        np.sum(list(_compute_heights(odds, option).values()), axis=0).max() for option in shown
    )
    totals, chances = [], []
    for option in shown:

        def draw_total(figure: Figure, option: int = option) -> None:
            axes = figure.subplots()
            _draw_totals(axes, odds, option)
            axes.set_ylim(0, 1.05 * tallest)
            _draw_kqj_legend(figure, 2)

        caption = _format_kqj_title(odds, option, confidence)
        totals.append(Picture(f"total-{option}", caption, render_page_figure(draw_total, 2.4)))
    if played:

        def draw_chances(figure: Figure) -> None:
            _draw_reach(figure.subplots(), odds, confidence, played)

        chances.append(Picture("chances", _REACH_TITLE, render_page_figure(draw_chances, 3.0)))
    title = "How the own side's total is distributed"
    return {"contracts": chances}, Section("totals", title, (Part(pictures=(*totals,)),))


def _list_contract_options(odds: KqjCallOdds) -> list[int]:
    """Return the options that are contracts as played, which only auctions have."""
    return list(range(odds.option_count, len(odds.options)))


def _list_drawn_options(odds: KqjCallOdds) -> list[int]:
    """Return the options whose totals are drawn: the contracts with auctions, else the calls."""
    return _list_contract_options(odds) or list(range(odds.option_count))


def _compute_heights(odds: KqjCallOdds, option: int) -> dict[str, NDArray[np.float64]]:
    """Return by ending the per cent of deals in each bin of the total of the player's side."""
    shares = odds.totals[option] / odds.sums.weights
    padded = np.pad(shares, ((0, 0), (0, -shares.shape[1] % BIN_WIDTH)))
    binned = 100 * padded.reshape(len(shares), -1, BIN_WIDTH).sum(axis=2)
    return {name: binned[ending] for name, ending in _KQJ_ENDINGS.items()}


def _draw_totals(axes: Axes, odds: KqjCallOdds, option: int) -> None:
    """Draw the distribution of the total of the player's side, by who wins."""
    heights = _compute_heights(odds, option)
    edges = np.arange(len(heights["wins"])) * BIN_WIDTH
    draw_stacks(axes, edges, heights, BIN_WIDTH, align="edge")
    rules = odds.situation.rules
    threshold = None
    if rules.bidding == "auction" and option >= odds.option_count:
        threshold = odds.options[option].amount
    elif rules.bidding == "take" and rules.teams == 2:
        threshold = HALF_OF_POINTS
    if threshold is not None:
        axes.axvline(threshold, color=INK, linewidth=1, linestyle=":")
    axes.set_xlim(0, 460)
    axes.set_ylabel("% of deals")
    axes.set_xlabel("total of the own side")


def _format_kqj_title(odds: KqjCallOdds, option: int, confidence: float) -> str:
    of = odds.options[option]
    if option >= odds.option_count:
        reached = odds.estimate_reach_probability(option, of.amount, confidence)
        contract = format_contract(str(of.contract), symbols=True)
        return f"{contract}: {of.amount} reached {format_number(*reached[:3], 'share')}"
    chance = format_number(*odds.estimate("wins", option, confidence)[:3], "share")
    name = of.text
    if of.contract is not None and of.amount == 0:
        name = f"take {format_contract(of.contract, symbols=True)}"
    return f"{name}: wins {chance}" + ("  (best)" if option == odds.best else "")


def _draw_reach(axes: Axes, odds: KqjCallOdds, confidence: float, played: Sequence[int]) -> None:
    """Draw the chance to reach each amount in each contract."""
    lowest = odds.options[played[0]].amount
    amounts = range(lowest, 451, 10)
    for option in played:
        contract = str(odds.options[option].contract)
        colour, dashes = _CONTRACT_STYLES[contract]
        chances = [
            odds.estimate_reach_probability(option, amount, confidence) for amount in amounts
        ]
        draw_line(
            axes, amounts, chances, dashes, colour,
            label=format_contract(contract, symbols=True), scale=100, band=True,
        )  # fmt: skip
    axes.set_xlim(lowest, 450)
    axes.set_ylim(0, 100)
    axes.grid()
    axes.set_xlabel("amount")
    axes.set_ylabel("% of deals")
    axes.legend(ncols=2)


def _draw_kqj_legend(figure: Figure | SubFigure, columns: int) -> None:
    """Draw a legend of the endings and of the dotted line."""
    colours = {name: RESULT_COLOURS[name] for name in _KQJ_ENDINGS}
    draw_legend(figure, colours, "outside lower center", columns, dotted="what makes the contract")
