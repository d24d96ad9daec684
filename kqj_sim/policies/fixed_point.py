"""The network's weights in fixed point, by which it plays.

Rows of the first hidden layer are int16, so that a row is a third shorter than in float32 and its
sums are exact in any order.  The linear part stands in the same row, behind the hidden units.  Each
kind of contract has scales of its own, powers of two: the largest at which no sum can overflow,
whatever the features.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kqj_sim.core.simd_int16 import PAIRS_WIDTH, WIDTH
from kqj_sim.core.types import Float32Array, Float64Array, Int16Array
from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_INDICES,
    CARD_ROWS_OFFSET,
    CARD_TABLES,
    HIDDEN_1_UNITS,
    HIDDEN_2_UNITS,
    KIND_SIZE,
    LINEAR_OFFSET,
    MATRIX_OFFSET,
    OUTPUT_OFFSET,
    SHARED_INDICES,
    SHARED_ROWS_OFFSET,
    list_shared_parts,
)

ROW_SIZE = WIDTH
"""Numbers of a row: one vector."""
LINEAR_UNIT = HIDDEN_1_UNITS
"""Place of the linear part in a row; the places behind it are 0."""
PAIR_COUNT = HIDDEN_1_UNITS // 2
"""Pairs of units of the first hidden layer."""

FIXED_SHARED_ROWS = 0
"""A row of `ROW_SIZE` numbers for each shared index."""
FIXED_CARD_ROWS = FIXED_SHARED_ROWS + SHARED_INDICES * ROW_SIZE
"""A row for each card index."""
FIXED_BIAS_1 = FIXED_CARD_ROWS + CARD_INDICES * ROW_SIZE
FIXED_MATRIX = FIXED_BIAS_1 + ROW_SIZE
"""For each pair of units of the first layer the weights of both, unit by unit of the second."""
FIXED_BIAS_2 = FIXED_MATRIX + PAIR_COUNT * PAIRS_WIDTH
"""int32 for each unit of the second hidden layer, two places each."""
FIXED_OUTPUT = FIXED_BIAS_2 + 2 * HIDDEN_2_UNITS
"""float32 for each unit of the second hidden layer, in points, two places each."""
FIXED_LINEAR_STEP = FIXED_OUTPUT + 2 * HIDDEN_2_UNITS
"""float32: the points of a 1 of the linear part."""
FIXED_KIND_SIZE = FIXED_LINEAR_STEP + PAIRS_WIDTH
"""Numbers for one kind of contract; each part begins at a multiple of 64 bytes."""

INT16_ROOM, INT32_ROOM = (1 << 15) - 1, (1 << 31) - 1
"""The largest numbers."""
_MAX_MATRIX_SCALE = 1 << 13
"""Enough: a weight is then within 0.00006."""


def to_fixed_point(weights: Float32Array) -> Int16Array:
    """Return the weights of `network`, float32 (kinds, `KIND_SIZE`), in fixed point.

    Returns:
        int16 (kinds, `FIXED_KIND_SIZE`).
    """
    return convert_kinds(weights, KIND_SIZE, FIXED_KIND_SIZE, _write_kind)


def _write_kind(weights: Float32Array, fixed: Int16Array) -> None:
    """Write the weights of one kind of contract in fixed point."""
    linear = weights[LINEAR_OFFSET : LINEAR_OFFSET + CARD_INDICES, None]
    shared = weights[SHARED_ROWS_OFFSET:CARD_ROWS_OFFSET].reshape(-1, HIDDEN_1_UNITS)
    cards = weights[CARD_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS)
    bias_1 = weights[BIAS_1_OFFSET:MATRIX_OFFSET]
    matrix = weights[MATRIX_OFFSET:BIAS_2_OFFSET].reshape(HIDDEN_1_UNITS, HIDDEN_2_UNITS)
    bias_2 = weights[BIAS_2_OFFSET:OUTPUT_OFFSET]
    output = weights[OUTPUT_OFFSET : OUTPUT_OFFSET + HIDDEN_2_UNITS]

    card_parts = [math.prod(sizes) for sizes in CARD_TABLES.values()]
    low, high = bound_sums(bias_1, [(shared, list_shared_parts()), (cards, card_parts)])
    rows_scale = choose_scale(np.maximum(-low, high).max(), INT16_ROOM)
    linear_scale = choose_scale(
        np.abs(bound_sums(np.zeros(1, np.float32), [(linear, card_parts)])).max(), INT16_ROOM
    )
    matrix_scale = min(choose_matrix_scale(matrix, bias_2, high, rows_scale), _MAX_MATRIX_SCALE)

    shared_rows = fixed[FIXED_SHARED_ROWS:FIXED_CARD_ROWS].reshape(-1, ROW_SIZE)
    card_rows = fixed[FIXED_CARD_ROWS:FIXED_BIAS_1].reshape(-1, ROW_SIZE)
    shared_rows[:, :HIDDEN_1_UNITS] = np.rint(shared * np.float32(rows_scale))
    card_rows[:, :HIDDEN_1_UNITS] = np.rint(cards * np.float32(rows_scale))
    card_rows[:, LINEAR_UNIT] = np.rint(linear[:, 0] * np.float32(linear_scale))
    fixed[FIXED_BIAS_1 : FIXED_BIAS_1 + HIDDEN_1_UNITS] = np.rint(bias_1 * np.float32(rows_scale))
    pairs = np.rint(matrix * np.float32(matrix_scale)).reshape(PAIR_COUNT, 2, HIDDEN_2_UNITS)
    fixed[FIXED_MATRIX:FIXED_BIAS_2] = pairs.transpose(0, 2, 1).ravel()
    step = 1 / (rows_scale * matrix_scale)
    fixed[FIXED_BIAS_2:FIXED_OUTPUT].view(np.int32)[:] = np.rint(bias_2.astype(np.float64) / step)
    fixed[FIXED_OUTPUT:FIXED_LINEAR_STEP].view(np.float32)[:] = output * np.float32(step)
    fixed[FIXED_LINEAR_STEP : FIXED_LINEAR_STEP + 2].view(np.float32)[:] = 1 / linear_scale


def convert_kinds(
    weights: Float32Array,
    kind_size: int,
    fixed_size: int,
    write_kind: Callable[[Float32Array, Int16Array], None],
) -> Int16Array:
    """Return weights in fixed point, int16 (kinds, `fixed_size`), as `write_kind` writes a kind."""
    kinds = weights.reshape(-1, kind_size)
    numbers = np.zeros((len(kinds), fixed_size), np.int16)
    for kind, fixed in zip(kinds, numbers, strict=True):
        write_kind(kind, fixed)
    return numbers


def bound_sums(
    bias: Float32Array, tables: list[tuple[Float32Array, list[int]]]
) -> tuple[Float64Array, Float64Array]:
    """Return the least and the greatest sum of a bias and one row of each part of some tables.

    Args:
        bias: float32 (units,).
        tables: rows, float32 (n, units), and the number of rows of each part.
    """
    low, high = bias.astype(np.float64), bias.astype(np.float64)
    for rows, parts in tables:
        starts = np.cumsum([0, *parts[:-1]])
        low += np.minimum.reduceat(rows, starts).astype(np.float64).sum(axis=0)
        high += np.maximum.reduceat(rows, starts).astype(np.float64).sum(axis=0)
    return low, high


def choose_scale(largest: float, room: int) -> float:
    """Return the largest power of two by which numbers up to `largest` stay within `room`.

    Half a percent of the room is left for rounding.
    """
    return 2.0 ** math.floor(math.log2(0.995 * room / max(largest, 1e-6)))


def choose_matrix_scale(
    matrix: Float32Array, bias: Float32Array | Float64Array, high: Float64Array, rows_scale: float
) -> float:
    """Return the scale of a layer's matrix at which neither a weight nor a total can overflow.

    Args:
        matrix: a row for each unit of the layer before.
        bias: of the layer.
        high: the greatest values of the units of the layer before.
        rows_scale: their scale.
    """
    largest = np.maximum(high, 0) @ np.abs(matrix).astype(np.float64) + np.abs(bias)
    return min(
        choose_scale(rows_scale * largest.max(), INT32_ROOM),
        choose_scale(np.abs(matrix).max(), INT16_ROOM),
    )
