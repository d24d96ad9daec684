"""Pictures of odds, of both games: panels for `--plot`, which are single pictures on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.games import find_game
from kqj_sim.output.figures import (
    BLUE,
    ORANGE,
    Drawing,
    NothingToDrawError,
    draw_dots,
    draw_legend,
    draw_title_lines,
    render_page_figure,
)
from kqj_sim.output.grid import format_number
from kqj_sim.output.page import Picture
from kqj_sim.positions.measures import (
    RANKING_MEASURE,
    UNCOUNTERED_VALUE,
)
from kqj_sim.questions.odds.words import name_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.output.run import Report
    from kqj_sim.positions.odds import Odds
    from kqj_sim.stats.intervals import Estimate
    from kqj_sim.stats.quantities import Unit

_MAX_OPTIONS = 8
"""Options drawn, at most: the best."""


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
    what = odds.kind
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
    if odds.kind == "card" and len(rows) > 2:
        # Differences between cards are known better than their values.
        found = odds.estimate_leads()
        leads = {option: found[option] for option in rows[1:]}
        title = f"Less than {name_option(odds, odds.best)}, in points"
        panels.append(_make_dots("leads", title, odds, {"": leads}, RANKING_MEASURE, height))
    else:
        wins = {option: odds.estimate("win_share", option) for option in rows}
        title = "Rounds that your side wins, %"
        panels.append(_make_dots("wins", title, odds, {"": wins}, "win_share", height))
    if odds.kind == "card":
        return panels
    return [*panels, *find_game(odds.rules.game).part("answers").list_panels(odds)]


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
    unit = odds.get_unit(measure)
    names = {option: name_option(odds, option) for option in odds.ranking}

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
    return str(format_number(estimate, unit))
