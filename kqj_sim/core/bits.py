"""Cards as bits of one signed 64-bit integer, bit 63 never set.

Four lanes of sixteen bits, twelve of them used, a lane a suit.  Within a lane a higher bit is a
stronger card.  Two codings of the same cards:

* *natural*: lane = suit number (`shdc`), bits 0 to 11 the ranks 4 5 6 7 8 9 J Q K H T A;
* *by strength* (during the play): the lane of the trump suit is rotated to the top, and lanes
  in trump order (the trump suit's; at All-Trumps every one) hold 4 5 6 J Q K H T A 7 8 9.
  In this coding "stronger" is "higher bit" for every contract.

Everything is int64: numba turns a variable that is uint64 on one path and int64 on another into
float64, silently.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.extending import intrinsic

from kqj_sim.core.compile import scalar

LANE = 0x0FFF
EACH_LANE = 0x0001000100010001
PACK = EACH_LANE * LANE
TOP_LANE = LANE << 48

SUIT_CONTRACT, NO_TRUMP, ALL_TRUMPS = 0, 4, 5
"""Contract numbers: 0 to 3 the suits `shdc`, 4 No-Trump, 5 All-Trumps."""

LOW_RANKS = EACH_LANE * 0b000000000111
"""4 5 6, which stand lowest in both orders."""
NATURAL_987 = EACH_LANE * 0b000000111000
NATURAL_J_TO_A = EACH_LANE * 0b111111000000

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
def chosen(typingctx: Any, flag: Any, one: Any, other: Any) -> Any:
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
def by_strength(cards: int, contract: int) -> int:
    """Natural coding -> coding by strength for a contract (0 to 5)."""
    shift = 0 if contract >= NO_TRUMP else 16 * (3 - contract)
    cards = (cards << shift) | (cards >> ((64 - shift) & 63))
    lanes = TOP_LANE if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    moved = cards & lanes
    return (
        (cards & ~lanes)
        | (moved & LOW_RANKS)
        | ((moved & NATURAL_987) << 6)
        | ((moved & NATURAL_J_TO_A) >> 3)
    )


@scalar
def natural(cards: int, contract: int) -> int:
    """Coding by strength for a contract (0 to 5) -> natural coding."""
    lanes = TOP_LANE if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    moved = cards & lanes
    cards = (
        (cards & ~lanes)
        | (moved & LOW_RANKS)
        | ((moved >> 6) & NATURAL_987)
        | ((moved << 3) & NATURAL_J_TO_A)
    )
    shift = 0 if contract >= NO_TRUMP else 16 * (3 - contract)
    return (cards >> shift) | (cards << ((64 - shift) & 63))
