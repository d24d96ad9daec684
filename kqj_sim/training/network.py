"""Training of the networks, one for each kind of contract.

    value of a card = its linear weights + w3 . relu(b2 + W2' relu(b1 + shared rows + card rows))

The loss of a decision is the sum, over its candidate cards, of

    ((value of the card - their mean) - (what it was worth - their mean))^2,

that of a minibatch is the mean over its decisions; the optimiser is Adam (Kingma and Ba, 2015) with
decoupled weight decay (Loshchilov and Hutter, 2019).

The kernels (`gradient`) are the project's own and not a framework's: the inputs are some hundred
ones among thousands of zeros, most of them shared by the candidates, and the loss joins the
candidates of one decision.  A framework would spend its time, and hundreds of megabytes of
libraries, on bringing that into the form of dense batches.  Sums run in a fixed order, so the same
decisions give the same weights to the bit.

The network's values of cards, the gradient of its loss, and a step of Adam, compiled.

A network's parameters, and their gradient, stand as `policies.layout` says.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.jit import kernel, scalar, stack_float32
from kqj_sim.core.simd import (
    WIDTH,
    add,
    add_matrix_product,
    add_outer,
    broadcast,
    dot,
    load,
    multiply,
    rectify,
    select_where_positive,
    store,
)
from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_FEATURES,
    CARD_INDICES,
    CARD_ROWS_OFFSET,
    HIDDEN_1_UNITS,
    HIDDEN_2_UNITS,
    KIND_SIZE,
    LINEAR_OFFSET,
    MATRIX_OFFSET,
    OUTPUT_OFFSET,
    SHARED_FEATURES,
    SHARED_ROWS_OFFSET,
)
from kqj_sim.training.decisions import KINDS, MAX_CANDIDATES, CardDecisions

_FIRST_UNITS = MAX_CANDIDATES * HIDDEN_1_UNITS
_SECOND_UNITS = MAX_CANDIDATES * WIDTH
_BLOCK = WIDTH * WIDTH

ADAM_BETA_1, ADAM_BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8
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
def _add_layer(layer: _Layer, numbers: Any, at: int) -> _Layer:
    """The layer with what stands at an index added."""
    other = _load_layer(numbers, at)
    return _Layer(add(layer.a, other.a), add(layer.b, other.b), add(layer.c, other.c))


@scalar
def _sum_shared_input(network: Any, shared: Any, shared_count: Any, row: int) -> _Layer:
    """The first layer's input from what all candidates of a decision share."""
    layer = _load_layer(network, BIAS_1_OFFSET)
    for f in range(shared_count[row]):
        layer = _add_layer(
            layer, network, SHARED_ROWS_OFFSET + np.int64(shared[row, f]) * HIDDEN_1_UNITS
        )
    return layer


@scalar
def _evaluate_candidate(
    network: Any, cards: Any, row: int, c: int, common: _Layer, first: Any, second: Any
) -> Any:
    """The value of a candidate; its hidden units are written to `first` and `second`."""
    value = np.float32(0)
    layer = common
    for f in range(cards.shape[2]):
        index = np.int64(cards[row, c, f])
        value += network[LINEAR_OFFSET + index]
        layer = _add_layer(layer, network, CARD_ROWS_OFFSET + index * HIDDEN_1_UNITS)
    layer = _Layer(rectify(layer.a), rectify(layer.b), rectify(layer.c))
    units = load(network, BIAS_2_OFFSET)
    units = add_matrix_product(units, layer.a, network, MATRIX_OFFSET)
    units = add_matrix_product(units, layer.b, network, MATRIX_OFFSET + _BLOCK)
    units = add_matrix_product(units, layer.c, network, MATRIX_OFFSET + 2 * _BLOCK)
    units = rectify(units)
    _store_layer(first, c * HIDDEN_1_UNITS, layer)
    store(second, c * WIDTH, units)
    return value + dot(units, load(network, OUTPUT_OFFSET))


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
    nothing = broadcast(zero)
    first, second = stack_float32(_FIRST_UNITS), stack_float32(_SECOND_UNITS)
    error = stack_float32(MAX_CANDIDATES)
    loss = 0.0
    for row in batch:
        count = card_count[row]
        common = _sum_shared_input(network, shared, shared_count, row)
        mean = zero
        for c in range(count):
            value = _evaluate_candidate(network, cards, row, c, common, first, second)
            error[c] = value - values[row, c] / scale
            mean += error[c]
        mean /= np.float32(count)
        back_common = _Layer(nothing, nothing, nothing)
        output = load(network, OUTPUT_OFFSET)
        for c in range(count):
            difference = error[c] - mean
            loss += difference * difference
            slope = np.float32(2) * difference
            slopes = broadcast(slope)
            units = load(second, c * WIDTH)
            store(
                gradient, OUTPUT_OFFSET, add(load(gradient, OUTPUT_OFFSET), multiply(slopes, units))
            )
            back = select_where_positive(units, multiply(slopes, output))
            store(gradient, BIAS_2_OFFSET, add(load(gradient, BIAS_2_OFFSET), back))
            layer = _load_layer(first, c * HIDDEN_1_UNITS)
            add_outer(gradient, MATRIX_OFFSET, layer.a, back)
            add_outer(gradient, MATRIX_OFFSET + _BLOCK, layer.b, back)
            add_outer(gradient, MATRIX_OFFSET + 2 * _BLOCK, layer.c, back)
            back_layer = _Layer(
                select_where_positive(layer.a, add_matrix_product(nothing, back, transposed, 0)),
                select_where_positive(
                    layer.b, add_matrix_product(nothing, back, transposed, _BLOCK)
                ),
                select_where_positive(
                    layer.c, add_matrix_product(nothing, back, transposed, 2 * _BLOCK)
                ),
            )
            back_common = _Layer(
                add(back_common.a, back_layer.a),
                add(back_common.b, back_layer.b),
                add(back_common.c, back_layer.c),
            )
            for f in range(cards.shape[2]):
                index = np.int64(cards[row, c, f])
                gradient[LINEAR_OFFSET + index] += slope
                at = CARD_ROWS_OFFSET + index * HIDDEN_1_UNITS
                _store_layer(gradient, at, _add_layer(back_layer, gradient, at))
        _store_layer(gradient, BIAS_1_OFFSET, _add_layer(back_common, gradient, BIAS_1_OFFSET))
        for f in range(shared_count[row]):
            at = SHARED_ROWS_OFFSET + np.int64(shared[row, f]) * HIDDEN_1_UNITS
            _store_layer(gradient, at, _add_layer(back_common, gradient, at))
    return loss


@kernel
def write_network_values(
    network: Any, batch: Any, shared: Any, shared_count: Any, cards: Any, card_count: Any,
    values: Any,
) -> None:  # fmt: skip
    """Set `values`, float32 (n, MAX_CANDIDATES), of the decisions numbered in `batch`."""
    first, second = stack_float32(_FIRST_UNITS), stack_float32(_SECOND_UNITS)
    for row in batch:
        common = _sum_shared_input(network, shared, shared_count, row)
        for c in range(card_count[row]):
            values[row, c] = _evaluate_candidate(network, cards, row, c, common, first, second)


@kernel
def step_adam(
    weights: Any, gradient: Any, mean: Any, square: Any, average: Any, share: Any, rate: Any,
    decay: Any, new_share: Any,
) -> None:  # fmt: skip
    """A step of Adam; the gradient becomes zero.

    Args:
        weights, gradient, mean, square, average: float32 arrays of one size.
        share: what a decision counts, one over the size of the minibatch.
        rate: the learning rate, corrected for the moments' beginning at zero.
        decay: share of the weights that is taken away.
        new_share: share of the new weights in their running average.
    """
    one = np.float32(1)
    mean_kept, square_kept = np.float32(ADAM_BETA_1), np.float32(ADAM_BETA_2)
    tiny = np.float32(ADAM_EPSILON)
    for i in range(weights.size):
        slope = gradient[i] * share
        gradient[i] = np.float32(0)
        mean[i] = mean_kept * mean[i] + (one - mean_kept) * slope
        square[i] = square_kept * square[i] + (one - square_kept) * slope * slope
        weights[i] -= rate * mean[i] / (np.sqrt(square[i]) + tiny) + decay * weights[i]
        average[i] += new_share * (weights[i] - average[i])


POINTS_PER_UNIT = 50.0
"""Points to which the network's unit of value amounts while it is trained."""

MIN_BATCH = 256
"""Decisions of a minibatch, at least; fewer than two times as many."""

MAX_LEARNING_RATE = 1e-3
"""Highest learning rate."""

WARM_UP_SHARE = 0.02
"""Share of the training in which the learning rate rises from zero; after that it falls to zero as
a cosine does."""

WEIGHT_DECAY = 0.3
"""Weight decay: share of a weight that a step takes away, in units of the learning rate.

What a round comes to is mostly chance: with 8 million decisions this much decay brought twice the
gain over the linear weights that hardly any brought.  Twice the rate, half the minibatch, using the
decisions twice, keeping the linear weights: none made a difference beyond its error.
"""

AVERAGE_DECAY = 0.999
"""Of the running average of the weights, kept at each step.  At the end, when the steps are small,
it is the weights; the rounds before that are played by it."""


class NetworkTraining:
    """The networks of the three kinds of contract while they are trained.

    Attributes:
        name: the policy's.
        linear: the linear weights they begin with, and by which the players of the first round
            play.
        weights: float32 (kinds, KIND_SIZE), for values in units of POINTS_PER_UNIT points.
        average: running average of the weights.
        mean, square: Adam's moments.
        steps: int64 (kinds,), minibatches so far.
        playing: what `trained_weights` gave at the end of the last round, by which the next is
            played.
    """

    def __init__(self, linear: NDArray[np.float32], seed: int) -> None:
        """Networks that value cards as linear weights do, float32 (kinds, CARD_INDICES).

        The rows are drawn as He and others (2015) have it; the last layer begins at zero.
        """
        self.name = "network"
        self.linear = linear
        self.seed = seed
        shape = (len(KINDS), KIND_SIZE)
        self.weights = np.zeros(shape, dtype=np.float32)
        generator = np.random.Generator(np.random.PCG64([seed, 0]))
        for kind, network in enumerate(self.weights):
            network[LINEAR_OFFSET : LINEAR_OFFSET + CARD_INDICES] = linear[kind] / POINTS_PER_UNIT
            for start, end, inputs in (
                (SHARED_ROWS_OFFSET, BIAS_1_OFFSET, CARD_FEATURES + SHARED_FEATURES),
                (MATRIX_OFFSET, BIAS_2_OFFSET, HIDDEN_1_UNITS),
            ):
                network[start:end] = generator.normal(0, math.sqrt(2 / inputs), end - start)
        self.average = self.weights.copy()
        self.mean = np.zeros(shape, dtype=np.float32)
        self.square = np.zeros(shape, dtype=np.float32)
        self.steps = np.zeros(len(KINDS), dtype=np.int64)
        self.playing = np.zeros(shape, dtype=np.float32)
        self._gradient = np.zeros(KIND_SIZE, dtype=np.float32)

    def player(self, round: int) -> str:
        """Who plays in a round, from 0."""
        return self.name if round else "linear"

    def weights_in_use(self, round: int) -> dict[str, NDArray[np.float32]]:
        """The weights of those who play in a round, by policy."""
        return {"network": self.playing} if round else {"linear": self.linear}

    def learn(self, decisions: CardDecisions, chunk: int, begin: float, end: float) -> None:
        """Take in a chunk of decisions.

        Args:
            decisions: those of a kind are used if they fill a minibatch.
            chunk: number of the chunk, from which the order of its decisions is drawn.
            begin, end: the shares of the whole training, 0 to 1, done before and after it.
        """
        generator = np.random.Generator(np.random.PCG64([self.seed, 1, chunk]))
        order = generator.permutation(len(decisions.kind))
        for kind in range(len(KINDS)):
            rows = order[decisions.kind[order] == kind]
            batches = len(rows) // MIN_BATCH
            ends = len(rows) * np.arange(batches + 1) // max(1, batches)
            for number in range(batches):
                batch = rows[ends[number] : ends[number + 1]]
                done = begin + (end - begin) * number / batches
                self._train_batch(kind, decisions, batch, done)

    def end_round(self) -> None:
        """From the next round on the networks play as they are now."""
        self.playing[:] = self.trained_weights()

    def _train_batch(
        self, kind: int, decisions: CardDecisions, batch: NDArray[np.int64], progress: float
    ) -> None:
        """Train the network of a kind on a minibatch."""
        network = self.weights[kind]
        blocks = network[MATRIX_OFFSET:BIAS_2_OFFSET].reshape(
            HIDDEN_1_UNITS // WIDTH, WIDTH, HIDDEN_2_UNITS
        )
        add_gradient(
            network,
            blocks.transpose(0, 2, 1).ravel(),
            self._gradient,
            batch,
            np.float32(POINTS_PER_UNIT),
            *decisions[1:],
        )
        self.steps[kind] += 1
        step = int(self.steps[kind])
        rate = MAX_LEARNING_RATE * learning_rate_share(progress)
        corrected = rate * math.sqrt(1 - ADAM_BETA_2**step) / (1 - ADAM_BETA_1**step)
        kept = min(AVERAGE_DECAY, (1 + step) / (10 + step))
        numbers = (1 / len(batch), corrected, rate * WEIGHT_DECAY, 1 - kept)
        step_adam(
            network, self._gradient, self.mean[kind], self.square[kind], self.average[kind],
            *(np.float32(number) for number in numbers),
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that going on with the training needs, by name, not copied."""
        names = ("linear", "weights", "average", "mean", "square", "steps", "playing")
        return {name: getattr(self, name) for name in names}

    def trained_weights(self) -> NDArray[np.float32]:
        """The averaged weights for values in points, float32 (kinds, KIND_SIZE).

        Rows of features that were never met are zero.
        """
        trained = self.average.copy()
        for network, square in zip(trained, self.square, strict=True):
            met = square[SHARED_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS).any(axis=1)
            network[SHARED_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS)[~met] = 0
            network[LINEAR_OFFSET : LINEAR_OFFSET + CARD_INDICES] *= POINTS_PER_UNIT
            network[OUTPUT_OFFSET:] *= POINTS_PER_UNIT
        return trained


def learning_rate_share(progress: float) -> float:
    """The learning rate as a share of the highest, at a share `progress` (0 to 1) of the
    training."""
    if progress < WARM_UP_SHARE:
        return progress / WARM_UP_SHARE
    return (1 + math.cos(math.pi * (progress - WARM_UP_SHARE) / (1 - WARM_UP_SHARE))) / 2


def evaluate_network(weights: NDArray[np.float32], decisions: CardDecisions) -> NDArray[np.float32]:
    """The candidates' values by networks' weights (kinds, KIND_SIZE): float32 (n, CANDIDATES)."""
    values = np.zeros_like(decisions.values)
    for kind, network in enumerate(weights):
        rows = np.flatnonzero(decisions.kind == kind)
        write_network_values(network, rows, *decisions[1:-1], values)
    return values
