"""The pack, the order of the ranks and the points (RULES.md, section 10)."""

from __future__ import annotations

from kqj_sim.cards import SUITS, Card
from kqj_sim.rules import KwajongenRules

ORDER = KwajongenRules.ranks
"""The ranks from high to low, the same in every suit, trump too."""

PACK = tuple(Card(rank, suit) for suit in SUITS for rank in ORDER)
CARD_OF_TEXT = {str(card): card for card in PACK}
POINTS = {"A": 4, "K": 3, "Q": 2, "J": 1}


def card_points(card: Card) -> int:
    """Return the points of a card; those of all 24 cards make 40."""
    return POINTS.get(card.rank, 0)


def outranks(card: Card, other: Card) -> bool:
    """Return True if the card is higher than another card of its suit."""
    return ORDER.index(card.rank) < ORDER.index(other.rank)
