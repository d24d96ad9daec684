"""The network in fixed point: against whole numbers of Python, and close to the weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.policies import features, network, weights
from kqj_sim.policies.fixed_point import (
    FIXED_BIAS_1,
    FIXED_BIAS_2,
    FIXED_CARD_ROWS,
    FIXED_KIND_SIZE,
    FIXED_LINEAR_STEP,
    FIXED_MATRIX,
    FIXED_OUTPUT,
    FIXED_SHARED_ROWS,
    LINEAR_UNIT,
    PAIR_COUNT,
    ROW_SIZE,
    to_fixed_point,
)
from tests.policies.learned import indices, network_values
from tests.policies.moments import TURN_RULES, iterate_turns
from tests.slow import slow_after

RULES = [(teams, bidding) for teams in (2, 3) for bidding in ("take", "auction")]


def values_in_whole_numbers(
    fixed: NDArray[np.int16], shared: list[int], cards: list[list[int]]
) -> list[np.float32]:
    """The values of candidates, one number at a time, from one kind's weights."""

    def row(start: int, index: int) -> list[int]:
        first = start + index * ROW_SIZE
        return [int(number) for number in fixed[first : first + ROW_SIZE]]

    bias_2 = fixed[FIXED_BIAS_2:FIXED_OUTPUT].view(np.int32).tolist()
    output = fixed[FIXED_OUTPUT:FIXED_LINEAR_STEP].view(np.float32)
    linear_step = fixed[FIXED_LINEAR_STEP : FIXED_LINEAR_STEP + 2].view(np.float32)[0]
    values = []
    for card in cards:
        rows = [row(FIXED_BIAS_1, 0)]
        rows += [row(FIXED_SHARED_ROWS, index) for index in shared]
        rows += [row(FIXED_CARD_ROWS, index) for index in card]
        sums = [sum(column) for column in zip(*rows, strict=True)]
        assert all(-(1 << 15) <= each < 1 << 15 for each in sums)
        first = [max(each, 0) for each in sums[:LINEAR_UNIT]]
        units = []
        for unit in range(16):
            total = bias_2[unit]
            for number, each in enumerate(first):
                at = FIXED_MATRIX + number // 2 * 32 + 2 * unit + number % 2
                total += each * int(fixed[at])
            assert abs(total) < 1 << 31
            units.append(np.float32(max(total, 0)))
        products = [one * other for one, other in zip(units, output, strict=True)]
        while len(products) > 1:
            half = len(products) // 2
            products = [products[k] + products[k + half] for k in range(half)]
        values.append(products[0] + np.float32(sums[LINEAR_UNIT]) * linear_step)
    return values


@pytest.mark.parametrize("name", slow_after(1, ["auction-3-random", "take-2"]))
def test_values_are_those_of_whole_numbers_to_the_bit(name: str) -> None:
    rules = TURN_RULES[name]
    fixed = weights.load_for_play("network", rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    seen = 0
    for number, (_, view) in enumerate(iterate_turns(name)):
        if number % 12 == 0:
            kind, shared, cards = indices(view)
            wanted = values_in_whole_numbers(
                fixed[kind * FIXED_KIND_SIZE :], shared.tolist(), cards.tolist()
            )
            count = network.write_card_values(view, fixed.ctypes.data, values)
            assert values[:count].tolist() == wanted
            seen += count
    assert seen > 100


@pytest.mark.parametrize("name", TURN_RULES)
def test_values_are_close_to_those_of_the_weights(name: str) -> None:
    rules = TURN_RULES[name]
    numbers = weights.load("network", rules.teams, rules.bidding).astype(np.float64)
    fixed = weights.load_for_play("network", rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    errors = []
    for number, (_, view) in enumerate(iterate_turns(name)):
        if number % 10 == 0:
            count = network.write_card_values(view, fixed.ctypes.data, values)
            errors += (values[:count] - network_values(view, numbers)).tolist()
    assert len(errors) > 100
    assert np.abs(errors).max() < 0.1
    assert np.std(errors) < 0.02


@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 10.0])
def test_no_sum_can_overflow(spread: float) -> None:
    """Every index with the largest weight at once, though no decision has them all."""
    draw = np.random.default_rng(3)
    drawn = draw.normal(0, spread, (1, features.KIND_SIZE)).astype(np.float32)
    (fixed,) = to_fixed_point(drawn)
    rows = fixed[FIXED_SHARED_ROWS:FIXED_BIAS_1].reshape(-1, ROW_SIZE).astype(np.int64)
    ends = np.cumsum([0, *features.list_shared_parts()])
    starts = features.SHARED_INDICES + np.array([*features.CARD_START.values()])
    parts = [rows[a:b] for a, b in (*pairwise(ends), *pairwise(starts))]
    assert len(parts) == features.SHARED_FEATURES + features.CARD_FEATURES
    bias = fixed[FIXED_BIAS_1 : FIXED_BIAS_1 + ROW_SIZE].astype(np.int64)
    high = bias + sum(part.max(axis=0) for part in parts)
    low = bias + sum(part.min(axis=0) for part in parts)
    assert high.max() < 1 << 15 and low.min() >= -(1 << 15)
    pairs = fixed[FIXED_MATRIX:FIXED_BIAS_2].reshape(PAIR_COUNT, 16, 2).astype(np.int64)
    matrix = pairs.transpose(0, 2, 1).reshape(-1, 16)
    bias_2 = fixed[FIXED_BIAS_2:FIXED_OUTPUT].view(np.int32).astype(np.int64)
    largest = np.maximum(high[:LINEAR_UNIT], 0) @ np.abs(matrix) + np.abs(bias_2)
    assert largest.max() < 1 << 31
    if spread < 1:
        assert max(high.max(), -low.min()) > 1 << 13, "half of the room is used, or more"


def test_parts_of_the_shared_tables_are_those_of_the_features() -> None:
    ends = np.cumsum(features.list_shared_parts())
    for name in TURN_RULES:
        for number, (_, view) in enumerate(iterate_turns(name)):
            if number % 10 == 0:
                _, shared, _ = indices(view)
                parts = np.searchsorted(ends, shared, side="right")
                assert sorted(parts.tolist()) == list(range(features.SHARED_FEATURES))
