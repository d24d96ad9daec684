"""Dealing: a uniformly random deal as a function of the deal's key.

All 48 cards are dealt at once: five to each place, the Return, and three more to each place (the
dealer's are two).  Groups of three and two cards are drawn from tables of all subsets of small
positions and deposited into the cards that remain (the `pdep` instruction; a loop where the
processor has none), so that every distribution is equally likely.  In colexicographic order the
k-subsets of n positions are the first ones of a table, so one table serves every n.

A Sender other than the dealer gives the dealer one random card of his three, since he took the
Return: in one and the same deal only these two hands depend on who takes.
"""

from __future__ import annotations

from math import comb
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from kqj_sim.core import rng
from kqj_sim.core.block import (
    FIRST_FIVE,
    FURTHER_CARDS,
    KEY,
    SCRATCH,
    STRIDE,
    UPCARD,
    cell_index,
    pad_lanes,
)
from kqj_sim.core.cards import PACK, popcount
from kqj_sim.core.jit import block_loop, scalar

PACK_SIZE = 48


def _list_subsets(size: int) -> Any:
    """All subsets of 48 positions of a size as bits, in colexicographic order."""
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
_CARDS_LEFT = [PACK_SIZE - sum(GROUP_SIZES[:number]) for number in range(len(GROUP_SIZES))]
SUBSET_COUNTS = np.array(
    [comb(n, k) for n, k in zip(_CARDS_LEFT, GROUP_SIZES, strict=True)], dtype=np.int64
)


def has_deposit_instruction() -> bool:
    """True if compiled code may use the processor's `pdep`."""
    features = numba.config.CPU_FEATURES
    if features is None:
        name = numba.config.CPU_NAME
        if name == "generic" or "x86_64" not in llvm.get_process_triple():
            return False
        return bool(llvm.get_host_cpu_features().get("bmi2", False))
    return "+bmi2" in features.split(",")


@intrinsic
def _deposit_instruction(typingctx: Any, bits: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        function_type = ir.FunctionType(i64, [i64, i64])
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", [], function_type)
        return builder.call(function, args)

    return types.int64(types.int64, types.int64), codegen


@scalar
def deposit_by_loop(bits: int, mask: int) -> int:
    """The i-th lowest bit of `bits` moved to the place of the i-th lowest set bit of `mask`."""
    deposited = 0
    while bits != 0:
        lowest = mask & -mask
        if bits & 1:
            deposited |= lowest
        mask ^= lowest
        bits >>= 1
    return deposited


deposit = _deposit_instruction if has_deposit_instruction() else deposit_by_loop


@scalar
def draw_cards(left: int, size: int, key: int, counter: int) -> int:
    """`size` random cards of a set that has as many or more.

    Every subset is equally likely; uses a draw for each three cards, from `counter` on.
    """
    cards = 0
    while size > 0:
        n = popcount(left)
        group = min(size, 3)
        choices = n
        if group == 2:
            choices = n * (n - 1) // 2
        elif group == 3:
            choices = n * (n - 1) * (n - 2) // 6
        number = rng.scale_below(rng.draw(key, counter), choices)
        subset = 1 << number
        if group == 2:
            subset = PAIRS[number]
        elif group == 3:
            subset = TRIPLES[number]
        few = deposit(subset, left)
        cards |= few
        left ^= few
        size -= group
        counter += 1
    return cards


@scalar
def _draw_subsets(state: Any, n: int, groups: int) -> None:
    """Which subsets six groups are, from a group on, in the rows of SCRATCH."""
    for number in range(6):
        choices = SUBSET_COUNTS[groups + number]
        draw = rng.DEAL + groups + number
        for i in range(n):
            bits = rng.draw(state[KEY + i], draw)
            state[SCRATCH + number * STRIDE + i] = rng.scale_below(bits, choices)


@block_loop
def deal(state: Any, lanes: int) -> None:
    """Deal all cards of `lanes` deals: FIRST_FIVE, UPCARD, FURTHER_CARDS from KEY."""
    # Six groups at a time: the deposits of one deal wait for each other, and a processor looks
    # ahead no further than some hundred instructions for those of the next.
    n = pad_lanes(lanes)
    left = FURTHER_CARDS + 5 * STRIDE
    for i in range(n):
        state[left + i] = PACK
    for half in range(2):
        _draw_subsets(state, n, 6 * half)
        for i in range(n):
            cards = state[left + i]
            for place in range(3):
                three = TRIPLES[np.uint64(state[SCRATCH + 2 * place * STRIDE + i])]
                two = PAIRS[np.uint64(state[SCRATCH + (2 * place + 1) * STRIDE + i])]
                five = deposit(three | deposit(two, ~three), cards)
                cards ^= five
                state[cell_index(FIRST_FIVE + (3 * half + place) * STRIDE, i)] = five
            state[left + i] = cards
    _draw_subsets(state, n, 12)
    for i in range(n):
        cards = state[left + i]
        turned_up = deposit(1 << state[SCRATCH + i], cards)
        cards ^= turned_up
        state[UPCARD + i] = turned_up
        for place in range(5):
            three = TRIPLES[np.uint64(state[SCRATCH + (1 + place) * STRIDE + i])]
            three = deposit(three, cards)
            cards ^= three
            state[FURTHER_CARDS + place * STRIDE + i] = three
        state[left + i] = cards
