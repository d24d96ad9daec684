"""Moments: the same as of all observations at once, and exact."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.stats.moments import Moments, count_by_group, multiply

RANDOM = np.random.default_rng(4)


def test_parts_in_any_order_add_up_to_the_whole() -> None:
    values = RANDOM.integers(-600, 600, (3, 2, 500))
    whole, parts = (Moments.zeros((3, 2), kind=int) for _ in range(2))
    whole.observe(values)
    for part in (values[..., 300:], values[..., :10], values[..., 10:300]):
        moments = Moments.zeros((3, 2), kind=int)
        moments.observe(part)
        parts.add(moments)
    assert int(whole.count) == int(parts.count) == 500
    assert np.array_equal(whole.sums, parts.sums)
    assert np.array_equal(whole.products, parts.products)
    one, other = values[1]
    difference = one - other
    assert whole[1].summarize(0) == (500, one.sum(), one @ one)
    assert whole[1].summarize_difference(0, 1) == (500, difference.sum(), difference @ difference)
    products = (one @ one, one @ other, other @ other)
    assert whole[1].summarize_pair(0, 1) == (500, one.sum(), other.sum(), products)


@pytest.mark.parametrize("largest", [1000, 2**30], ids=["small", "beyond float64"])
def test_products_are_exact(largest: int) -> None:
    values = np.array([[largest, largest - 1, 1 - largest], [1, -3, largest]])
    moments = Moments.zeros((2,), kind=int)
    moments.observe(values)
    right = [
        [sum(a * b for a, b in zip(one, other, strict=True)) for other in values.tolist()]
        for one in values.tolist()
    ]
    assert moments.products.tolist() == right


def test_groups_are_counted_apart_and_pooled() -> None:
    groups, values = RANDOM.integers(0, 6, 400), RANDOM.integers(-50, 50, (2, 400))
    found, whole = count_by_group(groups, values, 6), Moments.zeros((2,), kind=int)
    whole.observe(values)
    for group in range(6):
        right = Moments.zeros((2,), kind=int)
        right.observe(values[:, groups == group])
        for variable in (0, 1):
            assert found[group].summarize(variable) == right.summarize(variable)
        assert np.array_equal(found[group].products, right.products)
    assert found.pool().summarize(1) == whole.summarize(1)
    cells = found.regroup((2, 3))
    assert cells[1, 1:].pool().summarize(0) == found[4:].pool().summarize(0)


def test_a_view_of_a_group_adds_to_the_whole() -> None:
    moments = Moments.zeros((2,), (3,), kind=int)
    moments[1].observe(np.array([[1, 2], [3, 4]]))
    assert moments.count.tolist() == [0, 2, 0]
    assert moments.sums[1].tolist() == [3, 7]


@pytest.mark.parametrize(
    ("one", "other"),
    [((7,), (7,)), ((3, 7), (7,)), ((2, 3, 7), (7,)), ((7,), (7, 4)), ((3, 7), (7, 4))],
)
def test_products_are_those_of_numpy(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    left, right = RANDOM.normal(size=one), RANDOM.normal(size=other)
    assert multiply(left, right) == pytest.approx(left @ right, rel=1e-12)
