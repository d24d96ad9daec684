"""Layouts of the hidden cards drawn by weights that are products of one factor per player.

With few hidden cards the weights of all layouts, mostly thousands, can be summed without listing
them: dealing hand after hand, layouts that leave the same cards are one.  Layouts are then drawn
from all of them, instead of from a sample that is weighed afterwards.

A set of hidden cards is numbered by its bits among the hidden cards: bit 0 is the lowest of them.
Knowledge is that of `core.hidden_hands`, layouts are those of `core.hidden_hands`.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.cards import lowest_bit, popcount, trailing_zeros
from kqj_sim.core.deal import deposit
from kqj_sim.core.hidden_hands import EXCLUDED, HAND_SIZES, HOLDER_COUNT, UNSEEN, enumerate_layouts
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.types import CardSet, Float64Array, Int64Array, Key

MAX_HIDDEN_CARDS = 15
"""Most hidden cards of which layouts are drawn: those of the last three of eight tricks."""
MAX_HAND_SIZE = 3
MAX_HANDS = comb(MAX_HIDDEN_CARDS, MAX_HAND_SIZE)
_SETS = 1 << MAX_HIDDEN_CARDS


class HandLists(NamedTuple):
    """The hands that each player can hold, one player's behind the other's.

    Attributes:
        cards: int64 (MAX_HIDDEN_CARDS,), the hidden cards from the lowest on.
        starts: int64 (HOLDER_COUNT + 1,), number of each player's first hand, and of all hands.
        hands: int64 (HOLDER_COUNT * MAX_HANDS,), the hands.
        numbers: int64, their numbers as sets of hidden cards.
        factors: float64, their factors, for the caller to fill.
        factor_of_set: float64 (2**MAX_HIDDEN_CARDS,), scratch space: the factors of one player's
            hands, by their numbers.
        sums: float64 ((HOLDER_COUNT + 1) * 2**MAX_HIDDEN_CARDS,), scratch space: after each
            player, by the set of cards left, the sum of the weights of all ways to deal the others.
    """

    cards: Int64Array
    starts: Int64Array
    hands: Int64Array
    numbers: Int64Array
    factors: Float64Array
    factor_of_set: Float64Array
    sums: Float64Array


@scalar
def new_hand_lists() -> HandLists:
    """Return empty lists."""
    room = HOLDER_COUNT * MAX_HANDS
    return HandLists(
        np.empty(MAX_HIDDEN_CARDS, np.int64),
        np.zeros(HOLDER_COUNT + 1, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty(_SETS),
        np.empty((HOLDER_COUNT + 1) * _SETS),
    )


@block_loop
def list_hands(knowledge: Int64Array, lists: HandLists) -> bool:
    """List the hands that each player can hold, as far as their own exclusions tell.

    Return False, and list nothing, if there are too many hidden cards.
    """
    unseen = knowledge[UNSEEN]
    count = popcount(unseen)
    largest = 0
    for player in range(HOLDER_COUNT):
        largest = max(largest, knowledge[HAND_SIZES + player])
    if count > MAX_HIDDEN_CARDS or largest > MAX_HAND_SIZE:
        return False
    for number in range(count):
        lists.cards[number] = lowest_bit(unseen)
        unseen ^= lists.cards[number]
    at = 0
    for player in range(HOLDER_COUNT):
        lists.starts[player] = at
        size = knowledge[HAND_SIZES + player]
        allowed = 0
        for number in range(count):
            allowed |= 1 << number if lists.cards[number] & knowledge[EXCLUDED + player] == 0 else 0
        at = _list_subsets(lists, allowed, size, at)
    lists.starts[HOLDER_COUNT] = at
    return True


@scalar
def _list_subsets(lists: HandLists, allowed: int, size: int, at: int) -> int:
    """List the subsets of a size from number `at` on, and return the next number."""
    subset = 0
    going = True
    while going:
        if popcount(subset) == size:
            lists.numbers[at] = subset
            lists.hands[at] = _cards_of(lists, subset)
            at += 1
        subset = (subset - allowed) & allowed
        going = subset != 0
    return at


@scalar
def _cards_of(lists: HandLists, subset: int) -> int:
    cards = 0
    while subset != 0:
        cards |= lists.cards[trailing_zeros(subset)]
        subset &= subset - 1
    return cards


@block_loop
def _sum_weights(knowledge: Int64Array, lists: HandLists, count: int) -> float:
    """Fill `sums` for a number of hidden cards, and return the sum of all layouts' weights."""
    sets = 1 << count
    sums, factors = lists.sums, lists.factor_of_set
    for number in range((HOLDER_COUNT + 1) * sets):
        sums[number] = 0.0
    sums[sets - 1] = 1.0
    for player in range(HOLDER_COUNT):
        start, following = player * sets, (player + 1) * sets
        size = knowledge[HAND_SIZES + player]
        allowed = 0
        for k in range(lists.starts[player], lists.starts[player + 1]):
            factors[lists.numbers[k]] = lists.factors[k]
            allowed |= lists.numbers[k]
        for left in range(sets):
            weight = sums[start + left]
            if weight > 0.0:
                _add_hands(sums, following, left, left & allowed, size, weight, factors)
    total: float = sums[HOLDER_COUNT * sets]
    return total


@scalar
def _add_hands(
    sums: Float64Array, following: int, left: int, held_of: int, size: int, weight: float,
    factors: Float64Array,
) -> None:  # fmt: skip
    """Add a weight, times its factor, for each hand of up to three of the cards `held_of`."""
    if size == 0:
        sums[following + left] += weight * factors[0]
        return
    first_left = held_of
    while first_left != 0:
        one = first_left & -first_left
        first_left ^= one
        if size == 1:
            sums[following + (left ^ one)] += weight * factors[one]
            continue
        second_left = first_left
        while second_left != 0:
            two = one | second_left & -second_left
            second_left &= second_left - 1
            if size == 2:
                sums[following + (left ^ two)] += weight * factors[two]
                continue
            third_left = second_left
            while third_left != 0:
                three = two | third_left & -third_left
                third_left &= third_left - 1
                sums[following + (left ^ three)] += weight * factors[three]


@scalar
def _draw_layout(lists: HandLists, count: int, mark: float, layouts: Int64Array, at: int) -> None:
    """Write the layout in whose weight a mark lies, a number from 0 to the sum of all weights."""
    sets = 1 << count
    left = 0
    for turn in range(HOLDER_COUNT):
        player = HOLDER_COUNT - 1 - turn
        chosen = -1
        passed = 0.0
        for k in range(lists.starts[player], lists.starts[player + 1]):
            hand = lists.numbers[k]
            if hand & left == 0:
                weight = lists.sums[player * sets + (left | hand)] * lists.factors[k]
                if weight > 0.0 and (chosen < 0 or mark >= passed):
                    # Rounding may leave a mark behind the last hand, which then takes it.
                    chosen = k
                    mark -= passed
                    passed = weight
                    if mark < passed:
                        break
        layouts[at + player] = lists.hands[chosen]
        left |= lists.numbers[chosen]
        mark /= lists.factors[chosen]


@block_loop
def draw_weighted_layouts(
    knowledge: Int64Array, lists: HandLists, wanted: int, fraction: float, layouts: Int64Array,
    weights: Float64Array,
) -> int:  # fmt: skip
    """Draw layouts by their weights, the products of their hands' factors; return how many.

    Systematic resampling: `wanted` marks stand in even steps along the sum of all weights, and a
    layout's weight is the number of marks within it.

    Args:
        knowledge: int64 (KNOWLEDGE_SIZE,), as `list_hands` had it.
        lists: the lists with factors above zero.
        fraction: position of the first mark, as a share of a step.
        layouts: int64 (6 * wanted,), filled with the hidden hands, one layout after another in the
            order of the marks.
        weights: float64 (wanted,), filled with the layouts' weights, which sum to `wanted`.
    """
    count = popcount(knowledge[UNSEEN])
    total = _sum_weights(knowledge, lists, count)
    written = 0
    for mark in range(wanted):
        at = written * HOLDER_COUNT
        _draw_layout(lists, count, (mark + fraction) / wanted * total, layouts, at)
        same = written > 0
        for player in range(HOLDER_COUNT):
            same = same and layouts[at + player] == layouts[at - HOLDER_COUNT + player]
        if same:
            weights[written - 1] += 1.0
        else:
            weights[written] = 1.0
            written += 1
    return written


@block_loop
def weigh_all_layouts(
    knowledge: Int64Array, lists: HandLists, limit: int, layouts: Int64Array, weights: Float64Array
) -> int:
    """Write all layouts, weighed as in `draw_weighted_layouts`; return how many, -1 above `limit`.

    Args:
        knowledge, lists, layouts: as for `draw_weighted_layouts`.
        weights: float64 (limit,), filled with the layouts' weights, scaled to sum to their number.
    """
    count = enumerate_layouts(knowledge, limit, layouts)
    total = 0.0
    for number in range(count):
        weight = 1.0
        for player in range(HOLDER_COUNT):
            k = lists.starts[player]
            while lists.hands[k] != layouts[number * HOLDER_COUNT + player]:
                k += 1
            weight *= lists.factors[k]
        weights[number] = weight
        total += weight
    for number in range(count):
        weights[number] *= count / total
    return count


MAX_RANKED_CARDS = 26
"""Most hidden cards whose subsets are ranked (`list_ranks`)."""
_HALF_BITS = MAX_RANKED_CARDS // 2
_LOWER_HALF = (1 << _HALF_BITS) - 1


def list_ranks() -> Int64Array:
    """Return what both halves of a set of hidden cards add to its rank, int64 (10, 8192).

    The rank is that among the sets of as many cards, in ascending order.  The first row is of the
    lower half, row 1 + k of the upper one where the lower one has k cards.
    """
    halves = np.arange(_LOWER_HALF + 1)
    ranks = np.zeros((10, len(halves)), np.int64)
    cards_below = np.zeros_like(halves)
    for bit in range(_HALF_BITS):
        has_card = halves >> bit & 1
        cards_below += has_card
        for row in range(len(ranks)):
            card, others = (bit, 0) if row == 0 else (bit + _HALF_BITS, row - 1)
            added = np.array([comb(card, others + cards) for cards in range(_HALF_BITS + 1)])
            ranks[row] += has_card * added[cards_below]
    return ranks


class FactorLists(NamedTuple):
    """The factors of the hands that players may hold, one player's behind the other's.

    Attributes:
        starts: int64 (m + 1,), index of each player's first hand, and of the end.
        hands: int64 (n,), the hands as sets of hidden cards, those of a player in ascending order.
        factors: float64 (n,), their factors, above zero.
        tables: float64 (m, ...), the same factors by rank; 0 for other hands.
    """

    starts: Int64Array
    hands: Int64Array
    factors: Float64Array
    tables: Float64Array
    ranks: Int64Array


@scalar
def _find_factor(lists: FactorLists, player: int, hand: int) -> float:
    lower, upper = hand & _LOWER_HALF, hand >> _HALF_BITS
    rank = lists.ranks[0, lower] + lists.ranks[1 + popcount(lower), upper]
    factor: float = lists.tables[player, rank]
    return factor


@kernel
def fill_tables(lists: FactorLists) -> None:
    """Fill `tables`, which are zero."""
    for player in range(lists.starts.shape[0] - 1):
        for k in range(lists.starts[player], lists.starts[player + 1]):
            lower, upper = lists.hands[k] & _LOWER_HALF, lists.hands[k] >> _HALF_BITS
            rank = lists.ranks[0, lower] + lists.ranks[1 + popcount(lower), upper]
            lists.tables[player, rank] = lists.factors[k]


@scalar
def _count_subsets(count: int, size: int) -> int:
    ways = 1
    for k in range(size):
        ways = ways * (count - k) // (k + 1)
    return ways


@block_loop
def _sum_factors(
    lists: FactorLists, player: int, left: int, fitting: Int64Array, sums: Float64Array
) -> int:
    """Write the hands that a player can get from the cards left, and partial sums of their factors.

    For the last player but one, factors are multiplied by that of what is left to the last.  Hands
    are found in the list, or by their ranks if that takes less time; others count with factor 0.
    Return the number of hands.
    """
    start, count = lists.starts[player], lists.starts[player + 1] - lists.starts[player]
    if count == 0:
        return 0
    ways = _count_subsets(popcount(left), popcount(lists.hands[start]))
    if 2 * ways < count:
        count = ways
        subset = (1 << popcount(lists.hands[start])) - 1
        for k in range(count):
            fitting[k] = deposit(subset, left)
            sums[k] = _find_factor(lists, player, fitting[k])
            lowest = subset & -subset
            carried = subset + lowest
            subset = carried | ((carried ^ subset) >> 2) >> trailing_zeros(lowest)
    else:
        for k in range(count):
            hand = lists.hands[start + k]
            fitting[k] = hand
            sums[k] = lists.factors[start + k] if hand & ~left == 0 else 0.0
    last = lists.starts.shape[0] - 2
    if player == last - 1:
        for k in range(count):
            if sums[k] > 0.0:
                sums[k] *= _find_factor(lists, last, left ^ fitting[k])
    total = 0.0
    for k in range(count):
        total += sums[k]
        sums[k] = total
    return count


@scalar
def _draw_index(sums: Float64Array, count: int, key: Key, counter: int) -> int:
    """Draw one of some numbers by weights whose partial sums are given, the last one above zero."""
    total = sums[count - 1]
    mark = rng.to_fraction(rng.draw(key, rng.HIDDEN_HAND + counter)) * total
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        # Rounding may make the mark the total, which belongs to the last weight above zero.
        if sums[middle] > mark or sums[middle] == total:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_from_hand_lists(
    lists: FactorLists, places: Int64Array, unseen: CardSet, keys: Int64Array, layouts: Int64Array,
    weights: Float64Array,
) -> None:  # fmt: skip
    """Draw layouts independently, one hand after another from lists (importance sampling).

    A hand is drawn by its factor from those that can be held with the hands before, the last two
    together; the weight makes up for what the earlier hands leave to the others.  So weighted means
    are those of all layouts, each weighed by the product of its hands' factors.

    Args:
        places: int64 (m,), the players with hidden cards, two or more, in the order of the lists.
        keys: int64 (draws,), keys of the draws.
        layouts: int64 (draws, 6), filled with the hidden hands by place; 0 for other places.
        weights: float64 (draws,), filled; 0 where the hands before leave a player none.
    """
    last, everything = places.shape[0] - 1, (1 << popcount(unseen)) - 1
    size = lists.hands.shape[0]
    fitting, sums = np.empty(size, np.int64), np.empty(size)
    first_hands, first_sums = np.empty(size, np.int64), np.empty(size)
    first_count = _sum_factors(lists, 0, everything, first_hands, first_sums)
    for i in range(keys.shape[0]):
        left = everything
        weight = 1.0
        for turn in range(last):
            # What the first player can get is the same for all draws.
            hands = first_hands if turn == 0 else fitting
            partial = first_sums if turn == 0 else sums
            count = first_count
            if turn > 0:
                count = _sum_factors(lists, turn, left, hands, partial)
            total = partial[count - 1] if count > 0 else 0.0
            weight *= total
            if total == 0.0:
                break
            hand = hands[_draw_index(partial, count, keys[i], turn)]
            layouts[i, places[turn]] = deposit(hand, unseen)
            left ^= hand
        layouts[i, places[last]] = deposit(left, unseen)
        weights[i] = weight
