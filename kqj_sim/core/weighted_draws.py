"""Weighted draws: thinned out, and added up for the estimates of `stats.moments`."""

from __future__ import annotations

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import SEATS, cell_index
from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.types import Float64Array, Int64Array

_THINNING_COUNTER = rng.HIDDEN_HAND + (9 << 24)
"""Counter of keys, between those of `core.card_draws`."""

_LANES, _BLOCK = 8, 128
"""Partial sums side by side, and numbers that are added so."""


@kernel
def thin_draws(
    least: float, by_plays: Float64Array, keys: Int64Array, weights: Float64Array, hands: Int64Array
) -> int:
    """Weigh draws by the plays, and leave out some of little weight at random (rejection control).

    A draw of less than the least weight is kept with a probability of its share of that weight,
    which it then has, so that weighted sums have the same expectation (J. S. Liu, R. Chen,
    W. H. Wong, "Rejection control and sequential importance sampling", Journal of the American
    Statistical Association 93, 1998).

    Args:
        least: the least weight by the plays; 0 to keep all.
        by_plays: float64 (n,), weights by the plays.
        keys, weights, hands: int64 (n,), float64 (n,) and int64 (n, 6), the draws; those that are
            kept come first, with both weights multiplied.

    Returns:
        Number of draws that are kept.
    """
    kept = 0
    for i in range(keys.shape[0]):
        weight = by_plays[i]
        if weight < least:
            bits = rng.draw(keys[i], _THINNING_COUNTER)
            weight = least if rng.to_fraction(bits) * least < weight else 0.0
        if weight > 0:
            keys[kept] = keys[i]
            weights[kept] = weights[i] * weight
            for place in range(SEATS):
                hands[kept, place] = hands[i, place]
            kept += 1
    return kept


@scalar
def _multiply(left: Float64Array, right: Float64Array, start: int, lane: int) -> float:
    i = cell_index(start, lane)
    return float(left[i] * right[i])


@kernel
def sum_products(left: Float64Array, right: Float64Array) -> float:
    """Return the sum of the products of two arrays, float64 (n,).

    It is that of `numpy.sum`, to the last digit: halves are added apart, which keeps rounding
    errors small, and the numbers of a block side by side.  One call for all of a chunk's sums takes
    a third of the time of numpy's.
    """
    count = len(left)
    if count > _BLOCK:
        half = count // 2 - count // 2 % _LANES
        first = sum_products(left[:half], right[:half])
        return first + sum_products(left[half:], right[half:])
    total, end = 0.0, count - count % _LANES
    if end > 0:
        a = b = c = d = e = f = g = h = 0.0
        for i in range(0, end, _LANES):
            a += _multiply(left, right, i, 0)
            b += _multiply(left, right, i, 1)
            c += _multiply(left, right, i, 2)
            d += _multiply(left, right, i, 3)
            e += _multiply(left, right, i, 4)
            f += _multiply(left, right, i, 5)
            g += _multiply(left, right, i, 6)
            h += _multiply(left, right, i, 7)
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(end, count):
        total += left[i] * right[i]
    return total


@kernel
def add_weighted(
    weights: Float64Array, values: Float64Array, sums: Float64Array, products: Float64Array
) -> None:
    """Add deals to moments.

    Args:
        weights: float64 (n,), the weights w.
        values: float64 (quantities, options, n), the quantities x.
        sums: float64 (quantities, 1 + options), to which the sums of w and of w x are added.
        products: float64 (quantities, 1 + options, 1 + options), to which those of their products
            are added.
    """
    quantities, options, count = values.shape
    ones, squares, weighted = np.empty(count), np.empty(count), np.empty(count)
    for i in range(count):
        ones[i] = 1.0
        squares[i] = weights[i] * weights[i]
    for quantity in range(quantities):
        for one in range(1 + options):
            value = values[quantity, one - 1] if one > 0 else ones
            sums[quantity, one] += sum_products(value, weights)
            for i in range(count):
                weighted[i] = value[i] * squares[i]
            for other in range(one + 1):
                right = values[quantity, other - 1] if other > 0 else ones
                product = sum_products(weighted, right)
                products[quantity, one, other] += product
                if other < one:
                    products[quantity, other, one] += product
