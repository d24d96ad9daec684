"""Confidence sequences of means and ratios, for results that are looked at again and again.

Student's interval misses the truth in 5% of the runs at one number of observations, but far more
often if one stops at the first favourable look; a confidence sequence misses it in 5% of the runs
ever.  At its best it is half as wide again as Student's interval.

The sequences are the asymptotic ones of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and
A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
Statistics 52 (2024), theorem 2.2: Robbins' normal mixture with the variance estimated.  They rest
on the central limit theorem, hence `FIRST_LOOK`.  Scores may differ rarely and by much: an event
not seen in n observations may have a probability of 3/n, and with differences of 600 points once in
2,000 deals the estimated variance alone misses the truth in 60% of the runs
(`tests/stats/test_sequences.py`).  Hence `bound`: `UNSEEN_OBSERVATIONS` more observations of
that size are added to the variance.
"""

from __future__ import annotations

import math
from functools import lru_cache

from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate, make_unbounded

FIRST_LOOK = 1000
"""Observations before the first look: fewer do not show the spread of scores."""

UNSEEN_OBSERVATIONS = 3
"""Observations of the size of the bound that may have gone unseen: with a probability of 3/n each,
none of n is of that kind in 5% of the runs."""

DEFAULT_TUNED_COUNT = 10_000
"""Default number of observations at which a sequence is narrowest.  A hundred times as many cost a
sixth of its width, a hundred times fewer make it three times as wide."""


def compute_sequence_width(
    count: int, confidence: float = DEFAULT_CONFIDENCE, tuned_count: int = DEFAULT_TUNED_COUNT
) -> float:
    """Return the half-width of a confidence sequence of a mean, in standard errors.

    The two-sided boundary of theorem 2.2, sqrt(2 (n r + 1) / (n r) ln(sqrt(n r + 1) / alpha)) with
    r = rho^2, which is the least at n = `tuned_count` (equation 11 there, with Lambert's function
    solved by iteration).  3.04 at best for 95%, where a single look would need 1.96.
    """
    spread = _optimize_boundary(confidence) * count / tuned_count
    within = 2 * math.log(1 / (1 - confidence)) + math.log1p(spread)
    return math.sqrt((1 + 1 / spread) * within)


@lru_cache
def _optimize_boundary(confidence: float) -> float:
    """Return n r of the least boundary: the solution of x = ln(1 + x) + 2 ln(1 / alpha)."""
    start = -2 * math.log(1 - confidence)
    spread = start + 1
    for _ in range(100):
        spread = start + math.log1p(spread)
    return spread


def estimate_mean_sequentially(
    count: int,
    total: float,
    squares: float,
    confidence: float = DEFAULT_CONFIDENCE,
    tuned_count: int = DEFAULT_TUNED_COUNT,
    bound: float = 0.0,
) -> Estimate:
    """Estimate the mean total / count by a confidence sequence.

    Args:
        count: number of observations, which are independent.
        total, squares: their sum and the sum of their squares.
        confidence: share of runs in which every interval from `FIRST_LOOK` on holds the truth.
        bound: the largest possible distance of an observation from the mean, as a guard against
            rare ones (see the module); 0 for no guard.

    All is NaN without observations; there are no bounds without spread and `bound`.
    """
    if count == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value = total / count
    spread = (count * squares - total * total) / count + UNSEEN_OBSERVATIONS * bound * bound
    return _make_sequence_estimate(value, spread / count**2, count, confidence, tuned_count)


def estimate_ratio_sequentially(
    count: int,
    weights: float,
    weighted: float,
    products: tuple[float, float, float],
    confidence: float = DEFAULT_CONFIDENCE,
    tuned_count: int = DEFAULT_TUNED_COUNT,
    bound: float = 0.0,
) -> Estimate:
    """Estimate the ratio of two means (a self-normalised mean) by a confidence sequence.

    The ratio R of sums over pairs (w, y) is the mean of y by weight; for a weighted mean of x, y is
    w x.  Its error is the mean of y - R w, divided by the mean of w (the delta method).

    Args:
        count: number of pairs, which are independent.
        weights, weighted: the sums of w and of y.
        products: the sums of w w, w y and y y.
        bound: the largest possible |y - R w| of a pair; 0 for no guard.

    All is NaN if the sum of w is 0.
    """
    if weights == 0:
        return Estimate(math.nan, math.nan, math.nan, count)
    value = weighted / weights
    ww, wy, yy = products
    spread = yy - 2 * value * wy + value * value * ww + UNSEEN_OBSERVATIONS * bound * bound
    return _make_sequence_estimate(
        value, max(spread, 0.0) / weights**2, count, confidence, tuned_count
    )


def _make_sequence_estimate(
    value: float, variance: float, count: int, confidence: float, tuned_count: int
) -> Estimate:
    if variance <= 0:
        return make_unbounded(value, count)
    half = compute_sequence_width(count, confidence, tuned_count) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, count)
