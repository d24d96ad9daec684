"""The picture of what calls are worth: totals of the own side, and chances to reach amounts."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.odds_answer import DRAWN, LOST, WON
from kqj_sim.notation import format_contract
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.plots import BIN, BLUE, GREEN, GREY, HALF_OF_ALL, ORANGE, PURPLE, STYLE, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kqj_sim.analysis.odds_answer import Odds

_ENDINGS = (("wins", WON, BLUE), ("loses", LOST, ORANGE), ("litigation", DRAWN, GREY))
_LINES = {
    "s": ("#000000", "-"),
    "h": ("#D55E00", "-"),
    "d": (ORANGE, "--"),
    "c": (GREEN, "--"),
    "NT": (PURPLE, "-."),
    "AT": (BLUE, "-."),
}
"""Colours and dashes of the contracts."""


def draw_odds(odds: Odds, confidence: float, format: str) -> bytes:
    """The picture in a format of matplotlib's, such as "png", "svg" or "pdf".

    A panel for each call (with auctions for each contract, if it is played) shows how the own
    side's total is distributed, and who wins; with auctions a further one the
    chance to reach each amount.
    """
    import matplotlib

    from kqj_sim.reporting.odds import answer

    played = list(range(odds.calls, len(odds.options)))
    shown = played or list(range(odds.calls))
    columns = 2 if len(shown) <= 4 else 3
    rows = math.ceil(len(shown) / columns)
    height = 2.1 + 2.5 * rows + (4.2 if played else 0)
    with matplotlib.rc_context(STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.2 * columns, height), layout="constrained")
        FigureCanvasAgg(figure)
        run = _summary(odds, confidence)
        lines = [
            line
            for text in (*answer(odds, confidence), run)
            for line in textwrap.wrap(text, 52 * columns)
        ]
        figure.suptitle("\n".join(lines), fontsize=10, x=0.01, ha="left")
        if played:
            halves: Any = figure.subfigures(2, 1, height_ratios=(4.2, 2.5 * rows + 0.6))
            upper, lower = halves
            _draw_chances(upper.subplots(), odds, confidence, played)
        else:
            lower = figure.subfigures(1, 1)
        panels: Any = lower.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, option in zip(panels.flat, shown, strict=False):
            _draw_totals(axes, odds, option, confidence)
        for axes in panels.flat[len(shown) :]:
            axes.set_axis_off()
        for axes in panels.flat[max(0, len(shown) - columns) : len(shown)]:
            axes.tick_params(labelbottom=True)
        _legend(lower)
        return save(figure, format)


def _summary(odds: Odds, confidence: float) -> str:
    from kqj_sim.reporting.odds import odds_report

    return odds_report(odds, confidence).run.summary()


def _draw_totals(axes: Axes, odds: Odds, option: int, confidence: float) -> None:
    """How the own side's total is distributed, by who wins."""
    weights = odds.totals[option]
    share = weights / odds.sums.weights
    lower = np.zeros(math.ceil(share.shape[1] / BIN))
    edges = np.arange(len(lower)) * BIN
    for _, ending, colour in _ENDINGS:
        padded = np.pad(share[ending], (0, -share.shape[1] % BIN))
        height = 100 * padded.reshape(-1, BIN).sum(axis=1)
        axes.bar(edges, height, BIN, lower, align="edge", color=colour, linewidth=0)
        lower = lower + height
    contract = odds.options[option]
    if odds.situation.rules.bidding == "auction" and option >= odds.calls:
        axes.axvline(contract.amount, color="black", linewidth=1, linestyle=":")
    elif odds.situation.rules.bidding == "take" and odds.situation.rules.teams == 2:
        axes.axvline(HALF_OF_ALL, color="black", linewidth=1, linestyle=":")
    axes.set_title(_title(odds, option, confidence), fontsize=10)
    axes.set_xlim(0, 460)
    axes.set_ylabel("% of deals")
    axes.set_xlabel("total of the own side")
    axes.label_outer()


def _title(odds: Odds, option: int, confidence: float) -> str:
    of = odds.options[option]
    if option >= odds.calls:
        chance = format_number(*odds.reaches(option, of.amount, confidence)[:3], "share")
        return f"{format_contract(str(of.contract), signs=True)}: {of.amount} reached {chance}"
    chance = format_number(*odds.estimate("wins", option, confidence)[:3], "share")
    name = of.text
    if of.contract is not None and of.amount == 0:
        name = f"take {format_contract(of.contract, signs=True)}"
    return f"{name}: wins {chance}" + ("  (best)" if option == odds.best else "")


def _draw_chances(axes: Axes, odds: Odds, confidence: float, played: list[int]) -> None:
    """The chance to reach each amount in each contract."""
    lowest = odds.options[played[0]].amount
    amounts = list(range(lowest, 451, 10))
    for option in played:
        contract = str(odds.options[option].contract)
        colour, dashes = _LINES[contract]
        chances = [odds.reaches(option, amount, confidence) for amount in amounts]
        axes.plot(
            amounts,
            [100 * chance.value for chance in chances],
            dashes,
            color=colour,
            label=format_contract(contract, signs=True),
        )
        axes.fill_between(
            amounts,
            [100 * chance.low for chance in chances],
            [100 * chance.high for chance in chances],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    axes.set_title("Chance to reach each amount, if the contract is played")
    axes.set_xlim(lowest, 450)
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    axes.set_xlabel("amount")
    axes.set_ylabel("% of deals")
    axes.legend(frameon=False, ncols=2)


def _legend(figure: Any) -> None:
    """What the colours and the dotted line are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=colour, label=name) for name, _, colour in _ENDINGS]
    handles.append(Line2D([], [], color="black", linestyle=":", label="what makes the contract"))
    figure.legend(handles=handles, loc="outside lower center", frameon=False, ncols=4)
