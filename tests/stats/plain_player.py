"""A player whose choices are seen at a glance, as a policy file and in plain Python."""

from __future__ import annotations

from collections.abc import Collection

from kqj_sim.cards import SUITS, Card
from kqj_sim.referee.kqj import list_legal_cards
from tests.core.coding import strength_of

SOURCE = '''
from kqj_sim.policies import PASS
from kqj_sim.policies.tools import count, suit_cards

plain = policy("plain")

@plain
def choose_take(view):
    """Take with two cards of the Return's suit, later with three of any."""
    for suit in range(4):
        own = count(view.hand & suit_cards(suit))
        if view.lap == 1 and own >= 2 and view.turned & suit_cards(suit) != 0:
            return suit
        if view.lap == 2 and own >= 3:
            return suit
    return PASS

@plain
def choose_card(view):
    """The lowest bit of what is legal."""
    return view.legal & -view.legal
'''


def takes(five: Collection[Card], turned: Card, lap: int) -> str | None:
    """The suit that the player takes, None for a pass."""
    for suit in SUITS:
        own = sum(card.suit == suit for card in five)
        if (lap == 1 and own >= 2 and turned.suit == suit) or (lap == 2 and own >= 3):
            return suit
    return None


def opens_with(eight: Collection[Card]) -> str:
    """The suit with which `always` opens an auction."""
    return max(SUITS, key=lambda suit: sum(card.suit == suit for card in eight))


def plays(
    hand: Collection[Card], trick: tuple[Card, ...], leader: int, teams: tuple[int, ...],
    contract: str,
) -> Card:  # fmt: skip
    bit = strength_of(contract)
    return min(list_legal_cards(hand, trick, leader, teams, contract), key=lambda card: bit[card])
