"""The weights of `learned`: as they are stored, and in fixed point, by which it calls.

Rows of the hidden layer and the matrix are int16, totals int32.  Each kind of contract has scales
of its own, powers of two: the largest at which no sum can overflow, whatever the features.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core.simd_int16 import UNITS, WIDTH
from kqj_sim.core.types import Float32Array, Int16Array
from kqj_sim.policies.call_features import PARTS, ROWS
from kqj_sim.policies.fixed_point import (
    INT16_ROOM,
    bound_sums,
    choose_matrix_scale,
    choose_scale,
    convert_kinds,
)

HIDDEN_UNITS = WIDTH
"""Units of the hidden layer: one vector."""
KINDS = 3
"""Kinds of contracts with weights of their own: a suit, No-Trump, All-Trumps."""

# As they are stored: float32 for each kind of contract.
ROWS_OFFSET = 0
BIAS_OFFSET = ROWS_OFFSET + ROWS * HIDDEN_UNITS
MATRIX_OFFSET = BIAS_OFFSET + HIDDEN_UNITS
"""A row of `UNITS` weights for each hidden unit, in points."""
OUTPUT_BIAS_OFFSET = MATRIX_OFFSET + HIDDEN_UNITS * UNITS
KIND_SIZE = OUTPUT_BIAS_OFFSET + UNITS

# In fixed point: int16 for each kind of contract.
FIXED_ROWS = 0
"""A row of `HIDDEN_UNITS` numbers for each feature."""
FIXED_BIAS = FIXED_ROWS + ROWS * HIDDEN_UNITS
FIXED_MATRIX = FIXED_BIAS + HIDDEN_UNITS
"""A row of `HIDDEN_UNITS` weights for each value."""
FIXED_OUTPUT_BIAS = FIXED_MATRIX + UNITS * HIDDEN_UNITS
"""int32 for each value, two places each."""
FIXED_STEP = FIXED_OUTPUT_BIAS + 2 * UNITS
"""float32: the points of a 1 of the totals."""
FIXED_KIND_SIZE = FIXED_STEP + 2 * UNITS
"""Numbers for one kind of contract; each part begins at a multiple of 64 bytes."""


def to_fixed_point(weights: Float32Array) -> Int16Array:
    """Return the weights of `learned`, float32 (kinds, `KIND_SIZE`), in fixed point.

    Returns:
        int16 (kinds, `FIXED_KIND_SIZE`).
    """
    return convert_kinds(weights, KIND_SIZE, FIXED_KIND_SIZE, _write_kind)


def _write_kind(weights: Float32Array, fixed: Int16Array) -> None:
    """Write the weights of one kind of contract in fixed point."""
    rows = weights[ROWS_OFFSET:BIAS_OFFSET].reshape(-1, HIDDEN_UNITS)
    bias = weights[BIAS_OFFSET:MATRIX_OFFSET]
    matrix = weights[MATRIX_OFFSET:OUTPUT_BIAS_OFFSET].reshape(HIDDEN_UNITS, UNITS)
    output_bias = weights[OUTPUT_BIAS_OFFSET:].astype(np.float64)

    # A part that is read more than once may add its largest row each time.
    reads = np.repeat(*np.array([(reads, size) for size, reads in PARTS.values()]).T)
    low, high = bound_sums(
        bias, [(rows * reads[:, None].astype(np.float32), [size for size, _ in PARTS.values()])]
    )
    rows_scale = choose_scale(np.maximum(-low, high).max(), INT16_ROOM)
    matrix_scale = choose_matrix_scale(matrix, output_bias, high, rows_scale)

    fixed[FIXED_ROWS:FIXED_BIAS] = np.rint(rows * np.float32(rows_scale)).ravel()
    fixed[FIXED_BIAS:FIXED_MATRIX] = np.rint(bias * np.float32(rows_scale))
    fixed[FIXED_MATRIX:FIXED_OUTPUT_BIAS] = np.rint(matrix * np.float32(matrix_scale)).T.ravel()
    totals = np.rint(output_bias * rows_scale * matrix_scale)
    fixed[FIXED_OUTPUT_BIAS:FIXED_STEP].view(np.int32)[:] = totals
    fixed[FIXED_STEP : FIXED_STEP + 2].view(np.float32)[:] = 1 / (rows_scale * matrix_scale)
