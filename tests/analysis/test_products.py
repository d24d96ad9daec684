"""Products beside numpy's, and the same to the bit whatever the BLAS."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.analysis.products import compute_spread, multiply


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
