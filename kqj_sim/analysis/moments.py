"""Numbers of observations, their sums, and the sums of their products.

Means, differences, ratios, regressions and their intervals follow from these.  Integer moments are
exact, so that the order in which they are added, and hence threads and chunks, cannot change a
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.types import Float64Array, Int64Array

Number = TypeVar("Number", int, float)

Index: TypeAlias = int | slice | tuple[int | slice, ...]

_EXACT_IN_FLOAT64 = 2**53


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
        """Return the moments of no observations.

        Args:
            shape: numbers of series and, last, of variables.
            groups: numbers of groups.
            kind: int for exact moments, float for weighted ones.
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
        self.products += (factors @ np.swapaxes(factors, -1, -2)).astype(np.int64)

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
        found: Number = self.sums[variable].item()
        return found

    def product(self, one: int, other: int) -> Number:
        """Return the sum of the products of two variables."""
        found: Number = self.products[one, other].item()
        return found

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

    def compute_scatter(self) -> Float64Array:
        """Return the sums of products of the deviations from the means, (k, k)."""
        # In whole numbers of any size: the result may be far smaller than what is subtracted.
        count, totals = int(self.count), self.sums.tolist()
        return np.array(
            [
                [
                    (count * product - one * other) / count
                    for other, product in zip(totals, row, strict=True)
                ]
                for one, row in zip(totals, self.products.tolist(), strict=True)
            ]
        )


def count_by_group(groups: Int64Array, values: Int64Array, group_count: int) -> Moments[int]:
    """Return the moments of observations that belong to groups.

    Args:
        groups: int64 (n,), the group of each observation.
        values: int64 (k, n), the variables; their products' sums are below 2**53.
        group_count: number of groups.
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
