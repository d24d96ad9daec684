"""Hidden hands for `rollout`: cards of the other players that agree with the calls so far.

In an auction the hands of the places that have called are drawn until `points` would have made the
same call with them: an opponent who jumped to 150 holds what a jump to 150 needs.  Otherwise
counters look far better than they are.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CAPOT,
    CONTRACT,
    LAST_BIDS,
    OPENING_AMOUNT,
    PLAYERS,
    SEATS,
    SENDER,
    STAKE,
    TRICKS,
    team_of,
)
from kqj_sim.core.cards import PACK
from kqj_sim.core.hidden_hands import draw_subset
from kqj_sim.core.jit import scalar
from kqj_sim.core.rules import Rules
from kqj_sim.core.types import Block, CardSet, Key, Place
from kqj_sim.core.views import (
    PASS,
    BidView,
    bid_code,
    last_bid_amount,
    last_bid_contract,
    replace_last_bid,
)
from kqj_sim.policies.point_count import count_points
from kqj_sim.policies.points import FITTED, points

_MOST_HANDS = 64
"""Most hands to draw for a place that has called; the best of them is taken if none agrees."""

_CALLED, _PASSED, _SILENT = range(3)
"""Places in the order in which they are dealt to: with a bid or counter, passes only, no turn."""

_NO_FIT = -1e9

_points_bid: Any = points.compile_decision("bid")[0]


@scalar
def pick_counterer(state: Block, i: int, draw: int, teams: int) -> int:
    """Return a random opponent of a countered bidder, each equally likely; -1 if not countered."""
    if state[STAKE + i] == 1:
        return -1
    players = state[PLAYERS + i]
    team = team_of(players, state[SENDER + i])
    place, passed_over = -1, rng.scale_below(draw, SEATS - SEATS // teams)
    while passed_over >= 0:
        place += 1
        passed_over -= 1 if team_of(players, place) != team else 0
    return place


@scalar
def deal_taking(hands: Any, place: Place, own: int, upcard: CardSet, key: Key) -> None:
    """Deal all but the Return at random.

    Args:
        hands: filled with the first five cards of each place, then with the others.
        place, own: the place whose five cards are known, and these.
        upcard: the Return.
        key: key of the draws.
    """
    left = PACK & ~(own | upcard)
    for each in range(2 * SEATS):
        size = 5 if each < SEATS else (2 if each == 2 * SEATS - 1 else 3)
        cards = own if each == place else draw_subset(left, size, key, 8 * each)
        left &= ~cards
        hands[each] = cards


@scalar
def view_last_call(state: Block, i: int, place: Place, turn: int, rules: Rules) -> BidView:
    """Return the auction as a place saw it at its last bid, or at its first pass if it never bid.

    Only the last bid of each place is known.  In the first lap these are all bids; after it a place
    is taken to have bid as low as it could, and to have passed over the last bids of the places
    before it.

    Returns:
        The view, without a hand.
    """
    last_bids = state[LAST_BIDS + i]
    own = last_bid_amount(last_bids, place)
    standing, bidder, before = 0, -1, 0
    if own == 0 or own != state[OPENING_AMOUNT + i]:
        for other in range(SEATS):
            amount = last_bid_amount(last_bids, other)
            earlier = amount < own if own > 0 else other < place
            if amount > 0 and earlier and other != place:
                named = last_bid_contract(last_bids, other)
                before = replace_last_bid(before, other, amount // 10, named)
                if amount > standing:
                    standing, bidder = amount, other
        if own > 0 and turn >= SEATS:
            standing = own - 10
    lowest = standing + 10 if standing > 0 else rules.minimum_bid
    contract = last_bid_contract(last_bids, bidder) if bidder >= 0 else -1
    return BidView(
        0, place, turn % SEATS, lowest, rules.max_amount, 0 if rules.all_no_trump == 2 else 1,
        bidder, standing, contract, before, state[PLAYERS + i], rules.teams, 0,
    )  # fmt: skip


@scalar
def _fit(view: BidView, hand: CardSet, said: int) -> float:
    """Rate how well a hand agrees with a call: 0 if `points` would make it, else below 0."""
    seen = BidView(
        hand, view.place, view.turn, view.lowest_amount, view.highest_amount, view.all_no_trump,
        view.bidder, view.amount, view.contract, view.last_bids, view.players, view.team_count, 0,
    )  # fmt: skip
    call = _points_bid(seen, FITTED)
    if call == said:
        return 0.0
    if said == PASS:
        return -1.0
    contract = (said >> 1) & 7
    if call != PASS and (call >> 1) & 7 == contract:
        return -1.0 - abs((call >> 4) - (said >> 4))
    # Worse than any bid in that contract, and the better the more the hand holds for it.
    return -10_000.0 + count_points(hand, contract, FITTED)


@scalar
def deal_auction(
    state: Block, i: int, hands: Any, place: Place, own: int, key: Key, turn: int, rules: Rules
) -> None:
    """Deal eight cards to each place, such as `points` would have called with as the place did.

    Args:
        state, i: a lane during the auction.
        hands: filled with the hand of each place, then with zeros.
        place, own: the place whose hand is known, and this.
        key: key of the draws.
        turn: the current turn of the auction, from 0.
        rules: the rules.
    """
    left = PACK & ~own
    countered = pick_counterer(state, i, rng.draw(key, rng.HIDDEN_HAND), rules.teams)
    last_bids = state[LAST_BIDS + i]
    two = rules.teams == 2
    above = state[AMOUNT + i] - rules.minimum_bid
    # The count with which the bid is as likely as not to be made.
    needed = (
        (FITTED.margin - FITTED.margin_falls * above) / FITTED.hold
        if two
        else (FITTED.three_margin - FITTED.three_margin_falls * above) / FITTED.three_hold
    )
    for each in range(SEATS):
        hands[each], hands[SEATS + each] = 0, 0
    hands[place] = own
    for kind in range(_CALLED, _SILENT + 1):
        for each in range(SEATS):
            amount = last_bid_amount(last_bids, each)
            called = amount != 0 or each == countered
            if each == place or kind != (
                _CALLED if called else (_PASSED if each < turn else _SILENT)
            ):
                continue
            view = view_last_call(state, i, each, turn, rules)
            said = PASS
            if amount != 0:
                capot = state[CAPOT + i] if each == state[SENDER + i] else 0
                said = bid_code(amount, last_bid_contract(last_bids, each), capot)
            cards, best = 0, _NO_FIT
            for tried in range(1 if kind == _SILENT else _MOST_HANDS):
                found = draw_subset(left, TRICKS, key, 1 + 10 * (_MOST_HANDS * each + tried))
                fit = 0.0
                if each == countered:
                    fit = min(0.0, count_points(found, state[CONTRACT + i], FITTED) - needed)
                elif kind != _SILENT:
                    fit = _fit(view, found, said)
                if fit > best:
                    cards, best = found, fit
                if fit == 0.0:
                    break
            left ^= cards
            hands[each] = cards
