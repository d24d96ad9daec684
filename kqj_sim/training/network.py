"""Training of the networks, one for each kind of contract.

    value of a card = its linear weights + w3 . relu(b2 + W2' relu(b1 + shared rows + card rows))

The loss of a decision is the sum, over its candidate cards, of

    ((value of the card - their mean) - (score after it - their mean))^2,

that of a minibatch is the mean over its decisions; the optimiser is Adam (Kingma and Ba, 2015) with
decoupled weight decay (Loshchilov and Hutter, 2019).

The kernels are the project's own and not a framework's: the inputs are some hundred ones among
thousands of zeros, most of them shared by the candidates, and the loss joins the candidates of one
decision.  A framework would spend its time, and hundreds of megabytes of libraries, on turning that
into dense batches.  Sums run in a fixed order, so the same decisions give the same weights to the
bit.  Parameters and gradients have the layout of `policies.features`.
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
from kqj_sim.core.types import Float32Array, Int64Array, Vector
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
    read_trick_numbers,
)
from kqj_sim.training.decisions import KINDS, MAX_CANDIDATES, CardDecisions

_FIRST_UNITS = MAX_CANDIDATES * HIDDEN_1_UNITS
_SECOND_UNITS = MAX_CANDIDATES * WIDTH
_BLOCK = WIDTH * WIDTH

ADAM_BETA_1, ADAM_BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8
"""Adam's beta 1, beta 2 and epsilon."""


class _FirstLayer(NamedTuple):
    """The units of the first hidden layer, or their inputs, in three vectors."""

    a: Vector
    b: Vector
    c: Vector


@scalar
def _load_layer(numbers: Any, at: int) -> _FirstLayer:
    """Load a layer from the `HIDDEN_1_UNITS` numbers that begin at an index."""
    return _FirstLayer(load(numbers, at), load(numbers, at + WIDTH), load(numbers, at + 2 * WIDTH))


@scalar
def _add_to_layer(layer: _FirstLayer, numbers: Any, at: int) -> _FirstLayer:
    """Add the `HIDDEN_1_UNITS` numbers that begin at an index to a layer."""
    other = _load_layer(numbers, at)
    return _FirstLayer(add(layer.a, other.a), add(layer.b, other.b), add(layer.c, other.c))


@scalar
def _rectify_layer(layer: _FirstLayer) -> _FirstLayer:
    """Replace the negative numbers of a layer by zero."""
    return _FirstLayer(rectify(layer.a), rectify(layer.b), rectify(layer.c))


@scalar
def _evaluate_second_layer(first: _FirstLayer, weights: Any, start: int) -> Vector:
    """Compute the second hidden layer's units from the first's; its weights begin at `start`."""
    at = start + MATRIX_OFFSET
    second = load(weights, start + BIAS_2_OFFSET)
    second = add_matrix_product(second, first.a, weights, at)
    second = add_matrix_product(second, first.b, weights, at + WIDTH * WIDTH)
    second = add_matrix_product(second, first.c, weights, at + 2 * WIDTH * WIDTH)
    return rectify(second)


@scalar
def _store_layer(numbers: Any, at: int, layer: _FirstLayer) -> None:
    """Store a layer at an index."""
    store(numbers, at, layer.a)
    store(numbers, at + WIDTH, layer.b)
    store(numbers, at + 2 * WIDTH, layer.c)


@scalar
def _sum_shared_input(network: Any, shared: Any, shared_count: Any, row: int) -> _FirstLayer:
    """Return the first layer's input from the features that all candidates of a decision share."""
    layer = _load_layer(network, BIAS_1_OFFSET)
    for f in range(shared_count[row]):
        layer = _add_to_layer(
            layer, network, SHARED_ROWS_OFFSET + np.int64(shared[row, f]) * HIDDEN_1_UNITS
        )
    return layer


@scalar
def _evaluate_candidate(
    network: Any, cards: Any, row: int, c: int, common: _FirstLayer, first: Any, second: Any
) -> Any:
    """Return the value of a candidate; write its hidden units to `first` and `second`."""
    value = np.float32(0)
    layer = common
    for f in range(cards.shape[2]):
        index = np.int64(cards[row, c, f])
        value += network[LINEAR_OFFSET + index]
        layer = _add_to_layer(layer, network, CARD_ROWS_OFFSET + index * HIDDEN_1_UNITS)
    layer = _rectify_layer(layer)
    units = _evaluate_second_layer(layer, network, 0)
    _store_layer(first, c * HIDDEN_1_UNITS, layer)
    store(second, c * WIDTH, units)
    return value + dot(units, load(network, OUTPUT_OFFSET))


@kernel
def add_gradient(
    network: Any, transposed: Any, gradient: Any, batch: Any, scale: Any, shared: Any,
    shared_count: Any, cards: Any, card_count: Any, values: Any, importance: Any,
) -> float:  # fmt: skip
    """Add the gradient of some decisions' losses to `gradient`, and return the sum of the losses.

    Args:
        network, gradient: float32 (`KIND_SIZE`,).
        transposed: float32, the three 16 x 16 blocks of the network's matrix, each transposed.
        batch: int64, numbers of the decisions.
        scale: float32, points per unit of value.
        shared, shared_count, cards, card_count, values: as in `CardDecisions`.
        importance: float32, factor of each decision's loss.
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
        back_common = _FirstLayer(nothing, nothing, nothing)
        output = load(network, OUTPUT_OFFSET)
        for c in range(count):
            difference = error[c] - mean
            loss += importance[row] * difference * difference
            slope = np.float32(2) * difference * importance[row]
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
            back_layer = _FirstLayer(
                select_where_positive(layer.a, add_matrix_product(nothing, back, transposed, 0)),
                select_where_positive(
                    layer.b, add_matrix_product(nothing, back, transposed, _BLOCK)
                ),
                select_where_positive(
                    layer.c, add_matrix_product(nothing, back, transposed, 2 * _BLOCK)
                ),
            )
            back_common = _FirstLayer(
                add(back_common.a, back_layer.a),
                add(back_common.b, back_layer.b),
                add(back_common.c, back_layer.c),
            )
            for f in range(cards.shape[2]):
                index = np.int64(cards[row, c, f])
                gradient[LINEAR_OFFSET + index] += slope
                at = CARD_ROWS_OFFSET + index * HIDDEN_1_UNITS
                _store_layer(gradient, at, _add_to_layer(back_layer, gradient, at))
        _store_layer(gradient, BIAS_1_OFFSET, _add_to_layer(back_common, gradient, BIAS_1_OFFSET))
        for f in range(shared_count[row]):
            at = SHARED_ROWS_OFFSET + np.int64(shared[row, f]) * HIDDEN_1_UNITS
            _store_layer(gradient, at, _add_to_layer(back_common, gradient, at))
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
    """Make a step of Adam, and set the gradient to zero.

    Args:
        weights, gradient, mean, square, average: float32 arrays of one size.
        share: weight of a decision, one over the size of the minibatch.
        rate: the learning rate, corrected for the moments' start at zero.
        decay: share of the weights to subtract.
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
"""Points per unit of the network's values in training."""

MIN_BATCH = 256
"""Fewest decisions of a minibatch; it has fewer than twice as many."""

MAX_LEARNING_RATE, FINE_TUNING_RATE = 1e-3, 5e-4
"""Highest learning rate, and that of a training that begins with a trained network."""

IMPORTANCE = np.array((0.65, 0.7, 0.75, 0.85, 0.9, 1.05, 1.35, 1.0), dtype=np.float32)
"""Factor of a decision's loss, by trick: in proportion to one over the standard deviation of the
scores after its cards, with a mean of one."""

WARM_UP_SHARE = 0.02
"""Share of the training in which the learning rate rises from zero; then it falls to zero as a
cosine."""

WEIGHT_DECAY = 0.3
"""Weight decay: share of a weight that a step subtracts, in units of the learning rate.

The score of a round is mostly chance: with 8 million decisions this much decay brought twice the
gain over the linear weights that hardly any brought.  Twice the rate, half the minibatch, using the
decisions twice, keeping the linear weights: none made a difference beyond its error.
"""

AVERAGE_DECAY = 0.999
"""Share of the running average of the weights kept at each step.

At the end, when the steps are small, the average is the weights; it plays the rounds before that.
"""


class NetworkTraining:
    """The networks of the three kinds of contract in training.

    Attributes:
        name: the policy's.
        linear: the linear weights they begin with, which also play the first round.
        weights: float32 (kinds, KIND_SIZE), for values in units of POINTS_PER_UNIT points.
        average: running average of the weights.
        mean, square: Adam's moments.
        steps: int64 (kinds,), minibatches so far.
        playing: `trained_weights` at the end of the last round, which play the next.
    """

    def __init__(self, linear: Float32Array, seed: int, begun: Float32Array | None = None) -> None:
        """Make networks that value cards as others do, of linear weights or trained ones.

        With linear weights the rows are drawn by Kaiming initialisation (2015); the last layer
        begins at zero.

        Args:
            linear: linear weights, float32 (kinds, CARD_INDICES).
            seed: seed of the rows, and of the order of decisions.
            begun: the weights of networks to begin with, float32 (kinds, KIND_SIZE).
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
        self.fine_tuning = begun is not None
        if begun is not None:
            self.playing[:] = begun
            self.weights[:] = begun
            self.weights[:, LINEAR_OFFSET : LINEAR_OFFSET + CARD_INDICES] /= POINTS_PER_UNIT
            self.weights[:, OUTPUT_OFFSET:] /= POINTS_PER_UNIT
            self.average[:] = self.weights
        self._gradient = np.zeros(KIND_SIZE, dtype=np.float32)

    def player(self, round: int) -> str:
        """Return the policy that plays in a round, from 0."""
        return self.name if round or self.fine_tuning else "linear"

    def weights_in_use(self, round: int) -> dict[str, Float32Array]:
        """Return the weights of the policies that play in a round, by policy."""
        networks = round > 0 or self.fine_tuning
        return {"network": self.playing} if networks else {"linear": self.linear}

    def learn(self, decisions: CardDecisions, chunk: int, begin: float, end: float) -> None:
        """Train on a chunk of decisions.

        Args:
            decisions: those of a kind are used if they fill a minibatch.
            chunk: number of the chunk, from which the order of its decisions is drawn.
            begin, end: the shares of the whole training, 0 to 1, done before and after it.
        """
        generator = np.random.Generator(np.random.PCG64([self.seed, 1, chunk]))
        order = generator.permutation(len(decisions.kind))
        importance = IMPORTANCE[read_trick_numbers(decisions.shared)]
        for kind in range(len(KINDS)):
            rows = order[decisions.kind[order] == kind]
            batches = len(rows) // MIN_BATCH
            ends = len(rows) * np.arange(batches + 1) // max(1, batches)
            for number in range(batches):
                batch = rows[ends[number] : ends[number + 1]]
                done = begin + (end - begin) * number / batches
                self._train_batch(kind, decisions, importance, batch, done)

    def end_round(self) -> None:
        """Let the present networks play from the next round on."""
        self.playing[:] = self.trained_weights()

    def _train_batch(
        self, kind: int, decisions: CardDecisions, importance: Float32Array, batch: Int64Array,
        progress: float,
    ) -> None:  # fmt: skip
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
            importance,
        )
        self.steps[kind] += 1
        step = int(self.steps[kind])
        highest = FINE_TUNING_RATE if self.fine_tuning else MAX_LEARNING_RATE
        rate = highest * learning_rate_share(progress)
        corrected = rate * math.sqrt(1 - ADAM_BETA_2**step) / (1 - ADAM_BETA_1**step)
        kept = min(AVERAGE_DECAY, (1 + step) / (10 + step))
        numbers = (1 / len(batch), corrected, rate * WEIGHT_DECAY, 1 - kept)
        step_adam(
            network, self._gradient, self.mean[kind], self.square[kind], self.average[kind],
            *(np.float32(number) for number in numbers),
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that resuming the training needs, by name, not copied."""
        names = ("linear", "weights", "average", "mean", "square", "steps", "playing")
        return {name: getattr(self, name) for name in names}

    def trained_weights(self) -> Float32Array:
        """Return the averaged weights for values in points, float32 (kinds, KIND_SIZE).

        Rows of features that never occurred are zero, or those of the networks begun with.
        """
        trained = self.average.copy()
        for network, square in zip(trained, self.square, strict=True):
            met = square[SHARED_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS).any(axis=1)
            if not self.fine_tuning:
                network[SHARED_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS)[~met] = 0
            network[LINEAR_OFFSET : LINEAR_OFFSET + CARD_INDICES] *= POINTS_PER_UNIT
            network[OUTPUT_OFFSET:] *= POINTS_PER_UNIT
        return trained


def learning_rate_share(progress: float) -> float:
    """Return the learning rate as a share of the highest, at a share `progress` (0 to 1) of the
    training."""
    if progress < WARM_UP_SHARE:
        return progress / WARM_UP_SHARE
    return (1 + math.cos(math.pi * (progress - WARM_UP_SHARE) / (1 - WARM_UP_SHARE))) / 2


def evaluate_network(weights: Float32Array, decisions: CardDecisions) -> Float32Array:
    """Return the candidates' values by networks' weights (kinds, KIND_SIZE), float32 (n,
    MAX_CANDIDATES)."""
    values = np.zeros_like(decisions.values)
    for kind, network in enumerate(weights):
        rows = np.flatnonzero(decisions.kind == kind)
        write_network_values(network, rows, *decisions[1:-1], values)
    return values
