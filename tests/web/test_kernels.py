"""The page's own kernels find what the package does in Python."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from kqj_sim.games.kqj.card_sampler import convert_cards_to_bits, make_turn
from kqj_sim.output.card_reasons import list_reasons
from kqj_sim.policies.players import seat_players
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_seating
from tests.positions.estimates import list_card_positions
from tools.page.kernels import compare_cards


@pytest.mark.parametrize(
    "rules", [KqjRules(), KqjRules(teams=3), KqjRules(bidding="auction")], ids=str
)
def test_reasons_for_cards(rules: KqjRules) -> None:
    seating = encode_seating(rules, seat_players(None, rules), None, "rollouts")
    found = set()
    for position in list_card_positions(rules, 20):
        turn, points = make_turn(position, seating, []), np.zeros(1, np.int64)
        for better, other in permutations(position.legal_cards, 2):
            bits = [convert_cards_to_bits([card]) for card in (better, other)]
            reasons = list_reasons(position, better, other)
            assert compare_cards(turn.state, turn.position, *bits, points) == sum(reasons)
            count, contract = position.referee.card_points, position.contract.contract
            assert points[0] == count(better, contract) - count(other, contract)
            found |= {*reasons}
    assert len(found) > 10
