"""Tables and pictures that `odds` shows of the calls of Kwajongen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.games.kwajongen.samplers import KwajongenCallOdds
from kqj_sim.output import figures
from kqj_sim.output.page import INK
from kqj_sim.output.sentences import say
from kqj_sim.positions.measures import DRAWN, LOST, NOT_PLAYED, WON
from kqj_sim.questions.odds.screen import Panel, RankedOption, describe_hand, name_option
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kqj_sim.output.grid import Grid

_ENDINGS = {"wins": WON, "loses": LOST, "tie": DRAWN, "passed out": NOT_PLAYED}
"""Indices of the endings of rounds, from the bottom of a stack."""


def list_details(odds: KwajongenCallOdds, shared: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the JSON output."""
    return {
        "turned": str(odds.position.upcard),
        "place": odds.position.place,
        "raised": bool(odds.position.pending),
        **shared,
    }


def describe_situation(odds: KwajongenCallOdds) -> str:
    """Return what the player knows, in a sentence."""
    return describe_hand(odds) + say(__name__, "situation", odds)


def list_tables(odds: KwajongenCallOdds) -> list[Table]:
    """Return how likely the passes of the others are."""
    if not odds.question_count:
        return []
    agreed = odds.estimate_bidding_probability()
    line: TableRow = ((odds.position.place,), "agreeing_share", agreed)
    title = "Deals in which everybody before you passes"
    return [Table("heard", title, ("players",), [line], counted=False, game="kwajongen")]


def list_panels(odds: KwajongenCallOdds) -> list[Panel]:
    """Return the distribution of points after each call."""
    found = odds.point_counts.sum(axis=(0, 2))
    colours = {name: figures.RESULT_COLOURS[name] for name, at in _ENDINGS.items() if found[at]}
    panels = []
    for option in odds.ranking:

        def draw(axes: Axes, option: int = option) -> None:
            _draw_points(axes, odds, option)

        title = f"Points gained: {name_option(odds, option)}"
        panels.append(Panel(f"points-{option}", title, 2.8, draw, colours))
    return panels


def _draw_points(axes: Axes, odds: KwajongenCallOdds, option: int) -> None:
    """Draw the distribution of the points of the round, on the same scales for all calls."""
    most = odds.max_points
    reach = int(np.abs(odds.point_counts.sum(axis=(0, 1)).nonzero()[0] - most).max(initial=1))
    every = range(-reach, reach + 1)
    counts = odds.point_counts[option, :, most - reach : most + reach + 1]
    heights = {name: 100 * counts[ending] / odds.sums.weights for name, ending in _ENDINGS.items()}
    figures.draw_stacks(axes, np.array(every), heights, 0.85)
    shares = {points: odds.estimate_points_share(option, points) for points in every}
    shown = {points: each for points, each in shares.items() if each.value > 0}
    axes.errorbar(
        list(shown), [100 * each.value for each in shown.values()],
        figures.compute_error_lengths(shown.values(), 100), fmt="none", ecolor=INK, elinewidth=1.2,
        capsize=2.5,
    )  # fmt: skip
    for points, each in shown.items():
        axes.annotate(
            f"{100 * each.value:.1f}" if each.value >= 0.0005 else "<0.1",
            (points, 100 * each.high), (0, 2), textcoords="offset points", ha="center",
            fontsize=figures.SMALL,
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


def list_grids(odds: KwajongenCallOdds) -> list[Grid]:
    """Return nothing: the calls are all."""
    return []


def explain_best(odds: KwajongenCallOdds, best: RankedOption) -> str:
    """Return nothing: the values of the two calls say it."""
    return ""
