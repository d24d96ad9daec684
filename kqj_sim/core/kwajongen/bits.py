"""Kwajongen's 24 cards as bits: six of each lane, ranks 9 T J Q K A from the lowest up.

The coding by strength turns the lane of the trump suit to the top; ranks stand as they are.
"""

from __future__ import annotations

from kqj_sim.core.bits import EACH_LANE, trailing_zeros
from kqj_sim.core.compile import scalar

LANE = 0x3F
PACK = EACH_LANE * LANE
TRUMPS = LANE << 48
"""All trumps, by strength."""


@scalar
def by_strength(cards: int, trump: int) -> int:
    """Natural coding -> coding by strength for a trump suit (0 to 3, `shdc`)."""
    shift = 16 * (3 - trump)
    return (cards << shift) | (cards >> ((64 - shift) & 63))


@scalar
def natural(cards: int, trump: int) -> int:
    """Coding by strength for a trump suit (0 to 3) -> natural coding."""
    shift = 16 * (3 - trump)
    return (cards >> shift) | (cards << ((64 - shift) & 63))


@scalar
def suit_of(card: int) -> int:
    """The suit (0 to 3, `shdc`) of a card in natural coding."""
    return trailing_zeros(card) >> 4
