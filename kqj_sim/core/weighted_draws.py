"""Weighted draws: thinned out, and added up for the estimates of `stats.moments`."""

from __future__ import annotations

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import SEATS, cell_index
from kqj_sim.core.cards import popcount
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.types import Float64Array, Int64Array

_THINNING_COUNTER = rng.HIDDEN_HAND + (9 << 24)
"""Counter of keys, between those of `core.card_odds`."""

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
            kept come first, with both weights multiplied; their number is returned.
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


@block_loop
def _merge_draws(
    weights: Float64Array, values: Float64Array, lists: Int64Array
) -> tuple[Float64Array, Float64Array]:
    """Return the summed weights of draws that share lists, and their mean values by weight."""
    quantities, options, count = values.shape
    merged = 1
    for i in range(1, count):
        merged += 1 if lists[i] != lists[i - 1] else 0
    sums, means = np.zeros(merged), np.zeros((quantities, options, merged))
    at = 0
    for i in range(count):
        at += 1 if i > 0 and lists[i] != lists[i - 1] else 0
        sums[at] += weights[i]
    for quantity in range(quantities):
        for option in range(options):
            at = 0
            for i in range(count):
                at += 1 if i > 0 and lists[i] != lists[i - 1] else 0
                means[quantity, option, at] += values[quantity, option, i] * weights[i] / sums[at]
    return sums, means


@kernel
def add_weighted(
    weights: Float64Array, values: Float64Array, lists: Int64Array, sums: Float64Array,
    products: Float64Array, squares: Float64Array,
) -> None:  # fmt: skip
    """Add deals to moments; those that share lists of hands are one observation of the products.

    Args:
        weights: float64 (n,), the weights w.
        values: float64 (quantities, options, n), the quantities x.
        lists: int64 (n,), ascending, the numbers of the lists of each deal; empty if none share
            any.
        sums: float64 (quantities, 1 + options), to which the sums of w and of w x are added.
        products: float64 (quantities, 1 + options, 1 + options), to which those of their products
            are added.
        squares: float64 (1,), to which the sum of w w by deals is added.
    """
    squares[0] += sum_products(weights, weights)
    if len(lists) > 0:
        weights, values = _merge_draws(weights, values, lists)
    quantities, options, count = values.shape
    ones, weight_squares, weighted = np.empty(count), np.empty(count), np.empty(count)
    for i in range(count):
        ones[i] = 1.0
        weight_squares[i] = weights[i] * weights[i]
    for quantity in range(quantities):
        for one in range(1 + options):
            value = values[quantity, one - 1] if one > 0 else ones
            sums[quantity, one] += sum_products(value, weights)
            for i in range(count):
                weighted[i] = value[i] * weight_squares[i]
            for other in range(one + 1):
                right = values[quantity, other - 1] if other > 0 else ones
                product = sum_products(weighted, right)
                products[quantity, one, other] += product
                if other < one:
                    products[quantity, other, one] += product


@kernel
def add_shared_squares(
    amounts: Int64Array, weights: Float64Array, lists: Int64Array, squares: Float64Array
) -> None:
    """Add what lists that deals share add to the squares of the weights from each amount on.

    Args:
        amounts: int64 (n,), the amount that each deal reaches.
        weights, lists: the deals, as of `add_weighted`.
        squares: float64 (2, amounts), to which are added, by least amount: the products of the
            weights of two deals with lists in common of which the first, or both, reach it.
    """
    size, count = squares.shape[1], len(weights)
    reached, alone = np.zeros(size), np.zeros(size)
    for i in range(count):
        reached[amounts[i]] += weights[i]
        alone[amounts[i]] += weights[i] * weights[i]
        if i == count - 1 or lists[i + 1] != lists[i]:
            total, above, above_alone = reached.sum(), 0.0, 0.0
            for amount in range(size - 1, -1, -1):
                above += reached[amount]
                above_alone += alone[amount]
                squares[0, amount] += above * total - above_alone
                squares[1, amount] += above * above - above_alone
                reached[amount] = alone[amount] = 0.0


@kernel
def add_holdings(
    hands: Int64Array, weights: Float64Array, lists: Int64Array, cards: Int64Array,
    least: Int64Array, groups: Int64Array, sums: Float64Array,
) -> None:  # fmt: skip
    """Add the weight of the deals in which a group of places has some cards.

    Args:
        hands: int64 (n, places), the hands of the deals.
        weights, lists: the deals, as of `add_weighted`.
        cards, least: int64 (holdings,), sets of cards, and of how many of each to have.
        groups: int64 (groups,), sets of places, of which one has them: bits.
        sums: float64 (3, groups, holdings), to which the sums of w x, of w w x and of x w x are
            added, where x is whether a group has a holding, or the mean of that in a list.
    """
    own, total = np.zeros((len(groups), len(cards))), 0.0
    for i in range(len(weights)):
        total += weights[i]
        for holding in range(len(cards)):
            holders = 0
            for place in range(hands.shape[1]):
                held = popcount(hands[i, place] & cards[holding])
                holders |= 1 << place if held >= least[holding] else 0
            for group in range(len(groups)):
                if holders & groups[group] != 0:
                    own[group, holding] += weights[i]
        if i + 1 < len(lists) and lists[i + 1] == lists[i]:
            continue
        for group in range(len(groups)):
            for holding in range(len(cards)):
                weight = own[group, holding]
                sums[0, group, holding] += weight
                sums[1, group, holding] += weight * total
                sums[2, group, holding] += weight * weight
                own[group, holding] = 0.0
        total = 0.0
