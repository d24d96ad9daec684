"""The pictures of what playing and passing are worth in Kwajongen.

The picture of what calls are worth: totals of the own side, and chances to reach amounts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.odds.calls import DRAWN, LOST, NOT_PLAYED, WON
from kqj_sim.cards import format_contract
from kqj_sim.reporting.figures import (
    BLUE,
    FIGURE_STYLE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    compute_error_lengths,
    draw_title_lines,
    render_figure,
    render_file,
    render_svg,
)
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.kqj.plots import BIN_WIDTH, HALF_OF_POINTS
from kqj_sim.reporting.odds import make_kwajongen_call_report, write_call_headline
from kqj_sim.reporting.page import INK, Part, Picture, Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.odds.calls import KqjCallOdds
    from kqj_sim.analysis.odds.kwajongen import KwajongenCallOdds


_KWAJONGEN_ENDINGS = (
    ("wins", WON, BLUE),
    ("loses", LOST, ORANGE),
    ("tie", DRAWN, GREY),
    ("passed out", NOT_PLAYED, PURPLE),
)
_KWAJONGEN_TITLES = {
    "difference": "What each call is worth, in points",
    "wins": "Rounds the own side wins, %",
}
"""Quantities that are drawn as points with intervals, and their titles."""


def render_kwajongen_call_odds(odds: KwajongenCallOdds, confidence: float, format: str) -> bytes:
    """The picture in a format of matplotlib's, such as "png", "svg" or "pdf".

    Above the worth of both calls and their chances to win, with intervals; below what the round
    is worth to the own side after each, by how it ends.
    """

    def paint(figure: Figure) -> None:
        run = make_kwajongen_call_report(odds, confidence).run
        draw_title_lines(figure, (*write_call_headline(odds, confidence), run.summary()), 104)
        panels: Any = figure.subplots(2, 2, height_ratios=(1.0, 2.6))
        for axes, (quantity, title) in zip(panels[0], _KWAJONGEN_TITLES.items(), strict=True):
            axes.set_title(title, fontsize=10)
            _draw_kwajongen_points(axes, odds, quantity, confidence)
        for axes, option in zip(panels[1], odds.ranking, strict=True):
            axes.set_title(_format_kwajongen_title(odds, option, confidence), fontsize=10)
            _draw_kwajongen_distribution(axes, odds, option, confidence)
        _draw_kwajongen_legend(figure, odds)

    return render_figure(paint, (8.4, 6.0), format)


def make_kwajongen_pictures(
    odds: KwajongenCallOdds, confidence: float
) -> tuple[dict[str, list[Picture]], Section]:
    """The pictures of a page: by name those of a table (none), and a section of others."""
    means, worths = [], []
    for quantity, title in _KWAJONGEN_TITLES.items():

        def draw_points(figure: Figure, quantity: str = quantity) -> None:
            _draw_kwajongen_points(figure.subplots(), odds, quantity, confidence)

        words = f"{title}, with intervals."
        means.append(Picture(quantity, words, render_svg(1.4, draw_points)))
    for option in odds.ranking:

        def draw_worths(figure: Figure, option: int = option) -> None:
            _draw_kwajongen_distribution(figure.subplots(), odds, option, confidence)
            _draw_kwajongen_legend(figure, odds)

        words = _format_kwajongen_title(odds, option, confidence)
        worths.append(Picture(f"worth-{option}", words, render_svg(2.6, draw_worths)))
    section = Section(
        "worth",
        "What the round is worth to the own side",
        (Part("On average", pictures=(*means,)), Part("In how many deals", pictures=(*worths,))),
        "Worth: by how much the other side's score changes less the own side's, with intervals.",
    )
    return {}, section


def _draw_kwajongen_points(
    axes: Axes, odds: KwajongenCallOdds, quantity: str, confidence: float
) -> None:
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


def _draw_kwajongen_distribution(
    axes: Axes, odds: KwajongenCallOdds, option: int, confidence: float
) -> None:
    """How what the round is worth is distributed, by how it ends; the same scales for all calls."""
    most = odds.max_points
    reach = int(np.abs(odds.point_counts.sum(axis=(0, 1)).nonzero()[0] - most).max(initial=1))
    every = range(-reach, reach + 1)
    lower = np.zeros(len(every))
    for _, ending, colour in _KWAJONGEN_ENDINGS:
        counts = odds.point_counts[option, ending, most - reach : most + reach + 1]
        heights = 100 * counts / odds.sums.weights
        axes.bar(every, heights, 0.85, lower, color=colour, linewidth=0)
        lower += heights
    shares = [odds.estimate_points_share(option, worth, confidence) for worth in every]
    some = [at for at, each in zip(every, shares, strict=True) if each.value > 0]
    seen = [each for each in shares if each.value > 0]
    axes.errorbar(
        some,
        [100 * each.value for each in seen],
        compute_error_lengths(seen),
        fmt="none",
        ecolor=INK,
        elinewidth=1.2,
        capsize=2.5,
    )
    for at, each in zip(some, seen, strict=True):
        axes.annotate(
            f"{100 * each.value:.1f}" if each.value >= 0.0005 else "<0.1",
            (at, 100 * each.high), (0, 2),
            textcoords="offset points", ha="center", fontsize=9,
        )  # fmt: skip
    tallest = max(
        odds.estimate_points_share(call, worth, confidence).high
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


def _format_kwajongen_title(odds: KwajongenCallOdds, option: int, confidence: float) -> str:
    worth = format_number(*odds.estimate("difference", option, confidence)[:3], "points")
    best = "  (best)" if option == odds.best else ""
    return f"{odds.options[option].text}: worth {worth}{best}"


def _draw_kwajongen_legend(figure: Figure, odds: KwajongenCallOdds) -> None:
    """What the colours are, of those endings that occur."""
    from matplotlib.patches import Patch

    found = odds.point_counts.sum(axis=(0, 2))
    handles = [
        Patch(color=colour, label=name)
        for name, ending, colour in _KWAJONGEN_ENDINGS
        if found[ending]
    ]
    figure.legend(
        handles=handles, loc="outside lower center", frameon=False, ncols=len(handles),
        handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip


_KQJ_ENDINGS = (("wins", WON, BLUE), ("loses", LOST, ORANGE), ("litigation", DRAWN, GREY))
_REACH_TITLE = "Chance to reach each amount, if the contract is played"
_CONTRACT_STYLES = {
    "s": (INK, "-"),
    "h": ("#D55E00", "-"),
    "d": (ORANGE, "--"),
    "c": (GREEN, "--"),
    "NT": (PURPLE, "-."),
    "AT": (BLUE, "-."),
}
"""Colours and dashes of the contracts."""


def render_kqj_call_odds(odds: KqjCallOdds, confidence: float, format: str) -> bytes:
    """The picture in a format of matplotlib's, such as "png", "svg" or "pdf".

    A panel for each call (with auctions for each contract, if it is played) shows how the own
    side's total is distributed, and who wins; with auctions a further one the
    chance to reach each amount.
    """
    import matplotlib

    from kqj_sim.reporting.odds import write_call_headline

    played, shown = _list_contract_options(odds), _list_drawn_options(odds)
    columns = 2 if len(shown) <= 4 else 3
    rows = math.ceil(len(shown) / columns)
    height = 2.1 + 2.5 * rows + (4.2 if played else 0)
    with matplotlib.rc_context(FIGURE_STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.2 * columns, height), layout="constrained")
        FigureCanvasAgg(figure)
        texts = (*write_call_headline(odds, confidence), _describe_totals(odds, confidence))
        draw_title_lines(figure, texts, 52 * columns)
        if played:
            halves: Any = figure.subfigures(2, 1, height_ratios=(4.2, 2.5 * rows + 0.6))
            upper, lower = halves
            axes = upper.subplots()
            axes.set_title(_REACH_TITLE)
            _draw_reach(axes, odds, confidence, played)
        else:
            lower = figure.subfigures(1, 1)
        panels: Any = lower.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, option in zip(panels.flat, shown, strict=False):
            axes.set_title(_format_kqj_title(odds, option, confidence), fontsize=10)
            _draw_totals(axes, odds, option)
            axes.label_outer()
        for axes in panels.flat[len(shown) :]:
            axes.set_axis_off()
        for axes in panels.flat[max(0, len(shown) - columns) : len(shown)]:
            axes.tick_params(labelbottom=True)
        _draw_kqj_legend(lower)
        return render_file(figure, format)


def make_kqj_pictures(
    odds: KqjCallOdds, confidence: float
) -> tuple[dict[str, list[Picture]], Section]:
    """The pictures of a page: by name those of a table, and a section of others."""
    totals = Part(pictures=(*_make_total_pictures(odds, confidence),))
    section = Section("totals", "How the own side's total is distributed", (totals,))
    return {"contracts": _make_reach_pictures(odds, confidence)}, section


def _make_total_pictures(odds: KqjCallOdds, confidence: float) -> list[Picture]:
    """How the own side's total is distributed, a picture for a page for each panel."""
    shown = _list_drawn_options(odds)
    tallest = max(_compute_heights(odds, option).sum(axis=0).max() for option in shown)
    pictures = []
    for option in shown:

        def draw(figure: Figure, option: int = option) -> None:
            axes = figure.subplots()
            _draw_totals(axes, odds, option)
            axes.set_ylim(0, 1.05 * tallest)
            _draw_kqj_legend(figure)

        words = _format_kqj_title(odds, option, confidence)
        pictures.append(Picture(f"total-{option}", words, render_svg(2.2, draw)))
    return pictures


def _make_reach_pictures(odds: KqjCallOdds, confidence: float) -> list[Picture]:
    """The chance to reach each amount, as a picture for a page; none without auctions."""
    played = _list_contract_options(odds)
    if not played:
        return []

    def draw(figure: Figure) -> None:
        _draw_reach(figure.subplots(), odds, confidence, played)

    return [Picture("chances", _REACH_TITLE, render_svg(3.0, draw))]


def _list_contract_options(odds: KqjCallOdds) -> list[int]:
    """The contracts as they are when played, with auctions."""
    return list(range(odds.calls, len(odds.options)))


def _list_drawn_options(odds: KqjCallOdds) -> list[int]:
    """The options whose totals are drawn: the contracts with auctions, else the calls."""
    return _list_contract_options(odds) or list(range(odds.calls))


def _describe_totals(odds: KqjCallOdds, confidence: float) -> str:
    from kqj_sim.reporting.odds import make_kqj_call_report

    return make_kqj_call_report(odds, confidence).run.summary()


def _compute_heights(odds: KqjCallOdds, option: int) -> NDArray[np.float64]:
    """Per cent of the deals by ending and by bin of the own side's total."""
    shares = odds.totals[option][[ending for _, ending, _ in _KQJ_ENDINGS]] / odds.sums.weights
    padded = np.pad(shares, ((0, 0), (0, -shares.shape[1] % BIN_WIDTH)))
    heights: NDArray[np.float64] = 100 * padded.reshape(len(_KQJ_ENDINGS), -1, BIN_WIDTH).sum(
        axis=2
    )
    return heights


def _draw_totals(axes: Axes, odds: KqjCallOdds, option: int) -> None:
    """How the own side's total is distributed, by who wins."""
    heights = _compute_heights(odds, option)
    lower = np.zeros(heights.shape[1])
    edges = np.arange(len(lower)) * BIN_WIDTH
    for (_, _, colour), height in zip(_KQJ_ENDINGS, heights, strict=True):
        axes.bar(edges, height, BIN_WIDTH, lower, align="edge", color=colour, linewidth=0)
        lower = lower + height
    contract = odds.options[option]
    if odds.situation.rules.bidding == "auction" and option >= odds.calls:
        axes.axvline(contract.amount, color=INK, linewidth=1, linestyle=":")
    elif odds.situation.rules.bidding == "take" and odds.situation.rules.teams == 2:
        axes.axvline(HALF_OF_POINTS, color=INK, linewidth=1, linestyle=":")
    axes.set_xlim(0, 460)
    axes.set_ylabel("% of deals")
    axes.set_xlabel("total of the own side")


def _format_kqj_title(odds: KqjCallOdds, option: int, confidence: float) -> str:
    of = odds.options[option]
    if option >= odds.calls:
        chance = format_number(
            *odds.estimate_reach_probability(option, of.amount, confidence)[:3], "share"
        )
        return f"{format_contract(str(of.contract), symbols=True)}: {of.amount} reached {chance}"
    chance = format_number(*odds.estimate("wins", option, confidence)[:3], "share")
    name = of.text
    if of.contract is not None and of.amount == 0:
        name = f"take {format_contract(of.contract, symbols=True)}"
    return f"{name}: wins {chance}" + ("  (best)" if option == odds.best else "")


def _draw_reach(axes: Axes, odds: KqjCallOdds, confidence: float, played: list[int]) -> None:
    """The chance to reach each amount in each contract."""
    lowest = odds.options[played[0]].amount
    amounts = list(range(lowest, 451, 10))
    for option in played:
        contract = str(odds.options[option].contract)
        colour, dashes = _CONTRACT_STYLES[contract]
        chances = [
            odds.estimate_reach_probability(option, amount, confidence) for amount in amounts
        ]
        axes.plot(
            amounts,
            [100 * chance.value for chance in chances],
            dashes,
            color=colour,
            label=format_contract(contract, symbols=True),
        )
        axes.fill_between(
            amounts,
            [100 * chance.low for chance in chances],
            [100 * chance.high for chance in chances],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    axes.set_xlim(lowest, 450)
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    axes.set_xlabel("amount")
    axes.set_ylabel("% of deals")
    axes.legend(frameon=False, ncols=2)


def _draw_kqj_legend(figure: Any) -> None:
    """What the colours and the dotted line are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=colour, label=name) for name, _, colour in _KQJ_ENDINGS]
    handles.append(Line2D([], [], color=INK, linestyle=":", label="what makes the contract"))
    figure.legend(
        handles=handles,
        loc="outside lower center",
        frameon=False,
        ncols=len(handles),
        handlelength=1.4,
        columnspacing=1.2,
    )
