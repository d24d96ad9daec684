"""Cards as bits of one signed 64-bit integer, bit 63 never set.

Four lanes of sixteen bits, twelve of them used, a lane a suit.  Within a lane a higher bit is a
stronger card.  Two codings of the same cards:

* *natural*: lane = suit number (`shdc`), bits 0 to 11 the ranks 4 5 6 7 8 9 J Q K H T A;
* *by strength* (during the play): the lane of the trump suit is rotated to the top, and lanes
  in trump order (the trump suit's; at All-Trumps every one) hold 4 5 6 J Q K H T A 7 8 9.
  In this coding "stronger" is "higher bit" for every contract.

Everything is int64: numba turns a variable that is uint64 on one path and int64 on another into
float64, silently.

Card points as bit planes: the points of a set are popcounts.

Plane k holds the cards whose points have bit k set, coded by strength.  The points of a set of
cards are the sum over the planes of 2**k times the number of its cards in plane k.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kqj_sim.core.jit import scalar

SUIT_MASK = 0x0FFF
EACH_SUIT = 0x0001000100010001
PACK = EACH_SUIT * SUIT_MASK
TOP_SUIT = SUIT_MASK << 48

SUIT_CONTRACT, NO_TRUMP, ALL_TRUMPS = 0, 4, 5
"""Contract numbers: 0 to 3 the suits `shdc`, 4 No-Trump, 5 All-Trumps."""

LOW_RANKS = EACH_SUIT * 0b000000000111
"""4 5 6, which stand lowest in both orders."""
NATURAL_987 = EACH_SUIT * 0b000000111000
NATURAL_J_TO_A = EACH_SUIT * 0b111111000000

TRUMP_JACK, TRUMP_QUEEN, TRUMP_KING = 3, 4, 5
"""Bits of J, Q, K in a lane in trump order."""


def _llvm_unary(name: str, extra: tuple[int, ...] = ()) -> Any:
    """An LLVM intrinsic of one 64-bit integer (and constant flags) as a numba function."""

    def builder_of(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
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
def select(typingctx: Any, flag: Any, one: Any, other: Any) -> Any:
    """One of two numbers, both worked out: what `if` would make a branch of."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(args[0], args[1], args[2])

    return types.int64(types.boolean, types.int64, types.int64), codegen


@scalar
def lowest_bit(cards: int) -> int:
    """The lowest card of a set as a set of one; 0 for the empty set."""
    return cards & -cards


@scalar
def highest_bit(cards: int) -> int:
    """The highest card of a set as a set of one; 0 for the empty set."""
    return 0 if cards == 0 else 1 << (63 - _leading_zeros(cards))


@scalar
def to_strength_order(cards: int, contract: int) -> int:
    """Natural coding -> coding by strength for a contract (0 to 5)."""
    shift = 0 if contract >= NO_TRUMP else 16 * (3 - contract)
    cards = (cards << shift) | (cards >> ((64 - shift) & 63))
    lanes = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    moved = cards & lanes
    return (
        (cards & ~lanes)
        | (moved & LOW_RANKS)
        | ((moved & NATURAL_987) << 6)
        | ((moved & NATURAL_J_TO_A) >> 3)
    )


@scalar
def to_natural_order(cards: int, contract: int) -> int:
    """Coding by strength for a contract (0 to 5) -> natural coding."""
    lanes = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    moved = cards & lanes
    cards = (
        (cards & ~lanes)
        | (moved & LOW_RANKS)
        | ((moved >> 6) & NATURAL_987)
        | ((moved << 3) & NATURAL_J_TO_A)
    )
    shift = 0 if contract >= NO_TRUMP else 16 * (3 - contract)
    return (cards >> shift) | (cards << ((64 - shift) & 63))


PLANE_COUNT = 5

# By bit of a lane, RULES.md section 1.  Natural order: 4 5 6 7 8 9 J Q K H T A;
# trump order: 4 5 6 J Q K H T A 7 8 9.
PLAIN_POINTS = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 10, 12)
TRUMP_POINTS = (0, 0, 0, 3, 4, 5, 7, 10, 12, 14, 22, 27)
NO_TRUMP_POINTS = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 17, 20)
ALL_TRUMPS_POINTS = (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 14, 17)


def make_point_planes(*lanes: tuple[int, ...]) -> NDArray[np.int64]:
    """Bit planes of four lanes' points, lowest lane first."""
    planes = [0] * PLANE_COUNT
    for lane, points in enumerate(lanes):
        for bit, value in enumerate(points):
            for plane in range(PLANE_COUNT):
                planes[plane] |= (value >> plane & 1) << (16 * lane + bit)
    return np.array(planes, dtype=np.int64)


SUIT_PLANES = make_point_planes(PLAIN_POINTS, PLAIN_POINTS, PLAIN_POINTS, TRUMP_POINTS)
NO_TRUMP_PLANES = make_point_planes(*[NO_TRUMP_POINTS] * 4)
ALL_TRUMPS_PLANES = make_point_planes(*[ALL_TRUMPS_POINTS] * 4)


@scalar
def count_card_points(cards: int, p1: int, p2: int, p4: int, p8: int, p16: int) -> int:
    """The card points of a set, by the five planes."""
    return (
        popcount(cards & p1)
        + 2 * popcount(cards & p2)
        + 4 * popcount(cards & p4)
        + 8 * popcount(cards & p8)
        + 16 * popcount(cards & p16)
    )
