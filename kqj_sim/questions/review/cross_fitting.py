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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate, make_exact
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

    @property
    def effective_size(self) -> float:
        """The number of equally weighted deals that would be as precise (Kish)."""
        squares = float((self.weights * self.weights).sum())
        return float(self.weights.sum()) ** 2 / squares if squares > 0 else 0.0

    def pick(self, options: Sequence[int]) -> Draws:
        """Return the draws of some of the options."""
        chosen = [*options]
        plays = self.plays[chosen] if len(self.plays) else self.plays
        return Draws(self.weights, self.values[chosen], self.wins[chosen], plays)


class Mean(Estimate):
    """An estimated mean with the standard error by which independent ones add up.

    Attributes:
        error: its standard error; 0 if it is exact.
        freedom: degrees of freedom of the error.
        effective: number of equally weighted deals that would be as precise.
    """

    error: float = 0.0
    freedom: int = 1
    effective: float = 0.0

    @property
    def is_exact(self) -> bool:
        """True for a mean over all deals there are, which has no interval."""
        return math.isnan(self.low)

    @property
    def p_value(self) -> float:
        """The chance of as large a mean if the truth is 0 or less."""
        if self.is_exact:
            return 0.0 if self.value > _EQUAL else 1.0
        if self.error <= 0 or self.value <= 0:
            return 1.0
        return student_tail(self.value / self.error, max(1, self.freedom))


def make_mean(
    value: float, error: float, freedom: int, observations: int, confidence: float,
    effective: float = 0.0,
) -> Mean:  # fmt: skip
    """Return a mean with Student's interval."""
    half = student_quantile(max(1, freedom), confidence) * error
    mean = Mean(value, value - half, value + half, observations)
    mean.error, mean.freedom, mean.effective = error, freedom, effective
    return mean


def average(
    weights: Float64Array, values: Float64Array, confidence: float = DEFAULT_CONFIDENCE
) -> Mean:
    """Return the weighted mean of values, (n,), as a ratio of sums."""
    total = float(weights.sum())
    squares = float((weights * weights).sum())
    if total <= 0:
        return Mean(math.nan, math.nan, math.nan, 0)
    value = float((weights * values).sum()) / total
    effective = total * total / squares
    spread = float((weights * weights * (values - value) ** 2).sum()) / total**2
    error = math.sqrt(spread * effective / (effective - 1)) if effective > 1 else math.inf
    return make_mean(value, error, int(effective) - 1, len(values), confidence, effective)


def add_means(means: Iterable[Mean], confidence: float) -> Mean:
    """Return the sum of independent means."""
    terms = list(means)
    errors = [term.error for term in terms if term.error > 0]
    value = math.fsum(term.value for term in terms)
    observations = sum(term.observations for term in terms)
    if all(term.is_exact for term in terms):
        return Mean(*make_exact(value, observations))
    freedom = min((term.freedom for term in terms if term.error > 0), default=1)
    return make_mean(
        value, math.hypot(*errors), freedom * len(errors) or 1, observations, confidence
    )


@dataclass(frozen=True)
class Loss:
    """The loss of a choice.

    Attributes:
        wins: the loss in chance to win the round, against the same options.
        large: the share of the deals in which the loss against `best` is large (`LARGE_LOSS`).
        best: the option that all deals together rank first.
        high: no confidence in less than this bound: the highest upper bound of any option's lead
            over the choice.
    """

    points: Mean
    wins: Mean
    large: Estimate
    best: int
    high: float

    @property
    def cautious_points(self) -> Estimate:
        """The points; their upper bound is `high` if that is higher."""
        if self.points.is_exact:
            return self.points
        return self.points._replace(high=max(self.points.high, self.high))


def _rank(draws: Sequence[Draws], options: int, choice: int) -> int:
    """Return the option with the greatest mean over some deals; of equal ones the choice."""
    weights = sum(float(part.weights.sum()) for part in draws)
    values = sum(multiply(part.values, part.weights) for part in draws)
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
    """
    options = len(draws.values)
    halves = [
        Draws(draws.weights[k::2], draws.values[:, k::2], draws.wins[:, k::2]) for k in (0, 1)
    ]
    earlier = [] if pilot is None else [pilot]
    best = [_rank([*earlier, half], options, choice) for half in halves]
    # Each half values the option that the other one chose.
    pairs = list(zip(halves, reversed(best), strict=True))

    def estimate(outcomes: Callable[[Draws], Float64Array]) -> Mean:
        leads = [outcomes(half)[option] - outcomes(half)[choice] for half, option in pairs]
        one, other = (average(half.weights, lead) for half, lead in zip(halves, leads, strict=True))
        return _combine(one, other, best[0] == best[1], confidence)

    points, wins = estimate(lambda half: half.values), estimate(lambda half: half.wins)
    if best == [choice, choice]:
        wins = Mean(*make_exact(wins.value, wins.observations))  # Nothing is compared.
    elif wins.error == 0:
        # Deals that are all alike say no more than their number.
        deals, limits = (wins.observations, wins.effective), (-1.0, 1.0)
        wins = Mean(*intervals.estimate_constant(wins.value, *deals, confidence, limits))
    overall = _rank([*earlier, draws], options, choice)
    # Options that are worth the same may lose much in quite different shares of the deals.
    fair = [half for half, option in pairs if option == overall]
    large = _estimate_large(fair[0] if len(fair) == 1 else draws, overall, choice, confidence)
    return Loss(points, wins, large, overall, find_upper_bound(draws, choice, confidence))


def _average_large(draws: Draws, best: int, choice: int) -> Mean:
    """Return the share of the deals in which a choice loses much against the best option."""
    is_large = draws.values[best] - draws.values[choice] >= LARGE_LOSS
    return average(draws.weights, is_large.astype(np.float64))


def _estimate_large(draws: Draws, best: int, choice: int, confidence: float) -> Estimate:
    share = _average_large(draws, best, choice)
    if best == choice:
        return make_exact(share.value, share.observations)
    number = share.effective
    if share.error > 0:
        number = min(number, share.value * (1 - share.value) / share.error**2)
    return intervals.estimate_weighted_share(share.value, number, share.observations, confidence)


def _combine(one: Mean, other: Mean, same: bool, confidence: float) -> Mean:
    """Return the mean of two halves; their errors add up in full unless both chose the same."""
    error = math.hypot(one.error, other.error) / 2 if same else (one.error + other.error) / 2
    return make_mean(
        (one.value + other.value) / 2,
        error,
        max(1, min(one.freedom, other.freedom)),
        one.observations + other.observations,
        confidence,
        one.effective + other.effective,
    )


def find_upper_bound(draws: Draws, choice: int, confidence: float) -> float:
    """Return the highest upper bound of the lead of any option over the choice.

    The true loss is above it with at most half the chance that the confidence leaves: it would
    have to be above the bound of the one option that is truly the best.
    """
    high = 0.0
    for option in range(len(draws.values)):
        if option != choice:
            lead = draws.values[option] - draws.values[choice]
            high = max(high, average(draws.weights, lead, confidence).high)
    return high


def compute_exact_loss(draws: Draws, choice: int) -> Loss:
    """Return the loss where the deals are all there are."""
    total = draws.weights.sum()
    values = multiply(draws.values, draws.weights) / total
    wins = multiply(draws.wins, draws.weights) / total
    best = _rank([draws], len(values), choice)
    count = len(draws.weights)
    points, win_share = (
        Mean(*make_exact(float(means[best] - means[choice]), count)) for means in (values, wins)
    )
    large = make_exact(_average_large(draws, best, choice).value, count)
    return Loss(points, win_share, large, best, points.value)


def find_mistakes(p_values: Sequence[float], confidence: float) -> list[bool]:
    """Return which losses are shown at a confidence over all of them together.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979).
    """
    are_shown = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    for rank, number in enumerate(order):
        if p_values[number] > (1 - confidence) / (len(p_values) - rank):
            break
        are_shown[number] = True
    return are_shown
