"""What a policy sees when it is asked.

A policy is a set of scalar functions of one *view*, a tuple of integers passed by value.  Only what
a policy reads of a view is computed, since the compiler drops the rest.
"""

from __future__ import annotations

from typing import NamedTuple

PASS = -1
"""The answer of who passes."""

EXCEPTION_RAISED = -(1 << 62)
"""Stands for the answer of a policy that raised an exception: no card and no call."""


class TakeView(NamedTuple):
    """Take, or pass?  Cards in natural coding (`core.bits`)."""

    hand: int
    """The five cards held."""
    turned: int
    """The Return."""
    lap: int
    """1 (only the Return's suit may be named) or 2."""
    place: int
    """Place in the order of speaking, 0 the opener to 5 the dealer."""
    all_no_trump: int
    """1 if All-Trumps and No-Trump may be named now."""
    players: int
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """64 random bits of this decision."""


class BidView(NamedTuple):
    """Bid, or pass?  Cards in natural coding."""

    hand: int
    """The eight cards held."""
    place: int
    """Place in the order of speaking, 0 the opener to 5 the dealer."""
    turn: int
    """Turns before this one; turn // 6 laps are over."""
    lowest_amount: int
    """The lowest amount that may be bid; above `highest_amount` only a pass is left."""
    highest_amount: int
    """The highest amount that may be bid."""
    all_no_trump: int
    """1 if All-Trumps and No-Trump may be bid."""
    bidder: int
    """Place of the last bidder, -1 if there is none."""
    amount: int
    """His amount, 0 if there is none."""
    contract: int
    """His contract, 0 to 3 `shdc`, 4 No-Trump, 5 All-Trumps; -1 if there is none."""
    last_bids: int
    """The last bid of each place, ten bits each: amount / 10, then contract + 1; 0 if none."""
    players: int
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """64 random bits of this decision."""


class CounterView(NamedTuple):
    """Counter the last bid, or overcounter it?  Cards in natural coding."""

    hand: int
    """The eight cards held."""
    place: int
    """Own place, 0 the opener to 5 the dealer."""
    bidder: int
    """Place of the bidder."""
    amount: int
    contract: int
    """0 to 3 `shdc`, 4 No-Trump, 5 All-Trumps."""
    capot: int
    """1 if Capot is announced."""
    last_bids: int
    """The last bid of each place, ten bits each: amount / 10, then contract + 1; 0 if none."""
    players: int
    """Teams of the places, packed (`core.block.team_of`)."""
    team_count: int
    """2 or 3."""
    random: int
    """64 random bits of this decision."""


class CardView(NamedTuple):
    """Which card?  Cards coded by strength (`core.bits`): a higher bit is a stronger card."""

    hand: int
    """Cards held."""
    legal: int
    """Cards that may be played; never empty."""
    trick_number: int
    """0 to 7."""
    position: int
    """Cards already played to this trick, 0 to 5; 0 is leading."""
    led: int
    """All cards of the suit led; 0 when leading."""
    trumps: int
    """All trumps; 0 at All-Trumps and No-Trump."""
    climbing: int
    """All cards of the suits in which one must beat: the trumps, or all at All-Trumps."""
    winning: int
    """Cards of the pack that would become master now; every card when leading."""
    master: int
    """The master; 0 when leading."""
    partner_is_master: int
    """1 if a partner's card is master, else 0."""
    trick: int
    """Cards played to this trick."""
    played: int
    """Cards of the finished tricks."""
    won: int
    """Cards that the own team has won."""
    won_contracting: int
    """Cards that the contracting team has won."""
    turned: int
    """The Return, which the Sender took into his hand; 0 with auctions."""
    points_1: int
    """Bit planes of the card points: a card's points are the sum of the planes it stands in."""
    points_2: int
    points_4: int
    points_8: int
    points_16: int
    players: int
    """Teams and known voids of the positions of this trick, packed (`core.state`)."""
    leader: int
    """Place of this trick's leader, 0 the opener to 5 the dealer."""
    sender: int
    """Place of the Sender."""
    contracting: int
    """1 if the own team is the contracting team."""
    contract: int
    """0 to 3 `shdc`, 4 No-Trump, 5 All-Trumps."""
    amount: int
    """Amount bid; 0 without auction."""
    capot: int
    """1 if Capot was announced."""
    stake: int
    """1, or 2 or 4 after a counter or overcounter."""
    team_count: int
    """2 or 3."""
    random: int
    """64 random bits of this decision."""
