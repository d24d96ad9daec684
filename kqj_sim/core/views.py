"""The views a policy decides on, and the calls it answers with.

A policy is a set of scalar functions of one *view*, a tuple of integers passed by value.  The
compiler drops the fields that a policy does not read, so they cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from kqj_sim.core.jit import scalar
from kqj_sim.core.types import (
    Card,
    CardSet,
    Contract,
    Flag,
    PackedBids,
    PackedPlayers,
    Place,
    Position,
    SuitMask,
)

PASS = -1
"""The call of a player who passes."""

EXCEPTION_RAISED = -(1 << 62)
"""Answer of a policy that raised an exception: neither a card nor a call."""

_BID_BITS, _BID_MASK = 10, 1023
_CONTRACT_BITS, _CONTRACT_MASK = 3, 7


@scalar
def bid_code(amount: int, contract: Contract, capot: Flag) -> int:
    """Return a bid as the number that `choose_bid` answers with.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.bid_code(120, kqj.HEARTS, False)
        1922
    """
    return (amount << 4) | (contract << 1) | capot


@scalar
def replace_last_bid(
    last_bids: PackedBids, place: Place, tens: int, contract: Contract
) -> PackedBids:
    """Return packed bids with the last bid of a place replaced; `tens` is the amount / 10."""
    shift = _BID_BITS * place
    return last_bids & ~(_BID_MASK << shift) | (tens << _CONTRACT_BITS | (contract + 1)) << shift


@scalar
def last_bid_amount(last_bids: PackedBids, place: Place) -> int:
    """Return the amount of the last bid of a place; 0 if it has not bid."""
    return 10 * (((last_bids >> _BID_BITS * place) & _BID_MASK) >> _CONTRACT_BITS)


@scalar
def last_bid_contract(last_bids: PackedBids, place: Place) -> Contract:
    """Return the contract of the last bid of a place; -1 if it has not bid."""
    return ((last_bids >> _BID_BITS * place) & _CONTRACT_MASK) - 1


class TakeView(NamedTuple):
    """A turn to take or pass; cards in natural coding (`core.cards`).

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def choose_take(view: kqj.TakeView) -> int:
        ...     return kqj.PASS
        >>> choose_take
        <Policy choose_take: takes>
    """

    hand: CardSet
    """The five cards held."""
    turned: Card
    """The Return."""
    lap: int
    """1 (only the Return's suit may be named) or 2."""
    place: Place
    """Place of the player, 0 the opener to 5 the dealer."""
    all_no_trump: Flag
    """1 if All-Trumps and No-Trump may be named now."""
    players: PackedPlayers
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """32 random bits of this decision."""


class BidView(NamedTuple):
    """A turn of an auction to bid or pass; cards in natural coding.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def choose_bid(view: kqj.BidView) -> int:
        ...     return kqj.bid_code(view.lowest_amount, kqj.HEARTS, False)
        >>> choose_bid
        <Policy choose_bid: bids>
    """

    hand: CardSet
    """The eight cards held."""
    place: Place
    """Place of the player, 0 the opener to 5 the dealer."""
    turn: int
    """Turns before this one; turn // 6 laps are over."""
    lowest_amount: int
    """The lowest amount that may be bid; if above `highest_amount`, the player must pass."""
    highest_amount: int
    """The highest amount that may be bid."""
    all_no_trump: Flag
    """1 if All-Trumps and No-Trump may be bid."""
    bidder: Place
    """Place of the last bidder; -1 if there is none."""
    amount: int
    """Amount of the last bid; 0 if there is none."""
    contract: Contract
    """Contract of the last bid; -1 if there is none."""
    last_bids: PackedBids
    """Last bid of each place, packed (`last_bid_amount`, `last_bid_contract`)."""
    players: PackedPlayers
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """32 random bits of this decision."""


class CounterView(NamedTuple):
    """A chance to counter or overcounter the last bid; cards in natural coding.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def choose_counter(view: kqj.CounterView) -> bool:
        ...     return view.amount > 200
        >>> choose_counter
        <Policy choose_counter: counters>
    """

    hand: CardSet
    """The eight cards held."""
    place: Place
    """Place of the player, 0 the opener to 5 the dealer."""
    bidder: Place
    """Place of the bidder."""
    amount: int
    contract: Contract
    capot: Flag
    """1 if Capot is announced."""
    last_bids: PackedBids
    """Last bid of each place, packed (`last_bid_amount`, `last_bid_contract`)."""
    players: PackedPlayers
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """32 random bits of this decision."""


class CardView(NamedTuple):
    """A turn to play; cards coded by strength (`core.cards`): a higher bit is a stronger card.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def play_low(view: kqj.CardView) -> int:
        ...     return kqj.lowest(view.legal)
        >>> play_low
        <Policy play_low: chooses cards>
    """

    hand: CardSet
    """Cards held."""
    legal: CardSet
    """Cards that may be played; never empty."""
    trick_number: int
    """0 to 7."""
    position: Position
    """Cards already played to this trick, 0 to 5; 0 is leading."""
    led: SuitMask
    """All cards of the suit led; 0 when leading."""
    trumps: CardSet
    """All trumps; 0 at All-Trumps and No-Trump."""
    climbing: CardSet
    """All cards of the suits in which players must beat: trumps, or all at All-Trumps."""
    winning: CardSet
    """Cards of the pack that would become master now; every card when leading."""
    master: Card
    """The master; 0 when leading."""
    partner_is_master: Flag
    """1 if a partner's card is master, else 0."""
    trick: CardSet
    """Cards played to this trick."""
    played: CardSet
    """Cards of the finished tricks."""
    won: CardSet
    """Cards that the player's team has won."""
    won_contracting: CardSet
    """Cards that the contracting team has won."""
    turned: Card
    """The Return, which the Sender took into the hand; 0 with auctions."""
    points_1: CardSet
    """Bit planes of the card points: a card scores the sum of the planes that hold it."""
    points_2: CardSet
    points_4: CardSet
    points_8: CardSet
    points_16: CardSet
    players: PackedPlayers
    """Teams and known voids of the positions of this trick, packed (`core.block`)."""
    leader: Place
    """Place of this trick's leader, 0 the opener to 5 the dealer."""
    sender: Place
    """Place of the Sender."""
    contracting: Flag
    """1 if the player's team is the contracting team."""
    contract: Contract
    amount: int
    """Amount bid; 0 without auction."""
    capot: Flag
    """1 if Capot was announced."""
    stake: int
    """1, or 2 or 4 after a counter or overcounter."""
    team_count: int
    """2 or 3."""
    random: int
    """32 random bits of this decision."""


class AcceptView(NamedTuple):
    """A turn to play (1) or pass (0) in Kwajongen; cards coded by strength.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def choose_accept(view: kqj.AcceptView) -> bool:
        ...     return kqj.count(view.hand & view.trumps) > 1
        >>> choose_accept
        <Policy choose_accept: accepts>
    """

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
    """32 random bits of this decision."""
