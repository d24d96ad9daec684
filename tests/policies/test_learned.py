"""The values of `linear` and `network` against numpy, and the card that they choose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import parse_card
from kqj_sim.experiment import Experiment
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies import features, linear, network, weights
from kqj_sim.policies.features import (
    CARD_INDICES,
    SHARED_INDICES,
)
from kqj_sim.policies.fixed_point import to_fixed_point
from kqj_sim.policies.trick_odds import KIND_COUNT
from kqj_sim.record import Record
from kqj_sim.recording import play_records
from tests.core.coding import strength_of
from tests.policies.learned import bits, linear_values, network_values
from tests.policies.moments import TURN_RULES, iterate_turns, moments, view_of

POLICIES = {
    "linear": (linear, KIND_COUNT * CARD_INDICES, linear_values),
    "network": (network, KIND_COUNT * features.KIND_SIZE, network_values),
}


def test_blocks_of_the_layout_do_not_overlap() -> None:
    ends = [
        features.LINEAR_OFFSET + CARD_INDICES,
        features.SHARED_ROWS_OFFSET + SHARED_INDICES * features.HIDDEN_1_UNITS,
        features.CARD_ROWS_OFFSET + CARD_INDICES * features.HIDDEN_1_UNITS,
        features.BIAS_1_OFFSET + features.HIDDEN_1_UNITS,
        features.MATRIX_OFFSET + features.HIDDEN_1_UNITS * features.HIDDEN_2_UNITS,
        features.BIAS_2_OFFSET + features.HIDDEN_2_UNITS,
    ]
    starts = [
        features.SHARED_ROWS_OFFSET,
        features.CARD_ROWS_OFFSET,
        features.BIAS_1_OFFSET,
        features.MATRIX_OFFSET,
        features.BIAS_2_OFFSET,
        features.OUTPUT_OFFSET,
    ]
    assert all(end <= start < end + 16 for end, start in zip(ends, starts, strict=True))
    assert features.KIND_SIZE == features.OUTPUT_OFFSET + features.HIDDEN_2_UNITS


def played(policy: str, numbers: NDArray[np.float32]) -> NDArray[Any]:
    """The weights as the policy's functions read them."""
    return to_fixed_point(numbers) if policy == "network" else numbers


@pytest.mark.parametrize("policy", POLICIES)
def test_values_are_those_of_numpy(policy: str) -> None:
    module, size, slow = POLICIES[policy]
    weights = np.random.default_rng(5).normal(0, 0.1, size).astype(np.float32)
    numbers = played(policy, weights)
    kinds = set()
    for name in TURN_RULES:
        for number, (moment, view) in enumerate(iterate_turns(name)):
            if number % 5 == 0:
                wanted = slow(view, weights.astype(np.float64))
                values = np.full(9, np.nan, np.float32)
                count = module.write_card_values(view, numbers.ctypes.data, values)
                assert count == len(moment.legal) == len(wanted)
                assert np.isnan(values[8])
                np.testing.assert_allclose(values[:count], wanted, rtol=1e-4, atol=3e-3)
                kinds.add(view.contract)
    assert len(kinds) == 6


def play(name: str, policies: tuple[str, ...], deals: int) -> Iterator[Record]:
    """Play rounds of a variant, called and imposed."""
    rules = TURN_RULES[name]
    amount = None if rules.bidding == "take" else rules.minimum_bid
    for imposed in (None, ImposedContract(1, "NT", amount), ImposedContract(4, "AT", amount)):
        yield from play_records(Experiment(rules, policies, deals, seed=3, imposed=imposed))


@pytest.mark.parametrize("name", TURN_RULES)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_block_plays_the_card_of_the_greatest_value_of_each_view(policy: str, name: str) -> None:
    module, _, _ = POLICIES[policy]
    rules = TURN_RULES[name]
    numbers = weights.load_for_play(policy, rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    choices = 0
    for policies in ((f"points+{policy}",), (f"points+{policy}", "random", "points+greedy")):
        for record in play(name, policies * (6 // len(policies)), 5):
            if record.contract is None:
                continue
            coded = strength_of(record.contract)
            for moment in moments(record):
                if moment.seat % len(policies) == 0:
                    view = view_of(moment)
                    count = module.write_card_values(view, numbers.ctypes.data, values)
                    card = record.tricks[len(moment.finished)].cards[len(moment.trick)]
                    wanted = bits(view.legal)[int(np.argmax(values[:count]))]
                    assert coded[parse_card(card)] == wanted
                    choices += count > 1
    assert choices > 300


@pytest.mark.parametrize("policy", POLICIES)
def test_of_equal_cards_the_lowest_is_played(policy: str) -> None:
    _, size, _ = POLICIES[policy]
    weights.override(policy, 2, "take", np.zeros(size, np.float32))
    try:
        records = list(play("take-2", (f"points+{policy}",) * 6, 4))
    finally:
        weights.restore()
    for record in records:
        assert record.contract is not None
        coded = strength_of(record.contract)
        for moment in moments(record):
            card = record.tricks[len(moment.finished)].cards[len(moment.trick)]
            legal = view_of(moment).legal
            assert coded[parse_card(card)] == legal & -legal
