"""The views a policy decides on, and the calls it answers with.

A policy is a set of scalar functions of one *view*, a tuple of integers passed by value.  The
compiler drops the fields that a policy does not read, so they cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from kqj_sim.core import types as t
from kqj_sim.core.jit import scalar

PASS = -1
"""The call of a player who passes."""

EXCEPTION_RAISED = -(1 << 62)
"""Answer of a policy that raised an exception: neither a card nor a call."""

_BID_BITS, _BID_MASK = 10, 1023
_CONTRACT_BITS, _CONTRACT_MASK = 3, 7


@scalar
def bid_code(amount: int, contract: t.Contract, capot: t.Flag) -> int:
    """Return a bid as the number that `choose_bid` answers with.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.bid_code(120, kqj.HEARTS, False)
        1922
    """
    return (amount << 4) | (contract << 1) | capot


@scalar
def replace_last_bid(
    last_bids: t.PackedBids, place: t.Place, tens: int, contract: t.Contract
) -> t.PackedBids:
    """Return packed bids with the last bid of a place replaced; `tens` is the amount / 10."""
    shift = _BID_BITS * place
    return last_bids & ~(_BID_MASK << shift) | (tens << _CONTRACT_BITS | (contract + 1)) << shift


@scalar
def last_bid_amount(last_bids: t.PackedBids, place: t.Place) -> int:
    """Return the amount of the last bid of a place; 0 if it has not bid."""
    return 10 * (((last_bids >> _BID_BITS * place) & _BID_MASK) >> _CONTRACT_BITS)


@scalar
def last_bid_contract(last_bids: t.PackedBids, place: t.Place) -> t.Contract:
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

    hand: t.CardSet
    """The five cards held."""
    turned: t.Card
    """The Return."""
    lap: int
    """1 (only the Return's suit may be named) or 2."""
    place: t.Place
    """Place of the player, 0 the opener to 5 the dealer."""
    all_no_trump: t.Flag
    """1 if All-Trumps and No-Trump may be named now."""
    players: t.PackedPlayers
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

    hand: t.CardSet
    """The eight cards held."""
    place: t.Place
    """Place of the player, 0 the opener to 5 the dealer."""
    turn: int
    """Turns before this one; turn // 6 laps are over."""
    lowest_amount: int
    """The lowest amount that may be bid; if above `highest_amount`, the player must pass."""
    highest_amount: int
    """The highest amount that may be bid."""
    all_no_trump: t.Flag
    """1 if All-Trumps and No-Trump may be bid."""
    bidder: t.Place
    """Place of the last bidder; -1 if there is none."""
    amount: int
    """Amount of the last bid; 0 if there is none."""
    contract: t.Contract
    """Contract of the last bid; -1 if there is none."""
    last_bids: t.PackedBids
    """Last bid of each place, packed (`last_bid_amount`, `last_bid_contract`)."""
    players: t.PackedPlayers
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

    hand: t.CardSet
    """The eight cards held."""
    place: t.Place
    """Place of the player, 0 the opener to 5 the dealer."""
    bidder: t.Place
    """Place of the bidder."""
    amount: int
    contract: t.Contract
    capot: t.Flag
    """1 if Capot is announced."""
    last_bids: t.PackedBids
    """Last bid of each place, packed (`last_bid_amount`, `last_bid_contract`)."""
    players: t.PackedPlayers
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

    hand: t.CardSet
    """Cards held."""
    legal: t.CardSet
    """Cards that may be played; never empty."""
    trick_number: int
    """0 to 7."""
    position: t.Position
    """Cards already played to this trick, 0 to 5; 0 is leading."""
    led: t.SuitMask
    """All cards of the suit led; 0 when leading."""
    trumps: t.CardSet
    """All trumps; 0 at All-Trumps and No-Trump."""
    climbing: t.CardSet
    """All cards of the suits in which players must beat: trumps, or all at All-Trumps."""
    winning: t.CardSet
    """Cards of the pack that would become master now; every card when leading."""
    master: t.Card
    """The master; 0 when leading."""
    partner_is_master: t.Flag
    """1 if a partner's card is master, else 0."""
    trick: t.CardSet
    """Cards played to this trick."""
    played: t.CardSet
    """Cards of the finished tricks."""
    won: t.CardSet
    """Cards that the player's team has won."""
    won_contracting: t.CardSet
    """Cards that the contracting team has won."""
    turned: t.Card
    """The Return, which the Sender took into the hand; 0 with auctions."""
    points_1: t.CardSet
    """Bit planes of the card points: a card scores the sum of the planes that hold it."""
    points_2: t.CardSet
    points_4: t.CardSet
    points_8: t.CardSet
    points_16: t.CardSet
    players: t.PackedPlayers
    """Teams and known voids of the positions of this trick, packed (`core.block`)."""
    leader: t.Place
    """Place of this trick's leader, 0 the opener to 5 the dealer."""
    sender: t.Place
    """Place of the Sender."""
    contracting: t.Flag
    """1 if the player's team is the contracting team."""
    contract: t.Contract
    amount: int
    """Amount bid; 0 without auction."""
    capot: t.Flag
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

    hand: t.CardSet
    """The four cards held."""
    turned: t.Card
    """The dealer's card that is turned up; its suit is the trump suit."""
    trumps: t.CardSet
    """All trumps."""
    contract: t.Contract
    """The trump suit, 0 to 3 `shdc`."""
    place: t.Place
    """Place in the order of speaking, 0 the dealer's left to 3 the dealer."""
    raised: t.Flag
    """1 if the round is raised, else 0."""
    players: t.PackedPlayers
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2."""
    random: int
    """32 random bits of this decision."""
