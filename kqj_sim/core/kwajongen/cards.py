"""Kwajongen's 24 cards as bits: six of each lane, ranks 9 T J Q K A from the lowest up.

The coding by strength turns the lane of the trump suit to the top; ranks stand as they are.

The rules of Kwajongen as the numbers that the kernels take; `kqj_sim.encode` makes them.

Kwajongen in the block of `core.state`: four places, four tricks, no auction.

What a policy of Kwajongen sees when it is asked to accept; for cards it is `core.views`.
"""

from __future__ import annotations

from typing import NamedTuple

from kqj_sim.columns import KWAJONGEN_COLUMNS
from kqj_sim.core import block
from kqj_sim.core.block import COLUMN_ROWS, FIRST_FIVE, LAST_BIDS, STRIDE
from kqj_sim.core.cards import EACH_SUIT, trailing_zeros
from kqj_sim.core.jit import rebind_globals, scalar

SUIT_MASK = 0x3F
PACK = EACH_SUIT * SUIT_MASK
TRUMP_SUIT = SUIT_MASK << 48
"""All trumps, by strength."""


@scalar
def to_strength_order(cards: int, trump: int) -> int:
    """Natural coding -> coding by strength for a trump suit (0 to 3, `shdc`)."""
    shift = 16 * (3 - trump)
    return (cards << shift) | (cards >> ((64 - shift) & 63))


@scalar
def to_natural_order(cards: int, trump: int) -> int:
    """Coding by strength for a trump suit (0 to 3) -> natural coding."""
    shift = 16 * (3 - trump)
    return (cards >> shift) | (cards << ((64 - shift) & 63))


@scalar
def suit_of(card: int) -> int:
    """The suit (0 to 3, `shdc`) of a card in natural coding."""
    return trailing_zeros(card) >> 4


class KwajongenCoreRules(NamedTuple):
    """RULES.md's rules object in integers."""

    teams: int
    """2, always."""
    must_trump: int
    """1 if who is void in the suit led must play a trump, 0 if he is free."""


SEATS = 4
TRICKS = 4

DEALT_FOUR = FIRST_FIVE
"""The four cards of each place, natural coding; the turned card is one of the dealer's."""
OBLIGED_CARDS = LAST_BIDS
"""The cards of which one who is void must play: the trumps, or none where he is free."""

_COLUMN_NUMBERS = {column.name: number for number, column in enumerate(KWAJONGEN_COLUMNS)}

rotate_players = scalar(rebind_globals("kwajongen_turned", block.rotate_players, SEATS=SEATS))
"""Packed players counted from a position (0 to 3) onwards."""


def column_offset(name: str) -> int:
    """The offset of a column's row."""
    return COLUMN_ROWS + _COLUMN_NUMBERS[name] * STRIDE


class AcceptView(NamedTuple):
    """Play (1), or pass (0)?  Cards coded by strength, six a lane: trumps in the top lane."""

    hand: int
    """The four cards held."""
    turned: int
    """The dealer's card that is shown; its suit is the trump suit."""
    trumps: int
    """All trumps."""
    contract: int
    """The trump suit, 0 to 3 `shdc`."""
    place: int
    """Place in the order of speaking, 0 the dealer's left to 3 the dealer."""
    raised: int
    """1 if the round is raised, else 0."""
    players: int
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2."""
    random: int
    """64 random bits of this decision."""
