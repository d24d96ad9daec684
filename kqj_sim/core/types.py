"""Types of the kernels: names for numbers and arrays, the rules, and the players at the table.

The names are aliases for readers and mypy: compiled code sees int64 and arrays, at no cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Card: TypeAlias = int
"""One card: a single bit of 64 (`core.cards`)."""
CardSet: TypeAlias = int
"""Any number of cards: the sum of their bits."""
Suit: TypeAlias = int
"""Number of a suit, 0 to 3 in the order `shdc`."""
SuitMask: TypeAlias = int
"""All cards of one suit, as a `CardSet`; 0 for none."""
Seat: TypeAlias = int
"""Number of a seat at the table, 0 to 5 (Kwajongen: 3); seats keep their players for a game."""
Place: TypeAlias = int
"""Seat counted from the opener: 0 the opener to 5 the dealer (Kwajongen: 3)."""
Position: TypeAlias = int
"""Place in the order of a trick: 0 the leader to 5 (Kwajongen: 3)."""
Team: TypeAlias = int
"""Number of a team, 0 to 2."""
Contract: TypeAlias = int
"""0 to 3 the trump suit (`shdc`), 4 No-Trump, 5 All-Trumps; -1 for none."""
PackedPlayers: TypeAlias = int
"""Team, policy and known voids of each place or position in one number (`core.block`)."""
PackedBids: TypeAlias = int
"""The last bid of each place in one number, ten bits each."""
Key: TypeAlias = int
"""Random key of a deal, from which all its draws are made (`core.rng`)."""
Flag: TypeAlias = int
"""0 or 1; an integer, since compiled tuples and rows of a block hold int64 only."""
Lane: TypeAlias = int
"""Index of a deal in a block, 0 to LANES - 1."""
RowOffset: TypeAlias = int
"""Index of a row's first number in a block, a multiple of STRIDE."""
Address: TypeAlias = int
"""Memory address of a compiled function or of an array; 0 for none."""

Int16Array: TypeAlias = NDArray[np.int16]
Int32Array: TypeAlias = NDArray[np.int32]
Int64Array: TypeAlias = NDArray[np.int64]
Float32Array: TypeAlias = NDArray[np.float32]
Float64Array: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
Block: TypeAlias = Int64Array
"""State of up to LANES deals: int64 (ROWS * STRIDE,), row r of lane i at r * STRIDE + i."""
Int64Pointer: TypeAlias = Int64Array
"""A C pointer to int64; kernels index it like an array, but it has no shape."""
Float32Pointer: TypeAlias = Float32Array
Float64Pointer: TypeAlias = Float64Array
"""C pointers to floats, likewise."""
Int32Pointer: TypeAlias = Int32Array
"""A C pointer to int32, likewise."""

Kernel: TypeAlias = Any
"""A compiled function.  Any, since numba's decorators are untyped and add attributes of their own
(`py_func`, `overloads`)."""
Numba: TypeAlias = Any
"""A type, compilation context, LLVM builder or value of numba or llvmlite: neither has hints."""
Parameters: TypeAlias = Any
"""A policy's parameters: a named tuple of floats whose class is made at run time, or 0.0."""
Vector: TypeAlias = Any
"""Sixty-four int16 in registers (`core.simd_int16`); exists in compiled code only."""


class Rules(NamedTuple):
    """The options of docs/rules.md, section 9, in integers; 0 for those another game lacks."""

    seats: int
    start_score: int
    target: int
    """The score that ends a game."""
    variant: int
    """The rules of another game than KQJ, as that game encodes them; 0 in KQJ."""
    teams: int
    """2 or 3."""
    random_partners: Flag
    auction: Flag
    all_no_trump: int
    """All-Trumps and No-Trump may be named: 0 in the second lap, 1 in both laps, 2 never."""
    minimum_bid: int
    max_amount: int
    counter_any_time: Flag
    amount_rounded: Flag
    must_outscore: Flag


class Seating(NamedTuple):
    """The policies at the table, and the options of a run.

    Arrays of 48 hold six policies for each of the eight asking loops of `core.dispatch`.
    """

    loop_addresses: Int64Array
    """int64 (48,): addresses of the asking loops of `core.dispatch`."""
    parameters: Float64Array
    """float64 (48 * MAX_PARAMETERS,): parameters of the policies."""
    resources: Int64Array
    """int64 (48,): addresses of the policies' weights, or of what a policy that is asked for whole
    blocks needs (`core.dispatch.pack_seatings`); 0 for none."""
    distinct: int
    """Number of different policies, 1 to 6."""
    seats: int
    """Policy number of each seat, four bits per seat."""
    stages: Int64Array
    """int64 (n,): addresses of the stages of a round (`core.round`): three in KQJ."""
    resume: Int64Array
    """int64 (3,): addresses of the kernels that resume a round (`core.round`) and that value
    cards, where policies play hands out; else zeros."""
    imposed_place: Place
    """Place of an imposed Sender; -1 for none."""
    imposed_contract: Contract
    imposed_amount: int
    keeps_history: Flag
    """1 if finished tricks are kept in the block (`core.block.TRICK_HISTORY`)."""
    wanted: Int64Array
    """int64 (columns,): numbers of the columns to write; rounds are not described without any."""


MAX_PARAMETERS = 192

MAX_POLICIES = 6
"""The most different policies at a table; `Seating` has as many entries per asking loop."""
