"""Pictures of odds, of both games: panels for `--plot`, which are single pictures on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.cards import format_contract
from kqj_sim.output.figures import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    RESULT_COLOURS,
    SMALL,
    Drawing,
    NothingToDrawError,
    compute_error_lengths,
    draw_dots,
    draw_legend,
    draw_line,
    draw_stacks,
    draw_title_lines,
    render_page_figure,
)
from kqj_sim.output.grid import format_number
from kqj_sim.output.kqj.plots import BIN_WIDTH, HALF_OF_POINTS
from kqj_sim.output.page import INK, Picture
from kqj_sim.positions.kqj_calls import KqjCallOdds
from kqj_sim.positions.kwajongen import KwajongenCallOdds
from kqj_sim.positions.measures import (
    DRAWN,
    LOST,
    NOT_PLAYED,
    RANKING_MEASURE,
    UNCOUNTERED_VALUE,
    WON,
)
from kqj_sim.positions.odds import CardOdds
from kqj_sim.questions.odds.words import describe_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.core.types import Float64Array
    from kqj_sim.output.run import Report
    from kqj_sim.positions.odds import Odds
    from kqj_sim.stats.intervals import Estimate
    from kqj_sim.stats.tables import Unit

_MAX_OPTIONS = 8
"""Options drawn, at most: the best."""
_MAX_DISTRIBUTIONS = 4
_MAX_CONTRACTS = 3
"""Contracts whose totals are drawn, at most: the same as on a screen."""
_HIGHEST_TOTAL = 450
"""Right end of the totals; only All-Trumps can reach more."""

_CONTRACT_STYLES = {
    "s": (INK, "-"), "h": (RED, "-"), "d": (ORANGE, "--"),
    "c": (GREEN, "--"), "NT": (PURPLE, "-."), "AT": (BLUE, "-."),
}  # fmt: skip
"""Colours and dashes of the contracts."""


@dataclass(frozen=True)
class Panel:
    """A drawing of a picture with several, or a picture of a page.

    Attributes:
        name: name of the picture, without suffix.
        title: what it shows.
        height: height in inches, in proportion to others.
        draw: draws it on axes.
        colours: colours of the legend by name.
        dotted: what a dotted line means; empty if there is none.
    """

    name: str
    title: str
    height: float
    draw: Callable[[Axes], None]
    colours: Mapping[str, str]
    dotted: str = ""


def make_odds_drawing(odds: Odds, report: Report) -> Drawing:
    """Return the picture of odds.

    Raises:
        NothingToDrawError: there is only one option.
    """
    panels = list_panels(odds)
    rows = [panels[at : at + 2] for at in range(0, len(panels), 2)]
    heights = [max(panel.height for panel in row) for row in rows]

    def draw(figure: Figure) -> None:
        draw_title_lines(figure, (*report.headline, *report.run.describe().split("\n")), 110)
        bands: Any = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)
        for band, row in zip(bands.flat, rows, strict=True):
            places = band.subplots(1, len(row), squeeze=False).flat
            for axes, panel in zip(places, row, strict=True):
                axes.set_title(panel.title)
                panel.draw(axes)
            # Neighbours have the same colours.
            _draw_panel_legend(band, row[0], 5)

    lines = sum(len(text) // 110 + 1 for text in (*report.headline, report.run.describe())) + 1

    def draw_main(axes: Axes) -> None:
        axes.set_title(panels[0].title)
        panels[0].draw(axes)

    return Drawing(draw, draw_main, (9.2, sum(heights) + 0.18 * lines))


def make_pictures(odds: Odds) -> list[Picture]:
    """Return the pictures of a page; none if there is only one option."""
    try:
        panels = list_panels(odds)
    except NothingToDrawError:
        return []

    def make_picture(panel: Panel) -> Picture:
        def draw(figure: Figure) -> None:
            panel.draw(figure.subplots())
            _draw_panel_legend(figure, panel, 2)

        return Picture(panel.name, panel.title, render_page_figure(draw, panel.height))

    return [make_picture(panel) for panel in panels]


def list_panels(odds: Odds) -> list[Panel]:
    """Return the drawings of odds: the value of each option, its chance to win, and more of calls.

    Raises:
        NothingToDrawError: there is only one option.
    """
    if len(odds.ranking) < 2:
        raise NothingToDrawError("only one option is legal")
    what = "card" if isinstance(odds, CardOdds) else "call"
    shown = odds.ranking[:_MAX_OPTIONS]
    few = "" if len(shown) == len(odds.ranking) else f", the best {len(shown)}"
    height = 0.9 + 0.42 * len(shown)
    value = {"value": RANKING_MEASURE}
    if UNCOUNTERED_VALUE in odds.measures.indices:
        value["value if not countered"] = UNCOUNTERED_VALUE
    rows = odds.ranking[:_MAX_OPTIONS]
    values = {
        label: {option: odds.estimate(measure, option) for option in rows}
        for label, measure in value.items()
    }
    title = f"Value of each {what}{few}, in points"
    panels = [_make_dots("values", title, odds, values, RANKING_MEASURE, height)]
    if isinstance(odds, CardOdds) and len(rows) > 2:
        # Differences between cards are known better than their values.
        found = odds.estimate_leads()
        leads = {option: found[option] for option in rows[1:]}
        title = f"Less than {describe_option(odds, odds.best).name}, in points"
        panels.append(_make_dots("leads", title, odds, {"": leads}, RANKING_MEASURE, height))
    else:
        wins = {option: odds.estimate("win_share", option) for option in rows}
        title = "Rounds that your side wins, %"
        panels.append(_make_dots("wins", title, odds, {"": wins}, "win_share", height))
    return [*panels, *_LIST_MORE[type(odds)](odds)]


def _draw_panel_legend(figure: Figure | SubFigure, panel: Panel, columns: int) -> None:
    if panel.colours:
        place = "outside lower center"
        draw_legend(figure, panel.colours, place, columns, dotted=panel.dotted)


def _make_dots(
    name: str,
    title: str,
    odds: Odds,
    series: Mapping[str, Mapping[int, Estimate]],
    measure: str,
    height: float,
) -> Panel:
    """Return a row for each option, the best on top: dots with intervals, and their numbers."""
    unit = odds.measures[measure].unit
    names = {option: describe_option(odds, option).name for option in odds.ranking}

    def draw(axes: Axes) -> None:
        every = [each for numbers in series.values() for each in numbers.values()]
        _set_dot_limits(axes, every, unit)
        middle = None if unit == "share" or axes.get_xlim()[0] > 0 else 0
        draw_dots(
            axes, series, unit, names=names, middle=middle,
            write=lambda each: _write_number(each, unit),
        )  # fmt: skip

    colours = dict(zip(series, (BLUE, ORANGE), strict=False)) if len(series) > 1 else {}
    return Panel(name, title, height + (0.3 if colours else 0), draw, colours)


def _set_dot_limits(axes: Axes, estimates: Iterable[Estimate], unit: Unit) -> None:
    """Set the horizontal axis so that intervals and numbers are clear of its ends."""
    if unit == "share":
        axes.set_xlim(-3, 103)
        return
    ends = [end for each in estimates for end in each[:3] if math.isfinite(end)]
    low, high = min(ends), max(ends)
    # Equal numbers need a width, too.
    room = 0.15 * (high - low) or 1.0
    axes.set_xlim(low - room, high + 2 * room)


def _write_number(estimate: Estimate, unit: Unit) -> str:
    return str(format_number(*estimate[:3], unit))


def _list_kqj_call_panels(odds: KqjCallOdds) -> list[Panel]:
    """Return the distributions of totals; with auctions also the chances to make amounts."""
    panels: list[Panel] = []
    shown = odds.ranking[:_MAX_DISTRIBUTIONS]
    if odds.contract_options:
        contracts = list(dict.fromkeys(odds.options[each].contract for each in odds.ranking))
        played = {odds.options[option].contract: option for option in odds.contract_options}
        shown = [played[each] for each in contracts if each in played]
        panels.append(
            Panel(
                "chances",
                "Chance to make each amount",
                3.0,
                lambda axes: _draw_chances(axes, odds, shown),
                {},
            )
        )
    drawn = shown[:_MAX_CONTRACTS] if odds.contract_options else shown
    stacks = [np.sum([*_compute_heights(odds, each).values()], axis=0) for each in drawn]
    tallest = np.max(stacks)
    # Those that never happen have no place in the legend.
    found = odds.totals[drawn].sum(axis=(0, 2))
    colours = {name: RESULT_COLOURS[name] for name, at in _KQJ_ENDINGS.items() if found[at]}
    for option in drawn:

        def draw(axes: Axes, option: int = option) -> None:
            _draw_totals(axes, odds, option)
            axes.set_ylim(0, 1.08 * tallest)

        dotted = "" if _find_threshold(odds, option) is None else "makes the contract"
        title = f"Your side's total: {_name_played(odds, option)}"
        panels.append(Panel(f"total-{option}", title, 2.5, draw, colours, dotted))
    return panels


_KQJ_ENDINGS = {"wins": WON, "loses": LOST, "litigation": DRAWN}
_KWAJONGEN_ENDINGS = {"wins": WON, "loses": LOST, "tie": DRAWN, "passed out": NOT_PLAYED}
"""Indices of the endings of rounds, from the bottom of a stack."""


def _name_played(odds: KqjCallOdds, option: int) -> str:
    if option < odds.option_count:
        return describe_option(odds, option).name
    of = odds.options[option]
    return f"{of.amount} {format_contract(str(of.contract))} played"


def _compute_heights(odds: KqjCallOdds, option: int) -> dict[str, Float64Array]:
    """Return by ending the per cent of deals in each bin of the total of the player's side."""
    shares = odds.totals[option] / odds.sums.weights
    padded = np.pad(shares, ((0, 0), (0, -shares.shape[1] % BIN_WIDTH)))
    binned = 100 * padded.reshape(len(shares), -1, BIN_WIDTH).sum(axis=2)
    return {name: binned[ending] for name, ending in _KQJ_ENDINGS.items()}


def _find_threshold(odds: KqjCallOdds, option: int) -> float | None:
    """Return the total that makes the contract; None if that depends on the opponents."""
    rules = odds.position.rules
    if rules.bidding == "auction":
        return odds.options[option].amount if option >= odds.option_count else None
    return HALF_OF_POINTS if rules.teams == 2 else None


def _draw_totals(axes: Axes, odds: KqjCallOdds, option: int) -> None:
    """Draw the distribution of the total of the player's side, by who wins."""
    heights = _compute_heights(odds, option)
    edges = np.arange(len(heights["wins"])) * BIN_WIDTH
    draw_stacks(axes, edges, heights, BIN_WIDTH, align="edge")
    threshold = _find_threshold(odds, option)
    if threshold is not None:
        axes.axvline(threshold, color=INK, linewidth=1, linestyle=":")
    axes.set_xlim(-BIN_WIDTH, _HIGHEST_TOTAL + 3 * BIN_WIDTH)
    axes.set_ylabel("% of deals")


def _draw_chances(axes: Axes, odds: KqjCallOdds, played: list[int]) -> None:
    """Draw the chance to make each amount in each contract."""
    lowest = odds.options[played[0]].amount
    amounts = range(lowest, _HIGHEST_TOTAL + 1, 10)
    for option in played:
        contract = str(odds.options[option].contract)
        colour, dashes = _CONTRACT_STYLES[contract]
        chances = [odds.estimate_reach_probability(option, amount) for amount in amounts]
        draw_line(
            axes, amounts, chances, dashes, colour,
            label=format_contract(contract), scale=100, band=True,
        )  # fmt: skip
    axes.set_xlim(lowest - 5, _HIGHEST_TOTAL + 5)
    axes.set_ylim(-2, 102)
    axes.grid()
    axes.set_xlabel("amount")
    axes.set_ylabel("% of deals")
    axes.legend(ncols=2)


def _list_kwajongen_call_panels(odds: KwajongenCallOdds) -> list[Panel]:
    """Return the distribution of points after each call."""
    found = odds.point_counts.sum(axis=(0, 2))
    colours = {name: RESULT_COLOURS[name] for name, at in _KWAJONGEN_ENDINGS.items() if found[at]}
    panels = []
    for option in odds.ranking:

        def draw(axes: Axes, option: int = option) -> None:
            _draw_points(axes, odds, option)

        title = f"Points gained: {describe_option(odds, option).name}"
        panels.append(Panel(f"points-{option}", title, 2.8, draw, colours))
    return panels


def _draw_points(axes: Axes, odds: KwajongenCallOdds, option: int) -> None:
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
    shares = {points: odds.estimate_points_share(option, points) for points in every}
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
        odds.estimate_points_share(call, points).high
        for call in range(odds.option_count)
        for points in every
    )
    axes.set_xlim(-reach - 0.6, reach + 0.6)
    axes.set_ylim(0, 112 * tallest)
    ticks = [f"{n:+d}".replace("-", "\N{MINUS SIGN}") if n else "0" for n in every]
    axes.set_xticks(every, ticks)
    axes.set_ylabel("% of deals")
    axes.grid(axis="y")


def _list_no_panels(odds: CardOdds) -> list[Panel]:
    """Return nothing: the value says all that is known of a card."""
    return []


_LIST_MORE: Mapping[type[Any], Callable[[Any], list[Panel]]] = {
    KqjCallOdds: _list_kqj_call_panels,
    KwajongenCallOdds: _list_kwajongen_call_panels,
    CardOdds: _list_no_panels,
}
"""What is drawn besides the value and the chance to win, by kind of odds."""
