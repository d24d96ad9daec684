"""Differences of key figures between experiments on the same deals, paired deal by deal.

Luck of the deal that both experiments share cancels, so that the intervals are narrower than those
of independent runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.moments import Moments
from kqj_sim.analysis.products import compute_spread
from kqj_sim.analysis.tables import get_labels
from kqj_sim.simulation import play_same_deals

if TYPE_CHECKING:
    from kqj_sim.core.types import Int64Array
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import Rows
    from kqj_sim.workers import Workers

FigureKey: TypeAlias = tuple[str, str, tuple[int | str, ...]]
"""A figure by its table, quantity and group."""

_Measure: TypeAlias = Callable[["Rows"], "Int64Array"]


def _read(*columns: str) -> _Measure:
    """Return a function that adds columns."""
    return lambda rows: np.sum([rows.column(name).astype(np.int64) for name in columns], axis=0)


def _is_any(*columns: str) -> _Measure:
    """Return a function that says where any of some columns is above 0."""
    read = _read(*columns)
    return lambda rows: (read(rows) > 0).astype(np.int64)


def _has_result(result: str, game: str) -> _Measure:
    """Return a function that says where the result is this one."""
    number = get_labels("result", game).index(result)
    return lambda rows: (rows.column("result") == number).astype(np.int64)


def _subtract(one: str, other: str) -> _Measure:
    return lambda rows: rows.column(one).astype(np.int64) - rows.column(other)


def _list_measures(experiment: Experiment) -> dict[FigureKey, tuple[_Measure, float]]:
    """Return the measure of each figure per taken deal, and what divides it."""
    game, teams = experiment.rules.game, experiment.rules.team_count
    if game == "kwajongen":
        return {
            ("results", "caller_won_share", ()): (_has_result("made", game), 1),
            ("results", "tied_share", ()): (_has_result("tie", game), 1),
            ("capot", "either_capot_share", ()): (
                _is_any("capot_contracting", "capot_defending"), 1,
            ),
            ("card_points", "card_points_mean", ("caller",)): (_read("contracting_card_points"), 1),
            ("scores", "change_difference_mean", ()): (
                _subtract("defending_score", "contracting_score"), 1,
            ),
        }  # fmt: skip
    others = teams - 1
    measures: dict[FigureKey, tuple[_Measure, float]] = {
        ("contracts", "made_share", ()): (_has_result("made", game), 1),
        ("contracts", "litigation_share", ()): (_has_result("litigation", game), 1),
        ("contracting_total", "contracting_total_mean", ()): (_read("contracting_total"), 1),
        ("auctions", "final_amount_mean", ()): (_read("amount"), 1),
        ("auctions", "countered_share", ()): (
            lambda rows: (rows.column("stake") > 1).astype(np.int64), 1,
        ),
        ("bonuses", "last_trick_share", ("contracting",)): (_read("last_trick_contracting"), 1),
        ("scores", "contracting_score_mean", ()): (_read("contracting_score"), 1),
        ("scores", "defending_score_mean", ()): (_read("defending_score"), others),
        ("scores", "score_difference_mean", ()): (
            lambda rows: (
                others * rows.column("contracting_score").astype(np.int64)
                - rows.column("defending_score")
            ),
            others,
        ),
    }  # fmt: skip
    for bonus in ("capot", "kq", "kqj"):
        key = ("bonuses", f"{bonus}_share", ("either",))
        measures[key] = _is_any(f"{bonus}_contracting", f"{bonus}_defending"), 1
    return measures


_TAKEN: Mapping[str, FigureKey] = {
    "kqj": ("taking", "taken_share", ()),
    "kwajongen": ("calls", "played_share", ()),
}
"""By game, the figure that is a share of all deals."""


def have_same_deals(experiments: Sequence[Experiment]) -> bool:
    """Return True if experiments are of one game and have the same deals."""
    keys = {
        (each.rules.game, each.seed, each.first, each.deals, each.games) for each in experiments
    }
    return len(experiments) > 1 and len(keys) == 1 and experiments[0].games is None


def measure_paired_differences(
    experiments: Sequence[Experiment],
    confidence: float,
    threads: Workers = None,
    progress: Callable[[int], None] | None = None,
) -> list[dict[FigureKey, Estimate]]:
    """Return how much the figures of each experiment after the first exceed those of the first.

    Args:
        experiments: two or more, for which `have_same_deals` holds.
        confidence: of the intervals.
        threads: as for `kqj_sim.simulation.reduce_rows`.
        progress: called with numbers of deals as they are finished.
    """
    listed = [_list_measures(each) for each in experiments]
    keys = list(listed[0])
    size = 1 + len(keys)

    def measure(played: tuple[Rows, ...]) -> Moments[int]:
        blocks = []
        for rows, measures in zip(played, listed, strict=True):
            taken = rows.column("taken").astype(np.int64)
            blocks += [taken, *(measures[key][0](rows) * taken for key in keys)]
        moments = Moments.zeros((len(blocks),), kind=int)
        moments.observe(np.stack(blocks))
        return moments

    total = Moments.zeros((size * len(experiments),), kind=int)
    for moments in play_same_deals(experiments, measure, threads, combine=Moments.add):
        total.add(moments)
        if progress is not None:
            progress(int(moments.count))
    scatter = total.compute_scatter()
    deviations = NormalDist().inv_cdf((1 + confidence) / 2)
    found = []
    for number in range(1, len(experiments)):
        differences = {}
        for place, key in enumerate([_TAKEN[experiments[0].rules.game], *keys]):
            value, weights = 0.0, np.zeros(size * len(experiments))
            for which, sign in ((number, 1), (0, -1)):
                divisor = 1.0 if place == 0 else listed[which][key][1]
                value += sign * _add_ratio(total, which * size, place, divisor, sign, weights)
            observations = int(total.count)
            spread = compute_spread(weights, scatter)
            variance = spread / max(observations - 1, 1) / observations
            half = deviations * math.sqrt(variance)
            differences[key] = Estimate(value, value - half, value + half, observations)
        found.append(differences)
    return found


def _add_ratio(
    total: Moments[int], start: int, place: int, divisor: float, sign: int, weights: np.ndarray
) -> float:
    """Return a figure of an experiment, and add its linearised weights to those of a difference.

    A figure per taken deal is a ratio of two means; its error is that of numerator minus ratio
    times denominator, divided by the mean of the denominator.
    """
    observations = int(total.count)
    if place == 0:
        weights[start] += sign
        return total.total(start) / observations
    taken = total.total(start)
    if taken == 0:
        return math.nan
    ratio, mean = total.total(start + place) / taken, taken / observations
    weights[start + place] += sign / mean / divisor
    weights[start] -= sign * ratio / mean / divisor
    return ratio / divisor
