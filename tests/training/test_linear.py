"""Least squares over decisions."""

from __future__ import annotations

import numpy as np

from kqj_sim.policies.features import CARD_INDICES
from kqj_sim.training.decisions import select_decisions
from kqj_sim.training.linear import NormalEquations, evaluate_linear
from tests.training.synthetic import USED, centred, made


def test_truth_is_found() -> None:
    decisions, truth = made(20_000, seed=1, noise=10)
    equations = NormalEquations(CARD_INDICES)
    equations.add(decisions)
    weights, fits = equations.solve()
    error = centred(evaluate_linear(weights, decisions), decisions) - centred(truth, decisions)
    assert np.sqrt((error**2).mean()) < 1
    for kind, fit in enumerate(fits):
        chosen = decisions.kind == kind
        variance = (centred(truth, decisions)[chosen] ** 2).sum()
        variance /= (decisions.card_count[chosen] - 1).sum()
        assert fit.decisions == chosen.sum()
        assert abs(fit.residual - 10) < 0.2
        assert abs(fit.r2 - variance / (variance + 10**2)) < 0.01


def test_weights_are_those_of_dense_least_squares() -> None:
    decisions, _ = made(300, seed=2)
    ridge = 3.0
    equations = NormalEquations(CARD_INDICES)
    equations.add(decisions)
    weights, fits = equations.solve(ridge)
    for kind in range(3):
        rows, wanted = [], []
        for row in np.flatnonzero(decisions.kind == kind):
            count = decisions.card_count[row]
            counted = np.zeros((count, USED))
            for c in range(count):
                np.add.at(counted[c], decisions.cards[row, c], 1)
            rows.append(counted - counted.mean(axis=0))
            values = decisions.values[row, :count].astype(float)
            wanted.append(values - values.mean())
        x, y = np.concatenate(rows), np.concatenate(wanted)
        slow = np.linalg.solve(x.T @ x + ridge * np.eye(USED), x.T @ y)
        np.testing.assert_allclose(weights[kind, :USED], slow, rtol=1e-5, atol=1e-5)
        assert not weights[kind, USED:].any()
        left = ((y - x @ slow) ** 2).sum()
        np.testing.assert_allclose(fits[kind].r2, 1 - left / (y**2).sum(), rtol=1e-9)


def test_a_feature_counts_as_often_as_it_occurs() -> None:
    decisions, _ = made(1, seed=3)
    decisions.cards[0, 0, :] = 5
    weights = np.zeros((3, CARD_INDICES), dtype=np.float32)
    weights[:, 5] = 2
    assert evaluate_linear(weights, decisions)[0, 0] == 2 * decisions.cards.shape[2]


def test_chunks_make_no_difference() -> None:
    decisions, _ = made(1000, seed=4)
    whole, parts = NormalEquations(CARD_INDICES), NormalEquations(CARD_INDICES)
    whole.add(decisions)
    for rows in (slice(0, 300), slice(300, 301), slice(301, 1000)):
        parts.add(select_decisions(decisions, rows))
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, parts.arrays()[name])


def test_a_kind_that_was_not_met_has_no_weights() -> None:
    decisions, _ = made(100, seed=5)
    equations = NormalEquations(CARD_INDICES)
    equations.add(select_decisions(decisions, decisions.kind == 0))
    weights, fits = equations.solve()
    assert weights[0].any()
    assert not weights[1:].any()
    assert fits[1].decisions == 0
    assert np.isnan(fits[1].r2)
