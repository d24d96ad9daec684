"""Names for the numbers and arrays of the kernels.

They are aliases for readers and mypy: compiled code sees int64 and arrays, at no cost.
"""

from __future__ import annotations

from typing import Any, TypeAlias

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
Int16Pointer: TypeAlias = Int16Array
Int32Pointer: TypeAlias = Int32Array
"""A C pointer to smaller integers, likewise."""

Kernel: TypeAlias = Any
"""A compiled function.  Any, since numba's decorators are untyped and add attributes of their own
(`py_func`, `overloads`)."""
Numba: TypeAlias = Any
"""A type, compilation context, LLVM builder or value of numba or llvmlite: neither has hints."""
Parameters: TypeAlias = Any
"""A policy's parameters: a named tuple of floats whose class is made at run time, or 0.0."""
Vector: TypeAlias = Any
"""Sixty-four int16 in registers (`core.simd_int16`); exists in compiled code only."""
