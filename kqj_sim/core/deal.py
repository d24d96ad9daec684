"""Dealing: a uniformly random deal as a function of the deal's key.

All 48 cards are dealt at once: five to each place, the Return, and three more to each place (two to
the dealer).  Groups of three and two cards are drawn from tables of all subsets of as many
positions and deposited into the cards that remain (by the `pdep` instruction, or by a loop where
the processor has none), so every deal is equally likely.  In colexicographic order the k-subsets of
n positions come first in a table, so one table serves every n.

A Sender other than the dealer takes the Return and gives the dealer a random one of their three
further cards, so within one deal only these two hands depend on who takes.
"""

from __future__ import annotations

from math import comb

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core.cards import PACK, popcount
from kqj_sim.core.jit import block_loop, has_instructions, scalar
from kqj_sim.core.types import Block, CardSet, Int64Array, Kernel, Key, Numba, Place, RowOffset

PACK_SIZE = 48


def _list_subsets(size: int) -> Int64Array:
    """Return all subsets of 48 positions of a size as bits, in colexicographic order."""
    one = np.int64(1) << np.arange(PACK_SIZE, dtype=np.int64)
    masks = np.zeros(1, np.int64)
    for _ in range(size):
        larger = masks[:, None] | one
        masks = larger[one > masks[:, None]]
    return np.sort(masks)


PAIRS = _list_subsets(2)
TRIPLES = _list_subsets(3)

GROUP_SIZES = (3, 2) * 6 + (1,) + (3,) * 5
"""Sizes of the groups in the order drawn; the last two cards remain."""


def count_subsets(group_sizes: tuple[int, ...], pack_size: int) -> Int64Array:
    """Return the number of ways to draw each group, one after another, from a pack."""
    left = [pack_size - sum(group_sizes[:number]) for number in range(len(group_sizes))]
    return np.array([comb(n, k) for n, k in zip(left, group_sizes, strict=True)], dtype=np.int64)


SUBSET_COUNTS = count_subsets(GROUP_SIZES, PACK_SIZE)


@intrinsic
def _deposit_instruction(typingctx: Numba, bits: Numba, mask: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        i64 = ir.IntType(64)
        function_type = ir.FunctionType(i64, [i64, i64])
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", [], function_type)
        return builder.call(function, args)

    return types.int64(types.int64, types.int64), codegen


@scalar
def deposit_by_loop(bits: int, mask: int) -> int:
    """Move the i-th lowest bit of `bits` to the i-th lowest set bit of `mask`, for every i."""
    deposited = 0
    while bits != 0:
        lowest = mask & -mask
        if bits & 1:
            deposited |= lowest
        mask ^= lowest
        bits >>= 1
    return deposited


@scalar
def _deposit_beside_by_instruction(bits: int, taken: int) -> int:
    deposited: int = _deposit_instruction(bits, ~taken)
    return deposited


@scalar
def deposit_beside_by_loop(bits: int, taken: int) -> int:
    """Move the i-th lowest bit of `bits` to the i-th lowest bit that `taken` lacks, for every i."""
    while taken != 0:
        lowest = taken & -taken
        bits += bits & -lowest
        taken ^= lowest
    return bits


_HAS_PDEP = has_instructions("bmi2")
deposit: Kernel = _deposit_instruction if _HAS_PDEP else deposit_by_loop
deposit_beside: Kernel = _deposit_beside_by_instruction if _HAS_PDEP else deposit_beside_by_loop


_UPCARD_DRAW, _FURTHER_DRAW, _EXCHANGE_DRAW = b.SEATS, b.SEATS + 1, b.SEATS + 4
"""Numbers of the draws after those of the first five cards, one for each place."""


@scalar
def draw_cards(left: CardSet, size: int, key: Key, counter: int) -> CardSet:
    """Draw `size` cards of a set that has as many or more, every subset equally likely.

    One draw for every three cards is used, from `counter` on.
    """
    n, positions = popcount(left), 0
    while size > 0:
        group = min(size, 3)
        choices = n
        if group == 2:
            choices = n * (n - 1) // 2
        elif group == 3:
            choices = n * (n - 1) * (n - 2) // 6
        number = rng.scale_below(rng.draw(key, counter), choices)
        subset = 1 << number
        if group == 2:
            subset = PAIRS[np.uint64(number)]
        elif group == 3:
            subset = TRIPLES[np.uint64(number)]
        positions |= deposit_beside(subset, positions)
        n -= group
        size -= group
        counter += 1
    return deposit(positions, left)


@scalar
def _draw_subsets(state: Block, n: int, draw: int, first: int, second: int) -> None:
    """Draw the numbers of two groups' subsets into SCRATCH, by the halves of one draw.

    `first` and `second` are numbers of subsets, none likelier than another by more than 2**-32.
    """
    for i in range(n):
        bits = rng.draw(state[b.KEY + i], rng.DEAL + draw)
        state[b.SCRATCH + i] = rng.scale_32_below(rng.high_half(bits), first)
        state[b.SCRATCH + b.STRIDE + i] = rng.scale_32_below(rng.low_half(bits), second)


@block_loop
def deal_first_cards(state: Block, lanes: int) -> None:
    """Deal the first cards of `lanes` deals: fill FIRST_FIVE, UPCARD and REMAINING_CARDS."""
    # Place by place: the deposits of one deal wait for each other, and a processor looks only some
    # hundred instructions ahead for those of the next deals.  With the three loops that ask a
    # follower this took 7 ns of 60 off a deal.
    n = b.pad_lanes(lanes)
    for i in range(n):
        state[b.REMAINING_CARDS + i] = PACK
    for place in range(b.SEATS):
        _draw_subsets(state, n, place, SUBSET_COUNTS[2 * place], SUBSET_COUNTS[2 * place + 1])
        for i in range(n):
            cards = state[b.REMAINING_CARDS + i]
            three = TRIPLES[np.uint64(state[b.SCRATCH + i])]
            two = PAIRS[np.uint64(state[b.SCRATCH + b.STRIDE + i])]
            five = deposit(three | deposit_beside(two, three), cards)
            state[b.cell_index(b.FIRST_FIVE + place * b.STRIDE, i)] = five
            state[b.REMAINING_CARDS + i] = cards ^ five
    _draw_subsets(state, n, _UPCARD_DRAW, SUBSET_COUNTS[12], 1)
    for i in range(n):
        cards = state[b.REMAINING_CARDS + i]
        turned_up = deposit(1 << state[b.SCRATCH + i], cards)
        state[b.UPCARD + i] = turned_up
        state[b.REMAINING_CARDS + i] = cards ^ turned_up


@scalar
def _deal_three(state: Block, n: int, place: Place, drawn: RowOffset) -> None:
    """Deal a place the three further cards whose number stands in a row."""
    for i in range(n):
        cards = state[b.REMAINING_CARDS + i]
        three = deposit(TRIPLES[np.uint64(state[b.cell_index(drawn, i)])], cards)
        state[b.cell_index(b.FURTHER_CARDS + place * b.STRIDE, i)] = three
        state[b.REMAINING_CARDS + i] = cards ^ three


@block_loop
def deal_further_cards(state: Block, lanes: int) -> None:
    """Deal the cards that remain after `deal_first_cards`: fill FURTHER_CARDS."""
    n = b.pad_lanes(lanes)
    for pair in range(2):
        place, draw = 2 * pair, _FURTHER_DRAW + pair
        _draw_subsets(state, n, draw, SUBSET_COUNTS[13 + place], SUBSET_COUNTS[14 + place])
        _deal_three(state, n, place, b.SCRATCH)
        _deal_three(state, n, place + 1, b.SCRATCH + b.STRIDE)
    _draw_subsets(state, n, _FURTHER_DRAW + 2, SUBSET_COUNTS[17], 1)
    _deal_three(state, n, 4, b.SCRATCH)
    for i in range(n):
        state[b.FURTHER_CARDS + 5 * b.STRIDE + i] = state[b.REMAINING_CARDS + i]


@scalar
def draw_exchanged_card(key: Key) -> int:
    """Return which of a Sender's three further cards the dealer gets for the Return: 0, 1 or 2."""
    return rng.scale_32_below(rng.draw_32(key, rng.DEAL + _EXCHANGE_DRAW), 3)
