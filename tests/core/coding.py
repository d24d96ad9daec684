"""Cards of the referee as bits of the core, and back: slow, by the texts alone."""

from __future__ import annotations

from collections.abc import Iterable

from kqj_sim.cards import CONTRACTS, RANKS, SUITS, Card
from kqj_sim.core.cards import to_strength_order
from kqj_sim.referee.kqj import PACK

NATURAL = {card: 1 << (16 * SUITS.index(card.suit) + RANKS[::-1].index(card.rank)) for card in PACK}
"""The bit of each card in natural coding: `shdc` from the lowest lane, ranks from the 4 up."""


def bits(cards: Iterable[Card]) -> int:
    """A set in natural coding."""
    return sum(NATURAL[card] for card in cards)


def strength_of(contract: str) -> dict[Card, int]:
    """The bit of each card in the coding by strength, as the core computes it."""
    number = CONTRACTS.index(contract)
    return {card: to_strength_order(bit, number) for card, bit in NATURAL.items()}
