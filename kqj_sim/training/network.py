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
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.vectors import WIDTH
from kqj_sim.policies.features import CARD_FEATURES, CARD_INDICES, SHARED_FEATURES
from kqj_sim.policies.layout import (
    BIAS_1,
    BIAS_2,
    HIDDEN_1,
    HIDDEN_2,
    KIND_SIZE,
    LINEAR,
    MATRIX,
    OUTPUT,
    SHARED_ROWS,
)
from kqj_sim.training.decisions import KINDS, Decisions
from kqj_sim.training.gradient import (
    MEAN_KEPT,
    SQUARE_KEPT,
    add_gradient,
    move,
    network_values,
)

SCALE = 50.0
"""Points to which the network's unit of value amounts while it is trained."""

BATCH = 256
"""Decisions of a minibatch, at least; fewer than two times as many."""

RATE = 1e-3
"""Highest learning rate."""

WARM_UP = 0.02
"""Share of the training in which the learning rate rises from zero; after that it falls to zero as
a cosine does."""

DECAY = 0.3
"""Weight decay: share of a weight that a step takes away, in units of the learning rate.

What a round comes to is mostly chance: with 8 million decisions this much decay brought twice the
gain over the linear weights that hardly any brought.  Twice the rate, half the minibatch, using the
decisions twice, keeping the linear weights: none made a difference beyond its error.
"""

AVERAGE_KEPT = 0.999
"""Of the running average of the weights, kept at each step.  At the end, when the steps are small,
it is the weights; the rounds before that are played by it."""


class NetworkTraining:
    """The networks of the three kinds of contract while they are trained.

    Attributes:
        name: the policy's.
        linear: the linear weights they begin with, and by which the players of the first round
            play.
        weights: float32 (kinds, KIND_SIZE), for values in units of SCALE points.
        average: running average of the weights.
        mean, square: Adam's moments.
        steps: int64 (kinds,), minibatches so far.
        playing: what `trained` gave at the end of the last round, by which the next is played.
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
            network[LINEAR : LINEAR + CARD_INDICES] = linear[kind] / SCALE
            for start, end, inputs in (
                (SHARED_ROWS, BIAS_1, CARD_FEATURES + SHARED_FEATURES),
                (MATRIX, BIAS_2, HIDDEN_1),
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

    def in_use(self, round: int) -> dict[str, NDArray[np.float32]]:
        """The weights of those who play in a round, by policy."""
        return {"network": self.playing} if round else {"linear": self.linear}

    def learn(self, decisions: Decisions, chunk: int, begin: float, end: float) -> None:
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
            batches = len(rows) // BATCH
            ends = len(rows) * np.arange(batches + 1) // max(1, batches)
            for number in range(batches):
                batch = rows[ends[number] : ends[number + 1]]
                done = begin + (end - begin) * number / batches
                self._step(kind, decisions, batch, done)

    def end_round(self) -> None:
        """From the next round on the networks play as they are now."""
        self.playing[:] = self.trained()

    def _step(self, kind: int, decisions: Decisions, batch: NDArray[np.int64], done: float) -> None:
        """Train the network of a kind on a minibatch."""
        network = self.weights[kind]
        blocks = network[MATRIX:BIAS_2].reshape(HIDDEN_1 // WIDTH, WIDTH, HIDDEN_2)
        add_gradient(
            network, blocks.transpose(0, 2, 1).ravel(), self._gradient, batch, np.float32(SCALE),
            *decisions[1:],
        )  # fmt: skip
        self.steps[kind] += 1
        step = int(self.steps[kind])
        rate = RATE * schedule(done)
        corrected = rate * math.sqrt(1 - SQUARE_KEPT**step) / (1 - MEAN_KEPT**step)
        kept = min(AVERAGE_KEPT, (1 + step) / (10 + step))
        numbers = (1 / len(batch), corrected, rate * DECAY, 1 - kept)
        move(
            network, self._gradient, self.mean[kind], self.square[kind], self.average[kind],
            *(np.float32(number) for number in numbers),
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that going on with the training needs, by name, not copied."""
        names = ("linear", "weights", "average", "mean", "square", "steps", "playing")
        return {name: getattr(self, name) for name in names}

    def trained(self) -> NDArray[np.float32]:
        """The averaged weights for values in points, float32 (kinds, KIND_SIZE).

        Rows of features that were never met are zero.
        """
        trained = self.average.copy()
        for network, square in zip(trained, self.square, strict=True):
            met = square[SHARED_ROWS:BIAS_1].reshape(-1, HIDDEN_1).any(axis=1)
            network[SHARED_ROWS:BIAS_1].reshape(-1, HIDDEN_1)[~met] = 0
            network[LINEAR : LINEAR + CARD_INDICES] *= SCALE
            network[OUTPUT:] *= SCALE
        return trained


def schedule(done: float) -> float:
    """The learning rate as a share of the highest, at a share `done` (0 to 1) of the training."""
    if done < WARM_UP:
        return done / WARM_UP
    return (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP))) / 2


def values_of(weights: NDArray[np.float32], decisions: Decisions) -> NDArray[np.float32]:
    """The candidates' values by networks' weights (kinds, KIND_SIZE): float32 (n, CANDIDATES)."""
    values = np.zeros_like(decisions.values)
    for kind, network in enumerate(weights):
        rows = np.flatnonzero(decisions.kind == kind)
        network_values(network, rows, *decisions[1:-1], values)
    return values
