"""Kwajongen's cards as bits, and the rules about them: legality, points, scores.

24 cards, six of each suit, ranks 9 T J Q K A from the lowest up.  Coding by strength moves the
trump suit to the top; the ranks keep their order.
"""

from __future__ import annotations

from kqj_sim.core.cards import EACH_SUIT, popcount, trailing_zeros
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Card, CardSet, Flag, Suit, SuitMask

SEATS = 4
TRICKS = 4
TEAMS = 2
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


@scalar
def suit_mask_of(card: Card) -> SuitMask:
    """Return all cards of a card's suit."""
    return SUIT_MASK << (trailing_zeros(card) & 48)


@scalar
def legal_cards(hand: CardSet, led: SuitMask, must_trump: Flag) -> CardSet:
    """Return the cards that may follow.

    `must_trump` is 1 if a player void in the suit led must play a trump, 0 if they are free.
    """
    following = hand & led
    trumps = hand & TRUMP_SUIT if must_trump else 0
    void = trumps if trumps != 0 else hand
    return following if following != 0 else void


@scalar
def find_voids(card: Card, led: SuitMask, must_trump: Flag) -> int:
    """Return the suits that a follower lacks by their card, as bits from the suit led on.

    A player who plays neither the suit led nor a trump, though they must, has no trump either.
    """
    trumps = 8 >> (trailing_zeros(led) >> 4)
    denied = trumps if card & TRUMP_SUIT == 0 and must_trump else 0
    return 1 | denied if card & led == 0 else 0


@scalar
def points_of_card(card: Card) -> int:
    """Return the points of a card: ranks 9 T J Q K A are 0 0 1 2 3 4."""
    rank = trailing_zeros(card) & 15
    return rank - (rank > 0)


@scalar
def count_card_points(cards: CardSet) -> int:
    """Return the points of a set of cards."""
    # A K Q J are the bits 5 4 3 2: those of the rank and of each lower one count one point.
    return (
        popcount(cards & (0x3C * EACH_SUIT))
        + popcount(cards & (0x38 * EACH_SUIT))
        + popcount(cards & (0x30 * EACH_SUIT))
        + popcount(cards & (0x20 * EACH_SUIT))
    )


@scalar
def score_change(own: int, other: int, tricks: int, caller: bool, raised: int) -> int:
    """Return the change of a team's score; negative is good.

    `own`, `other` are the card points of the team and of the other one; `caller` is True if the
    team said play; `raised` is 0 or 1.
    """
    down = -1 - (tricks == TRICKS) - raised
    up = 1 if caller else 0
    return down if own > other else up
