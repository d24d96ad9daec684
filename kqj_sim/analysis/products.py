"""Products of matrices and least squares, the same numbers on every processor.

numpy's `@` and `numpy.linalg` use a BLAS, which adds in another order on each kind of processor.
Here the order is fixed; sizes are small.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core.types import Float64Array

_LEAST_SHARE = 1e-10
"""Share of a variable's spread, at least, that the variables before it must leave unexplained."""


def multiply(one: Float64Array, other: Float64Array) -> Float64Array:
    """Multiply as `one @ other` does.

    Args:
        one: float64 (..., n).
        other: float64 (n,) or (n, p).
    """
    if other.ndim == 1:
        return np.asarray((one * other).sum(axis=-1))
    return np.asarray((one[..., np.newaxis] * other).sum(axis=-2))


def compute_spread(weights: Float64Array, scatter: Float64Array) -> float:
    """Return the sum of squared deviations of a combination of variables, by their scatter."""
    return max(0.0, float(multiply(multiply(weights, scatter), weights)))


def solve_least_squares(squares: Float64Array, products: Float64Array) -> Float64Array:
    """Solve the normal equations of least squares by elimination, with pivots on the diagonal.

    Args:
        squares: float64 (k, k), sums of products of the variables with each other.
        products: float64 (k,), those with what they should explain.

    Returns:
        float64 (k,), the coefficients; 0 for a variable that the others determine.
    """
    left, right = squares.astype(np.float64), products.astype(np.float64)
    spread = np.diag(squares).copy()
    waiting = [number for number in range(len(spread)) if spread[number] > 0]
    pivots: list[int] = []
    while waiting:
        pivot = max(waiting, key=lambda number: left[number, number] / spread[number])
        if left[pivot, pivot] <= _LEAST_SHARE * spread[pivot]:
            break
        waiting.remove(pivot)
        pivots.append(pivot)
        for row in waiting:
            factor = left[row, pivot] / left[pivot, pivot]
            left[row] -= factor * left[pivot]
            right[row] -= factor * right[pivot]
    found = np.zeros(len(spread))
    for pivot in reversed(pivots):
        rest = right[pivot] - float((left[pivot] * found).sum())
        found[pivot] = rest / left[pivot, pivot]
    return found
