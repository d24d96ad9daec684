"""`network`: values a card by the linear part plus a small network on the same features.

First hidden layer: its bias, the rows of the shared features (summed once per decision) and the
rows of the card's features; second: its bias and a matrix; both rectified.  The linear part is one
more number of the card's rows.  All of it is summed in whole numbers (`fixed_point`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.block import STRIDE, TRICKS
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import (
    float32_at,
    int16_at,
    int32_at,
    scalar,
    stack_int16,
    stack_int64,
)
from kqj_sim.core.simd_int16 import (
    GROUP,
    add,
    load,
    rectify_first,
    store,
    write_outputs,
)
from kqj_sim.core.types import Address, Float32Pointer, Int16Pointer, Int64Pointer, Vector
from kqj_sim.policies.card_batches import BATCH, make_choose_card
from kqj_sim.policies.features import (
    CARD_FEATURES,
    HELD_BACK_SHARE,
    HIDDEN_1_UNITS,
    SHARED_FEATURES,
    write_card_features,
    write_shared_features,
)
from kqj_sim.policies.fixed_point import (
    FIXED_BIAS_1,
    FIXED_BIAS_2,
    FIXED_CARD_ROWS,
    FIXED_KIND_SIZE,
    FIXED_LINEAR_STEP,
    FIXED_MATRIX,
    FIXED_OUTPUT,
    FIXED_SHARED_ROWS,
    LINEAR_UNIT,
    PAIR_COUNT,
    ROW_SIZE,
)
from kqj_sim.policies.parameters import whole
from kqj_sim.policies.registry import policy
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances
from kqj_sim.policies.weights import VERSIONS

network = policy(
    "network",
    "learned: a small neural network over features of the card and the situation",
    weights=whole(
        VERSIONS["network"],
        "version of the package's weights",
        VERSIONS["network"],
        VERSIONS["network"],
    ),
)
network.weights = "network"

_KIND_BYTES = 2 * FIXED_KIND_SIZE
_MOST_FEATURES = max(SHARED_FEATURES, CARD_FEATURES)
_HAND_LAYERS_SIZE = TRICKS * ROW_SIZE


@scalar
def _add_rows(
    total: Vector, weights: Int16Pointer, rows: int, features: Int64Pointer, at: int, step: int,
    count: int,
) -> Vector:  # fmt: skip
    """Return a vector plus the rows of some features.

    Args:
        total: the vector.
        weights: holds the rows, from `rows` on.
        rows: see `weights`.
        features: holds the features, at `at` and every `step`th number after it.
        at, step: see `features`.
        count: number of features, a constant.
    """
    for k in range(count):
        total = add(total, load(weights, rows + features[at + k * step] * ROW_SIZE))
    return total


@scalar
def _sum_shared_rows(weights: Int16Pointer, features: Int64Pointer, at: int, step: int) -> Vector:
    """Return the first hidden layer's part that all candidates of a decision share."""
    bias = load(weights, FIXED_BIAS_1)
    return _add_rows(bias, weights, FIXED_SHARED_ROWS, features, at, step, SHARED_FEATURES)


@scalar
def _evaluate_first_layer(
    shared: Vector, weights: Int16Pointer, features: Int64Pointer, at: int, step: int
) -> Vector:
    """Return the first hidden layer of a candidate, and its linear part, in one vector."""
    total = _add_rows(shared, weights, FIXED_CARD_ROWS, features, at, step, CARD_FEATURES)
    return rectify_first(total, HIDDEN_1_UNITS)


@scalar
def _write_values(
    layers: Int16Pointer, count: int, weights: Address, values: Float32Pointer
) -> None:
    """Write the values of candidates from their first hidden layers.

    Layers are read, and values written that mean nothing, up to a multiple of `GROUP`.
    """
    numbers = int16_at(weights)
    bias = int32_at(weights + 2 * FIXED_BIAS_2)
    factors = float32_at(weights + 2 * FIXED_OUTPUT)
    linear_step = float32_at(weights + 2 * FIXED_LINEAR_STEP)[0]
    for first in range(0, count, GROUP):
        write_outputs(
            values, first, layers, first * ROW_SIZE, ROW_SIZE, bias, numbers, FIXED_MATRIX, factors,
            PAIR_COUNT,
        )  # fmt: skip
    for at in range(count):
        values[at] += np.float32(layers[at * ROW_SIZE + LINEAR_UNIT]) * linear_step


@network.values
@scalar
def write_card_values(view: Any, weights: Address, values: Float32Pointer) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    Args:
        view: the player's view.
        weights: address of the weights of all kinds of contract (`fixed_point.to_fixed_point`).
        values: float32, gets eight numbers; those behind the last card's mean nothing.
    """
    known = build_trick_context(view)
    address = weights + known.kind * _KIND_BYTES
    numbers = int16_at(address)
    features = stack_int64(_MOST_FEATURES)
    write_shared_features(view, known, features, 0, 1)
    shared = _sum_shared_rows(numbers, features, 0, 1)
    layers = stack_int16(_HAND_LAYERS_SIZE)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        odds = estimate_win_chances(view, HELD_BACK_SHARE, known, card)
        write_card_features(view, known, card, odds, features, 0, 1)
        store(layers, count * ROW_SIZE, _evaluate_first_layer(shared, numbers, features, 0, 1))
        count += 1
    _write_values(layers, count, address, values)
    return count


_LAYERS_SIZE = BATCH * ROW_SIZE
_SHARED_LAYERS_SIZE = _LAYERS_SIZE // 2
"""A decision has two candidates or more."""


@scalar
def write_batch_values(
    features: Int64Pointer, shared: Int64Pointer, lanes: Int64Pointer, first: int, last: int,
    decisions: Int64Pointer, count: int, weights: Address, kind: int, values: Float32Pointer,
) -> None:  # fmt: skip
    """Write the value of each candidate of a batch (`card_batches.make_choose_card`)."""
    address = weights + kind * _KIND_BYTES
    numbers = int16_at(address)
    shared_layers, layers = stack_int16(_SHARED_LAYERS_SIZE), stack_int16(_LAYERS_SIZE)
    for decision in range(first, last + 1):
        layer = _sum_shared_rows(numbers, shared, lanes[decision], STRIDE)
        store(shared_layers, (decision - first) * ROW_SIZE, layer)
    # Without a branch that nobody foresees: cards then overlap in the processor.
    for at in range(count):
        common = load(shared_layers, (decisions[at] - first) * ROW_SIZE)
        layer = _evaluate_first_layer(common, numbers, features, at, BATCH)
        store(layers, at * ROW_SIZE, layer)
    _write_values(layers, count, address, values)


network.block("card")(make_choose_card(write_batch_values))
