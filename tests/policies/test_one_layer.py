"""Networks in fixed point: against whole numbers of Python, and close to the weights."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.policies import call_features, features, network, weights
from kqj_sim.policies.one_layer import HIDDEN_UNITS, Layout, to_fixed_point
from tests.policies.learned import indices, network_values
from tests.policies.moments import TURN_RULES, iterate_turns
from tests.policies.slow_layer import values_in_whole_numbers
from tests.slow import slow_after


@pytest.mark.parametrize("name", slow_after(1, ["auction-3-random", "take-2"]))
def test_values_are_those_of_whole_numbers_to_the_bit(name: str) -> None:
    rules = TURN_RULES[name]
    fixed = weights.load_for_play("network", rules.teams, rules.bidding)
    size = features.LAYOUT.fixed_size
    values = np.empty(8, np.float32)
    seen = 0
    for number, (_, view) in enumerate(iterate_turns(name)):
        if number % 12 == 0:
            kind, rows, outputs = indices(view)
            wanted = values_in_whole_numbers(fixed[kind * size :], features.LAYOUT, rows, outputs)
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


@pytest.mark.parametrize("inputs", [features, call_features], ids=["network", "learned"])
@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 10.0])
def test_no_sum_can_overflow(inputs: object, spread: float) -> None:
    """Every part with its largest row each time it is read, though no decision has them all."""
    layout: Layout = inputs.LAYOUT  # type: ignore[attr-defined]
    parts: dict[str, tuple[int, int]] = inputs.PARTS  # type: ignore[attr-defined]
    draw = np.random.default_rng(3)
    drawn = draw.normal(0, spread, (1, layout.stored_size)).astype(np.float32)
    (fixed,) = to_fixed_point(drawn, layout, parts.values())
    rows = fixed[: layout.bias].reshape(-1, HIDDEN_UNITS).astype(np.int64)
    high = low = fixed[layout.bias : layout.matrix].astype(np.int64)
    at = 0
    for size, reads in parts.values():
        part = rows[at : at + size]
        high, low = high + reads * part.max(axis=0), low + reads * part.min(axis=0)
        at += size
    assert at == len(rows) == layout.rows
    assert high.max() < 1 << 15 and low.min() >= -(1 << 15)
    matrix = fixed[layout.matrix : layout.output_bias].reshape(-1, HIDDEN_UNITS).astype(np.int64)
    biases = fixed[layout.output_bias : layout.step].view(np.int32).astype(np.int64)
    assert matrix.shape == (layout.outputs, HIDDEN_UNITS)
    largest = np.abs(matrix) @ np.maximum(high, 0) + np.abs(biases)
    assert largest.max() < 1 << 31
    if spread < 1:
        assert max(high.max(), -low.min()) > 1 << 13, "half of the room is used, or more"
