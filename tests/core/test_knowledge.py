"""A player's knowledge of the other hands, at every turn, against the true hands."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from kqj_sim.cards import parse_card
from kqj_sim.core.block import (
    AMOUNT,
    CONTRACT,
    HAND,
    LEADER,
    PLAYED_CARDS,
    PLAYERS_BY_POSITION,
    SEATS,
    SENDER,
    STRIDE,
    TRICK_CARDS,
    UPCARD,
    history_offset,
    voids_of,
)
from kqj_sim.core.cards import PACK, to_strength_order
from kqj_sim.core.hidden_hands import (
    EXCLUDED,
    HAND_SIZES,
    KNOWLEDGE_SIZE,
    UNSEEN,
    exclude_by_trick,
    infer_knowledge,
)
from kqj_sim.core.jit import block_loop
from kqj_sim.record import Record
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.core.exclusions import exclusions
from tests.core.turns import stopped
from tests.slow import slow_between
from tests.variants import AUCTION_3, LIVELY, TAKE_2, TAKE_3, VARIANTS, lively, tables, told

TURNS = [(0, 0), (0, 3), (1, 0), (2, 5), (4, 2), (6, 0), (6, 5)]


@pytest.mark.parametrize(("rules", "turn"), list(product((TAKE_2, AUCTION_3), TURNS[2:])))
def test_whoever_did_not_follow_is_noted_as_void(rules: KqjRules, turn: tuple[int, int]) -> None:
    """Policies see the voids shown in finished tricks, and nothing else."""
    trick, position = turn
    state, lanes = stopped(lively(rules, seed=4), trick, position)
    noted = 0
    for i in range(lanes):
        voids = [0] * SEATS
        for finished in range(trick):
            first, *cards = (int(state[history_offset(finished, k) + i]) for k in range(1 + SEATS))
            suits = [(card.bit_length() - 1) // 16 for card in cards]
            for k, suit in enumerate(suits):
                if suit != suits[0]:
                    voids[(first + k) % SEATS] |= 1 << suits[0]
        leader, players = int(state[LEADER + i]), int(state[PLAYERS_BY_POSITION + i])
        found = [voids_of(players, (place - leader) % SEATS) for place in range(SEATS)]
        assert found == voids, f"seed=4 lane={i} {turn}"
        noted += sum(map(bool, voids))
    assert noted > lanes / 4


@pytest.mark.parametrize(("rules", "turn"), list(product((TAKE_2, TAKE_3, AUCTION_3), TURNS)))
def test_the_true_hands_agree_with_what_is_known(rules: KqjRules, turn: tuple[int, int]) -> None:
    trick, position = turn
    state, lanes = stopped(lively(rules, seed=4), trick, position)
    known = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    assert lanes > 100
    lacking = returns = 0
    for i in range(lanes):
        infer_knowledge(state, i, trick, position, known)
        leader = int(state[LEADER + i])
        own = (leader + position) % SEATS
        hands = {(leader + p) % SEATS: int(state[HAND + p * STRIDE + i]) for p in range(SEATS)}
        if position:
            on_table = sum(int(state[TRICK_CARDS + p * STRIDE + i]) for p in range(position))
            hands = {place: hand & ~on_table for place, hand in hands.items()}
        others = {place: hand for place, hand in hands.items() if place != own}
        said = f"seed=4 lane={i} {turn}"
        assert known[UNSEEN] == sum(others.values()), said
        assert known[HAND_SIZES + own] == 0, said
        for place, hand in others.items():
            assert known[HAND_SIZES + place] == hand.bit_count(), said
            assert known[EXCLUDED + place] & hand == 0, said
            lacking += bool(known[EXCLUDED + place] & known[UNSEEN])
        sender = int(state[SENDER + i])
        returned = to_strength_order(int(state[UPCARD + i]), int(state[CONTRACT + i]))
        certain = state[AMOUNT + i] == 0 and sender != own and hands[sender] & returned
        for place in others:
            if certain and place != sender:
                assert known[EXCLUDED + place] & returned, said
                returns += 1
        assert state[PLAYED_CARDS + i].bit_count() == SEATS * trick, said
    assert lacking > 0 or trick == 0
    assert returns > 0 or rules is AUCTION_3


@block_loop
def _excluded(known: Any, cards: Any, leader: int, players: int, trumps: int, climb: int) -> None:
    exclude_by_trick(known, cards, 0, 1, cards.shape[0], leader, players, trumps, climb)


def _wrong(record: Record) -> str | None:
    """Return an error in the exclusions of a round, or an empty text."""
    assert record.contract is not None
    coded = strength_of(record.contract)
    climbing = PACK if record.contract == "AT" else 0
    trumps = 0
    if record.contract in "shdc":
        climbing = trumps = sum(coded[card] for card in CARDS if card.suit == record.contract)
    opener = (record.dealer + 1) % SEATS
    teams = [record.teams[(opener + place) % SEATS] for place in range(SEATS)]
    players = sum(team << 9 * place for place, team in enumerate(teams))
    slow = exclusions(record)
    finished = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    for trick in record.tricks:
        leader = (trick.leader - opener) % SEATS
        cards = [coded[parse_card(text)] for text in trick.cards]
        for count in range(1, SEATS + 1):
            known = finished.copy()
            on_table = np.array(cards[:count], dtype=np.int64)
            _excluded(known, on_table, leader, players, trumps, climbing)
            lacks, held = next(slow)
            for place in range(SEATS):
                seat = (opener + place) % SEATS
                fast = int(known[EXCLUDED + place])
                hand = sum(coded[card] for card in held[seat])
                if fast != sum(coded[card] for card in lacks[seat]):
                    return told(record, f"seat {seat}: not the slow exclusions")
                if fast & hand:
                    return told(record, f"seat {seat}: holds an excluded card")
        finished = known
    return None


@pytest.mark.parametrize("variant", slow_between(5, VARIANTS))
def test_exclusions_by_plays(variant: str) -> None:
    """They are those of a slow twin, and never those of a card held."""
    for policies in ((LIVELY,) * SEATS, tables()["lively_callers"]):
        rounds = 0
        for record in play_records(Experiment(VARIANTS[variant], policies, deals=20, seed=3)):
            if record.contract is not None:
                wrong = _wrong(record)
                assert wrong is None, wrong
                rounds += 1
        assert rounds > 5
