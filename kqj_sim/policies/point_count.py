"""The point count: points that a hand's cards add to its team's total in a contract.

A count is the sum of *terms*, such as "trumps held" or "aces of plain suits", each times a
parameter of `points`.  `tools/fit_points` fits these parameters to played rounds.  Cards are in
natural coding (`core.cards`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core import cards as c
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import CardSet, Contract, Suit

_7, _8, _9, _J, _Q, _K, _H, _T, _A = (c.EACH_SUIT << bit for bit in range(3, 12))

_TOP_EIGHT = _9 | _8 | _7 | _A | _T | _H | _K | _Q
"""The eight highest trumps."""


class SuitTerms(NamedTuple):
    """The terms of a hand with a suit as trump."""

    trump: int
    """Trumps held."""
    long: int
    """Trumps held from the fourth on."""
    trump_9: int
    trump_8: int
    trump_7: int
    trump_A: int
    trump_T: int
    trump_KQ: int
    """King and Queen of trump without the Jack."""
    trump_KQJ: int
    plain_A: int
    """Aces of the other suits."""
    plain_T: int
    void: int
    """Other suits of which there is no card."""


class NoTrumpTerms(NamedTuple):
    """The terms of a hand at No-Trump."""

    nt_A: int
    nt_T: int
    nt_H: int
    nt_AT: int
    """Suits with ace and ten, but not the Hero."""
    nt_ATH: int
    nt_long: int
    """Cards in the longest suit."""


class AllTrumpsTerms(NamedTuple):
    """The terms of a hand at All-Trumps."""

    at_9: int
    at_8: int
    at_7: int
    at_98: int
    """Suits with 9 and 8, but not the 7."""
    at_987: int
    at_KQ: int
    """Suits with King and Queen, but not the Jack."""
    at_KQJ: int
    at_long: int
    """Cards in the longest suit."""


@scalar
def _count_suits_with(cards: CardSet, ranks: int) -> int:
    """Return the number of suits that hold all the given ranks (marked in every suit)."""
    count = 0
    for suit in range(4):
        wanted = ranks & (c.SUIT_MASK << 16 * suit)
        count += 1 if cards & wanted == wanted else 0
    return count


@scalar
def _longest_suit(cards: CardSet) -> int:
    """Return the number of cards in the longest suit."""
    longest = 0
    for suit in range(4):
        longest = max(longest, c.popcount(cards & (c.SUIT_MASK << 16 * suit)))
    return longest


@scalar
def count_suit_terms(hand: CardSet, suit: Suit) -> SuitTerms:
    """Return the terms of a hand with a suit as trump."""
    trumps = hand & (c.SUIT_MASK << 16 * suit)
    plain = hand ^ trumps
    length = c.popcount(trumps)
    king_queen = c.popcount(trumps & (trumps >> 1) & _Q)
    king_queen_jack = c.popcount(trumps & (trumps >> 1) & (trumps << 1) & _Q)
    voids = 0
    for other in range(4):
        voids += 1 if (other != suit) & (plain & (c.SUIT_MASK << 16 * other) == 0) else 0
    return SuitTerms(
        length,
        max(length - 3, 0),
        c.popcount(trumps & _9),
        c.popcount(trumps & _8),
        c.popcount(trumps & _7),
        c.popcount(trumps & _A),
        c.popcount(trumps & _T),
        king_queen - king_queen_jack,
        king_queen_jack,
        c.popcount(plain & _A),
        c.popcount(plain & _T),
        voids,
    )


@scalar
def count_no_trump_terms(hand: CardSet) -> NoTrumpTerms:
    """Return the terms of a hand at No-Trump."""
    with_hero = _count_suits_with(hand, _A | _T | _H)
    return NoTrumpTerms(
        c.popcount(hand & _A),
        c.popcount(hand & _T),
        c.popcount(hand & _H),
        _count_suits_with(hand, _A | _T) - with_hero,
        with_hero,
        _longest_suit(hand),
    )


@scalar
def count_all_trumps_terms(hand: CardSet) -> AllTrumpsTerms:
    """Return the terms of a hand at All-Trumps."""
    with_7 = _count_suits_with(hand, _9 | _8 | _7)
    with_jack = _count_suits_with(hand, _K | _Q | _J)
    return AllTrumpsTerms(
        c.popcount(hand & _9),
        c.popcount(hand & _8),
        c.popcount(hand & _7),
        _count_suits_with(hand, _9 | _8) - with_7,
        with_7,
        _count_suits_with(hand, _K | _Q) - with_jack,
        with_jack,
        _longest_suit(hand),
    )


@scalar
def count_points(hand: CardSet, contract: Contract, parameters: Any) -> float:
    """Return the count of a hand for a contract, by the parameters of `points`."""
    if contract == c.NO_TRUMP:
        n = count_no_trump_terms(hand)
        return (
            parameters.nt_A * n.nt_A
            + parameters.nt_T * n.nt_T
            + parameters.nt_H * n.nt_H
            + parameters.nt_AT * n.nt_AT
            + parameters.nt_ATH * n.nt_ATH
            + parameters.nt_long * n.nt_long
        )
    if contract == c.ALL_TRUMPS:
        a = count_all_trumps_terms(hand)
        return (
            parameters.at_9 * a.at_9
            + parameters.at_8 * a.at_8
            + parameters.at_7 * a.at_7
            + parameters.at_98 * a.at_98
            + parameters.at_987 * a.at_987
            + parameters.at_KQ * a.at_KQ
            + parameters.at_KQJ * a.at_KQJ
            + parameters.at_long * a.at_long
        )
    s = count_suit_terms(hand, contract)
    return (
        parameters.trump * s.trump
        + parameters.long * s.long
        + parameters.trump_9 * s.trump_9
        + parameters.trump_8 * s.trump_8
        + parameters.trump_7 * s.trump_7
        + parameters.trump_A * s.trump_A
        + parameters.trump_T * s.trump_T
        + parameters.trump_KQ * s.trump_KQ
        + parameters.trump_KQJ * s.trump_KQJ
        + parameters.plain_A * s.plain_A
        + parameters.plain_T * s.plain_T
        + parameters.void * s.void
    )


@scalar
def wins_every_trick(hand: CardSet, contract: Contract) -> bool:
    """Return True if a hand that leads wins every trick, as no other card beats one of its own.

    With a suit as trump it must consist of trumps, as a plain winner could be ruffed.
    """
    if contract < c.NO_TRUMP:
        return hand == _TOP_EIGHT & (c.SUIT_MASK << 16 * contract)
    held = c.to_strength_order(hand, contract)
    for lane in range(4):
        cards = (held >> 16 * lane) & c.SUIT_MASK
        # Cards at the top of a lane: adding the lowest of them carries out of the lane.
        if cards != 0 and cards + (cards & -cards) != c.SUIT_MASK + 1:
            return False
    return True
