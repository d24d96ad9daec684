"""Weighted means of what comes of calls, and of their differences, from sums alone.

A mean is sum w x / sum w over deals with weights w.  Its variance is that of the mean of
w (x - mean), divided by the square of the mean weight (the delta method; J. S. Liu, Monte Carlo
Strategies in Scientific Computing, 2001, section 2.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate, estimate_weighted_share, student_quantile

Float64Array = NDArray[np.float64]

ROUNDING_ERROR = 1e-12
"""What is no more than this part of a sum is an error of rounding."""


class Objective(NamedTuple):
    """What makes an option the best.

    Attributes:
        value: the quantity whose mean is to be the greatest.
        share: the quantity, a share, whose width may end a search.
        options: how many options there are to choose from, the first ones.
        bound: of `value`, as for `WeightedMoments.mean`.
    """

    value: int
    share: int
    options: int
    bound: float


@dataclass
class WeightedMoments:
    """Sums over deals of quantities of several options.

    Attributes:
        deals: deals, those without a weight included.
        weights: sum of w.
        squares: sum of w w.
        first: float64 (quantities, options), sums of w x.
        crossed: float64 (quantities, options), sums of w w x.
        products: float64 (quantities, options, options), sums of w w x y.
    """

    deals: int = 0
    weights: float = 0.0
    squares: float = 0.0
    first: Float64Array = field(default_factory=lambda: np.zeros((0, 0)))
    crossed: Float64Array = field(default_factory=lambda: np.zeros((0, 0)))
    products: Float64Array = field(default_factory=lambda: np.zeros((0, 0, 0)))

    def add(self, deals: int, weights: Float64Array, values: Float64Array) -> None:
        """Take in a block: weights (n,) and values (quantities, options, n)."""
        if self.deals == 0:
            quantities, options, _ = values.shape
            self.first = np.zeros((quantities, options))
            self.crossed = np.zeros((quantities, options))
            self.products = np.zeros((quantities, options, options))
        squares = weights * weights
        self.deals += deals
        self.weights += float(weights.sum())
        self.squares += float(squares.sum())
        self.first += values @ weights
        self.crossed += values @ squares
        self.products += (values * squares) @ values.transpose(0, 2, 1)

    @property
    def effective_sample_size(self) -> float:
        """The effective number of deals, (sum w)^2 / sum w^2 (L. Kish, Survey Sampling, 1965)."""
        return self.weights**2 / self.squares if self.squares > 0 else 0.0

    def value(self, quantity: int, option: int) -> float:
        """A weighted mean."""
        return float(self.first[quantity, option] / self.weights)

    def mean(
        self, quantity: int, option: int, confidence: float, *, baseline: int | None = None,
        sequential: bool = False, is_share: bool = False, bound: float = 0.0,
    ) -> Estimate:  # fmt: skip
        """A mean with its interval.

        Args:
            quantity, option: which.
            confidence: of the interval.
            baseline: another option whose value is taken off, deal by deal.
            sequential: whether the interval is to hold at every moment (`analysis.sequences`).
            is_share: whether the values are 0 and 1: then the interval is a share's.
            bound: the largest distance of a value from the mean, against which a sequential
                interval guards if it is rare; 0 for none.
        """
        first, crossed, product = self._moments(quantity, option, baseline)
        if is_share:
            return self.share(first, product, confidence, sequential)
        if sequential:
            return self._estimate_sequential(first, crossed, product, confidence, bound)
        value = first / self.weights
        spread = product - 2 * value * crossed + value * value * self.squares
        # What is all the same differs by rounding errors only.
        variance = 0.0 if spread <= ROUNDING_ERROR * product else spread / self.weights**2
        if variance == 0 or self.effective_sample_size < 2:
            return Estimate(value, math.nan, math.nan, self.deals)
        half = student_quantile(int(self.effective_sample_size) - 1, confidence) * math.sqrt(
            variance
        )
        return Estimate(value, value - half, value + half, self.deals)

    def share(
        self, weights: float, squares: float, confidence: float, sequential: bool = False
    ) -> Estimate:
        """The share of deals with a property: sums of their w and of their w w."""
        if sequential:
            found = self._estimate_sequential(weights, squares, squares, confidence, 1.0)
            return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))
        value = min(max(weights / self.weights, 0.0), 1.0)
        spread = (1 - 2 * value) * squares + value * value * self.squares
        number = self.effective_sample_size
        if spread > ROUNDING_ERROR * self.squares:
            number = min(number, value * (1 - value) * self.weights**2 / spread)
        else:
            value = float(round(value))
        return estimate_weighted_share(value, number, self.deals, confidence)

    def ranking(self, by: Objective) -> tuple[int, ...]:
        """Return the options, the one with the greatest mean first; equal ones by number."""
        if self.weights == 0:
            return tuple(range(by.options))
        values = [self.value(by.value, option) for option in range(by.options)]
        return tuple(sorted(range(by.options), key=lambda option: (-values[option], option)))

    def best(self, by: Objective) -> int:
        """Return the option with the greatest mean; of equal ones the first."""
        return self.ranking(by)[0]

    def is_conclusive(self, best: int, by: Objective, width: float, confidence: float) -> bool:
        """Return whether enough is known to stop, by intervals that hold at every moment.

        That is if the share of the best option is known to `width`, or if it is certain that it
        is the best.  Not before deals tell as much as `intervals.FIRST_LOOK` equal ones: with few
        of much weight the spread is not known, however many were drawn.

        Args:
            best: the option that is taken for the best.
            by: what makes an option the best.
            width: half-width, to either side.
            confidence: of the share's interval, and of all comparisons together.
        """
        if self.effective_sample_size < intervals.FIRST_LOOK:
            return False
        known = self.mean(by.share, best, confidence, sequential=True, is_share=True)
        if max(known.high - known.value, known.value - known.low) <= width:
            return True
        others = [other for other in range(by.options) if other != best]
        # All comparisons are to hold at once (Bonferroni).
        each = 1 - (1 - confidence) / max(1, len(others))
        return bool(others) and all(
            self.mean(by.value, best, each, baseline=other, sequential=True, bound=by.bound).low > 0
            for other in others
        )

    def _estimate_sequential(
        self, first: float, crossed: float, product: float, confidence: float, bound: float
    ) -> Estimate:
        """A mean by its sums of w x, w w x, w w x x, with an interval for every moment."""
        # What was not seen so far would be seen in a deal of the weight that deals have.
        bound *= self.squares / self.weights
        sums = (self.squares, crossed, product)
        return intervals.estimate_ratio_sequentially(
            self.deals, self.weights, first, sums, confidence, bound=bound
        )

    def _moments(
        self, quantity: int, option: int, baseline: int | None
    ) -> tuple[float, float, float]:
        """Sums of w x, w w x, w w x x of a quantity, or of its difference to another option."""
        first, crossed = self.first[quantity], self.crossed[quantity]
        products = self.products[quantity]
        if baseline is None:
            return float(first[option]), float(crossed[option]), float(products[option, option])
        both = (
            products[option, option] - 2 * products[option, baseline] + products[baseline, baseline]
        )
        return (
            float(first[option] - first[baseline]),
            float(crossed[option] - crossed[baseline]),
            float(both),
        )
