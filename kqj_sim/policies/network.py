"""`network`: values a card by the linear part plus a small network on the same features.

First hidden layer: its bias, the rows of the shared features (summed once per decision) and the
rows of the card's features; second: its bias and a matrix; both rectified.  `features` has the
layout of the weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import TRICKS
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import scalar, stack_float32, stack_int64
from kqj_sim.core.simd import WIDTH, add, add_matrix_product, dot, load, rectify
from kqj_sim.core.types import Vector
from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_FEATURES,
    CARD_ROWS_OFFSET,
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
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import build_trick_context

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


@network.values
@scalar
def write_card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    `weights` has `KIND_SIZE` numbers for each kind of contract.
    """
    known = build_trick_context(view)
    start = known.kind * KIND_SIZE
    features = stack_int64(_MAX_FEATURES)
    write_shared_features(view, known, features)
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
        write_card_features(view, known, card, features, 0)
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


@network
def choose_card(view: Any, parameters: Any, weights: Any) -> int:
    """Play the legal card of the greatest value."""
    if view.legal & (view.legal - 1) == 0:
        return view.legal
    values = stack_float32(TRICKS)
    write_card_values(view, weights, values)
    return best_card(view.legal, values)
