"""`standard`: counts its hand for each contract, and plays by rule with a memory.

Cards: for each legal card the chance that the own side wins the trick is estimated from the cards
not yet seen and from the suits that players are known to lack; the card is worth its share of the
trick's points, less what it is worth to keep.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core.bits import (
    ALL_TRUMPS,
    EACH_LANE,
    NO_TRUMP,
    PACK,
    TRUMP_JACK,
    TRUMP_QUEEN,
    lowest_bit,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.calls import bid_code
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import SEATS, TRICKS, team_of, voids_of
from kqj_sim.core.trick import lane_of, winning_cards
from kqj_sim.core.views import PASS
from kqj_sim.policies.counting import (
    AVERAGE,
    base_total,
    count,
    count_all_trumps,
    count_no_trump,
    count_suit,
    runs_alone,
)
from kqj_sim.policies.parameters import number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, points

_MOST_UNSEEN, _MOST_HELD, _MOST_WANTED = 40, 8, 12


def _none_held() -> Any:
    """[unseen, held, wanted]: the chance that `held` of `unseen` cards have none of `wanted`."""
    table = np.zeros((_MOST_UNSEEN + 1, _MOST_HELD + 1, _MOST_WANTED + 1))
    for unseen in range(_MOST_UNSEEN + 1):
        for held in range(min(_MOST_HELD, unseen) + 1):
            for wanted in range(_MOST_WANTED + 1):
                free = max(unseen - wanted, 0)
                table[unseen, held, wanted] = comb(free, held) / comb(unseen, held)
    return table


NONE_HELD = _none_held()

# Counts of contracts are made comparable to that of the Return's suit, which is held for certain.
_OTHER_SUIT, _NO_TRUMP, _ALL_TRUMPS = 5.0, 14.0, 19.0

_BIDDER_HAS_MORE = 30.0
"""What a bidder expects beyond the amount he names."""

_ALL_POINTS = 400
"""Card points, last trick and Capot together."""

_BONUS_CARDS = EACH_LANE << TRUMP_QUEEN | EACH_LANE << TRUMP_JACK

standard = policy(
    "standard",
    "counts its hand to call; plays the card of the best expected points, with a memory",
    take=number(30, "least count of the hand to take in the first lap", -100, 400),
    lap2=number(25, "least count of the hand to take in the second lap", -100, 400),
    margin=number(20, "points that the expected total must exceed a bid by", -400, 400),
    jump=number(75, "points below the expected total at which bidding starts", -400, 400),
    counter=number(70, "least count in their contract to counter the lowest bid", -100, 400),
    overcounter=number(110, "points above the amount to expect to overcounter", -400, 400),
    later=number(1, "points expected from each player still to come to the trick", 0, 50),
    keep_master=number(2, "worth of keeping a card that nothing unseen beats", -50, 50),
    keep_trump=number(20, "worth of keeping a trump", -50, 50),
    keep_points=number(1.75, "worth of keeping a card, for each of its points", -5, 5),
    keep_rank=number(-1.3, "worth of keeping a card, for each step of its rank", -10, 10),
    lead_later=number(1.5, "points expected of the others in a trick that is led", 0, 50),
    lead_master=number(19, "worth of leading a card that nothing unseen beats", -50, 50),
    lead_points=number(1.6, "price of leading a card, for each of its points", -5, 5),
    lead_rank=number(-1.4, "worth of leading a card, for each step of its rank", -10, 10),
    lead_trump=number(-1.3, "worth of leading a trump", -50, 50),
    lead_draw=number(
        2.3, "worth of leading a trump when contracting, for each one unseen", -20, 20
    ),
)


@scalar
def _up_to_highest(cards: int) -> int:
    """In each lane the highest card of a set and all below it."""
    cards |= (cards >> 1) & PACK
    cards |= (cards >> 2) & PACK
    cards |= (cards >> 4) & PACK
    cards |= (cards >> 4) & PACK
    return cards


@scalar
def _chance_to_beat(unseen: int, held: int, led: int, winning: int, lacks_led: bool) -> float:
    """The chance that a player who holds `held` of the unseen cards can beat the master."""
    hidden = popcount(unseen)
    in_suit = popcount(unseen & winning & led)
    ruffs = popcount(unseen & winning & ~led)
    can_ruff = 1.0 - NONE_HELD[hidden, held, ruffs]
    if lacks_led:
        return can_ruff
    follows_and_beats = 1.0 - NONE_HELD[hidden, held, in_suit]
    has_none = NONE_HELD[hidden, held, min(popcount(unseen & led), _MOST_WANTED)]
    return follows_and_beats + has_none * can_ruff


@scalar
def _side_wins(view: Any, unseen: int, card: int, led: int) -> float:
    """The chance that the own side wins the trick after a card."""
    wins = card & view.winning != 0
    master = card if wins else view.master
    ours = 1.0 if wins or view.partner_is_master != 0 else 0.0
    winning = winning_cards(led, view.trumps, master)
    held = TRICKS - view.trick_number
    lane = trailing_zeros(led) >> 4
    team = team_of(view.players, view.position)
    for position in range(view.position + 1, SEATS):
        lacks = (voids_of(view.players, position) >> lane) & 1 != 0
        beats = _chance_to_beat(unseen, held, led, winning, lacks)
        if team_of(view.players, position) == team:
            ours += (1.0 - ours) * beats
        else:
            ours *= 1.0 - beats
    return ours


@standard
def choose_take(view: Any, parameters: Any) -> int:
    """Take if the count of the best contract reaches `take`, or `lap2` in the second lap."""
    suit = trailing_zeros(view.turned) >> 4
    hand = view.hand | view.turned
    best, choice = count_suit(hand, suit), suit
    if view.lap == 2:
        for other in range(NO_TRUMP):
            value = count_suit(hand, other) + _OTHER_SUIT
            if other != suit and value > best:
                best, choice = value, other
    if view.all_no_trump != 0:
        value = count_no_trump(hand) + _NO_TRUMP
        if value > best:
            best, choice = value, NO_TRUMP
        value = count_all_trumps(hand) + _ALL_TRUMPS
        if value > best:
            best, choice = value, ALL_TRUMPS
    needed = parameters.take if view.lap == 1 else parameters.lap2
    return choice if best >= needed else PASS


@scalar
def _expected_total(view: Any, contract: int) -> float:
    """What the own team would score in a contract, with what a partner's bid says added."""
    own = count(view.hand, contract)
    total = base_total(contract, view.team_count) + own
    for place in range(SEATS):
        bid = (view.last_bids >> 10 * place) & 1023
        amount, named = 10.0 * (bid >> 3), (bid & 7) - 1
        partner = place != view.place and is_partner(view.players, place, view.place)
        if partner and named == contract:
            total = max(total, amount + _BIDDER_HAS_MORE + own - AVERAGE)
    return total


@standard
def choose_bid(view: Any, parameters: Any) -> int:
    """Bid the contract of the highest expected total, `jump` below it or as low as is allowed.

    Pass if that leaves less than `margin` to spare, or if a partner's bid stands.
    """
    best, choice = -1e9, -1
    for contract in range(NO_TRUMP + 2 * view.all_no_trump):
        if runs_alone(view.hand, contract) and view.place == 0:
            amount = min(view.highest_amount, _ALL_POINTS)
            if amount >= view.lowest_amount:
                return bid_code(amount, contract, 1)
        total = _expected_total(view, contract)
        if total > best:
            best, choice = total, contract
    amount = max(view.lowest_amount, 10 * int((best - parameters.jump) // 10.0))
    amount = min(amount, view.highest_amount)
    stands = view.bidder >= 0 and is_partner(view.players, view.bidder, view.place)
    if stands or amount < view.lowest_amount or amount + parameters.margin > best:
        return PASS
    return bid_code(amount, choice, 0)


@standard
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter if the own count in their contract reaches `counter`, less for high amounts."""
    low = 120.0 if view.team_count == 2 else 80.0
    needed = parameters.counter - (view.amount - low) / 4.0
    return count(view.hand, view.contract) >= needed


@standard
def choose_overcounter(view: Any, parameters: Any) -> bool:
    """Overcounter if the expected total is `overcounter` above the amount."""
    return _expected_total(view, view.contract) >= view.amount + parameters.overcounter


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """The legal card of the best expected points, less what it is worth to keep."""
    legal = view.legal
    unplayable = view.hand & (view.hand >> 1) & view.climbing & _BONUS_CARDS
    if legal & ~unplayable != 0:
        legal &= ~unplayable
    if legal & (legal - 1) == 0:
        return legal
    unseen = PACK & ~(view.hand | view.played | view.trick)
    below = _up_to_highest(unseen)
    if view.position == 0:
        return _best_lead(view, parameters, legal, unseen, below)
    on_table = points(view, view.trick) + (SEATS - 1 - view.position) * parameters.later
    best, choice = -1e9, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        worth = points(view, card)
        share = _side_wins(view, unseen, card, view.led)
        value = 2.0 * share * on_table + (2.0 * share - 1.0) * worth
        value -= worth * parameters.keep_points + (trailing_zeros(card) & 15) * parameters.keep_rank
        if card & below == 0:
            value -= parameters.keep_master
        if card & view.trumps != 0:
            value -= parameters.keep_trump
        if value > best:
            best, choice = value, card
    return choice


@scalar
def _best_lead(view: Any, parameters: Any, legal: int, unseen: int, below: int) -> int:
    """The card to lead."""
    best, choice = -1e9, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        led = lane_of(card)
        worth = points(view, card)
        share = _side_wins(view, unseen, card, led)
        value = 2.0 * share * (worth + parameters.lead_later) - worth * parameters.lead_points
        value += (trailing_zeros(card) & 15) * parameters.lead_rank
        if card & below == 0:
            value += parameters.lead_master
        if card & view.trumps != 0:
            value += parameters.lead_trump
            if view.contracting != 0:
                value += parameters.lead_draw * popcount(unseen & led)
        if value > best:
            best, choice = value, card
    return choice
