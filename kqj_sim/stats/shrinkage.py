"""Means of a few people, shrunk towards the mean of all: empirical Bayes.

What somebody is worth differs from their mean by luck, so the best mean is too good and the worst
too bad.  If true means vary around one of all with the variance A, and a mean around its true one
with V, the best guess lies by the share B = V / (V + A) of the way towards the mean of all.

Sources: C. N. Morris, "Parametric empirical Bayes inference: theory and applications", JASA 78
(1983), for B and for intervals that know that A is an estimate; A itself by R. DerSimonian and N.
Laird, "Meta-analysis in clinical trials", Controlled Clinical Trials 7 (1986).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.stats.intervals import Estimate, make_plain
from kqj_sim.stats.quantiles import student_quantile

MIN_SHRUNK = 4
"""Means, at least, that are shrunk: fewer tell too little of how far people differ."""

MIN_FREEDOM = 9
"""Degrees of freedom of the variance, at least, for intervals."""


class ShrunkMeans(NamedTuple):
    """Shrunk means.

    Attributes:
        values: float64 (n,), the means.
        errors: float64 (n,), their standard errors; infinite if the observations are too few, or
            all alike.
        counts: int64 (n,), the observations.
        reach: Student's quantile, the half-width of an interval in standard errors.
    """

    values: Float64Array
    errors: Float64Array
    counts: Int64Array
    reach: float

    def estimate(self) -> list[Estimate]:
        """Return the means with their intervals."""
        halves = self.reach * self.errors
        columns = self.values, self.values - halves, self.values + halves, self.counts
        return [make_plain(Estimate(*numbers)) for numbers in zip(*columns, strict=True)]

    def rank(self) -> list[int]:
        """Return the ranks, the lowest mean first; who cannot be told apart shares one.

        A rank is one more than the number of those who are shown to be lower.  Shrunk means need no
        correction for their number: A. Gelman, J. Hill and M. Yajima, "Why we (usually) don't have
        to worry about multiple comparisons", Journal of Research on Educational Effectiveness 5
        (2012).
        """
        leads = self.values[:, None] - self.values
        reach = self.reach * np.hypot(self.errors[:, None], self.errors)
        return [1 + int(count) for count in (leads > reach).sum(axis=1)]


def shrink_means(
    samples: Sequence[Sequence[float]], noise: float, confidence: float
) -> ShrunkMeans:
    """Shrink the means of losses that are rare and large, or 0: their variance grows as their mean.

    The variance of a person's own few losses would be low just where their mean is, so that lucky
    people would have too short intervals.  It is taken as `noise`, plus a multiple of the mean that
    is the same for all.

    Args:
        samples: the losses of each person, at least one.
        noise: the known variance that each loss has by how it was measured.
    """
    means = np.array([math.fsum(sample) / len(sample) for sample in samples])
    counts = np.array([len(sample) for sample in samples])
    freedom = int((counts - 1).sum())
    squares = [
        np.square(np.asarray(own) - mean).sum() for own, mean in zip(samples, means, strict=True)
    ]
    if freedom < MIN_FREEDOM or not any(squares):
        return ShrunkMeans(means, np.full(len(means), math.inf), counts, 1.0)
    pooled = sum(squares) / freedom
    typical = float(((counts - 1) * means).sum()) / freedom
    growth = max(0.0, pooled - noise) / typical if typical > 0 else 0.0
    number = len(means)
    # The same variance for all decides how far means are shrunk, whatever their own losses.
    variances = pooled / counts
    between = find_between_variance(means, variances)
    weights = 1 / (variances + between)
    centre = float((weights * means).sum() / weights.sum())
    shares = np.zeros(number)
    if number >= MIN_SHRUNK:
        shares = (number - 3) / (number - 1) * variances * weights
    values = means - shares * (means - centre)
    own = (noise + growth * np.maximum(values, 0)) / counts if growth else variances
    squared = own * (1 - (1 - weights / weights.sum()) * shares)
    if number >= MIN_SHRUNK:
        unsure = (variances.mean() + between) * weights * np.square(shares * (means - centre))
        squared += 2 / (number - 3) * unsure
    return ShrunkMeans(values, np.sqrt(squared), counts, student_quantile(freedom, confidence))


def find_between_variance(means: Float64Array, variances: Float64Array) -> float:
    """Return the variance of true means, given those of the errors of means; 0 if none is shown."""
    weights = 1 / variances
    total = weights.sum()
    squares = (weights * np.square(means - (weights * means).sum() / total)).sum()
    return max(0.0, float((squares - len(means) + 1) / (total - np.square(weights).sum() / total)))
