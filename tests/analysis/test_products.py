"""Products and least squares beside numpy's, and the same to the bit whatever the BLAS."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.analysis.products import compute_spread, multiply, solve_least_squares


@pytest.mark.parametrize(
    ("one", "other"),
    [((7,), (7,)), ((3, 7), (7,)), ((2, 3, 7), (7,)), ((7,), (7, 4)), ((3, 7), (7, 4))],
)
def test_products_are_those_of_numpy(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    left, right = generator.normal(size=one), generator.normal(size=other)
    assert multiply(left, right) == pytest.approx(left @ right, rel=1e-12)


def test_spread_is_that_of_the_combination() -> None:
    generator = np.random.default_rng(2)
    values, weights = generator.normal(size=(3, 50)), generator.normal(size=3)
    deviations = values - values.mean(axis=1, keepdims=True)
    combined = weights @ deviations
    assert compute_spread(weights, deviations @ deviations.T) == pytest.approx(
        float(combined @ combined)
    )


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_least_squares_are_those_of_numpy(size: int) -> None:
    generator = np.random.default_rng(size)
    scales = 10.0 ** generator.integers(-3, 4, size)
    values, target = generator.normal(size=(40, size)) * scales, generator.normal(size=40)
    found = solve_least_squares(values.T @ values, values.T @ target)
    assert found == pytest.approx(np.linalg.lstsq(values, target)[0], rel=1e-8)


def test_variables_that_others_determine_count_nothing_and_the_rest_explains_as_much() -> None:
    generator = np.random.default_rng(3)
    free, target = generator.normal(size=(40, 2)), generator.normal(size=40)
    zero = np.zeros((40, 1))
    values = np.hstack([free, zero, free[:, :1] - 3 * free[:, 1:]])
    found = solve_least_squares(values.T @ values, values.T @ target)
    assert found[2] == 0
    assert np.count_nonzero(found) == 2
    best = free @ np.linalg.lstsq(free, target)[0]
    assert values @ found == pytest.approx(best)


def test_no_variables_and_no_spread() -> None:
    assert solve_least_squares(np.zeros((2, 2)), np.zeros(2)).tolist() == [0, 0]
    assert solve_least_squares(np.zeros((0, 0)), np.zeros(0)).shape == (0,)
