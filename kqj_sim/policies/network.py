"""`network`: the value of a card is the linear part plus a small network on the same features.

First hidden layer: its bias, the rows of the shared features (summed once a decision) and the rows
of the card's features; second: its bias and a matrix; both rectified.  `layout` says where the
weights stand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import TRICKS
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import scalar, stack_float32, stack_int64
from kqj_sim.core.simd import WIDTH, add, add_matrix_product, dot, load, rectify
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
    "network", "learned: a small network on the features of linear and more", weights="network"
)

_MAX_FEATURES = max(SHARED_FEATURES, CARD_FEATURES)


class _Layer(NamedTuple):
    """The first hidden layer, in three vectors."""

    a: Any
    b: Any
    c: Any


@scalar
def _add_weights(layer: _Layer, weights: Any, at: int) -> _Layer:
    """The layer with a row of weights added."""
    return _Layer(
        add(layer.a, load(weights, at)),
        add(layer.b, load(weights, at + WIDTH)),
        add(layer.c, load(weights, at + 2 * WIDTH)),
    )


@network.values
@scalar
def write_card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on; how many they are.

    `weights` are as `layout` says.
    """
    known = build_trick_context(view)
    start = known.kind * KIND_SIZE
    features = stack_int64(_MAX_FEATURES)
    write_shared_features(view, known, features)
    at = start + BIAS_1_OFFSET
    shared = _Layer(load(weights, at), load(weights, at + WIDTH), load(weights, at + 2 * WIDTH))
    for k in range(SHARED_FEATURES):
        shared = _add_weights(
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
            first = _add_weights(
                first, weights, start + CARD_ROWS_OFFSET + features[k] * HIDDEN_1_UNITS
            )
        second = load(weights, start + BIAS_2_OFFSET)
        at = start + MATRIX_OFFSET
        second = add_matrix_product(second, rectify(first.a), weights, at)
        second = add_matrix_product(second, rectify(first.b), weights, at + WIDTH * WIDTH)
        second = add_matrix_product(second, rectify(first.c), weights, at + 2 * WIDTH * WIDTH)
        values[count] = linear + dot(rectify(second), load(weights, start + OUTPUT_OFFSET))
        count += 1
    return count


@network
def choose_card(view: Any, parameters: Any, weights: Any) -> int:
    """The legal card of the greatest value."""
    if view.legal & (view.legal - 1) == 0:
        return view.legal
    values = stack_float32(TRICKS)
    write_card_values(view, weights, values)
    return best_card(view.legal, values)
