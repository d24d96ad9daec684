"""Keyed random numbers: every draw is a function of (seed, deal, purpose, turn).

There is no stream: a deal replays alone, threads and chunks cannot matter, and one policy's draws
do not disturb another's.  The mixing function of 64 bits is the output function of SplitMix64
(Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014); its odd
constant spreads the counters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.types import Int64Array, Key, Position

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_TO_48_BITS = np.uint64(16)
_UNIT = 2.0**-48
_UNITS_32 = 2.0**32
_LOW_HALF, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_FLIPPED = np.uint64(0x2545F4914F6CDD1D)
"""Bits that differ between the two products, so that these are not alike; any others would do."""

_PURPOSES: list[Any] = [np.int64(n << 32) for n in range(7)]
DEAL, TEAMS, CALL, COUNTER, CARD, FIRST_DEALER, HIDDEN_HAND = _PURPOSES
"""Purposes: the high half of a counter; the low half is the turn."""


@scalar
def draw(key: Key, counter: int) -> int:
    """Return 64 random bits for a counter under a key, as int64 of any sign."""
    z = np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> _SHIFT_1)) * _MULTIPLIER_1
    z = (z ^ (z >> _SHIFT_2)) * _MULTIPLIER_2
    return np.int64(z ^ (z >> _SHIFT_3))


@scalar
def scale_below(bits: int, bound: int) -> int:
    """Scale 64 random bits to an integer from 0 to bound - 1, 1 <= bound <= 32767.

    The top 48 bits count: no value is likelier than another by more than bound / 2**48.
    """
    return (np.int64(np.uint64(bits) >> _TO_48_BITS) * bound) >> 48


@scalar
def to_fraction(bits: int) -> float:
    """Scale 64 random bits to a number in [0, 1), a multiple of 2**-48."""
    return np.int64(np.uint64(bits) >> _TO_48_BITS) * _UNIT


@scalar
def high_half(bits: int) -> int:
    """Return the upper 32 of 64 random bits, 0 to 2**32 - 1."""
    return np.int64(np.uint64(bits) >> _HALF)


@scalar
def low_half(bits: int) -> int:
    """Return the lower 32 of 64 random bits, 0 to 2**32 - 1."""
    return np.int64(np.uint64(bits) & _LOW_HALF)


@scalar
def draw_32(key: Key, counter: int) -> int:
    """Return 32 random bits for a counter under a key, 0 to 2**32 - 1.

    The halves of the number are multiplied with each other, twice, and folded, as in wyhash32 (Wang
    Yi, public domain).  Unlike 64-bit products, these are single instructions in vectors of every
    processor: with AVX2 a deal of random players takes an eighth less time.
    """
    z = np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN
    z = ((z & _LOW_HALF) * (z >> _HALF)) ^ _FLIPPED
    z = (z & _LOW_HALF) * (z >> _HALF)
    return np.int64((z ^ (z >> _HALF)) & _LOW_HALF)


@scalar
def scale_32_below(bits: int, bound: int) -> int:
    """Scale 32 random bits to an integer from 0 to bound - 1, 1 <= bound <= 32767.

    No value is likelier than another by more than 2**-32.
    """
    return (bits * bound) >> 32


@scalar
def is_32_below(bits: int, probability: float) -> bool:
    """Return True with a probability from 0 to 1, to 2**-32, by 32 random bits.

    Integers are compared, as vectors of every processor can, and the limit is the same for all
    deals of a block.
    """
    return bits < math.ceil(probability * _UNITS_32)


@scalar
def _count_card(trick: int, position: Position) -> int:
    """Return the counter of the card of a position in a trick.

    By position and not by place: that is the same number in all deals of a block.
    """
    return CARD + (trick << 3) + position


@scalar
def draw_for_card(key: Key, trick: int, position: Position) -> int:
    """Return 64 random bits for the card of a position in a trick."""
    return draw(key, _count_card(trick, position))


@scalar
def draw_32_for_card(key: Key, trick: int, position: Position) -> int:
    """Return 32 random bits for the card of a position in a trick."""
    return draw_32(key, _count_card(trick, position))


@scalar
def derive_deal_key(seed: int, deal: int) -> Key:
    """Return the key of a deal's draws."""
    return draw(draw(seed, 0), deal)


@kernel
def fill_keys(first: int, seed: int, keys: Int64Array) -> None:
    """Fill `keys`, int64 (n,), with the keys of the deals from `first` on."""
    for number in range(keys.shape[0]):
        keys[number] = derive_deal_key(seed, first + number)
