"""Intervals for shares, means, spreads and quantiles, from integer counts.

What is counted comes as exact Python integers: a count, or a histogram `{value: number of
observations}`.  So nothing is lost in large sums, and the same counts give the same bytes.
The intervals take the observations as independent.  For rounds of whole games that holds as
well: each round is a fresh deal, and the rounds of game after game are one sequence of such
deals, wherever a game ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95

_LARGE = 30
"""Degrees of freedom, or variance of a rank, from which expansions replace scipy: they agree to
five digits, or within one rank, and importing scipy takes longer than simulating a million
deals does."""


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


def number(count: int) -> Estimate:
    """A plain count, which is what it is and has no interval."""
    return Estimate(float(count), math.nan, math.nan, count)


def share(count: int, observations: int, confidence: float = CONFIDENCE) -> Estimate:
    """Share count / observations with Wilson's score interval.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927); form as in Brown, Cai, DasGupta, Statistical Science 16 (2001).
    Raises ValueError unless 0 <= count <= observations.
    """
    if not 0 <= count <= observations:
        raise ValueError(f"a share needs 0 <= count <= observations, not {count} of {observations}")
    if observations == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    low, high = _wilson(count / observations, observations, confidence)
    return Estimate(count / observations, low, high, observations)


def weighted_share(
    proportion: float, effective: float, observations: int, confidence: float = CONFIDENCE
) -> Estimate:
    """A share of weighted observations with Wilson's interval for an effective number of them.

    Source of the effective number in place of the number: E. L. Korn and B. I. Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", Survey Methodology 24 (1998).
    """
    if effective <= 0:
        return Estimate(math.nan, math.nan, math.nan, observations)
    low, high = _wilson(proportion, effective, confidence)
    return Estimate(proportion, low, high, observations)


def _wilson(proportion: float, observations: float, confidence: float) -> tuple[float, float]:
    """The bounds of Wilson's interval."""
    z2 = normal_quantile(confidence) ** 2
    centre = (observations * proportion + z2 / 2) / (observations + z2)
    half = math.sqrt(z2) / (observations + z2)
    half *= math.sqrt(observations * proportion * (1 - proportion) + z2 / 4)
    # At the ends the formula gives 0 and 1 exactly, floating point only nearly.
    low = 0.0 if proportion == 0 else max(0.0, centre - half)
    high = 1.0 if proportion == 1 else min(1.0, centre + half)
    return low, high


def mean(histogram: Mapping[int, int], confidence: float = CONFIDENCE) -> Estimate:
    """Mean of a histogram with Student's interval; see `mean_of_sums`."""
    count, total, squares = _power_sums(histogram, 2)
    return mean_of_sums(count, total, squares, confidence)


def mean_of_sums(
    count: int,
    total: int,
    squares: int,
    confidence: float = CONFIDENCE,
    limits: tuple[float, float] | None = None,
) -> Estimate:
    """Mean total / count with Student's interval, t s / sqrt(n).

    `total` is the sum of the observations and `squares` that of their squares.  Observations that
    are all the same tell nothing of the spread: there is no interval then, unless `limits` say
    between what every observation lies (`_all_the_same`); no interval goes beyond them.
    Source: Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    if count == 0:
        return Estimate(math.nan, math.nan, math.nan, 0)
    value = total / count
    deviation = count * squares - total * total
    if deviation == 0:
        return _all_the_same(value, count, count, confidence, limits)
    half = student_quantile(count - 1, confidence)
    half *= math.sqrt(deviation / (count * count * (count - 1)))
    return within(Estimate(value, value - half, value + half, count), limits)


def within(estimate: Estimate, limits: tuple[float, float] | None) -> Estimate:
    """The estimate with an interval that does not go beyond what is possible at all."""
    if limits is None or math.isnan(estimate.low):
        return estimate
    low, high = limits
    return estimate._replace(low=max(low, estimate.low), high=min(high, estimate.high))


def _all_the_same(
    value: float,
    count: int,
    effective: float,
    confidence: float,
    limits: tuple[float, float] | None,
) -> Estimate:
    """A mean of observations that all have this value, `effective` ones of equal weight.

    What none of them was has at most the share that Wilson's interval leaves it, and is at most as
    far away as the limits are.  For shares, all 0 or all 1, that is Wilson's interval itself.
    """
    if limits is None:
        return Estimate(value, math.nan, math.nan, count)
    low, high = limits
    _, unseen = _wilson(0.0, effective, confidence)
    return Estimate(value, value - unseen * (value - low), value + unseen * (high - value), count)


def ratio_of_sums(
    count: int,
    weights: int,
    weighted: int,
    products: tuple[int, int, int],
    confidence: float = CONFIDENCE,
    limits: tuple[float, float] | None = None,
) -> Estimate:
    """Ratio of two means, with Student's interval of y - R w (the delta method).

    The ratio R is that of the sums over pairs (w, y); `products` are the sums of w w, w y and y y.
    NaN stands for the ratio if the weights' sum is 0, and for the bounds of one without spread
    unless `limits` say between what y / w always lies: as in `mean_of_sums`, by Kish's effective
    number of pairs.
    Source: W. G. Cochran, Sampling Techniques, 3rd ed. (1977), section 6.4.
    """
    if weights == 0:
        return Estimate(math.nan, math.nan, math.nan, count)
    ww, wy, yy = products
    value = weighted / weights
    spread = (yy * weights**2 - 2 * weighted * weights * wy + weighted**2 * ww) / weights**2
    if count < 2 or spread <= 0:
        return _all_the_same(value, count, weights**2 / ww, confidence, limits)
    half = student_quantile(count - 1, confidence)
    half *= math.sqrt(spread * count / (count - 1)) / weights
    return within(Estimate(value, value - half, value + half, count), limits)


def standard_deviation(histogram: Mapping[int, int], confidence: float = CONFIDENCE) -> Estimate:
    """Standard deviation s (divisor n - 1) with an interval that assumes no distribution.

    The large-sample variance of s^2, (m4 - s^4) / n with the fourth central moment m4 (Cramer,
    Mathematical Methods of Statistics, 1946, section 27.4), carried over to log s, where the
    interval is symmetric, so that its bounds are positive (Bonett, Computational Statistics &
    Data Analysis 50, 2006).
    """
    n, s1, s2, s3, s4 = _power_sums(histogram, 4)
    deviation = n * s2 - s1 * s1
    if n < 2:
        return Estimate(math.nan, math.nan, math.nan, n)
    value = math.sqrt(deviation / (n * (n - 1)))
    if deviation == 0:
        return Estimate(value, math.nan, math.nan, n)
    fourth = (n**3 * s4 - 4 * n**2 * s1 * s3 + 6 * n * s1**2 * s2 - 3 * s1**4) / n**4
    kurtosis = fourth / (deviation / n**2) ** 2
    step = student_quantile(n - 1, confidence) * math.sqrt(max(kurtosis - 1, 0) / n) / 2
    return Estimate(value, value * math.exp(-step), value * math.exp(step), n)


def quantile(
    histogram: Mapping[int, int], probability: float, confidence: float = CONFIDENCE
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
    values = _order_statistics(histogram, ranks)
    return Estimate(
        values[0], values[1] if low >= 1 else math.nan, values[2] if high <= n else math.nan, n
    )


@lru_cache
def normal_quantile(confidence: float) -> float:
    """The two-sided quantile z of the normal distribution, 1.96 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, such as 0.95, not {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def student_quantile(freedom: int, confidence: float) -> float:
    """The two-sided quantile t of Student's distribution with `freedom` degrees of freedom.

    Source of the expansion: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = normal_quantile(confidence)
    if freedom < _LARGE:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, (1 + confidence) / 2))
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


def binomial_quantile(level: float, trials: int, probability: float) -> int:
    """Smallest k with P(X <= k) >= level for binomial X; for many trials one off at most.

    Source of the expansion: Cornish and Fisher, Revue de l'Institut International de
    Statistique 5 (1938), with a correction of 1/2 for continuity.
    """
    variance = trials * probability * (1 - probability)
    if variance < _LARGE:
        from scipy.special import bdtr, bdtrik

        rank = math.ceil(float(bdtrik(level, trials, probability)))
        exceeds = rank > 0 and bdtr(rank - 1, trials, probability) >= level
        return rank - 1 if exceeds else rank
    z = NormalDist().inv_cdf(level)
    skew = (1 - 2 * probability) * (z * z - 1) / 6
    return math.ceil(trials * probability + z * math.sqrt(variance) + skew - 0.5)


def _power_sums(histogram: Mapping[int, int], degree: int) -> tuple[int, ...]:
    """Sums over the observations of their powers 0 (the number of them) to `degree`."""
    return tuple(
        sum(count * value**power for value, count in histogram.items())
        for power in range(degree + 1)
    )


def _order_statistics(histogram: Mapping[int, int], ranks: tuple[int, ...]) -> list[float]:
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
