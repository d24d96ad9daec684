"""The sets of legal cards, and of cards that would become master, against the referee's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest

from kqj_sim.cards import CONTRACTS, Card, format_hand
from kqj_sim.core.cards import PACK, TOP_SUIT
from kqj_sim.core.trick import legal_cards, suit_mask_of, winning_cards
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.referee.kqj import beats_master, find_current_master
from kqj_sim.referee.kqj import list_legal_cards as referee_legal_cards
from kqj_sim.rules import SEATS
from tests.core.coding import strength_of

POSITIONS = 600
"""Random positions for each contract and number of teams, partners fixed and random."""


class Position(NamedTuple):
    """A trick begun, and the hand of who is to play."""

    trick: list[Card]
    hand: list[Card]
    leader: int
    teams: list[int]


def _positions(contract: str, team_count: int, partners: str) -> Iterator[Position]:
    """Random ones; few suits in half of them, so that all situations of the rules occur often."""
    draw = random.Random(f"{contract} {team_count} {partners}")
    for number in range(POSITIONS):
        teams = [seat % team_count for seat in range(SEATS)]
        if partners == "random":
            draw.shuffle(teams)
        suits = draw.sample("shdc", 2) if number % 2 else "shdc"
        pack = [card for card in CARDS if card.suit in suits]
        draw.shuffle(pack)
        played, held = draw.randint(1, 5), draw.randint(1, 8)
        yield Position(pack[:played], pack[played : played + held], draw.randrange(6), teams)


@pytest.mark.parametrize(
    ("contract", "team_count", "partners"),
    list(product(CONTRACTS, (2, 3), ("fixed", "random"))),
)
def test_legal_and_winning_cards_are_the_referees(
    contract: str, team_count: int, partners: str
) -> None:
    coded = strength_of(contract)
    climbing = {"AT": PACK, "NT": 0}.get(contract, TOP_SUIT)
    trumps = {"AT": 0, "NT": 0}.get(contract, TOP_SUIT)
    sizes = set()
    for position in _positions(contract, team_count, partners):
        trick, hand, leader, teams = position
        led = suit_mask_of(coded[trick[0]])
        master = coded[trick[0]]
        for card in trick[1:]:
            if coded[card] & winning_cards(led, trumps, master):
                master = coded[card]
        place = find_current_master(trick, contract)
        player = (leader + len(trick)) % SEATS
        partner = teams[(leader + place) % SEATS] == teams[player]
        said = f"{contract} teams {teams} leader {leader} trick {' '.join(map(str, trick))} "
        said += f"hand {format_hand(hand)}"
        assert master == coded[trick[place]], said

        winning = winning_cards(led, trumps, master)
        rest = [card for card in CARDS if card not in trick]
        found = {card for card in rest if coded[card] & winning}
        assert found == {c for c in rest if beats_master(c, trick[place], contract)}, said

        held = sum(coded[card] for card in hand)
        legal = legal_cards(held, led, led & climbing, winning, partner)
        right = referee_legal_cards(hand, trick, leader, teams, contract)
        assert {card for card in CARDS if coded[card] & legal} == right, said
        assert legal & ~held == 0, said
        sizes.add((len(right) < len(hand), partner))
    assert sizes == set(product((False, True), (False, True))), "some situations did not occur"
