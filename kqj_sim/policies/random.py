"""`random`: every legal call and card is equally likely; the chance to call is a parameter."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import NO_TRUMP, trailing_zeros, whole_tens
from kqj_sim.core.rng import draw_32, is_32_below, scale_32_below
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.parameters import number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import chance, random_legal_card

random = policy(
    "random",
    "plays legal cards at random; takes, bids and counters with given chances",
    take=number(0.1, "chance to take when asked", 0, 1),
    bid=number(0.1, "chance to bid when asked", 0, 1),
    capot=number(0.01, "chance that a bid announces Capot", 0, 1),
    counter=number(0.02, "chance to counter, and to overcounter, when asked", 0, 1),
)


@random
def choose_take(view: Any, parameters: Any) -> int:
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


@random
def choose_bid(view: Any, parameters: Any) -> int:
    """Bid with chance `bid`: each amount and contract equally likely, Capot with chance `capot`."""
    left = view.highest_amount - view.lowest_amount
    amount = view.lowest_amount + 10 * scale_32_below(
        draw_32(view.random, 1), whole_tens(max(left, 0)) + 1
    )
    contract = scale_32_below(draw_32(view.random, 2), NO_TRUMP + 2 * view.all_no_trump)
    capot = 1 if is_32_below(draw_32(view.random, 3), parameters.capot) else 0
    return bid_code(amount, contract, capot) if left >= 0 and chance(view, parameters.bid) else PASS


@random
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter with chance `counter`."""
    return chance(view, parameters.counter)


@random
def choose_overcounter(view: Any, parameters: Any) -> bool:
    """Overcounter with chance `counter`."""
    return chance(view, parameters.counter)


@random
def choose_card(view: Any) -> int:
    """Play a legal card, each equally likely."""
    return random_legal_card(view)
