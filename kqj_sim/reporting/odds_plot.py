"""The picture of what calls are worth: totals of the own side, and chances to reach amounts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.odds_answer import DRAWN, LOST, WON
from kqj_sim.notation import format_contract
from kqj_sim.reporting.charts import drawn
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.kqj.plots import BIN, HALF_OF_ALL
from kqj_sim.reporting.page import INK, Part, Picture, Section
from kqj_sim.reporting.pictures import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, headline, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.analysis.odds_answer import Odds

_ENDINGS = (("wins", WON, BLUE), ("loses", LOST, ORANGE), ("litigation", DRAWN, GREY))
_CHANCES = "Chance to reach each amount, if the contract is played"
_LINES = {
    "s": (INK, "-"),
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

    played, shown = _played(odds), _shown(odds)
    columns = 2 if len(shown) <= 4 else 3
    rows = math.ceil(len(shown) / columns)
    height = 2.1 + 2.5 * rows + (4.2 if played else 0)
    with matplotlib.rc_context(STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.2 * columns, height), layout="constrained")
        FigureCanvasAgg(figure)
        texts = (*answer(odds, confidence), _summary(odds, confidence))
        headline(figure, texts, 52 * columns)
        if played:
            halves: Any = figure.subfigures(2, 1, height_ratios=(4.2, 2.5 * rows + 0.6))
            upper, lower = halves
            axes = upper.subplots()
            axes.set_title(_CHANCES)
            _draw_chances(axes, odds, confidence, played)
        else:
            lower = figure.subfigures(1, 1)
        panels: Any = lower.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, option in zip(panels.flat, shown, strict=False):
            axes.set_title(_title(odds, option, confidence), fontsize=10)
            _draw_totals(axes, odds, option)
            axes.label_outer()
        for axes in panels.flat[len(shown) :]:
            axes.set_axis_off()
        for axes in panels.flat[max(0, len(shown) - columns) : len(shown)]:
            axes.tick_params(labelbottom=True)
        _legend(lower)
        return save(figure, format)


def page_pictures(odds: Odds, confidence: float) -> tuple[dict[str, list[Picture]], Section]:
    """The pictures of a page: by name those of a table, and a section of others."""
    totals = Part(pictures=(*_totals_pictures(odds, confidence),))
    section = Section("totals", "How the own side's total is distributed", (totals,))
    return {"contracts": _chances_pictures(odds, confidence)}, section


def _totals_pictures(odds: Odds, confidence: float) -> list[Picture]:
    """How the own side's total is distributed, a picture for a page for each panel."""
    shown = _shown(odds)
    tallest = max(_heights(odds, option).sum(axis=0).max() for option in shown)
    pictures = []
    for option in shown:

        def draw(figure: Figure, option: int = option) -> None:
            axes = figure.subplots()
            _draw_totals(axes, odds, option)
            axes.set_ylim(0, 1.05 * tallest)
            _legend(figure)

        words = _title(odds, option, confidence)
        pictures.append(Picture(f"total-{option}", words, drawn(2.2, draw)))
    return pictures


def _chances_pictures(odds: Odds, confidence: float) -> list[Picture]:
    """The chance to reach each amount, as a picture for a page; none without auctions."""
    played = _played(odds)
    if not played:
        return []

    def draw(figure: Figure) -> None:
        _draw_chances(figure.subplots(), odds, confidence, played)

    return [Picture("chances", _CHANCES, drawn(3.0, draw))]


def _played(odds: Odds) -> list[int]:
    """The contracts as they are when played, with auctions."""
    return list(range(odds.calls, len(odds.options)))


def _shown(odds: Odds) -> list[int]:
    """The options whose totals are drawn: the contracts with auctions, else the calls."""
    return _played(odds) or list(range(odds.calls))


def _summary(odds: Odds, confidence: float) -> str:
    from kqj_sim.reporting.odds import odds_report

    return odds_report(odds, confidence).run.summary()


def _heights(odds: Odds, option: int) -> NDArray[np.float64]:
    """Per cent of the deals by ending and by bin of the own side's total."""
    shares = odds.totals[option][[ending for _, ending, _ in _ENDINGS]] / odds.sums.weights
    padded = np.pad(shares, ((0, 0), (0, -shares.shape[1] % BIN)))
    heights: NDArray[np.float64] = 100 * padded.reshape(len(_ENDINGS), -1, BIN).sum(axis=2)
    return heights


def _draw_totals(axes: Axes, odds: Odds, option: int) -> None:
    """How the own side's total is distributed, by who wins."""
    heights = _heights(odds, option)
    lower = np.zeros(heights.shape[1])
    edges = np.arange(len(lower)) * BIN
    for (_, _, colour), height in zip(_ENDINGS, heights, strict=True):
        axes.bar(edges, height, BIN, lower, align="edge", color=colour, linewidth=0)
        lower = lower + height
    contract = odds.options[option]
    if odds.situation.rules.bidding == "auction" and option >= odds.calls:
        axes.axvline(contract.amount, color=INK, linewidth=1, linestyle=":")
    elif odds.situation.rules.bidding == "take" and odds.situation.rules.teams == 2:
        axes.axvline(HALF_OF_ALL, color=INK, linewidth=1, linestyle=":")
    axes.set_xlim(0, 460)
    axes.set_ylabel("% of deals")
    axes.set_xlabel("total of the own side")


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
    handles.append(Line2D([], [], color=INK, linestyle=":", label="what makes the contract"))
    figure.legend(
        handles=handles,
        loc="outside lower center",
        frameon=False,
        ncols=len(handles),
        handlelength=1.4,
        columnspacing=1.2,
    )
