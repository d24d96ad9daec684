"""The values of `network` against numpy, and the card that it chooses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kqj_sim.cards import parse_card
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies import network, weights
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.policies.learned import bits, network_values
from tests.policies.moments import TURN_RULES, iterate_turns, moments, view_of


def test_values_are_those_of_numpy() -> None:
    size = weights.count_weights("network")
    drawn = np.random.default_rng(5).normal(0, 0.1, size).astype(np.float32)
    numbers = weights.align_for_play("network", drawn)
    kinds = set()
    for name in TURN_RULES:
        for number, (moment, view) in enumerate(iterate_turns(name)):
            if number % 5 == 0:
                wanted = network_values(view, drawn.astype(np.float64))
                values = np.full(9, np.nan, np.float32)
                count = network.write_card_values(view, numbers.ctypes.data, values)
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
def test_a_block_plays_the_card_of_the_greatest_value_of_each_view(name: str) -> None:
    rules = TURN_RULES[name]
    numbers = weights.load_for_play("network", rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    choices = 0
    for policies in (("points+network",), ("points+network", "random", "points+greedy")):
        for record in play(name, policies * (6 // len(policies)), 5):
            if record.contract is None:
                continue
            coded = strength_of(record.contract)
            for moment in moments(record):
                if moment.seat % len(policies) == 0:
                    view = view_of(moment)
                    count = network.write_card_values(view, numbers.ctypes.data, values)
                    card = record.tricks[len(moment.finished)].cards[len(moment.trick)]
                    wanted = bits(view.legal)[int(np.argmax(values[:count]))]
                    assert coded[parse_card(card)] == wanted
                    choices += count > 1
    assert choices > 300


def test_lowest_of_equal_cards_is_played() -> None:
    played = weights.load_for_play("network", 2, "take")
    kept = played.copy()
    played[:] = 0
    try:
        records = list(play("take-2", ("points+network",) * 6, 4))
    finally:
        played[:] = kept
    for record in records:
        assert record.contract is not None
        coded = strength_of(record.contract)
        for moment in moments(record):
            card = record.tricks[len(moment.finished)].cards[len(moment.trick)]
            legal = view_of(moment).legal
            assert coded[parse_card(card)] == legal & -legal
