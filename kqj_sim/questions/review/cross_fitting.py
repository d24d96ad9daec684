"""The loss of a choice, estimated without the bias of the best of several estimates.

The best of several noisy estimates is too high, so a loss read off the deals that also chose the
best option is too large even for a perfect player.  Here one half of the deals chooses the best
option and the other half values it minus the choice made, in the same deals; then the other way
round; the loss is the mean of the two (cross-fitting: V. Chernozhukov et al., "Double/debiased
machine learning", Econometrics Journal 21, 2018).  Earlier deals, which measure nothing, may help
to choose.  What remains is a bias downwards, by the regret of the halves' choices: 0.38 points a
decision at 150 deals, 0.12 at 1,000.  The share of large losses is that against the option shown as
the best one, by the half or halves whose deals had no say in it.

The halves are independent, but their two values are not where the halves choose different options
(correlation 0.3 with two equal options).  The error of the mean is then taken as if they were
fully dependent, which holds whatever the correlation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.stats.intervals import Estimate, estimate_constant, estimate_weighted_share
from kqj_sim.stats.moments import multiply
from kqj_sim.stats.quantiles import student_quantile, student_tail

LARGE_LOSS = 30.0
"""The least loss of a single deal, in points, that is a large one."""

_EQUAL = 1e-9
"""Differences in points below this are rounding errors."""


class Draws(NamedTuple):
    """Outcomes of options in sampled hands.

    Attributes:
        weights: float64 (n,).
        values: float64 (options, n), points.
        wins: float64 (options, n), 1 for a round that is won.
        plays: float64 (options, n), 1 for a round in which the player's side plays the contract;
            empty of cards.
    """

    weights: Float64Array
    values: Float64Array
    wins: Float64Array
    plays: Float64Array = np.zeros((0, 0))

    def pick(self, options: Sequence[int]) -> Draws:
        """Return the draws of some of the options."""
        chosen = [*options]
        plays = self.plays[chosen] if len(self.plays) else self.plays
        return Draws(self.weights, self.values[chosen], self.wins[chosen], plays)


@dataclass(frozen=True)
class Mean:
    """A weighted mean with its standard error.

    Attributes:
        error: its standard error; 0 if it is exact.
        freedom: degrees of freedom of the error.
        observations: number of deals.
        effective: number of equally weighted deals that would be as precise.
    """

    value: float
    error: float = 0.0
    freedom: int = 1
    observations: int = 0
    exact: bool = False
    effective: float = 0.0

    def estimate(self, confidence: float, limits: tuple[float, float] | None = None) -> Estimate:
        """Return the mean with Student's interval; without bounds if it is exact.

        With `limits`, of what is possible, deals that are all alike say no more than their number.
        """
        if self.exact:
            return Estimate(self.value, math.nan, math.nan, self.observations)
        if limits is not None and self.error == 0:
            return estimate_constant(
                self.value, self.observations, self.effective, confidence, limits
            )
        half = student_quantile(max(1, self.freedom), confidence) * self.error
        return Estimate(self.value, self.value - half, self.value + half, self.observations)

    def estimate_share(self, confidence: float) -> Estimate:
        """Return a mean of zeros and ones with the interval of a share."""
        if self.exact:
            return self.estimate(confidence)
        number = self.effective
        if self.error > 0:
            number = min(number, self.value * (1 - self.value) / self.error**2)
        return estimate_weighted_share(self.value, number, self.observations, confidence)

    def get_p_value(self) -> float:
        """Return the chance of as large a mean if the truth is 0 or less."""
        if self.exact:
            return 0.0 if self.value > _EQUAL else 1.0
        if self.error <= 0 or self.value <= 0:
            return 1.0
        return student_tail(self.value / self.error, max(1, self.freedom))


def average(weights: Float64Array, values: Float64Array) -> Mean:
    """Return the weighted mean of values, (n,), as a ratio of sums."""
    total = float(weights.sum())
    squares = float((weights * weights).sum())
    if total <= 0:
        return Mean(math.nan, math.nan)
    value = float((weights * values).sum()) / total
    effective = total * total / squares
    spread = float((weights * weights * (values - value) ** 2).sum()) / total**2
    error = math.sqrt(spread * effective / (effective - 1)) if effective > 1 else math.inf
    return Mean(value, error, int(effective) - 1, len(values), effective=effective)


def compute_effective_size(weights: Float64Array) -> float:
    """Return the number of equally weighted deals that would be as precise (Kish)."""
    squares = float((weights * weights).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


@dataclass(frozen=True)
class Loss:
    """The loss of a choice.

    Attributes:
        wins: the loss in chance to win the round, against the same options.
        large: the share of the deals in which the loss against `best` is large (`LARGE_LOSS`).
        best: the option that all deals together rank first.
        high: no confidence in less than this bound: the highest upper bound of any option's lead
            over the choice, at the confidence asked for.
    """

    points: Mean
    wins: Mean
    large: Mean
    best: int
    high: float

    def estimate_wins(self, confidence: float) -> Estimate:
        """Return the loss in chance to win with its interval."""
        return self.wins.estimate(confidence, (-1.0, 1.0))


def _rank(draws: Sequence[Draws], options: int, choice: int) -> int:
    """Return the option with the greatest mean over some deals; of equal ones the choice."""
    weights = sum(float(each.weights.sum()) for each in draws)
    values = sum(multiply(each.values, each.weights) for each in draws)
    if weights <= 0:
        return choice
    means = np.asarray(values) / weights
    best = int(np.argmax(means))
    return choice if means[choice] >= means[best] - _EQUAL else best


def estimate_loss(pilot: Draws | None, draws: Draws, choice: int, confidence: float) -> Loss:
    """Estimate the loss of a choice by cross-fitting.

    Args:
        pilot: deals that help to choose the best option; None for none.
        draws: the deals that measure; every second one is a half.
        confidence: of `Loss.high`.
    """
    options = len(draws.values)
    halves = [
        Draws(draws.weights[k::2], draws.values[:, k::2], draws.wins[:, k::2]) for k in (0, 1)
    ]
    earlier = [] if pilot is None else [pilot]
    best = [_rank([*earlier, half], options, choice) for half in halves]
    points, wins = [], []
    for half, chosen in zip(halves, reversed(best), strict=True):
        lost = half.values[chosen] - half.values[choice]
        points.append(average(half.weights, lost))
        wins.append(average(half.weights, half.wins[chosen] - half.wins[choice]))
    same = best[0] == best[1]
    overall = _rank([*earlier, draws], options, choice)
    # Options that are worth the same may lose much in quite different shares of the deals.
    fair = [half for half, chosen in zip(halves, reversed(best), strict=True) if chosen == overall]
    large = _measure_large(fair[0] if len(fair) == 1 else draws, overall, choice)
    high = find_upper_bound(draws, choice, confidence)
    lost = _combine(wins, same)
    if best == [choice, choice]:
        lost = replace(lost, exact=True)  # Nothing is compared.
    return Loss(_combine(points, same), lost, large, overall, high)


def _measure_large(draws: Draws, best: int, choice: int) -> Mean:
    """Return the share of the deals in which a choice loses much against the best option."""
    if best == choice:
        return Mean(0.0, observations=len(draws.weights), exact=True)
    is_large = draws.values[best] - draws.values[choice] >= LARGE_LOSS
    return average(draws.weights, is_large.astype(np.float64))


def _combine(halves: Sequence[Mean], same: bool) -> Mean:
    """Return the mean of two halves; their errors add up in full unless both chose the same."""
    one, other = halves
    error = math.hypot(one.error, other.error) / 2 if same else (one.error + other.error) / 2
    return Mean(
        (one.value + other.value) / 2,
        error,
        max(1, min(one.freedom, other.freedom)),
        one.observations + other.observations,
        effective=one.effective + other.effective,
    )


def find_upper_bound(draws: Draws, choice: int, confidence: float) -> float:
    """Return the highest upper bound of the lead of any option over the choice.

    The true loss is above it with at most half the chance that the confidence leaves: it would
    have to be above the bound of the one option that is truly the best.
    """
    high = 0.0
    for option in range(len(draws.values)):
        if option != choice:
            lead = average(draws.weights, draws.values[option] - draws.values[choice])
            high = max(high, lead.estimate(confidence).high)
    return high


def compute_exact_loss(draws: Draws, choice: int) -> Loss:
    """Return the loss where the deals are all there are."""
    total = draws.weights.sum()
    values = multiply(draws.values, draws.weights) / total
    wins = multiply(draws.wins, draws.weights) / total
    best = _rank([draws], len(values), choice)
    count = len(draws.weights)
    large = _measure_large(draws, best, choice)
    return Loss(
        Mean(float(values[best] - values[choice]), observations=count, exact=True),
        Mean(float(wins[best] - wins[choice]), observations=count, exact=True),
        replace(large, error=0.0, exact=True),
        best,
        float(values[best] - values[choice]),
    )


def find_mistakes(p_values: Sequence[float], confidence: float) -> list[bool]:
    """Return which losses are shown at a confidence over all of them together.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).
    """
    shown = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    for rank, number in enumerate(order):
        if p_values[number] > (1 - confidence) / (len(p_values) - rank):
            break
        shown[number] = True
    return shown
