"""Cards as bits of one signed 64-bit integer, and their points.

Each suit takes sixteen bits, of which twelve are used; bit 63 is never set.  Within a suit a higher
bit is a stronger card.  There are two codings of the same cards:

* *natural*: suits in the order `shdc` from the lowest bits up, ranks 4 5 6 7 8 9 J Q K H T A;
* *by strength* (during the play): suits are rotated until trumps stand highest, and the ranks of
  trumps (at All-Trumps of every suit) are 4 5 6 J Q K H T A 7 8 9.  In this coding "stronger" is
  "higher bit" for every contract.

Everything is int64: numba silently makes float64 of a variable that is uint64 on one path and int64
on another.

Card points are bit planes: plane k holds the cards, coded by strength, whose points have bit k set.
The points of a set are the sum over the planes of 2**k times the number of its cards in plane k.
"""

from __future__ import annotations

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic

from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Card, CardSet, Contract, Int64Array, Kernel, Numba

SUIT_MASK = 0x0FFF
EACH_SUIT = 0x0001000100010001
PACK = EACH_SUIT * SUIT_MASK
TOP_SUIT = SUIT_MASK << 48

NO_TRUMP, ALL_TRUMPS = 4, 5
"""Contract numbers: 0 to 3 the suits `shdc`, 4 No-Trump, 5 All-Trumps."""

LOW_RANKS = EACH_SUIT * 0b000000000111
"""The ranks 4 5 6, lowest in both orders."""
NATURAL_987 = EACH_SUIT * 0b000000111000
NATURAL_J_TO_A = EACH_SUIT * 0b111111000000

TRUMP_JACK, TRUMP_QUEEN, TRUMP_KING = 3, 4, 5
"""Bits of J, Q and K in a suit in trump order."""


def _llvm_unary(name: str, extra: tuple[int, ...] = ()) -> Kernel:
    """Return an LLVM intrinsic of one 64-bit integer and constant flags as a numba function."""

    def builder_of(typingctx: Numba, x: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            i64 = ir.IntType(64)
            flags = [ir.Constant(ir.IntType(1), flag) for flag in extra]
            function_type = ir.FunctionType(i64, [i64] + [ir.IntType(1)] * len(extra))
            function = builder.module.declare_intrinsic(f"llvm.{name}", [i64], function_type)
            return builder.call(function, [args[0], *flags])

        return types.int64(types.int64), codegen

    return intrinsic(builder_of)


popcount = _llvm_unary("ctpop")
_leading_zeros = _llvm_unary("ctlz", (0,))
trailing_zeros = _llvm_unary("cttz", (0,))


@intrinsic
def select(typingctx: Numba, flag: Numba, one: Numba, other: Numba) -> Numba:
    """Return `one` if `flag`, else `other`, without a branch."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.select(args[0], args[1], args[2])

    return types.int64(types.boolean, types.int64, types.int64), codegen


@scalar
def lowest_bit(cards: CardSet) -> Card:
    """Return the lowest card of a set; 0 for the empty set."""
    return cards & -cards


@scalar
def rotate_suits(cards: CardSet, bits: int) -> CardSet:
    """Return a set with its suits rotated by a multiple of sixteen bits."""
    return cards << bits | np.int64(np.uint64(cards) >> np.uint64(64 - bits))


@scalar
def highest_bit(cards: CardSet) -> Card:
    """Return the highest card of a set; 0 for the empty set."""
    return 0 if cards == 0 else 1 << (63 - _leading_zeros(cards))


@scalar
def whole_tens(number: int) -> int:
    """Return number // 10 for 0 <= number < 16384, without a division, which no vector can do."""
    return (number * 6554) >> 16


@scalar
def round_to_ten(total: int) -> int:
    """Return the nearest multiple of ten, 5 rounded up."""
    return 10 * whole_tens(total + 5)


@scalar
def to_strength_order(cards: CardSet, contract: Contract) -> CardSet:
    """Recode cards from natural coding to coding by strength for a contract, 0 to 5."""
    trumps = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    return order_by_strength(cards, suit_shift(contract), trumps)


@scalar
def suit_shift(contract: Contract) -> int:
    """Return the bits by which coding by strength turns the suits for a contract, 0 to 5."""
    return 0 if contract >= NO_TRUMP else 16 * (3 - contract)


@scalar
def order_by_strength(cards: CardSet, shift: int, trumps: CardSet) -> CardSet:
    """Recode cards from natural coding to coding by strength.

    `shift` is the `suit_shift` of the contract, `trumps` the row MUST_BEAT of the block.
    """
    # Unsigned, as AVX2 has no arithmetic shift by a variable.
    cards = (cards << shift) | int(np.int64(np.uint64(cards) >> np.uint64((64 - shift) & 63)))
    moved = cards & trumps
    return (
        (cards & ~trumps)
        | (moved & LOW_RANKS)
        | ((moved & NATURAL_987) << 6)
        | ((moved & NATURAL_J_TO_A) >> 3)
    )


@scalar
def to_natural_order(cards: CardSet, contract: Contract) -> CardSet:
    """Recode cards from coding by strength for a contract, 0 to 5, to natural coding."""
    trumps = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    moved = cards & trumps
    cards = (
        (cards & ~trumps)
        | (moved & LOW_RANKS)
        | ((moved >> 6) & NATURAL_987)
        | ((moved << 3) & NATURAL_J_TO_A)
    )
    shift = 0 if contract >= NO_TRUMP else 16 * (3 - contract)
    return (cards >> shift) | (cards << ((64 - shift) & 63))


PLANE_COUNT = 5

# Points by bit of a suit (docs/rules.md, section 1).  Natural order: 4 5 6 7 8 9 J Q K H T A;
# trump order: 4 5 6 J Q K H T A 7 8 9.
PLAIN_POINTS = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 10, 12)
TRUMP_POINTS = (0, 0, 0, 3, 4, 5, 7, 10, 12, 14, 22, 27)
NO_TRUMP_POINTS = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 17, 20)
ALL_TRUMPS_POINTS = (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 14, 17)


def make_point_planes(*suits: tuple[int, ...]) -> Int64Array:
    """Return the bit planes, int64 (PLANE_COUNT,), of four suits' points, lowest suit first."""
    planes = [0] * PLANE_COUNT
    for suit, points in enumerate(suits):
        for bit, value in enumerate(points):
            for plane in range(PLANE_COUNT):
                planes[plane] |= (value >> plane & 1) << (16 * suit + bit)
    return np.array(planes, dtype=np.int64)


SUIT_PLANES = make_point_planes(PLAIN_POINTS, PLAIN_POINTS, PLAIN_POINTS, TRUMP_POINTS)
NO_TRUMP_PLANES = make_point_planes(*[NO_TRUMP_POINTS] * 4)
ALL_TRUMPS_PLANES = make_point_planes(*[ALL_TRUMPS_POINTS] * 4)


@scalar
def count_card_points(cards: CardSet, p1: int, p2: int, p4: int, p8: int, p16: int) -> int:
    """Return the card points of a set by the five planes."""
    return (
        popcount(cards & p1)
        + 2 * popcount(cards & p2)
        + 4 * popcount(cards & p4)
        + 8 * popcount(cards & p8)
        + 16 * popcount(cards & p16)
    )
