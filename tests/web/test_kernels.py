"""The page's own kernels find what the package does in Python."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.core.block import allocate_block
from kqj_sim.core.card_odds import replay_plays
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE
from kqj_sim.games.kqj.card_sampler import convert_cards_to_bits, make_turn
from kqj_sim.output.card_reasons import list_reasons
from kqj_sim.policies.card_sets import format_cards
from kqj_sim.policies.players import seat_players
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.web.make import TABLES
from tests.positions.estimates import list_card_positions
from tools.page.kernels import (
    SCORE_SIZE,
    compare_cards,
    count_won_cards,
    deal_round,
    score_round,
)


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


@pytest.mark.parametrize("table", TABLES)
def test_deals_and_scores_of_rounds(table: str) -> None:
    rules = TABLES[table]
    numbers = encode_rules(rules)
    seating = encode_seating(rules, seat_players(None, rules), None, "rollouts")
    seating = seating._replace(keeps_history=1)
    for record in play_records(Experiment(rules=rules, deals=12)):
        opener, seats = (record.dealer + 1) % 6, range(6)
        order = [(opener + place) % 6 for place in seats]
        sender = -1 if record.sender is None else order.index(record.sender)
        cards = np.zeros(13, np.int64)
        deal_round(allocate_block(), record.deal, record.seed, sender, numbers, cards)
        first, eight = cards[:6], cards[7:]
        dealt = eight if record.turned is None else first
        assert [format_cards(int(hand)) for hand in dealt] == [record.dealt[seat] for seat in order]
        if record.hands is None:
            continue
        hands = [{*record.hands[seat]} for seat in order]
        assert [{*format_cards(int(hand))} for hand in eight] == hands
        teams = sum(record.teams[seat] << 9 * place for place, seat in enumerate(order))
        called = [
            teams, 5, 0, cards[6] if record.turned else 0, sender,
            CONTRACTS.index(record.contract), record.amount or 0, record.capot, record.stake,
        ]  # fmt: skip
        plays = [
            convert_cards_to_bits([Card(*card)]) for trick in record.tricks for card in trick.cards
        ]
        state, scored = allocate_block(), np.zeros(SCORE_SIZE, np.int64)
        replay_plays(
            state, np.array(called, np.int64), eight.copy(), np.array(plays, np.int64), seating,
            np.zeros(KNOWLEDGE_SIZE, np.int64),
        )  # fmt: skip
        counted = np.zeros(6, np.int64)
        count_won_cards(state, counted)
        score_round(state, numbers, scored)
        count = rules.teams
        assert [*counted[:count]] == record.card_points
        assert [*counted[3 : 3 + count]] == record.trick_counts
        assert [*scored[8 : 8 + count]] == record.totals
        assert [*scored[14 : 14 + count]] == record.scores
        for place in seats:
            for at, name in enumerate(("kq", "kqj")):
                queens = format_cards(int(scored[17 + 6 * at + place]))
                wanted = [
                    str(bonus.suit) for bonus in record.bonuses
                    if (bonus.bonus, bonus.seat) == (name, order[place])
                ]  # fmt: skip
                assert sorted(queen[1] for queen in queens) == sorted(wanted)
