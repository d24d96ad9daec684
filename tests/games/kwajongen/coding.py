"""Cards of the referee as bits of the core: slow, by the texts alone."""

from __future__ import annotations

from collections.abc import Iterable

from kqj_sim.cards import SUITS, Card
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.referee import PACK

_UP = KwajongenRules.ranks[::-1]


def strength(cards: Iterable[Card], trump: str) -> int:
    """A set by strength: the trump suit in the top lane, the others below in the order `shdc`."""
    lanes = [SUITS[(SUITS.index(trump) + 1 + lane) % 4] for lane in range(4)]
    return sum(1 << 16 * lanes.index(card.suit) + _UP.index(card.rank) for card in cards)


def cards_of(bits: int, trump: str) -> set[Card]:
    return {card for card in PACK if strength([card], trump) & bits}
