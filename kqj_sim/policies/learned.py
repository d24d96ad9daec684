"""`learned`: calls in auctions by a small network; in takings like `points`.

It makes the call of the greatest value, if that is more than a pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.ask_calls import make_ask_bid, make_ask_counter
from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, popcount, trailing_zeros, whole_tens
from kqj_sim.core.dispatch import (
    BID,
    COUNTER,
    OVERCOUNTER,
    Asking,
)
from kqj_sim.core.jit import scalar, stack_int32
from kqj_sim.core.rules import MAX_POLICIES
from kqj_sim.core.simd_int16 import UNITS, find_positive
from kqj_sim.core.types import Address, CardSet, Contract, Kernel
from kqj_sim.core.views import PASS, bid_code, last_bid_contract
from kqj_sim.policies.bid_values import write_bid_totals
from kqj_sim.policies.call_features import (
    CONTRACTS,
    LAYOUT,
    TO_COUNTER,
    TO_OVERCOUNTER,
    CallTurn,
    make_bid_turn,
    make_counter_turn,
    order_suits,
)
from kqj_sim.policies.call_values import (
    CAPOT_UNIT,
    COUNTER_UNIT,
    OVERCOUNTER_UNIT,
    TOTALS,
    compute_layer,
    find_weights,
    is_gain,
    write_totals,
)
from kqj_sim.policies.card_sets import ACES, EIGHTS, NINES
from kqj_sim.policies.one_layer import compute_total, find_step
from kqj_sim.policies.parameters import whole
from kqj_sim.policies.points import PARAMETERS, choose_take
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, suit_cards
from kqj_sim.policies.weights import VERSIONS

learned = policy(
    "learned",
    "calls in auctions by a small neural network; in takings like points",
    weights=whole(
        VERSIONS["learned"],
        "version of the package's weights",
        VERSIONS["learned"],
        VERSIONS["learned"],
    ),
    **{name: each for name, each in PARAMETERS.items() if each.bidding != "auction"},
)
learned.weights = "learned"
learned(choose_take)

CAPOT_AMOUNT = 400
"""Amount of a bid with Capot: the total that a Capot is sure to reach."""

_BIDS = (1 << CAPOT_UNIT + 1) - 1
"""Bits of the bids among a contract's values."""
_SUITS, _ALL = (1 << NO_TRUMP) - 1, (1 << CONTRACTS) - 1
"""Bits of contracts."""


@scalar
def find_amount(lowest: int, unit: int) -> int:
    """Return the amount of the bid with a number among a contract's values."""
    return max(lowest, CAPOT_AMOUNT) if unit == CAPOT_UNIT else lowest + 10 * unit


@scalar
def _has_cards_for(hand: CardSet, contract: Contract) -> bool:
    """Return True for a suit of three cards, or of two with its 9 or 8 among them; for No-Trump
    with two aces; and for All-Trumps with two nines."""
    if contract == NO_TRUMP:
        return popcount(hand & ACES) >= 2
    if contract == ALL_TRUMPS:
        return popcount(hand & NINES) >= 2
    cards = hand & suit_cards(contract)
    return popcount(cards) >= (2 if cards & (NINES | EIGHTS) != 0 else 3)


@scalar
def _find_own_contracts(turn: CallTurn) -> int:
    """Return bits of the contracts that the own side has bid."""
    contracts = 0
    for place in range(SEATS):
        contract = last_bid_contract(turn.last_bids, place)
        is_own = contract >= 0 and is_partner(turn.players, place, turn.place)
        contracts |= (1 << contract) if is_own else 0
    return contracts


@scalar
def find_contracts(turn: CallTurn) -> int:
    """Return bits of the contracts that are looked at; the others are never bid."""
    contracts = _find_own_contracts(turn)
    for contract in range(CONTRACTS):
        contracts |= (1 << contract) if _has_cards_for(turn.hand, contract) else 0
    return contracts


@learned.may_bid
@scalar
def may_bid(view: Any, bid: int, parameters: Any, weights: Address) -> bool:
    """Return False for a bid that is not the best one in its contract, or no better than a pass."""
    contract = (bid >> 1) & 7
    unit = CAPOT_UNIT if bid & 1 != 0 else whole_tens((bid >> 4) - view.lowest_amount)
    if unit > CAPOT_UNIT or find_amount(view.lowest_amount, unit) != bid >> 4:
        return False
    turn = make_bid_turn(view)
    if not _has_cards_for(view.hand, contract) and _find_own_contracts(turn) >> contract & 1 == 0:
        return False
    address = find_weights(weights, contract)
    layer = compute_layer(turn, order_suits(view.hand), contract, address)
    # Most hands fail here, so the other values are not computed before.
    if compute_total(layer, address, LAYOUT, unit) <= 0:
        return False
    totals = stack_int32(UNITS)
    write_totals(layer, address, totals)
    best = True
    for other in range(CAPOT_UNIT + 1):
        is_allowed = find_amount(view.lowest_amount, other) <= view.highest_amount
        best &= totals[other] <= totals[unit] or not is_allowed
    return best


@scalar
def choose_bid(view: Any, parameters: Any, weights: Address) -> int:
    """Choose the bid of the greatest value, or pass."""
    totals = stack_int32(TOTALS)
    turn = make_bid_turn(view)
    contracts = find_contracts(turn) & (_ALL if view.all_no_trump != 0 else _SUITS)
    write_bid_totals(turn, contracts, weights, totals)
    best, call = np.float32(0), PASS
    while contracts != 0:
        contract = trailing_zeros(contracts)
        contracts &= contracts - 1
        gains = find_positive(totals, contract * UNITS) & _BIDS
        while gains != 0:
            unit = trailing_zeros(gains)
            amount = find_amount(view.lowest_amount, unit)
            total = totals[contract * UNITS + unit]
            value = np.float32(total) * find_step(find_weights(weights, contract), LAYOUT)
            if value > best and amount <= view.highest_amount:
                best = value
                call = bid_code(amount, contract, 1 if unit == CAPOT_UNIT else 0)
            gains &= gains - 1
    return call


@scalar
def choose_counter(view: Any, parameters: Any, weights: Address) -> bool:
    """Counter if that is worth more than not to."""
    return is_gain(make_counter_turn(view, TO_COUNTER), COUNTER_UNIT, weights)


@scalar
def choose_overcounter(view: Any, parameters: Any, weights: Address) -> bool:
    """Overcounter if that is worth more than not to."""
    return is_gain(make_counter_turn(view, TO_OVERCOUNTER), OVERCOUNTER_UNIT, weights)


def _make_asking(loop: int, choose: Kernel) -> Asking:
    """Return a decision as a loop asks it."""
    return Asking(
        choose,
        scalar(lambda table, number: 0.0),
        scalar(lambda resources, number: resources[loop * MAX_POLICIES + number]),
        sole_policy=False,
        checked=False,
    )


learned.block("bid")(make_ask_bid(_make_asking(BID, choose_bid)))
learned.block("counter")(make_ask_counter(_make_asking(COUNTER, choose_counter)))
learned.block("overcounter")(make_ask_counter(_make_asking(OVERCOUNTER, choose_overcounter)))
