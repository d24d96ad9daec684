"""Products of matrices, the same numbers on every processor.

numpy's `@` and `numpy.linalg` use a BLAS, which adds in another order on each kind of processor.
Here the order is fixed; sizes are small.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core.types import Float64Array


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
