"""The simplest policies: `never`, `always`, `random` and `greedy`."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import EACH_SUIT, NO_TRUMP, popcount, trailing_zeros, whole_tens
from kqj_sim.core.rng import draw_32, is_32_below, scale_32_below
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.parameters import number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import (
    chance,
    cheap_cards,
    dear_cards,
    first_of,
    lowest,
    random_legal_card,
    suit_cards,
)

never = policy("never", "always passes")
always = policy(
    "always",
    "takes the Return's suit at once; in auctions makes the lowest bid in its longest suit, then "
    "passes",
)
random = policy(
    "random",
    "plays legal cards at random; takes, bids and counters with given chances",
    take=number(0.1, "chance to take when asked", 0, 1),
    bid=number(0.1, "chance to bid when asked", 0, 1),
    capot=number(0.01, "chance that a bid announces Capot", 0, 1),
    counter=number(0.02, "chance to counter, and to overcounter, when asked", 0, 1),
)
greedy = policy(
    "greedy",
    "remembers nothing: leads aces, wins cheaply, gives points to partners, discards low cards",
)

_ACE = EACH_SUIT << 11


def _pass(view: Any) -> int:
    return PASS


def _decline(view: Any) -> bool:
    return False


def _take_at_once(view: Any) -> int:
    """Take with the suit of the Return."""
    return trailing_zeros(view.turned) >> 4


def _bid_longest_suit(view: Any) -> int:
    """Bid the lowest amount in the longest suit if nobody has bid yet, else pass."""
    if view.bidder >= 0 or view.lowest_amount > view.highest_amount:
        return PASS
    longest = 0
    for suit in range(1, NO_TRUMP):
        if popcount(view.hand & suit_cards(suit)) > popcount(view.hand & suit_cards(longest)):
            longest = suit
    return bid_code(view.lowest_amount, longest, 0)


def _take_at_random(view: Any, parameters: Any) -> int:
    """Take with chance `take`; in the second lap each contract is equally likely."""
    suit = trailing_zeros(view.turned) >> 4
    contracts = NO_TRUMP + 2 * view.all_no_trump
    if view.lap == 2:
        contract = scale_32_below(draw_32(view.random, 1), contracts)
    elif view.all_no_trump != 0:
        contract = scale_32_below(draw_32(view.random, 1), 3)
        contract = suit if contract == 0 else NO_TRUMP - 1 + contract
    else:
        contract = suit
    return contract if chance(view, parameters.take) else PASS


def _bid_at_random(view: Any, parameters: Any) -> int:
    """Bid with chance `bid`: each amount and contract equally likely, Capot with chance `capot`."""
    left = view.highest_amount - view.lowest_amount
    amount = view.lowest_amount + 10 * scale_32_below(
        draw_32(view.random, 1), whole_tens(max(left, 0)) + 1
    )
    contract = scale_32_below(draw_32(view.random, 2), NO_TRUMP + 2 * view.all_no_trump)
    capot = 1 if is_32_below(draw_32(view.random, 3), parameters.capot) else 0
    return bid_code(amount, contract, capot) if left >= 0 and chance(view, parameters.bid) else PASS


def _counter_at_random(view: Any, parameters: Any) -> bool:
    """Counter, or overcounter, with chance `counter`."""
    return chance(view, parameters.counter)


def _play_greedily(view: Any) -> int:
    """Lead a plain ace or low; win as low as possible; give points to a partner's trick."""
    legal = view.legal
    cheap = cheap_cards(view, legal)
    best = legal & _ACE & ~view.trumps
    lead = first_of(best & -best, cheap)
    to_partner = dear_cards(view, first_of(legal & ~view.trumps, legal))
    follow = to_partner if view.partner_is_master else first_of(legal & view.winning, cheap)
    return lowest(lead if view.position == 0 else follow)


def _play_at_random(view: Any) -> int:
    """Play a legal card, each equally likely."""
    return random_legal_card(view)


never.add_functions(take=_pass, bid=_pass, counter=_decline, overcounter=_decline)
always.add_functions(
    take=_take_at_once, bid=_bid_longest_suit, counter=_decline, overcounter=_decline
)
random.add_functions(
    take=_take_at_random,
    bid=_bid_at_random,
    counter=_counter_at_random,
    overcounter=_counter_at_random,
    card=_play_at_random,
)
greedy.add_functions(card=_play_greedily)
