"""Training of the networks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    CARD_INDICES,
    CARD_ROWS_OFFSET,
    HIDDEN_1_UNITS,
    KIND_SIZE,
)
from kqj_sim.training import linear
from kqj_sim.training.decisions import CardDecisions, compute_gains, select_decisions
from kqj_sim.training.linear import NormalEquations
from kqj_sim.training.network import (
    MIN_BATCH,
    NetworkTraining,
    evaluate_network,
    learning_rate_share,
)
from tests.training.synthetic import USED, centred, made

NONE = np.zeros((3, CARD_INDICES), dtype=np.float32)


def test_networks_begin_as_the_linear_weights() -> None:
    weights = np.random.default_rng(1).normal(0, 20, (3, CARD_INDICES)).astype(np.float32)
    decisions, _ = made(100, seed=1)
    found = evaluate_network(NetworkTraining(weights, seed=1).trained_weights(), decisions)
    np.testing.assert_allclose(
        found, linear.evaluate_linear(weights, decisions), rtol=1e-4, atol=1e-3
    )


def suits(count: int, seed: int) -> tuple[CardDecisions, NDArray[np.float64]]:
    """Decisions of suit contracts that no linear function explains, and the truth."""
    decisions, truth = made(count, seed, twist=20)
    chosen = decisions.kind == 0
    return select_decisions(decisions, chosen), truth[chosen]


def test_what_is_not_linear_is_learnt() -> None:
    decisions, _ = suits(30_000, seed=1)
    others, truth = suits(5_000, seed=2)
    equations = NormalEquations(CARD_INDICES)
    equations.add(decisions)
    weights, _ = equations.solve()
    training = NetworkTraining(weights, seed=1)
    for chunk in range(10):
        training.learn(decisions, chunk, chunk / 10, (chunk + 1) / 10)
    by_linear = linear.evaluate_linear(weights, others)
    by_network = evaluate_network(training.trained_weights(), others)
    error = np.sqrt((centred(by_network - truth, others) ** 2).mean())
    assert error < 0.4 * np.sqrt((centred(by_linear - truth, others) ** 2).mean())
    best = compute_gains(truth.astype(np.float32), others).mean()
    gained, by_line = (
        compute_gains(by_network, others).mean(),
        compute_gains(by_linear, others).mean(),
    )
    assert gained > by_line + 0.6 * (best - by_line)


def test_same_decisions_give_the_same_weights() -> None:
    decisions, _ = made(3 * MIN_BATCH, seed=3)
    trained = []
    for seed in (1, 1, 2):
        training = NetworkTraining(NONE, seed)
        training.learn(decisions, 0, 0, 1)
        trained.append(training.trained_weights().tobytes())
    assert trained[0] == trained[1]
    assert trained[0] != trained[2]


def test_rows_of_features_never_met_are_zero() -> None:
    decisions, _ = made(3 * MIN_BATCH, seed=4)
    training = NetworkTraining(NONE, seed=1)
    for chunk in range(2):
        training.learn(decisions, chunk, 0.4, 0.5)
    trained = training.trained_weights()
    rows = trained[0, CARD_ROWS_OFFSET:BIAS_1_OFFSET].reshape(-1, HIDDEN_1_UNITS)
    assert rows[:USED].any(axis=1).all()
    assert not rows[USED:].any()


def test_training_begins_with_the_values_of_a_trained_network() -> None:
    """Before any decision they are the same; rows of features never met stay as they were."""
    decisions, _ = made(3 * MIN_BATCH, seed=4)
    begun = np.random.default_rng(1).normal(0, 0.1, (3, KIND_SIZE)).astype(np.float32)
    training = NetworkTraining(NONE, seed=1, begun=begun)
    assert training.player(0) == "network"
    np.testing.assert_array_equal(training.weights_in_use(0)["network"], begun)
    np.testing.assert_allclose(training.trained_weights(), begun, rtol=1e-6)
    training.learn(decisions, 0, 0.4, 0.5)
    trained = training.trained_weights()[0, CARD_ROWS_OFFSET:BIAS_1_OFFSET]
    changed = np.abs(trained / begun[0, CARD_ROWS_OFFSET:BIAS_1_OFFSET] - 1).reshape(
        -1, HIDDEN_1_UNITS
    )
    assert changed[:USED].max() > 0.01
    assert changed[USED:].max() < 0.01


def test_too_few_of_a_kind_are_left_out() -> None:
    decisions, _ = made(3 * MIN_BATCH, seed=5)
    training = NetworkTraining(NONE, seed=1)
    training.learn(decisions, 0, 0, 1)
    assert training.steps.tolist() == [np.count_nonzero(decisions.kind == 0) // MIN_BATCH, 0, 0]
    assert training.trained_weights().shape == (3, KIND_SIZE)


def test_learning_rate_rises_and_falls_to_zero() -> None:
    assert learning_rate_share(0) == 0
    assert learning_rate_share(0.01) == pytest.approx(0.5)
    assert learning_rate_share(0.02) == pytest.approx(1)
    assert learning_rate_share(0.51) == pytest.approx(0.5)
    assert learning_rate_share(1) == pytest.approx(0)
