"""Sums over weighted deals."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.weighted_draws import (
    add_holdings,
    add_shared_squares,
    add_weighted,
    sum_products,
)
from kqj_sim.stats.moments import NO_LISTS


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
    sums, products, squares = np.ones((2, 4)), np.ones((2, 4, 4)), np.ones(1)
    add_weighted(weights, values, NO_LISTS, sums, products, squares)
    assert squares[0] == products[0, 0, 0] == pytest.approx(1 + sum(weights**2))
    for quantity in range(2):
        series = [np.ones(300), *values[quantity]]
        for one, x in enumerate(series):
            assert sums[quantity, one] == pytest.approx(1 + sum(weights * x))
            for other, y in enumerate(series):
                expected = 1 + sum(weights * weights * x * y)
                assert products[quantity, one, other] == pytest.approx(expected)


def test_draws_that_share_lists_are_one_observation() -> None:
    generator = np.random.default_rng(2)
    weights, values = generator.random(300), generator.normal(0, 90, (1, 2, 300))
    lists = np.sort(generator.integers(5, 30, 300))
    sums, products, squares = np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros(1)
    add_weighted(weights, values, lists, sums, products, squares)
    together = [(weights * x)[lists == n].sum() for x in (1, *values[0]) for n in range(5, 30)]
    by_list = np.reshape(together, (3, 25))
    assert sums[0] == pytest.approx(by_list.sum(axis=1))
    assert products[0] == pytest.approx(by_list @ by_list.T)
    assert squares[0] == pytest.approx((weights**2).sum())
    amounts, shared = generator.integers(0, 9, 300), np.zeros((2, 9))
    add_shared_squares(amounts, weights, lists, shared)
    for amount in range(9):
        reached = weights * (amounts >= amount)
        above = np.bincount(lists, reached)
        alone = (reached**2).sum()
        assert alone + shared[0, amount] == pytest.approx(above @ np.bincount(lists, weights))
        assert alone + shared[1, amount] == pytest.approx(above @ above)


def test_holdings_are_those_of_a_slow_twin() -> None:
    generator = np.random.default_rng(3)
    hands = generator.integers(0, 1 << 12, (300, 4))
    weights, lists = generator.random(300), np.sort(generator.integers(5, 30, 300))
    cards, least = np.array([0b1, 0b11100, 0b111111]), np.array([1, 3, 2])
    groups = [[1], [2], [1, 3]]
    sets = np.array([sum(1 << place for place in group) for group in groups])
    for each, shared in ((lists, lists), (NO_LISTS, np.arange(300))):
        sums = np.ones((3, 3, 3))
        add_holdings(hands, weights, each, cards, least, sets, sums)
        total = np.bincount(shared, weights)
        for at, group in enumerate(groups):
            for number in range(3):
                counts = np.bitwise_count(hands[:, group] & cards[number])
                own = np.bincount(shared, weights * (counts >= least[number]).any(axis=1))
                expected = own.sum(), (own * total).sum(), (own * own).sum()
                assert sums[:, at, number] == pytest.approx(1 + np.array(expected))
