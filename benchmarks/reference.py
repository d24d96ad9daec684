"""A reference for the engine's speed: the same rounds in straightforward plain Python.

Two teams, taking, random players who take with a given chance; cards and scores by the rules of
`kqj_sim.referee`.
"""

from __future__ import annotations

import random

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.referee.base import FinalContract, PlayedTrick, get_referee
from kqj_sim.referee.kqj import PACK, find_trick_winner, list_legal_cards
from kqj_sim.rules import SEATS, KqjRules

RULES = KqjRules()
REFEREE = get_referee(RULES)
TEAMS = [RULES.fixed_team_of(seat) for seat in range(SEATS)]


def play_rounds(count: int, seed: int, take: float) -> tuple[int, int]:
    """Play rounds; return the numbers of taken rounds and of contracts made."""
    draw = random.Random(seed)
    taken = made = 0
    for number in range(count):
        result = _play_round(draw, number % SEATS, take)
        taken += result != "passed_out"
        made += result == "made"
    return taken, made


def _play_round(draw: random.Random, dealer: int, take: float) -> str:
    pack = list(PACK)
    draw.shuffle(pack)
    hands = [{pack.pop() for _ in range(5)} for _ in range(SEATS)]
    turned = pack.pop()
    opener = (dealer + 1) % SEATS
    called = _call(draw, opener, turned, take)
    if called is None:
        return "passed_out"
    hands[called.sender].add(turned)
    for hand in hands:
        hand.update(pack.pop() for _ in range(8 - len(hand)))
    tricks = _play_tricks(draw, [set(hand) for hand in hands], opener, called.contract)
    return REFEREE.score_round(TEAMS, called, hands, tricks, 0).result


def _call(draw: random.Random, opener: int, turned: Card, take: float) -> FinalContract | None:
    for turn in range(2 * SEATS):
        if draw.random() < take:
            contract = turned.suit if turn < SEATS else draw.choice(CONTRACTS)
            return FinalContract((opener + turn) % SEATS, contract)
    return None


def _play_tricks(
    draw: random.Random, hands: list[set[Card]], leader: int, contract: str
) -> list[PlayedTrick]:
    tricks = []
    while hands[leader]:
        cards: list[Card] = []
        for position in range(SEATS):
            hand = hands[(leader + position) % SEATS]
            card = draw.choice(list(list_legal_cards(hand, cards, leader, TEAMS, contract)))
            hand.remove(card)
            cards.append(card)
        winner = find_trick_winner(leader, cards, contract)
        tricks.append(PlayedTrick(leader, tuple(cards), winner))
        leader = winner
    return tricks
