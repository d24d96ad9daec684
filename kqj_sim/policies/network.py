"""`network`: values a card by the linear part plus a small network on the same features.

First hidden layer: its bias, the rows of the shared features (summed once per decision) and the
rows of the card's features; second: its bias and a matrix; both rectified.  `features` has the
layout of the weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import STRIDE
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import scalar, stack_float32, stack_int64
from kqj_sim.core.simd import (
    GROUP,
    WIDTH,
    add,
    add_matrix_product,
    add_matrix_products,
    dot,
    load,
    rectify,
    store,
)
from kqj_sim.core.types import Vector
from kqj_sim.policies.card_batches import BATCH, make_choose_card
from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_FEATURES,
    CARD_ROWS_OFFSET,
    HELD_BACK_SHARE,
    HIDDEN_1_UNITS,
    KIND_SIZE,
    LINEAR_OFFSET,
    MATRIX_OFFSET,
    OUTPUT_OFFSET,
    SHARED_FEATURES,
    SHARED_ROWS_OFFSET,
    write_card_features,
    write_shared_features,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances

network = policy(
    "network",
    "learned: a small neural network over the features of linear and others",
    weights="network",
)

_MAX_FEATURES = max(SHARED_FEATURES, CARD_FEATURES)


class FirstLayer(NamedTuple):
    """The units of the first hidden layer, or their inputs, in three vectors."""

    a: Vector
    b: Vector
    c: Vector


@scalar
def load_layer(numbers: Any, at: int) -> FirstLayer:
    """Load a layer from the `HIDDEN_1_UNITS` numbers that begin at an index."""
    return FirstLayer(load(numbers, at), load(numbers, at + WIDTH), load(numbers, at + 2 * WIDTH))


@scalar
def add_to_layer(layer: FirstLayer, numbers: Any, at: int) -> FirstLayer:
    """Add the `HIDDEN_1_UNITS` numbers that begin at an index to a layer."""
    other = load_layer(numbers, at)
    return FirstLayer(add(layer.a, other.a), add(layer.b, other.b), add(layer.c, other.c))


@scalar
def rectify_layer(layer: FirstLayer) -> FirstLayer:
    """Replace the negative numbers of a layer by zero."""
    return FirstLayer(rectify(layer.a), rectify(layer.b), rectify(layer.c))


@scalar
def evaluate_second_layer(first: FirstLayer, weights: Any, start: int) -> Vector:
    """Compute the second hidden layer's units from the first's; its weights begin at `start`."""
    at = start + MATRIX_OFFSET
    second = load(weights, start + BIAS_2_OFFSET)
    second = add_matrix_product(second, first.a, weights, at)
    second = add_matrix_product(second, first.b, weights, at + WIDTH * WIDTH)
    second = add_matrix_product(second, first.c, weights, at + 2 * WIDTH * WIDTH)
    return rectify(second)


@scalar
def store_layer(numbers: Any, at: int, layer: FirstLayer) -> None:
    """Write a layer to the `HIDDEN_1_UNITS` numbers that begin at an index."""
    store(numbers, at, layer.a)
    store(numbers, at + WIDTH, layer.b)
    store(numbers, at + 2 * WIDTH, layer.c)


@network.values
@scalar
def write_card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    `weights` has `KIND_SIZE` numbers for each kind of contract.
    """
    known = build_trick_context(view)
    start = known.kind * KIND_SIZE
    features = stack_int64(_MAX_FEATURES)
    write_shared_features(view, known, features, 0, 1)
    shared = load_layer(weights, start + BIAS_1_OFFSET)
    for k in range(SHARED_FEATURES):
        shared = add_to_layer(
            shared, weights, start + SHARED_ROWS_OFFSET + features[k] * HIDDEN_1_UNITS
        )
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        odds = estimate_win_chances(view, HELD_BACK_SHARE, known, card)
        write_card_features(view, known, card, odds, features, 0, 1)
        first = shared
        linear = np.float32(0.0)
        for k in range(CARD_FEATURES):
            linear += weights[start + LINEAR_OFFSET + features[k]]
            first = add_to_layer(
                first, weights, start + CARD_ROWS_OFFSET + features[k] * HIDDEN_1_UNITS
            )
        second = evaluate_second_layer(rectify_layer(first), weights, start)
        values[count] = linear + dot(second, load(weights, start + OUTPUT_OFFSET))
        count += 1
    return count


_LAYERS_SIZE = BATCH * HIDDEN_1_UNITS
_SHARED_LAYERS_SIZE = _LAYERS_SIZE // 2
"""A decision has two candidates or more."""
_TOTALS_SIZE = GROUP * WIDTH


@scalar
def _write_shared_layers(
    shared: Any, lanes: Any, first: int, last: int, weights: Any, start: int, layers: Any
) -> None:
    """Write the first hidden layer's part that a decision's candidates share, for decisions from
    `first` to `last`."""
    for decision in range(first, last + 1):
        lane = lanes[decision]
        layer = load_layer(weights, start + BIAS_1_OFFSET)
        for k in range(SHARED_FEATURES):
            row = shared[k * STRIDE + lane] * HIDDEN_1_UNITS
            layer = add_to_layer(layer, weights, start + SHARED_ROWS_OFFSET + row)
        store_layer(layers, (decision - first) * HIDDEN_1_UNITS, layer)


@scalar
def _write_first_layers(
    features: Any, shared_layers: Any, first_decision: int, decisions: Any, count: int,
    weights: Any, start: int, layers: Any, values: Any,
) -> None:  # fmt: skip
    """Write the first hidden layer and the linear part of each candidate of a batch."""
    # Without a branch that nobody foresees: cards then overlap in the processor.
    for at in range(count):
        first = load_layer(shared_layers, (decisions[at] - first_decision) * HIDDEN_1_UNITS)
        linear = np.float32(0.0)
        for k in range(CARD_FEATURES):
            feature = features[k * BATCH + at]
            linear += weights[start + LINEAR_OFFSET + feature]
            first = add_to_layer(
                first, weights, start + CARD_ROWS_OFFSET + feature * HIDDEN_1_UNITS
            )
        store_layer(layers, at * HIDDEN_1_UNITS, rectify_layer(first))
        values[at] = linear


@scalar
def _add_second_layers(layers: Any, count: int, weights: Any, start: int, values: Any) -> None:
    """Add the network's part to the value of each candidate of a batch."""
    totals = stack_float32(_TOTALS_SIZE)
    bias = load(weights, start + BIAS_2_OFFSET)
    output = load(weights, start + OUTPUT_OFFSET)
    for at in range(0, count, GROUP):
        for member in range(GROUP):
            store(totals, member * WIDTH, bias)
        for part in range(HIDDEN_1_UNITS // WIDTH):
            matrix = start + MATRIX_OFFSET + part * WIDTH * WIDTH
            add_matrix_products(
                totals, layers, at * HIDDEN_1_UNITS + part * WIDTH, HIDDEN_1_UNITS, weights, matrix
            )
        for member in range(GROUP):
            # Beyond the last candidate values are written that nobody reads.
            values[at + member] += dot(rectify(load(totals, member * WIDTH)), output)


@scalar
def write_batch_values(
    features: Any, shared: Any, lanes: Any, first: int, last: int, decisions: Any, count: int,
    weights: Any, start: int, values: Any,
) -> None:  # fmt: skip
    """Write the value of each candidate of a batch (`card_batches.make_choose_card`)."""
    shared_layers = stack_float32(_SHARED_LAYERS_SIZE)
    _write_shared_layers(shared, lanes, first, last, weights, start, shared_layers)
    layers = stack_float32(_LAYERS_SIZE)
    _write_first_layers(
        features, shared_layers, first, decisions, count, weights, start, layers, values
    )
    _add_second_layers(layers, count, weights, start, values)


network.block("card")(make_choose_card(write_batch_values, KIND_SIZE, with_shared=True))
