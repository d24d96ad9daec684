"""The compiled gradient and the step of Adam against slow ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_ROWS_OFFSET,
    HIDDEN_1_UNITS,
    HIDDEN_2_UNITS,
    KIND_SIZE,
    LINEAR_OFFSET,
    MATRIX_OFFSET,
    OUTPUT_OFFSET,
    SHARED_ROWS_OFFSET,
)
from kqj_sim.training.decisions import CardDecisions, select_decisions
from kqj_sim.training.network import (
    ADAM_BETA_1,
    ADAM_BETA_2,
    ADAM_EPSILON,
    add_gradient,
    step_adam,
    write_network_values,
)
from tests.training.synthetic import USED, centred, made

SCALE = 50.0


def values_slowly(network: NDArray[Any], decisions: CardDecisions) -> NDArray[np.float64]:
    """The values of the candidates, in units of SCALE points, from the formula."""
    rows = network[SHARED_ROWS_OFFSET:CARD_ROWS_OFFSET].reshape(-1, HIDDEN_1_UNITS)
    own = network[CARD_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS)
    first = network[BIAS_1_OFFSET:MATRIX_OFFSET] + rows[decisions.shared].sum(axis=1)[:, None]
    first = np.maximum(first + own[decisions.cards].sum(axis=2), 0)
    matrix = network[MATRIX_OFFSET:BIAS_2_OFFSET].reshape(HIDDEN_1_UNITS, HIDDEN_2_UNITS)
    second = np.maximum(network[BIAS_2_OFFSET:OUTPUT_OFFSET] + first @ matrix, 0)
    linear = network[LINEAR_OFFSET + decisions.cards.astype(int)].sum(axis=2)
    values: NDArray[np.float64] = (
        linear + second @ network[OUTPUT_OFFSET : OUTPUT_OFFSET + HIDDEN_2_UNITS]
    )
    return values


def importance_of(decisions: CardDecisions) -> NDArray[np.float32]:
    """Factors of the losses, which differ from decision to decision."""
    return (0.5 + np.abs(decisions.values[:, 0]) % 1).astype(np.float32)


def loss_slowly(network: NDArray[Any], decisions: CardDecisions) -> float:
    """The sum of the decisions' losses."""
    error = values_slowly(network, decisions) - decisions.values / SCALE
    losses = (centred(error, decisions) ** 2).sum(axis=1)
    return float((importance_of(decisions) * losses).sum())


def some_network(seed: int) -> NDArray[np.float32]:
    """Weights of about the size that trained ones have."""
    return np.random.default_rng(seed).normal(0, 0.15, KIND_SIZE).astype(np.float32)


def gradient_of(network: NDArray[np.float32], decisions: CardDecisions) -> tuple[float, Any]:
    """The compiled loss and gradient."""
    gradient = np.zeros(KIND_SIZE, dtype=np.float32)
    blocks = (
        network[MATRIX_OFFSET:BIAS_2_OFFSET]
        .reshape(-1, HIDDEN_2_UNITS, HIDDEN_2_UNITS)
        .transpose(0, 2, 1)
        .ravel()
    )
    batch = np.arange(len(decisions.kind))
    importance = importance_of(decisions)
    loss = add_gradient(
        network, blocks, gradient, batch, np.float32(SCALE), *decisions[1:], importance
    )
    return loss, gradient


def test_values_are_those_of_the_formula() -> None:
    decisions, _ = made(200, seed=1)
    network = some_network(1)
    values = np.zeros_like(decisions.values)
    write_network_values(network, np.arange(200), *decisions[1:-1], values)
    wanted = values_slowly(network.astype(float), decisions)
    possible = np.arange(8) < decisions.card_count[:, None]
    np.testing.assert_allclose(values[possible], wanted[possible], rtol=1e-4, atol=1e-4)
    assert not values[~possible].any()


def test_gradient_is_the_slope_of_the_loss() -> None:
    decisions, _ = made(20, seed=2)
    network = some_network(2)
    loss, gradient = gradient_of(network, decisions)
    np.testing.assert_allclose(loss, loss_slowly(network.astype(float), decisions), rtol=1e-4)
    draw = np.random.default_rng(3)
    for start, end in (
        (LINEAR_OFFSET, LINEAR_OFFSET + USED),
        (SHARED_ROWS_OFFSET, SHARED_ROWS_OFFSET + 60 * HIDDEN_1_UNITS),
        (CARD_ROWS_OFFSET, CARD_ROWS_OFFSET + USED * HIDDEN_1_UNITS),
        (BIAS_1_OFFSET, MATRIX_OFFSET),
        (MATRIX_OFFSET, BIAS_2_OFFSET),
        (BIAS_2_OFFSET, OUTPUT_OFFSET),
        (OUTPUT_OFFSET, OUTPUT_OFFSET + HIDDEN_2_UNITS),
    ):
        slopes = []
        chosen = draw.choice(np.arange(start, end), min(12, end - start), replace=False)
        for at in chosen:
            up, down = network.astype(float), network.astype(float)
            up[at] += 1e-5
            down[at] -= 1e-5
            slopes.append((loss_slowly(up, decisions) - loss_slowly(down, decisions)) / 2e-5)
        largest = np.abs(slopes).max()
        assert largest > 0
        np.testing.assert_allclose(
            gradient[chosen], slopes, rtol=2e-3, atol=1e-3 * largest, err_msg=f"from {start}"
        )


def test_gradients_add_up() -> None:
    decisions, _ = made(30, seed=4)
    network = some_network(4)
    _, whole = gradient_of(network, decisions)
    parts = [
        gradient_of(network, select_decisions(decisions, rows))[1]
        for rows in (slice(0, 10), slice(10, 30))
    ]
    np.testing.assert_allclose(whole, sum(parts), rtol=1e-4, atol=1e-4)


def test_step_is_adams() -> None:
    draw = np.random.default_rng(5)
    weights, gradient, mean, average = (draw.normal(size=100).astype(np.float32) for _ in range(4))
    square = draw.random(100).astype(np.float32)
    share, rate, decay, fresh = (np.float32(number) for number in (0.25, 0.01, 0.001, 0.2))
    new_mean = ADAM_BETA_1 * mean + (1 - ADAM_BETA_1) * gradient * share
    new_square = ADAM_BETA_2 * square + (1 - ADAM_BETA_2) * (gradient * share) ** 2
    moved = weights - rate * new_mean / (np.sqrt(new_square) + ADAM_EPSILON) - decay * weights
    new_average = average + fresh * (moved - average)
    step_adam(weights, gradient, mean, square, average, share, rate, decay, fresh)
    for found, wanted in (
        (weights, moved), (mean, new_mean), (square, new_square), (average, new_average),
    ):  # fmt: skip
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert not gradient.any()
