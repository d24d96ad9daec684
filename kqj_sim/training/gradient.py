"""The network's values of cards, the gradient of its loss, and a step of Adam, compiled.

A network's parameters, and their gradient, stand as `policies.layout` says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.compile import kernel, scalar
from kqj_sim.core.memory import stack_float32
from kqj_sim.core.vectors import (
    WIDTH,
    add,
    add_outer,
    add_product,
    dot,
    gated,
    load,
    multiply,
    rectified,
    spread,
    store,
)
from kqj_sim.policies.layout import (
    BIAS_1,
    BIAS_2,
    CARD_ROWS,
    HIDDEN_1,
    LINEAR,
    MATRIX,
    OUTPUT,
    SHARED_ROWS,
)
from kqj_sim.training.decisions import CANDIDATES

_FIRST_UNITS = CANDIDATES * HIDDEN_1
_SECOND_UNITS = CANDIDATES * WIDTH
_BLOCK = WIDTH * WIDTH

MEAN_KEPT, SQUARE_KEPT, TINY = 0.9, 0.999, 1e-8
"""Adam's beta 1, beta 2 and epsilon."""


class _Layer(NamedTuple):
    """The first hidden layer, in three vectors."""

    a: Any
    b: Any
    c: Any


@scalar
def _load_layer(numbers: Any, at: int) -> _Layer:
    """The layer that stands at an index."""
    return _Layer(load(numbers, at), load(numbers, at + WIDTH), load(numbers, at + 2 * WIDTH))


@scalar
def _store_layer(numbers: Any, at: int, layer: _Layer) -> None:
    """Write a layer to an index."""
    store(numbers, at, layer.a)
    store(numbers, at + WIDTH, layer.b)
    store(numbers, at + 2 * WIDTH, layer.c)


@scalar
def _added(layer: _Layer, numbers: Any, at: int) -> _Layer:
    """The layer with what stands at an index added."""
    other = _load_layer(numbers, at)
    return _Layer(add(layer.a, other.a), add(layer.b, other.b), add(layer.c, other.c))


@scalar
def _common(network: Any, shared: Any, shared_count: Any, row: int) -> _Layer:
    """The first layer's input from what all candidates of a decision share."""
    layer = _load_layer(network, BIAS_1)
    for f in range(shared_count[row]):
        layer = _added(layer, network, SHARED_ROWS + np.int64(shared[row, f]) * HIDDEN_1)
    return layer


@scalar
def _value(
    network: Any, cards: Any, row: int, c: int, common: _Layer, first: Any, second: Any
) -> Any:
    """The value of a candidate; its hidden units are written to `first` and `second`."""
    value = np.float32(0)
    layer = common
    for f in range(cards.shape[2]):
        index = np.int64(cards[row, c, f])
        value += network[LINEAR + index]
        layer = _added(layer, network, CARD_ROWS + index * HIDDEN_1)
    layer = _Layer(rectified(layer.a), rectified(layer.b), rectified(layer.c))
    units = load(network, BIAS_2)
    units = add_product(units, layer.a, network, MATRIX)
    units = add_product(units, layer.b, network, MATRIX + _BLOCK)
    units = add_product(units, layer.c, network, MATRIX + 2 * _BLOCK)
    units = rectified(units)
    _store_layer(first, c * HIDDEN_1, layer)
    store(second, c * WIDTH, units)
    return value + dot(units, load(network, OUTPUT))


@kernel
def add_gradient(
    network: Any, transposed: Any, gradient: Any, batch: Any, scale: Any, shared: Any,
    shared_count: Any, cards: Any, card_count: Any, values: Any,
) -> float:  # fmt: skip
    """Add the gradient of the losses of some decisions; the sum of the losses.

    Args:
        network, gradient: float32 (`KIND_SIZE`,).
        transposed: float32, the three 16 x 16 blocks of the network's matrix, each transposed.
        batch: int64, numbers of the decisions.
        scale: float32, points to a unit of value.
        shared, shared_count, cards, card_count, values: as in `Decisions`.
    """
    zero = np.float32(0)
    nothing = spread(zero)
    first, second = stack_float32(_FIRST_UNITS), stack_float32(_SECOND_UNITS)
    error = stack_float32(CANDIDATES)
    loss = 0.0
    for row in batch:
        count = card_count[row]
        common = _common(network, shared, shared_count, row)
        mean = zero
        for c in range(count):
            value = _value(network, cards, row, c, common, first, second)
            error[c] = value - values[row, c] / scale
            mean += error[c]
        mean /= np.float32(count)
        back_common = _Layer(nothing, nothing, nothing)
        output = load(network, OUTPUT)
        for c in range(count):
            difference = error[c] - mean
            loss += difference * difference
            slope = np.float32(2) * difference
            slopes = spread(slope)
            units = load(second, c * WIDTH)
            store(gradient, OUTPUT, add(load(gradient, OUTPUT), multiply(slopes, units)))
            back = gated(units, multiply(slopes, output))
            store(gradient, BIAS_2, add(load(gradient, BIAS_2), back))
            layer = _load_layer(first, c * HIDDEN_1)
            add_outer(gradient, MATRIX, layer.a, back)
            add_outer(gradient, MATRIX + _BLOCK, layer.b, back)
            add_outer(gradient, MATRIX + 2 * _BLOCK, layer.c, back)
            back_layer = _Layer(
                gated(layer.a, add_product(nothing, back, transposed, 0)),
                gated(layer.b, add_product(nothing, back, transposed, _BLOCK)),
                gated(layer.c, add_product(nothing, back, transposed, 2 * _BLOCK)),
            )
            back_common = _Layer(
                add(back_common.a, back_layer.a),
                add(back_common.b, back_layer.b),
                add(back_common.c, back_layer.c),
            )
            for f in range(cards.shape[2]):
                index = np.int64(cards[row, c, f])
                gradient[LINEAR + index] += slope
                at = CARD_ROWS + index * HIDDEN_1
                _store_layer(gradient, at, _added(back_layer, gradient, at))
        _store_layer(gradient, BIAS_1, _added(back_common, gradient, BIAS_1))
        for f in range(shared_count[row]):
            at = SHARED_ROWS + np.int64(shared[row, f]) * HIDDEN_1
            _store_layer(gradient, at, _added(back_common, gradient, at))
    return loss


@kernel
def network_values(
    network: Any, batch: Any, shared: Any, shared_count: Any, cards: Any, card_count: Any,
    values: Any,
) -> None:  # fmt: skip
    """Set `values`, float32 (n, CANDIDATES), of the decisions numbered in `batch`."""
    first, second = stack_float32(_FIRST_UNITS), stack_float32(_SECOND_UNITS)
    for row in batch:
        common = _common(network, shared, shared_count, row)
        for c in range(card_count[row]):
            values[row, c] = _value(network, cards, row, c, common, first, second)


@kernel
def move(
    weights: Any, gradient: Any, mean: Any, square: Any, average: Any, share: Any, rate: Any,
    decay: Any, fresh: Any,
) -> None:  # fmt: skip
    """A step of Adam; the gradient becomes zero.

    Args:
        weights, gradient, mean, square, average: float32 arrays of one size.
        share: what a decision counts, one over the size of the minibatch.
        rate: the learning rate, corrected for the moments' beginning at zero.
        decay: share of the weights that is taken away.
        fresh: share of the new weights in their running average.
    """
    one = np.float32(1)
    mean_kept, square_kept = np.float32(MEAN_KEPT), np.float32(SQUARE_KEPT)
    tiny = np.float32(TINY)
    for i in range(weights.size):
        slope = gradient[i] * share
        gradient[i] = np.float32(0)
        mean[i] = mean_kept * mean[i] + (one - mean_kept) * slope
        square[i] = square_kept * square[i] + (one - square_kept) * slope * slope
        weights[i] -= rate * mean[i] / (np.sqrt(square[i]) + tiny) + decay * weights[i]
        average[i] += fresh * (weights[i] - average[i])
