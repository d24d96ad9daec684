"""The pack, the order of the ranks and the points (docs/rules.md, section 1)."""

from __future__ import annotations

from kqj_sim.cards import RANKS, SUITS, Card

PACK = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
CARD_OF_TEXT = {str(card): card for card in PACK}

# Ranks from high to low.
PLAIN_ORDER = "ATHKQJ987654"
TRUMP_ORDER = "987ATHKQJ654"

PLAIN_POINTS = {"A": 12, "T": 10, "H": 7, "K": 5, "Q": 4, "J": 3, "9": 2, "8": 1}
TRUMP_POINTS = {"9": 27, "8": 22, "7": 14, "A": 12, "T": 10, "H": 7, "K": 5, "Q": 4, "J": 3}
NO_TRUMP_POINTS = {"A": 20, "T": 17, "H": 7, "K": 5, "Q": 4, "J": 3, "9": 2, "8": 1}
ALL_TRUMPS_POINTS = {"9": 17, "8": 14, "7": 7, "A": 6, "T": 5, "H": 4, "K": 3, "Q": 2, "J": 1}


def is_trump(card: Card, contract: str) -> bool:
    """Return True if the card is a trump; at All-Trumps every card is one."""
    return contract == "AT" or card.suit == contract


def card_points(card: Card, contract: str) -> int:
    """Return the points of a card; those of all 48 cards make 236 in every contract."""
    if contract == "NT":
        return NO_TRUMP_POINTS.get(card.rank, 0)
    if contract == "AT":
        return ALL_TRUMPS_POINTS.get(card.rank, 0)
    if card.suit == contract:
        return TRUMP_POINTS.get(card.rank, 0)
    return PLAIN_POINTS.get(card.rank, 0)


def outranks(card: Card, other: Card, contract: str) -> bool:
    """Return True if the card is higher than another card of its suit."""
    order = TRUMP_ORDER if is_trump(card, contract) else PLAIN_ORDER
    return order.index(card.rank) < order.index(other.rank)
