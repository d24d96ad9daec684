"""Decisions recorded for training: the same for any threads, each with a choice and its results."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.policies.features import OUTPUTS, ROWS
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from tools.record_decisions import (
    CardDecisions,
    collect_decisions,
    find_tricks,
    iterate_decisions,
    record_decisions,
)

PLAYER = parse_player("points+greedy")
SEED = 7


def collected(threads: int) -> CardDecisions:
    parts = iterate_decisions(KqjRules(), PLAYER, SEED, 0, threads)
    found = collect_decisions(parts, 12_000)
    parts.close()
    return found


@pytest.mark.slow
def test_threads_make_no_difference() -> None:
    one, three = collected(1), collected(3)
    assert len(one.kind) >= 12_000
    legal = np.arange(one.values.shape[1]) < one.card_count[:, None]
    for name in ("kind", "features", "card_count"):
        assert np.array_equal(getattr(one, name), getattr(three, name))
    assert np.array_equal(one.outputs[legal], three.outputs[legal])
    assert np.array_equal(one.values[legal], three.values[legal])


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize("teams", [2, 3])
def test_decisions_have_cards_to_choose_from_and_results(teams: int, bidding: str) -> None:
    rules = KqjRules.from_dict({"teams": teams, "bidding": bidding})
    found = record_decisions(rules, PLAYER, SEED, 0, 4096)
    legal = np.arange(found.values.shape[1]) < found.card_count[:, None]
    trick = find_tricks(found.features)
    for number in (4, 5, 6):  # The leader may play any card of the hand.
        assert found.card_count[trick == number].max() == 8 - number
    assert {*found.kind} == {0, 1, 2}
    assert found.features.max() < ROWS and found.outputs[legal].max() < OUTPUTS
    first = found.values[:, :1]
    assert 0.2 < ((found.values != first) & legal).any(axis=1).mean() < 0.99
    other = record_decisions(rules, PLAYER, SEED, 512, 256)
    part = record_decisions(rules, PLAYER, SEED, 512, 512)
    count = len(other.kind)
    assert 0 < count < len(part.kind) and np.array_equal(other.values, part.values[:count])


def test_players_who_never_take_give_decisions_of_imposed_contracts() -> None:
    found = record_decisions(KqjRules(), parse_player("never+greedy"), SEED, 0, 256)
    assert len(found.kind) > 256
