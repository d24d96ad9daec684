"""Kwajongen's cards, rules, rows of the block and views.

24 cards as bits, six of each suit, ranks 9 T J Q K A from the lowest up.  Coding by strength moves
the trump suit to the top; the ranks keep their order.
"""

from __future__ import annotations

from typing import NamedTuple

from kqj_sim.columns import KWAJONGEN_COLUMNS
from kqj_sim.core.block import COLUMN_ROWS, FIRST_FIVE, STRIDE, make_rotate_players
from kqj_sim.core.cards import EACH_SUIT, trailing_zeros
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Card, CardSet, Contract, Flag, PackedPlayers, Place, RowOffset, Suit

SUIT_MASK = 0x3F
PACK = EACH_SUIT * SUIT_MASK
TRUMP_SUIT = SUIT_MASK << 48
"""All trumps, by strength."""


@scalar
def to_strength_order(cards: CardSet, trump: Suit) -> CardSet:
    """Convert natural coding to coding by strength for a trump suit."""
    shift = 16 * (3 - trump)
    return (cards << shift) | (cards >> ((64 - shift) & 63))


@scalar
def to_natural_order(cards: CardSet, trump: Suit) -> CardSet:
    """Convert coding by strength for a trump suit to natural coding."""
    shift = 16 * (3 - trump)
    return (cards >> shift) | (cards << ((64 - shift) & 63))


@scalar
def suit_of(card: Card) -> Suit:
    """Return the suit of a card in natural coding."""
    return trailing_zeros(card) >> 4


class KwajongenCoreRules(NamedTuple):
    """The rules of Kwajongen in integers, made by `kqj_sim.simulation.encode`."""

    teams: int
    """2, always."""
    must_trump: Flag
    """1 if a player who is void in the suit led must play a trump, 0 if they are free."""


SEATS = 4
TRICKS = 4

DEALT_FOUR = FIRST_FIVE
"""The four cards of each place, natural coding; the upcard is one of the dealer's.  They share the
rows of KQJ's first five, as every further row that moves with a lane costs time in KQJ."""

_COLUMN_NUMBERS = {column.name: number for number, column in enumerate(KWAJONGEN_COLUMNS)}

rotate_players = make_rotate_players(SEATS)


def column_offset(name: str) -> RowOffset:
    """Return the offset of a column's row."""
    return COLUMN_ROWS + _COLUMN_NUMBERS[name] * STRIDE


class AcceptView(NamedTuple):
    """The view of a player who is to play (1) or pass (0); cards coded by strength."""

    hand: CardSet
    """The four cards held."""
    turned: Card
    """The dealer's card that is turned up; its suit is the trump suit."""
    trumps: CardSet
    """All trumps."""
    contract: Contract
    """The trump suit, 0 to 3 `shdc`."""
    place: Place
    """Place in the order of speaking, 0 the dealer's left to 3 the dealer."""
    raised: Flag
    """1 if the round is raised, else 0."""
    players: PackedPlayers
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2."""
    random: int
    """64 random bits of this decision."""
