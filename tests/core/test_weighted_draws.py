"""Sums over weighted deals."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.weighted_draws import add_weighted, sum_products


@pytest.mark.parametrize("count", [0, 1, 7, 8, 100, 128, 129, 256, 1000, 1024, 4099])
def test_products_have_the_sum_of_numpy_to_the_last_digit(count: int) -> None:
    generator = np.random.default_rng(count)
    left, right = generator.random(count), generator.normal(0, 300, count)
    assert sum_products(left, right) == (left * right).sum()


def test_moments_are_those_of_a_slow_twin() -> None:
    generator = np.random.default_rng(1)
    weights, values = (
        generator.random(300),
        generator.integers(-600, 600, (2, 3, 300)).astype(float),
    )
    sums, products = np.ones((2, 4)), np.ones((2, 4, 4))
    add_weighted(weights, values, sums, products)
    for quantity in range(2):
        series = [np.ones(300), *values[quantity]]
        for one, x in enumerate(series):
            assert sums[quantity, one] == pytest.approx(1 + sum(weights * x))
            for other, y in enumerate(series):
                expected = 1 + sum(weights * weights * x * y)
                assert products[quantity, one, other] == pytest.approx(expected)
