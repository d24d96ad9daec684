"""Tables and pictures that `odds` shows of the calls of Kwajongen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.games.kwajongen.samplers import KwajongenCallOdds
from kqj_sim.output.figures import Chart, make_distribution
from kqj_sim.output.sentences import say
from kqj_sim.positions.measures import DRAWN, LOST, NOT_PLAYED, WON
from kqj_sim.questions.odds.screen import RankedOption, describe_hand, name_option
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
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


def list_charts(odds: KwajongenCallOdds) -> list[Chart]:
    """Return the distribution of points after each call."""
    most = odds.max_points
    reach = int(np.abs(odds.point_weights.sum(axis=(0, 1)).nonzero()[0] - most).max(initial=1))
    every = range(-reach, reach + 1)
    shares = odds.point_weights / odds.sums.weights
    stacks = {
        option: {
            name: {
                points: Estimate(shares[option, at, most + points], math.nan, math.nan, odds.deals)
                for points in every
            }
            for name, at in _ENDINGS.items()
            if odds.point_weights[:, at].any()
        }
        for option in odds.ranking
    }
    return [
        make_distribution(
            f"points-{option}", f"Points gained: {name_option(odds, option)}", stacks[option],
            "points", "% of deals", alike=[*stacks.values()],
            totals={points: odds.estimate_points_share(option, points) for points in every},
        )
        for option in odds.ranking
    ]  # fmt: skip


def list_grids(odds: KwajongenCallOdds) -> list[Grid]:
    """Return nothing: the calls are all."""
    return []


def explain_best(odds: KwajongenCallOdds, best: RankedOption) -> str:
    """Return nothing: the values of the two calls say it."""
    return ""
