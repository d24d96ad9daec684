"""`network`: the value of a card is the linear part plus a small network on the same features.

First hidden layer: its bias, the rows of the shared features (summed once a decision) and the rows
of the card's features; second: its bias and a matrix; both rectified.  `layout` says where the
weights stand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.bits import lowest_bit
from kqj_sim.core.compile import scalar
from kqj_sim.core.memory import stack_float32, stack_int64
from kqj_sim.core.state import TRICKS
from kqj_sim.core.vectors import WIDTH, add, add_product, dot, load, rectified
from kqj_sim.policies.features import (
    CARD_FEATURES,
    SHARED_FEATURES,
    card_features,
    shared_features,
)
from kqj_sim.policies.layout import (
    BIAS_1,
    BIAS_2,
    CARD_ROWS,
    HIDDEN_1,
    KIND_SIZE,
    LINEAR,
    MATRIX,
    OUTPUT,
    SHARED_ROWS,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.situation import situation
from kqj_sim.policies.tools import best_card

network = policy(
    "network", "learned: a small network on the features of linear and more", weights="network"
)

_MOST_FEATURES = max(SHARED_FEATURES, CARD_FEATURES)


class _Layer(NamedTuple):
    """The first hidden layer, in three vectors."""

    a: Any
    b: Any
    c: Any


@scalar
def _add_row(layer: _Layer, weights: Any, at: int) -> _Layer:
    """The layer with a row of weights added."""
    return _Layer(
        add(layer.a, load(weights, at)),
        add(layer.b, load(weights, at + WIDTH)),
        add(layer.c, load(weights, at + 2 * WIDTH)),
    )


@network.values
@scalar
def card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on; how many they are.

    `weights` are as `layout` says.
    """
    known = situation(view)
    start = known.kind * KIND_SIZE
    features = stack_int64(_MOST_FEATURES)
    shared_features(view, known, features)
    at = start + BIAS_1
    shared = _Layer(load(weights, at), load(weights, at + WIDTH), load(weights, at + 2 * WIDTH))
    for k in range(SHARED_FEATURES):
        shared = _add_row(shared, weights, start + SHARED_ROWS + features[k] * HIDDEN_1)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        card_features(view, known, card, features, 0)
        first = shared
        linear = np.float32(0.0)
        for k in range(CARD_FEATURES):
            linear += weights[start + LINEAR + features[k]]
            first = _add_row(first, weights, start + CARD_ROWS + features[k] * HIDDEN_1)
        second = load(weights, start + BIAS_2)
        at = start + MATRIX
        second = add_product(second, rectified(first.a), weights, at)
        second = add_product(second, rectified(first.b), weights, at + WIDTH * WIDTH)
        second = add_product(second, rectified(first.c), weights, at + 2 * WIDTH * WIDTH)
        values[count] = linear + dot(rectified(second), load(weights, start + OUTPUT))
        count += 1
    return count


@network
def choose_card(view: Any, parameters: Any, weights: Any) -> int:
    """The legal card of the greatest value."""
    if view.legal & (view.legal - 1) == 0:
        return view.legal
    values = stack_float32(TRICKS)
    card_values(view, weights, values)
    return best_card(view.legal, values)
