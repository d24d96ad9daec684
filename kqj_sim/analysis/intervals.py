"""Intervals for shares, means, spreads and quantiles, from integer counts.

What is counted comes as exact Python integers: a count, or a histogram `{value: number of
observations}`.  So nothing is lost in large sums, and the same counts give the same bytes.
The intervals take the observations as independent.  For rounds of whole games that holds as
well: each round is a fresh deal, and the rounds of game after game are one sequence of such
deals, wherever a game ends.

Intervals that hold at every moment: one may look after each batch and stop when one likes.

An interval of a fixed number of observations leaves the truth in 5% of the runs *at that number*;
whoever looks again and again and stops at the first good moment leaves it far more often.  A
confidence sequence leaves it in 5% of the runs *ever*.  The price: at its best it is half as wide
again as Student's interval of the same data.

The sequences here are the asymptotic ones of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy
and A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
Statistics 52 (2024), theorem 2.2: Robbins' normal mixture with the variance estimated.  As they
rest on the central limit theorem they ask for a number of observations before the first look,
`FIRST_LOOK`; and since scores are bounded but may differ rarely and by much, a `bound` can be
given: `UNSEEN_OBSERVATIONS` more observations of that size are counted in the variance.  That fades
like 1/n. An event that was not seen in n observations may well have a probability of 3/n, and few
of them
tell little of how many there are: with differences of 600 points once in 2,000 deals the variance
alone leaves the truth in 60% of the runs (`tests/analysis/test_sequences.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from kqj_sim.analysis.quantiles import (
    beta_quantile,
    binomial_quantile,
    normal_quantile,
    student_quantile,
)

DEFAULT_CONFIDENCE = 0.95

FEW = 40
"""Events, or non-events, below which a share has the interval of Clopper and Pearson.  Where
Wilson's begins at 20 it holds the truth in 93.6% of the runs at worst, where it begins at 40 in
94.1%, and the intervals that change are at most a sixteenth wider."""

ENOUGH_FOR_DEVIATION = 1000
"""Observations from which a standard deviation is given.  With fewer, a peak far from the rest (a
Capot's 400 points, once in 200 deals) is too often missing from the sample: of 100 deals of
`greedy` no interval that was tried, a bootstrap's included, holds the truth in more than 84% of the
runs."""


class Estimate(NamedTuple):
    """A number, its interval, and the number of observations behind it.

    NaN stands for a number that the observations do not give, and for a bound where an
    interval has no meaning or does not end.
    """

    value: float
    low: float
    high: float
    observations: int

    def scaled(self, factor: float) -> Estimate:
        """The estimate of `factor`, positive, times the quantity."""
        return Estimate(
            self.value * factor, self.low * factor, self.high * factor, self.observations
        )


def make_count(count: int) -> Estimate:
    """A plain count, which is what it is and has no interval."""
    return Estimate(float(count), math.nan, math.nan, count)


def estimate_share(
    count: int, observations: int, confidence: float = DEFAULT_CONFIDENCE
) -> Estimate:
    """Return the share count / observations with its interval (`_share_bounds`).

    Raises ValueError unless 0 <= count <= observations.
    """
    if not 0 <= count <= observations:
        raise ValueError(f"a share needs 0 <= count <= observations, not {count} of {observations}")
    if observations == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    low, high = _share_bounds(count, observations - count, confidence)
    return Estimate(count / observations, low, high, observations)


def estimate_weighted_share(
    proportion: float,
    effective_sample_size: float,
    observations: int,
    confidence: float = DEFAULT_CONFIDENCE,
) -> Estimate:
    """Return a share of weighted observations, its interval that of an effective number of them.

    Source of the effective number in place of the number: E. L. Korn and B. I. Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", Survey Methodology 24 (1998).
    """
    if effective_sample_size <= 0:
        return Estimate(math.nan, math.nan, math.nan, observations)
    low, high = _share_bounds(
        proportion * effective_sample_size, (1 - proportion) * effective_sample_size, confidence
    )
    return Estimate(proportion, low, high, observations)


def _share_bounds(events: float, others: float, confidence: float) -> tuple[float, float]:
    """Return the bounds of the share events / (events + others); the numbers need not be whole.

    Clopper and Pearson's, which hold the truth at least as often as they say, where either number
    is below FEW, since Wilson's hold a share of 0.001 in 92% of 1,000 observations; else Wilson's.
    """
    if min(events, others) >= FEW:
        return _compute_wilson_bounds(events, others, confidence)
    if events <= others:
        return _clopper_pearson(events, others, confidence)
    low, high = _clopper_pearson(others, events, confidence)
    return 1 - high, 1 - low


def _compute_wilson_bounds(events: float, others: float, confidence: float) -> tuple[float, float]:
    """Return the bounds of Wilson's score interval.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927); form as in Brown, Cai, DasGupta, Statistical Science 16 (2001).
    """
    number = events + others
    z2 = normal_quantile(confidence) ** 2
    centre = (events + z2 / 2) / (number + z2)
    half = math.sqrt(z2 * (events * others / number + z2 / 4)) / (number + z2)
    return centre - half, centre + half


@lru_cache(maxsize=4096)
def _clopper_pearson(events: float, others: float, confidence: float) -> tuple[float, float]:
    """Return the bounds of the exact interval: of shares with which neither tail is too rare.

    Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated
    in the case of the binomial", Biometrika 26 (1934); by quantiles of the beta distribution.
    """
    normal_quantile(confidence)  # refuses what is none
    tail = max((1 - confidence) / 2, 1e-9)  # of smaller ones rounding errors leave nothing
    if events == 0:
        return 0.0, -math.expm1(math.log(tail) / others)
    return beta_quantile(tail, events, others + 1), beta_quantile(1 - tail, events + 1, others)


def estimate_mean(
    histogram: Mapping[int, int],
    confidence: float = DEFAULT_CONFIDENCE,
    limits: tuple[float, float] | None = None,
) -> Estimate:
    """Return the mean of a histogram with its interval; see `estimate_mean_from_sums`.

    Without `limits` the least and the greatest value are what few observations may differ from.
    """
    count, total, squares = _compute_power_sums(histogram, 2)
    if limits is None and len(histogram) > 1:
        ends = (min(histogram), max(histogram))
        rare = _rare_events(count, total, squares, confidence, ends)
        if rare is not None:
            return rare
    return estimate_mean_from_sums(count, total, squares, confidence, limits)


def estimate_mean_from_sums(
    count: int,
    total: int,
    squares: int,
    confidence: float = DEFAULT_CONFIDENCE,
    limits: tuple[float, float] | None = None,
) -> Estimate:
    """Return the mean total / count with Student's interval, t s / sqrt(n).

    `total` is the sum of the observations and `squares` that of their squares.  Observations that
    are all the same tell nothing of the spread: there is no interval then, unless `limits` say
    between what every observation lies (`_estimate_constant`); no interval goes beyond them.  If
    few observations differ from one of the limits, the interval is that of rare events
    (`_rare_events`).
    Source: Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    if count == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value = total / count
    deviation = count * squares - total * total
    if deviation == 0:
        return _estimate_constant(value, count, count, confidence, limits)
    rare = limits and _rare_events(count, total, squares, confidence, limits)
    if rare:
        return clip_estimate(rare, limits)
    half = student_quantile(count - 1, confidence)
    half *= math.sqrt(deviation / (count * count * (count - 1)))
    return clip_estimate(Estimate(value, value - half, value + half, count), limits)


def _rare_events(
    count: int, total: int, squares: int, confidence: float, ends: tuple[float, float]
) -> Estimate | None:
    """Return a mean with the interval of a share, if few observations differ from either end.

    The total distance d from that end is taken as that of (sum d)^2 / sum d^2 events of the same
    size (Kish's effective number), whose share has the interval.  Student's would be far too
    narrow, or go beyond the end: with so few events their number, not their size, is uncertain.
    None if there are FEW such events, or if they are not rare.
    """
    for end, sign in zip(ends, (1, -1), strict=True):
        distance = sign * (total - count * end)
        squared = squares - 2 * end * total + count * end * end
        if distance <= 0 or distance**2 >= squared * min(FEW, count / 4):
            continue
        events, size = distance**2 / squared, sign * squared / distance
        bounds = _share_bounds(events, count - events, confidence)
        low, high = sorted(end + size * bound for bound in bounds)
        return Estimate(total / count, low, high, count)
    return None


def clip_estimate(estimate: Estimate, limits: tuple[float, float] | None) -> Estimate:
    """The estimate with an interval that does not go beyond what is possible at all."""
    if limits is None or math.isnan(estimate.low):
        return estimate
    low, high = limits
    return estimate._replace(low=max(low, estimate.low), high=min(high, estimate.high))


def _estimate_constant(
    value: float,
    count: int,
    effective: float,
    confidence: float,
    limits: tuple[float, float] | None,
) -> Estimate:
    """Return a mean of observations that all have this value, `effective` ones of equal weight.

    What none of them was has at most the share that the interval of a share leaves it, and is at
    most as far away as the limits are.  For shares, all 0 or all 1, that is their interval itself.
    """
    if limits is None:
        return Estimate(value, math.nan, math.nan, count)
    low, high = limits
    _, unseen = _share_bounds(0, effective, confidence)
    return Estimate(value, value - unseen * (value - low), value + unseen * (high - value), count)


def estimate_ratio_from_sums(
    count: int,
    weights: int,
    weighted: int,
    products: tuple[int, int, int],
    confidence: float = DEFAULT_CONFIDENCE,
    is_share: bool = False,
) -> Estimate:
    """Return the ratio of two means, with Student's interval of y - R w (the delta method).

    The ratio R is that of the sums over pairs (w, y); `products` are the sums of w w, w y and y y.
    A share, which lies between 0 and 1, has the interval of a share (`estimate_weighted_share`) of
    as many observations as tell as much; without spread, of Kish's effective number of pairs. NaN
    stands for the ratio if the weights' sum is 0, and for the bounds of one without spread that is
    no share.
    Source: W. G. Cochran, Sampling Techniques, 3rd ed. (1977), section 6.4.
    """
    if weights == 0:
        return Estimate(math.nan, math.nan, math.nan, count)
    ww, wy, yy = products
    value = weighted / weights
    spread = (yy * weights**2 - 2 * weighted * weights * wy + weighted**2 * ww) / weights**2
    if count < 2 or spread <= 0:
        limits = (0.0, 1.0) if is_share else None
        return _estimate_constant(value, count, weights**2 / ww, confidence, limits)
    variance = spread * count / (count - 1) / weights**2
    if is_share:
        return estimate_weighted_share(value, value * (1 - value) / variance, count, confidence)
    half = student_quantile(count - 1, confidence) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, count)


def estimate_standard_deviation(
    histogram: Mapping[int, int], confidence: float = DEFAULT_CONFIDENCE
) -> Estimate:
    """Return the standard deviation s (divisor n - 1) with an interval for any distribution.

    The variance is the mean of the squared deviations, which are so skewed that Student's interval
    leaves the truth far more often on one side.  Hall's cubic transformation takes the skewness out
    of Student's t, and its inverse gives the bounds.  The value and the bounds are NaN for fewer
    than ENOUGH_FOR_DEVIATION observations, the bounds without spread.
    Source: P. Hall, "On the removal of skewness by transformation", Journal of the Royal
    Statistical Society B 54 (1992).
    """
    n = sum(histogram.values())
    if n < ENOUGH_FOR_DEVIATION:
        return Estimate(math.nan, math.nan, math.nan, n)
    second, fourth, sixth = _central_moments(histogram, (2, 4, 6))
    value = math.sqrt(second / (n * (n - 1)))
    if second == 0 or fourth == second**2:
        return Estimate(value, math.nan, math.nan, n)
    kurtosis = fourth / second**2
    error = math.sqrt(kurtosis - 1)
    skewness = (sixth / second**3 - 3 * kurtosis + 2) / error**3
    reach = student_quantile(n - 1, confidence) / math.sqrt(n)
    low, high = (
        1 - error * _without_skewness(side * reach - skewness / (6 * n), skewness)
        for side in (1, -1)
    )
    return Estimate(value, value * math.sqrt(max(low, 0.0)), value * math.sqrt(high), n)


def _without_skewness(transformed: float, skewness: float) -> float:
    """Return t by t + skewness t^2 / 3 + skewness^2 t^3 / 27, Hall's transformation."""
    if abs(skewness * transformed) < 1e-9:
        return transformed
    return (math.cbrt(1 + skewness * transformed) - 1) * 3 / skewness


def estimate_quantile(
    histogram: Mapping[int, int], probability: float, confidence: float = DEFAULT_CONFIDENCE
) -> Estimate:
    """Smallest value below or at which a share `probability` lies, with its interval.

    The interval assumes no distribution: it lies between two order statistics whose ranks come
    from the binomial distribution of the number of observations up to the true quantile.
    A bound is NaN if there are too few observations for it.
    Source: W. J. Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section 3.2.
    """
    n = sum(histogram.values())
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    tail = (1 - confidence) / 2
    low = binomial_quantile(tail, n, probability)
    high = binomial_quantile(1 - tail, n, probability) + 1
    ranks = (max(1, math.ceil(n * probability)), low, high)
    values = _get_order_statistics(histogram, ranks)
    return Estimate(
        values[0], values[1] if low >= 1 else math.nan, values[2] if high <= n else math.nan, n
    )


def _compute_power_sums(histogram: Mapping[int, int], degree: int) -> tuple[int, ...]:
    """Sums over the observations of their powers 0 (the number of them) to `degree`."""
    return tuple(
        sum(count * value**power for value, count in histogram.items())
        for power in range(degree + 1)
    )


def _central_moments(histogram: Mapping[int, int], degrees: tuple[int, ...]) -> tuple[int, ...]:
    """Return the central moments of these degrees k times n^k, which are whole numbers."""
    n, total = _compute_power_sums(histogram, 1)
    return tuple(
        sum(count * (n * value - total) ** degree for value, count in histogram.items()) // n
        for degree in degrees
    )


def _get_order_statistics(histogram: Mapping[int, int], ranks: tuple[int, ...]) -> list[float]:
    """The values of these ranks, counted from 1; NaN for a rank that no observation has."""
    values = [math.nan] * len(ranks)
    below = 0
    for value in sorted(histogram):
        upto = below + histogram[value]
        for place, rank in enumerate(ranks):
            if below < rank <= upto:
                values[place] = float(value)
        below = upto
    return values


FIRST_LOOK = 1000
"""Observations before the first look: fewer say too little of the spread of scores."""

UNSEEN_OBSERVATIONS = 3
"""Observations of the size of the bound that might have been seen and were not: with a probability
of 3/n each, none of n is of that kind in 5% of the runs."""

DEFAULT_TUNED_COUNT = 10_000
"""Observations at which a sequence is narrowest unless asked otherwise.  A hundred times as many
cost a sixth of its width, a hundred times fewer make it three times as wide: better too few."""


def compute_sequence_width(
    count: int, confidence: float = DEFAULT_CONFIDENCE, tuned_count: int = DEFAULT_TUNED_COUNT
) -> float:
    """Standard errors to either side of a mean, valid at every number of observations.

    The two-sided boundary of theorem 2.2, sqrt(2 (n r + 1) / (n r) ln(sqrt(n r + 1) / alpha)) with
    r = rho^2, which is the least at n = `tuned_count` (equation 11 there, with Lambert's function
    solved by iteration).  3.04 at best for 95%, where a single look would need 1.96.

    Raises:
        ValueError: a confidence that is not between 0 and 1, numbers below 1.
    """
    if count < 1 or tuned_count < 1:
        raise ValueError(f"a sequence needs one observation or more, not {min(count, tuned_count)}")
    spread = _optimize_boundary(confidence) * count / tuned_count
    within = 2 * math.log(1 / (1 - confidence)) + math.log1p(spread)
    return math.sqrt((1 + 1 / spread) * within)


@lru_cache
def _optimize_boundary(confidence: float) -> float:
    """n r at which the boundary is least: the solution of x = ln(1 + x) + 2 ln(1 / alpha)."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, such as 0.95, not {confidence}")
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
    """Mean total / count with an interval that holds at every moment.

    Args:
        count: number of observations, which are independent.
        total, squares: their sum and the sum of their squares; exact if they are integers.
        confidence: share of runs in which the truth is in every interval from the first look on.
        tuned_count: number of observations at which the interval is narrowest.
        bound: the largest distance from the mean that an observation can have, if it should guard
            against rare ones (see the module); 0 for none.

    Without observations value and bounds are NaN; without spread and `bound` the bounds are.
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
    """Ratio of two means (a self-normalised mean) with an interval that holds at every moment.

    The ratio R of sums over pairs (w, y) is the mean of y by weight; for a weighted mean of x, y is
    w x.  Its error is the mean of y - R w, divided by the mean of w (the delta method).

    Args:
        count: number of pairs, which are independent.
        weights, weighted: the sums of w and of y.
        products: the sums of w w, w y and y y.
        confidence, tuned_count: as for `estimate_mean_sequentially`.
        bound: the largest |y - R w| that a pair can have; 0 for none.

    NaN stands for the ratio if the weights' sum is 0.
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
    """The interval around an estimate of that variance."""
    if variance <= 0:
        return Estimate(value, math.nan, math.nan, count)
    half = compute_sequence_width(count, confidence, tuned_count) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, count)
