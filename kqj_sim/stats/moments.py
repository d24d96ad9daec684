"""Numbers of observations, their sums, and the sums of their products; and weighted means of them.

Means, differences, ratios, regressions and their intervals follow from these.  Integer moments are
exact, so that the order in which they are added, and hence threads and chunks, cannot change a
result.

A weighted mean is sum w x / sum w over deals with weights w.  Its variance is that of the mean of
w (x - mean), divided by the square of the mean weight (the delta method; J. S. Liu, Monte Carlo
Strategies in Scientific Computing, 2001, section 2.5).  Deals that share lists of hands
(`core.observed_calls`) are not independent: there the variance is that between the lists' sums of
w (x - mean) (a cluster sample: W. G. Cochran, Sampling Techniques, 3rd ed., 1977, chapter 9).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.core.weighted_draws import add_weighted
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate, estimate_weighted_share
from kqj_sim.stats.quantiles import normal_quantile, student_quantile

Number = TypeVar("Number", int, float)

Index: TypeAlias = int | slice | tuple[int | slice, ...]

_EXACT_IN_FLOAT64 = 2**53

_BLAS_PAYS_FROM = 8
"""Variables from which a product of matrices is left to the BLAS, whose threads wait busily: for a
pair of policies they doubled the processor time of a comparison."""

NO_LISTS = np.empty(0, dtype=np.int64)
"""The lists of deals that share none."""

_CLEAR_LEAD = 2.2
"""Half-widths of a 95% interval by which an option leads another that cannot be the best: 4.3
standard errors, 99.9% for 50 comparisons jointly (Bonferroni)."""

_MIN_COMPARED = 250
"""Effective deals from which differences of scores are spread normally so far out."""

ROUNDING_ERROR = 1e-12
"""Share of a sum up to which a difference is a rounding error."""


@dataclass
class Moments(Generic[Number]):
    """Moments of k variables, for any number of groups of observations and of series.

    Groups are disjoint sets of observations, such as strata.  Series are sets of k variables of the
    same observations, such as one set for each player.

    Attributes:
        count: int64 (*groups), the number of observations.
        sums: int64 or float64 (*groups, *series, k).
        products: the sums of products, (*groups, *series, k, k).
    """

    count: Int64Array
    sums: NDArray[Any]
    products: NDArray[Any]

    @classmethod
    def zeros(
        cls, shape: tuple[int, ...], groups: tuple[int, ...] = (), *, kind: type[Number]
    ) -> Moments[Number]:
        """Return moments of no observations; `shape`: numbers of series and, last, of variables.

        `kind` is int for exact moments, float for weighted ones.
        """
        dtype = np.int64 if kind is int else np.float64
        whole = groups + shape
        return Moments(
            np.zeros(groups, np.int64), np.zeros(whole, dtype), np.zeros(whole + shape[-1:], dtype)
        )

    def __getitem__(self, index: Index) -> Moments[Number]:
        """Return a view of some groups, and of some series if `index` goes on beyond the groups."""
        axes: tuple[int | slice, ...] = index if isinstance(index, tuple) else (index,)
        of_groups: Any = axes[: self.count.ndim]
        count = self.count[(*of_groups, ...)]  # With the ellipsis it is a view, never a number.
        return Moments(count, self.sums[axes], self.products[axes])

    def observe(self, values: Int64Array) -> None:
        """Add observations of integer moments without groups, int64 (*series, k, n)."""
        number = values.shape[-1]
        largest = int(np.abs(values).max(initial=0))
        # Matrix products of floating-point numbers are fast, and exact as long as they are small.
        is_exact = largest**2 * number < _EXACT_IN_FLOAT64
        factors = values.astype(np.float64) if is_exact else values
        self.count += number
        self.sums += values.sum(axis=-1)
        if values.shape[-2] < _BLAS_PAYS_FROM:
            products = np.einsum("...in,...jn->...ij", factors, factors)
        else:
            products = factors @ np.swapaxes(factors, -1, -2)
        self.products += products.astype(np.int64)

    def add(self, other: Moments[Number]) -> None:
        """Add the moments of other observations."""
        self.count += other.count
        self.sums += other.sums
        self.products += other.products

    def pool(self) -> Moments[Number]:
        """Return the moments of all groups together."""
        axes = tuple(range(self.count.ndim))
        return Moments(
            np.asarray(self.count.sum()), self.sums.sum(axis=axes), self.products.sum(axis=axes)
        )

    def regroup(self, groups: tuple[int, ...]) -> Moments[Number]:
        """Return a view with the same groups in another shape."""
        axes = self.count.ndim
        return Moments(
            self.count.reshape(groups),
            self.sums.reshape(groups + self.sums.shape[axes:]),
            self.products.reshape(groups + self.products.shape[axes:]),
        )

    def total(self, variable: int) -> Number:
        """Return the sum of a variable."""
        total: Number = self.sums[variable].item()
        return total

    def product(self, one: int, other: int) -> Number:
        """Return the sum of the products of two variables."""
        total: Number = self.products[one, other].item()
        return total

    def summarize(self, variable: int) -> tuple[int, Number, Number]:
        """Return the number of observations, the sum of a variable and the sum of its squares."""
        return int(self.count), self.total(variable), self.product(variable, variable)

    def summarize_difference(self, one: int, other: int) -> tuple[int, Number, Number]:
        """Return the same of the difference of two variables."""
        squares = self.product(one, one) - 2 * self.product(one, other) + self.product(other, other)
        return int(self.count), self.total(one) - self.total(other), squares

    def summarize_pair(
        self, one: int, other: int
    ) -> tuple[int, Number, Number, tuple[Number, Number, Number]]:
        """Return the number of observations, both sums, and the products 1 x 1, 1 x 2 and 2 x 2."""
        products = self.product(one, one), self.product(one, other), self.product(other, other)
        return int(self.count), self.total(one), self.total(other), products


def multiply(one: Float64Array, other: Float64Array) -> Float64Array:
    """Multiply small arrays as `one @ other`, (..., n) by (n,) or (n, p), alike on all processors.

    numpy's `@` uses a BLAS, which adds in another order on each kind of processor.
    """
    if other.ndim == 1:
        return np.asarray((one * other).sum(axis=-1))
    return np.asarray((one[..., np.newaxis] * other).sum(axis=-2))


def count_by_group(groups: Int64Array, values: Int64Array, group_count: int) -> Moments[int]:
    """Return the moments of observations that belong to groups.

    Args:
        groups: int64 (n,), the group of each observation.
        values: int64 (k, n), the variables; their products' sums are below 2**53.
    """
    variables = len(values)
    moments = Moments.zeros((variables,), (group_count,), kind=int)
    moments.count += np.bincount(groups, minlength=group_count)
    for one, value in enumerate(values):
        moments.sums[:, one] = np.bincount(groups, value, group_count)
        for other in range(variables):
            product = np.bincount(groups, value * values[other], group_count)
            moments.products[:, one, other] = product
    return moments


class Objective(NamedTuple):
    """The criterion by which options are ranked.

    Attributes:
        value: the quantity whose mean is maximised.
        share: the quantity, a share, whose precision may end a search.
        options: number of options to choose from, the first ones.
        bound: of `value`, as for `WeightedMoments.estimate_mean`.
    """

    value: int
    share: int
    options: int
    bound: float


class WeightedMoments(NamedTuple):
    """Moments of quantities x of several options over weighted deals.

    The page compiles it (`tools/page/functions.py`).

    Attributes:
        deal_count: int64 (1,), the number of deals, those without a weight included.
        sums: float64 (quantities, 1 + options): the sums of w and, for each option, of w x.
        products: the sums of their products, (quantities, 1 + options, 1 + options); of deals that
            share lists those of their sums.
        deal_squares: float64 (1,), the sum of w w by deals.
    """

    deal_count: Int64Array
    sums: Float64Array
    products: Float64Array
    deal_squares: Float64Array

    @classmethod
    def zeros(cls, quantities: int, options: int) -> WeightedMoments:
        """Return the moments of no deals."""
        size = 1 + options
        sums, products = np.zeros((quantities, size)), np.zeros((quantities, size, size))
        return WeightedMoments(np.zeros(1, dtype=np.int64), sums, products, np.zeros(1))

    def add(
        self, deals: int, weights: Float64Array, values: Float64Array, lists: Int64Array = NO_LISTS
    ) -> None:
        """Add a block of deals.

        Args:
            weights: float64 (n,).
            values: float64 (quantities, options, n).
            lists: int64 (n,), as of `core.weighted_draws.add_weighted`.
        """
        self.deal_count[0] += deals
        add_weighted(weights, values, lists, self.sums, self.products, self.deal_squares)

    def select(self, options: Sequence[int]) -> WeightedMoments:
        """Return the moments of some of the options, by their numbers."""
        columns = [0, *(1 + option for option in options)]
        sums, products = self.sums[:, columns], self.products[:, columns][:, :, columns]
        return WeightedMoments(self.deal_count.copy(), sums, products, self.deal_squares.copy())

    @property
    def deals(self) -> int:
        """Number of deals, those without a weight included."""
        return int(self.deal_count[0])

    @property
    def weights(self) -> float:
        """Sum of the weights."""
        return float(self.sums[0, 0])

    @property
    def squares(self) -> float:
        """Sum of the squares of the weights."""
        return float(self.deal_squares[0])

    @property
    def independent_squares(self) -> float:
        """Sum of the squares of the weights of independent observations, deals or lists."""
        return float(self.products[0, 0, 0])

    @property
    def effective_sample_size(self) -> float:
        """The effective number of deals, (sum w)^2 / sum w^2 (L. Kish, Survey Sampling, 1965)."""
        return self.weights**2 / self.squares if self.squares > 0 else 0.0

    def compute_mean(self, quantity: int, option: int) -> float:
        """Return a weighted mean."""
        return float(self.sums[quantity, 1 + option]) / self.weights

    def estimate_mean(
        self, quantity: int, option: int, confidence: float, baseline: int | None = None,
        sequential: bool = False, is_share: bool = False, bound: float = 0.0,
    ) -> Estimate:  # fmt: skip
        """Estimate a weighted mean.

        Args:
            baseline: another option, whose value is subtracted deal by deal.
            sequential: make an interval that holds at every moment (a confidence sequence).
            is_share: the values are 0 and 1; make the interval of a share.
            bound: the largest distance of a value from the mean, against which a sequential
                interval guards if it is rare; 0 for none.
        """
        first, crossed, product = self._summarize(quantity, option, baseline)
        if is_share:
            return self.estimate_share(first, crossed, product, confidence, sequential)
        if sequential:
            return self._estimate_sequentially(first, crossed, product, confidence, bound)
        value = first / self.weights
        spread = product - 2 * value * crossed + value * value * self.independent_squares
        # Equal values differ by rounding errors only.
        variance = 0.0 if spread <= ROUNDING_ERROR * product else spread / self.weights**2
        if variance == 0:
            return Estimate(value, math.nan, math.nan, self.deals)
        number = int(self.weights**2 / self.independent_squares)
        reach = intervals.compute_reach(number, confidence)
        half = reach * math.sqrt(variance)
        return Estimate(value, value - half, value + half, self.deals)

    def estimate_share(
        self, weights: float, crossed: float, squares: float, confidence: float,
        sequential: bool = False,
    ) -> Estimate:  # fmt: skip
        """Estimate the share of deals with a property.

        Args:
            weights: the sum of w of these deals.
            crossed, squares: the sum of w w, where the first, or both, are of these deals; other
                than each other only where deals share lists.
        """
        if sequential:
            estimate = self._estimate_sequentially(weights, crossed, squares, confidence, 1.0)
            low, high = max(0.0, estimate.low), min(1.0, estimate.high)
            return Estimate(estimate.value, low, high, estimate.observations)
        value = min(max(weights / self.weights, 0.0), 1.0)
        independent = self.independent_squares
        spread = squares - crossed + (1 - 2 * value) * crossed + value * value * independent
        number = self.effective_sample_size
        if spread > ROUNDING_ERROR * independent:
            number = min(number, value * (1 - value) * self.weights**2 / spread)
        else:
            value = float(round(value))
        if independent > self.squares:
            # The variance is that of so few lists.
            lists = max(2, int(self.weights**2 / independent))
            narrow = normal_quantile(confidence) / student_quantile(lists - 1, confidence)
            number *= narrow**2
        return estimate_weighted_share(value, number, self.deals, confidence)

    def ranking(self, by: Objective) -> Int64Array:
        """Return the options by falling mean, equal ones by number; int64 (options,)."""
        values = np.zeros(by.options)
        for option in range(by.options if self.weights > 0 else 0):
            # Equal values differ by rounding errors only.
            values[option] = round(self.compute_mean(by.value, option), 9)
        return np.argsort(-values, kind="mergesort")

    def best(self, by: Objective) -> int:
        """Return the option with the greatest mean; of equal ones the first."""
        return int(self.ranking(by)[0])

    def is_conclusive(self, best: int, by: Objective, width: float, confidence: float) -> bool:
        """Return whether enough is known to stop, by intervals that hold at every moment.

        That is if the share of the best option is known to `width`, or if it is certain that the
        option is the best; but not before the effective sample size is `sequences.FIRST_LOOK`, as
        few deals of much weight do not show the spread.

        Args:
            best: the option that is taken as the best.
            confidence: of the share's interval, and of all comparisons jointly.
        """
        if self.effective_sample_size < sequences.FIRST_LOOK:
            return False
        known = self.estimate_mean(by.share, best, confidence, sequential=True, is_share=True)
        if max(known.high - known.value, known.value - known.low) <= width:
            return True
        # Bonferroni: all comparisons hold jointly.
        level = 1 - (1 - confidence) / max(1, by.options - 1)
        for other in range(by.options):
            if other != best:
                lead = self.estimate_mean(
                    by.value, best, level, other, sequential=True, bound=by.bound
                )
                if not lead.low > 0:
                    return False
        return by.options > 1

    def find_possible(self, best: int, by: Objective) -> BoolArray:
        """Return which options may be the best, (options,), taking `best` as the best.

        Of up to 50 options the best is left out once in 1,000 times at most, if one looks once.
        """
        possible = np.ones(by.options, dtype=np.bool_)
        if self.effective_sample_size < _MIN_COMPARED:
            return possible
        for other in range(by.options):
            lead = self.estimate_mean(by.value, best, DEFAULT_CONFIDENCE, other)
            # If all deals differ by as much there is no interval.
            half = 0.0 if math.isnan(lead.low) else lead.value - lead.low
            possible[other] = lead.value <= _CLEAR_LEAD * half
        return possible

    def _estimate_sequentially(
        self, first: float, crossed: float, product: float, confidence: float, bound: float
    ) -> Estimate:
        """Estimate a mean from its sums of w x, w w x, w w x x, by a confidence sequence."""
        # An unseen observation is taken to have the weight that deals have on average.
        bound *= self.squares / self.weights
        sums = (self.independent_squares, crossed, product)
        return sequences.estimate_ratio_sequentially(
            self.deals, self.weights, first, sums, confidence, bound=bound
        )

    def _summarize(
        self, quantity: int, option: int, baseline: int | None
    ) -> tuple[float, float, float]:
        """Return sums of w x, w w x, w w x x of a quantity, or of its difference to `baseline`."""
        own = 1 + option
        first, crossed = float(self.sums[quantity, own]), float(self.products[quantity, 0, own])
        product = float(self.products[quantity, own, own])
        if baseline is None:
            return first, crossed, product
        other = 1 + baseline
        product -= 2 * float(self.products[quantity, own, other])
        product += float(self.products[quantity, other, other])
        first -= float(self.sums[quantity, other])
        return first, crossed - float(self.products[quantity, 0, other]), product
