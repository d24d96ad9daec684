"""Networks of one hidden layer, whose inputs are numbers of rows.

    outputs = output bias + matrix . relu(bias + the sum of some rows)

`network` values cards by such networks, `learned` calls; each has one for each kind of contract.
Rows and matrix are int16, totals int32, so that sums are exact in any order and every processor
chooses alike.  Each kind of contract has scales of its own, powers of two: the largest at which no
sum can overflow, whatever the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kqj_sim.core.jit import float32_at, int16_at, int32_at, scalar, stack_int32
from kqj_sim.core.simd_int16 import WIDTH, add, load, rectify, write_dots
from kqj_sim.core.types import Address, Float32Array, Int16Array, Int64Pointer, Vector

HIDDEN_UNITS = WIDTH
"""Units of the hidden layer: one vector."""

INT16_ROOM, INT32_ROOM = (1 << 15) - 1, (1 << 31) - 1
"""The largest numbers."""

_CACHE_LINE = 32
"""Numbers of int16 in a cache line: the networks of all kinds begin at one."""


class Layout(NamedTuple):
    """Layout of the numbers of one network: where each part begins.

    Numbers are float32 as stored, int16 in fixed point.  First come the rows, of `HIDDEN_UNITS`
    numbers.
    """

    rows: int
    outputs: int
    bias: int
    """`HIDDEN_UNITS` numbers."""
    matrix: int
    """As stored `outputs` weights for each hidden unit; in fixed point a row for each output."""
    output_bias: int
    """A number for each output; in fixed point int32, two places each."""
    stored_size: int
    """Numbers as stored."""
    step: int
    """In fixed point float32: what a 1 of the totals is worth."""
    fixed_size: int
    """Numbers in fixed point."""


def make_layout(rows: int, outputs: int) -> Layout:
    """Return the layout of a network with a number of rows, and of outputs."""
    bias = rows * HIDDEN_UNITS
    matrix = bias + HIDDEN_UNITS
    output_bias = matrix + outputs * HIDDEN_UNITS
    step = output_bias + 2 * outputs
    fixed_size = -(-(step + 2) // _CACHE_LINE) * _CACHE_LINE
    return Layout(rows, outputs, bias, matrix, output_bias, output_bias + outputs, step, fixed_size)


def to_fixed_point(
    weights: Float32Array, layout: Layout, parts: Iterable[tuple[int, int]]
) -> Int16Array:
    """Return networks in fixed point, int16 (kinds, fixed_size).

    Args:
        weights: as stored, float32 (kinds, stored_size).
        parts: how the rows are divided: the rows of each part, and how many of them a sum has.
    """
    kinds = weights.reshape(-1, layout.stored_size)
    fixed = np.zeros((len(kinds), layout.fixed_size), np.int16)
    for kind, numbers in zip(kinds, fixed, strict=True):
        _write_network(kind, layout, parts, numbers)
    return fixed


def _write_network(
    weights: Float32Array, layout: Layout, parts: Iterable[tuple[int, int]], fixed: Int16Array
) -> None:
    rows = weights[: layout.bias].reshape(-1, HIDDEN_UNITS)
    bias = weights[layout.bias : layout.matrix]
    matrix = weights[layout.matrix : layout.output_bias].reshape(HIDDEN_UNITS, -1)
    output_bias = weights[layout.output_bias :].astype(np.float64)

    sizes, reads = np.array(list(parts)).T
    starts = np.cumsum(sizes) - sizes
    low, high = (
        bias + (least.reduceat(rows, starts).astype(np.float64) * reads[:, None]).sum(axis=0)
        for least in (np.minimum, np.maximum)
    )
    rows_scale = _choose_scale(np.maximum(-low, high).max(), INT16_ROOM)
    largest = np.maximum(high, 0) @ np.abs(matrix).astype(np.float64) + np.abs(output_bias)
    matrix_scale = min(
        _choose_scale(rows_scale * largest.max(), INT32_ROOM),
        _choose_scale(np.abs(matrix).max(), INT16_ROOM),
    )

    fixed[: layout.bias] = np.rint(rows * np.float32(rows_scale)).ravel()
    fixed[layout.bias : layout.matrix] = np.rint(bias * np.float32(rows_scale))
    fixed[layout.matrix : layout.output_bias] = np.rint(matrix * np.float32(matrix_scale)).T.ravel()
    totals = np.rint(output_bias * rows_scale * matrix_scale)
    fixed[layout.output_bias : layout.step].view(np.int32)[:] = totals
    fixed[layout.step : layout.step + 2].view(np.float32)[:] = 1 / (rows_scale * matrix_scale)


def _choose_scale(largest: float, room: int) -> float:
    """Return the largest power of two by which numbers up to `largest` stay within `room`.

    Half a percent of the room is left for rounding.
    """
    return 2.0 ** math.floor(math.log2(0.995 * room / max(largest, 1e-6)))


@scalar
def add_features(
    address: Address, layout: Layout, features: Int64Pointer, count: int, start: int, step: int
) -> Vector:
    """Return the hidden layer, rectified, of the network in fixed point at an address.

    Args:
        features: holds the numbers of the rows, at `start` and every `step`th number after it.
        count: number of rows, a constant.
    """
    numbers = int16_at(address)
    total = load(numbers, layout.bias)
    for k in range(count):
        total = add(total, load(numbers, features[start + k * step] * HIDDEN_UNITS))
    return rectify(total)


@scalar
def find_step(address: Address, layout: Layout) -> float:
    """Return what a 1 of the totals of the network at an address is worth."""
    return float32_at(address + 2 * layout.step)[0]


@scalar
def compute_total(layer: Vector, address: Address, layout: Layout, output: int) -> int:
    """Return the total of one output of the network at an address; the layer is rectified."""
    total = stack_int32(1)
    bias = int32_at(address + 2 * layout.output_bias)
    row = layout.matrix + output * HIDDEN_UNITS
    write_dots(total, 0, layer, int16_at(address), row, bias, output, 1)
    return total[0]
