"""Quantiles of the normal, Student's, binomial and beta distributions; tail of chi-square.

Expansions and iterations replace scipy, whose import takes longer than simulating a million deals.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_LARGE_SAMPLE = 30
"""Degrees of freedom, or variance of a rank, from which expansions are used: they agree with exact
values to five digits, or within one rank."""


@lru_cache
def normal_quantile(confidence: float) -> float:
    """Return the two-sided quantile z of the normal distribution, 1.96 for 0.95.

    Raises ValueError for a confidence that is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, such as 0.95, not {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


# A review makes thousands of intervals; below 30 degrees of freedom a quantile takes 100 us.
@lru_cache(maxsize=1024)
def student_quantile(degrees_of_freedom: int, confidence: float) -> float:
    """Return the two-sided quantile t of Student's distribution.

    Source of the expansion: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = normal_quantile(confidence)
    n = degrees_of_freedom
    if n < _LARGE_SAMPLE:
        x = beta_quantile(1 - confidence, n / 2, 0.5)
        return math.sqrt(n * (1 - x) / x)
    fourth = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    third = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return fourth / n**3 + third / n**2 + (z**3 + z) / 4 / n + z


def student_tail(value: float, degrees_of_freedom: int) -> float:
    """Return P(T > value) of Student's distribution, for a positive value.

    Sources: NIST Digital Library of Mathematical Functions, 8.17, for the beta function; for many
    degrees of freedom, or a small value, the normal deviate of Abramowitz and Stegun, 26.7.8.
    """
    if degrees_of_freedom < _NEARLY_NORMAL and value > _SMALL_VALUE:
        a, b = degrees_of_freedom / 2, 0.5
        x = degrees_of_freedom / (degrees_of_freedom + value * value)
        scale = a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b)
        return math.exp(scale) * _beta_series(x, a, b) / 2
    z = value * (1 - 1 / (4 * degrees_of_freedom))
    z /= math.sqrt(1 + value * value / (2 * degrees_of_freedom))
    return math.erfc(z / math.sqrt(2)) / 2


_NEARLY_NORMAL = 300
_SMALL_VALUE = 0.5


def binomial_quantile(level: float, trials: int, probability: float) -> int:
    """Return the smallest k with P(X <= k) >= level, within one for many trials.

    Source of the expansion: Cornish and Fisher, Revue de l'Institut International de
    Statistique 5 (1938), with a correction of 1/2 for continuity.
    """
    variance = trials * probability * (1 - probability)
    if variance < _LARGE_SAMPLE:
        return _sum_binomial(level, trials, probability)
    z = NormalDist().inv_cdf(level)
    skew = (1 - 2 * probability) * (z * z - 1) / 6
    return math.ceil(trials * probability + z * math.sqrt(variance) + skew - 0.5)


def _sum_binomial(level: float, trials: int, probability: float) -> int:
    """Return the smallest k with P(X <= k) >= level, for a small variance."""
    if probability > 0.5:
        # Counted from the other end, where few terms lie before the quantile: P(X <= k) >= level
        # means P(trials - X < trials - k) <= 1 - level, so the tail begins above that level.
        above = math.nextafter(1 - level, 1)
        return trials - _sum_binomial(above, trials, 1 - probability)
    odds = probability / (1 - probability)
    total = term = math.exp(trials * math.log1p(-probability))
    rank = 0
    while total < level and rank < trials:
        term *= (trials - rank) / (rank + 1) * odds
        rank += 1
        total += term
    return rank


def chi_square_tail(value: float, degrees_of_freedom: int) -> float:
    """Return the probability that a chi-square variable exceeds the value: the p-value of a test.

    By the recurrence of the incomplete gamma function, exact for whole degrees of freedom.
    """
    half = value / 2
    if half <= 0:
        return 1.0
    odd = degrees_of_freedom % 2
    tail, shape = (math.erfc(math.sqrt(half)), 0.5) if odd else (math.exp(-half), 1.0)
    while shape < degrees_of_freedom / 2:
        tail += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
        shape += 1
    return min(tail, 1.0)


def beta_quantile(level: float, a: float, b: float) -> float:
    """Return the quantile of the beta distribution, for a much smaller than b or both small.

    Newton's method for the logit: from the mode of its density, which falls to either side, it
    comes to the quantile without passing it.
    """
    scale = _log_beta(a, b)
    logit, first = math.log(a / b), 0.0
    for _ in range(100):
        odds = math.exp(logit)
        x, rest = odds / (1 + odds), 1 / (1 + odds)
        density = math.exp(a * logit - (a + b) * math.log1p(odds) - scale)
        if x < 0.5:
            below = density * _beta_series(x, a, b)
        else:
            below = 1 - density * _beta_series(rest, b, a)
        step = (level - below) / density
        first = first or step
        if abs(step) < 1e-10 or (step > 0) != (first > 0):  # turning back: rounding
            break
        logit += step
    odds = math.exp(logit)
    return odds / (1 + odds)


def _log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function, for a large b without loss of digits.

    Source of the expansion (Stirling's): NIST Digital Library of Mathematical Functions, 5.11.1.
    """
    if b < 100:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    both = a + b
    rise = (b - 0.5) * math.log1p(a / b) + a * (math.log(both) - 1)
    rise += (1 / both - 1 / b) / 12 - (both**-3 - b**-3) / 360
    return math.lgamma(a) - rise


def _beta_series(x: float, a: float, b: float) -> float:
    """Return P(X <= x) of the beta distribution divided by the density of its logit.

    Source: NIST Digital Library of Mathematical Functions, 8.17.7 and 15.8.1.
    """
    total = term = 1 / a
    place = 0
    while term > 1e-16 * total:
        term *= x * (a + b + place) / (a + 1 + place)
        total += term
        place += 1
    return total
