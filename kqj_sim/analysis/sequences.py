"""Intervals that hold at every moment: one may look after each batch and stop when one likes.

An interval of a fixed number of observations leaves the truth in 5% of the runs *at that number*;
whoever looks again and again and stops at the first good moment leaves it far more often.  A
confidence sequence leaves it in 5% of the runs *ever*.  The price: at its best it is half as wide
again as Student's interval of the same data.

The sequences here are the asymptotic ones of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy
and A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
Statistics 52 (2024), theorem 2.2: Robbins' normal mixture with the variance estimated.  As they
rest on the central limit theorem they ask for a number of observations before the first look,
`FIRST_LOOK`; and since scores are bounded but may differ rarely and by much, a `bound` can be
given: `UNSEEN` more observations of that size are counted in the variance.  That fades like 1/n.
An event that was not seen in n observations may well have a probability of 3/n, and few of them
tell little of how many there are: with differences of 600 points once in 2,000 deals the variance
alone leaves the truth in 60% of the runs (`tests/analysis/test_sequences.py`).
"""

from __future__ import annotations

import math
from functools import lru_cache

from kqj_sim.analysis.intervals import CONFIDENCE, Estimate

FIRST_LOOK = 1000
"""Observations before the first look: fewer say too little of the spread of scores."""

UNSEEN = 3
"""Observations of the size of the bound that might have been seen and were not: with a probability
of 3/n each, none of n is of that kind in 5% of the runs."""

TUNED_FOR = 10_000
"""Observations at which a sequence is narrowest unless asked otherwise.  A hundred times as many
cost a sixth of its width, a hundred times fewer make it three times as wide: better too few."""


def standard_errors(
    count: int, confidence: float = CONFIDENCE, tuned_for: int = TUNED_FOR
) -> float:
    """Standard errors to either side of a mean, valid at every number of observations.

    The two-sided boundary of theorem 2.2, sqrt(2 (n r + 1) / (n r) ln(sqrt(n r + 1) / alpha)) with
    r = rho^2, which is the least at n = `tuned_for` (equation 11 there, with Lambert's function
    solved by iteration).  3.04 at best for 95%, where a single look would need 1.96.

    Raises:
        ValueError: a confidence that is not between 0 and 1, numbers below 1.
    """
    if count < 1 or tuned_for < 1:
        raise ValueError(f"a sequence needs one observation or more, not {min(count, tuned_for)}")
    spread = _best_spread(confidence) * count / tuned_for
    within = 2 * math.log(1 / (1 - confidence)) + math.log1p(spread)
    return math.sqrt((1 + 1 / spread) * within)


@lru_cache
def _best_spread(confidence: float) -> float:
    """n r at which the boundary is least: the solution of x = ln(1 + x) + 2 ln(1 / alpha)."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, such as 0.95, not {confidence}")
    start = -2 * math.log(1 - confidence)
    spread = start + 1
    for _ in range(100):
        spread = start + math.log1p(spread)
    return spread


def mean(
    count: int,
    total: float,
    squares: float,
    confidence: float = CONFIDENCE,
    tuned_for: int = TUNED_FOR,
    bound: float = 0.0,
) -> Estimate:
    """Mean total / count with an interval that holds at every moment.

    Args:
        count: number of observations, which are independent.
        total, squares: their sum and the sum of their squares; exact if they are integers.
        confidence: share of runs in which the truth is in every interval from the first look on.
        tuned_for: number of observations at which the interval is narrowest.
        bound: the largest distance from the mean that an observation can have, if it should guard
            against rare ones (see the module); 0 for none.

    Without observations value and bounds are NaN; without spread and `bound` the bounds are.
    """
    if count == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value = total / count
    spread = (count * squares - total * total) / count + UNSEEN * bound * bound
    return _around(value, spread / count**2, count, confidence, tuned_for)


def ratio(
    count: int,
    weights: float,
    weighted: float,
    products: tuple[float, float, float],
    confidence: float = CONFIDENCE,
    tuned_for: int = TUNED_FOR,
    bound: float = 0.0,
) -> Estimate:
    """Ratio of two means (a self-normalised mean) with an interval that holds at every moment.

    The ratio R of sums over pairs (w, y) is the mean of y by weight; for a weighted mean of x, y is
    w x.  Its error is the mean of y - R w, divided by the mean of w (the delta method).

    Args:
        count: number of pairs, which are independent.
        weights, weighted: the sums of w and of y.
        products: the sums of w w, w y and y y.
        confidence, tuned_for: as for `mean`.
        bound: the largest |y - R w| that a pair can have; 0 for none.

    NaN stands for the ratio if the weights' sum is 0.
    """
    if weights == 0:
        return Estimate(math.nan, math.nan, math.nan, count)
    value = weighted / weights
    ww, wy, yy = products
    spread = yy - 2 * value * wy + value * value * ww + UNSEEN * bound * bound
    return _around(value, max(spread, 0.0) / weights**2, count, confidence, tuned_for)


def _around(
    value: float, variance: float, count: int, confidence: float, tuned_for: int
) -> Estimate:
    """The interval around an estimate of that variance."""
    if variance <= 0:
        return Estimate(value, math.nan, math.nan, count)
    half = standard_errors(count, confidence, tuned_for) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, count)
