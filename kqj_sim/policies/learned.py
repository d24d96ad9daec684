"""`learned`: calls in auctions by a small network; in takings like `points`.

It makes the call of the greatest value, if that is more than a pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import dispatch
from kqj_sim.core import types as t
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, popcount, trailing_zeros, whole_tens
from kqj_sim.core.jit import int16_at, int32_at, scalar, stack_int32, stack_int64
from kqj_sim.core.scoring import CAPOT_TOTAL
from kqj_sim.core.simd_int16 import UNITS, find_positive, write_dots
from kqj_sim.core.types import MAX_POLICIES
from kqj_sim.core.views import PASS, bid_code, last_bid_contract
from kqj_sim.policies import call_features as f
from kqj_sim.policies.call_features import FEATURES, LAYOUT, CallTurn
from kqj_sim.policies.card_sets import ACES, EIGHTS, NINES
from kqj_sim.policies.one_layer import add_features, compute_total, find_step
from kqj_sim.policies.parameters import fix_version
from kqj_sim.policies.points import PARAMETERS, Choice, choose_take
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, suit_cards

# Values of calls by a small network (`one_layer`): what a bid, or a counter, is expected to bring
# more than a pass.
#
# Its rows are the features of a turn in the view of a contract (`call_features`), its outputs the
# values of all calls in the contract.

CAPOT_UNIT = 13
"""Values of a contract before that of Capot: of the lowest bid, of 10 more, 20 more, to 120."""
COUNTER_UNIT, OVERCOUNTER_UNIT = CAPOT_UNIT + 1, CAPOT_UNIT + 2
VALUES = OVERCOUNTER_UNIT + 1
"""Values of a contract: of each bid, of Capot, of a counter and of an overcounter."""


@scalar
def find_weights(weights: t.Address, contract: t.Contract) -> t.Address:
    """Return the address of the weights of a contract's kind."""
    return weights + max(contract - NO_TRUMP + 1, 0) * (2 * LAYOUT.fixed_size)


@scalar
def compute_layer(turn: CallTurn, order: int, contract: t.Contract, address: t.Address) -> t.Vector:
    """Return the hidden layer of a turn in the view of a contract."""
    features = stack_int64(FEATURES)
    f.write_call_features(turn, order, contract, features, 0, 1)
    return add_features(address, LAYOUT, features, FEATURES, 0, 1)


@scalar
def write_totals(layer: t.Vector, address: t.Address, totals: t.Int32Pointer) -> None:
    """Write the totals of the calls in a contract, int32 (UNITS,), by its hidden layer."""
    bias = int32_at(address + 2 * LAYOUT.output_bias)
    write_dots(totals, 0, layer, int16_at(address), LAYOUT.matrix, bias, 0, UNITS)


@scalar
def write_values(
    turn: CallTurn, order: int, contract: t.Contract, weights: t.Address, values: t.Float32Pointer
) -> None:
    """Write the values of the calls in a contract, in points more than a pass.

    Args:
        order: `call_features.order_suits` of the hand.
        weights: address of the weights of all kinds.
        values: float32, gets `VALUES` numbers.
    """
    totals = stack_int32(UNITS)
    address = find_weights(weights, contract)
    write_totals(compute_layer(turn, order, contract, address), address, totals)
    step = find_step(address, LAYOUT)
    for k in range(VALUES):
        values[k] = np.float32(totals[k]) * step


learned = policy(
    "learned",
    "calls in auctions by a small neural network; in takings like points",
    weights=fix_version("learned"),
    **{name: each for name, each in PARAMETERS.items() if each.bidding != "auction"},
)
learned.weights = "learned"
learned(choose_take)

_BIDS = (1 << CAPOT_UNIT + 1) - 1
"""Bits of the bids among a contract's values."""
_SUITS, _ALL = (1 << NO_TRUMP) - 1, (1 << f.CONTRACTS) - 1


@scalar
def find_amount(lowest: int, unit: int) -> int:
    """Return the amount of the bid with a number among a contract's values."""
    return max(lowest, CAPOT_TOTAL) if unit == CAPOT_UNIT else lowest + 10 * unit


@scalar
def _has_cards_for(hand: t.CardSet, contract: t.Contract) -> bool:
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
    for place in range(b.SEATS):
        contract = last_bid_contract(turn.last_bids, place)
        is_own = contract >= 0 and is_partner(turn.players, place, turn.place)
        contracts |= (1 << contract) if is_own else 0
    return contracts


@scalar
def find_contracts(turn: CallTurn) -> int:
    """Return bits of the contracts that are looked at; the others are never bid."""
    contracts = _find_own_contracts(turn)
    for contract in range(f.CONTRACTS):
        contracts |= (1 << contract) if _has_cards_for(turn.hand, contract) else 0
    return contracts


@scalar
def may_bid(view: Any, bid: int, parameters: Any, weights: t.Address) -> bool:
    """Return False for a bid that is not the best one in its contract, or no better than a pass."""
    contract = (bid >> 1) & 7
    unit = CAPOT_UNIT if bid & 1 != 0 else whole_tens((bid >> 4) - view.lowest_amount)
    if unit > CAPOT_UNIT or find_amount(view.lowest_amount, unit) != bid >> 4:
        return False
    turn = f.make_bid_turn(view)
    if not _has_cards_for(view.hand, contract) and _find_own_contracts(turn) >> contract & 1 == 0:
        return False
    address = find_weights(weights, contract)
    layer = compute_layer(turn, f.order_suits(view.hand), contract, address)
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


_LANES, _CONTRACTS, _FEATURES = 0, b.STRIDE, 2 * b.STRIDE
_SIZE = _FEATURES + FEATURES * b.STRIDE
"""Numbers of a list of questions: lanes, contracts and features, row by row like a block."""

_TURNS = b.STRIDE // f.CONTRACTS
"""Turns to bid whose contracts are looked at together: they are no more than the lanes."""


@scalar
def _list_questions(
    state: t.Block,
    lanes: int,
    flags: t.RowOffset,
    place: t.Place,
    number: int,
    questions: t.Int64Pointer,
) -> int:
    """Write down the lanes in which a place is asked, one after another; return their number."""
    count = 0
    for lane in range(lanes):
        questions[_LANES + count] = lane
        mine = b.policy_of(state[b.PLAYERS + lane], place) == number
        count += 1 if mine & (state[b.cell_index(flags, lane)] != 0) else 0
    for k in range(count, b.fill_vectors(count)):
        questions[_LANES + k] = 0
    return count


@scalar
def _read_question(
    state: t.Block, lane: t.Lane, place: t.Place, turn: int, question: int, teams: int
) -> CallTurn:
    return CallTurn(
        state[b.cell_index(b.DEALT + place * b.STRIDE, lane)], place, turn, question, state[b.SENDER
        + lane], state[b.AMOUNT + lane], state[b.CONTRACT + lane], state[b.CAPOT + lane],
        state[b.LAST_BIDS + lane], state[b.PLAYERS + lane], teams,
    )  # fmt: skip


@scalar
def _prefer_bid(
    best: Choice,
    layer: t.Vector,
    address: t.Address,
    contract: t.Contract,
    lowest: int,
    highest: int,
) -> Choice:
    """Return the better of a choice and the best bid in a contract, by its hidden layer."""
    totals = stack_int32(UNITS)
    write_totals(layer, address, totals)
    value, call = best
    gains = find_positive(totals, 0) & _BIDS
    while gains != 0:
        unit = trailing_zeros(gains)
        gains &= gains - 1
        amount = find_amount(lowest, unit)
        worth = float(np.float32(totals[unit]) * find_step(address, LAYOUT))
        if worth > value and amount <= highest:
            value, call = worth, bid_code(amount, contract, 1 if unit == CAPOT_UNIT else 0)
    return Choice(value, call)


def ask_bid(
    block_pointer: t.Int64Pointer, lanes: int, place: t.Place, turn: int, teams: int, limits: int,
    number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
) -> None:  # fmt: skip
    """Ask a place to bid where STILL_CALLING (`ask_calls.make_ask_bid`): it makes the bid of the
    greatest value, or passes."""
    state = dispatch.view_block(block_pointer)
    weights = resources[dispatch.BID * MAX_POLICIES + number]
    turns, looks = stack_int64(_FEATURES), stack_int64(_SIZE)
    count = _list_questions(state, lanes, b.STILL_CALLING, place, number, turns)
    allowed = _ALL if limits & 1 != 0 else _SUITS
    for k in range(b.fill_vectors(count)):
        view = _read_question(state, turns[_LANES + k], place, turn, f.TO_BID, teams)
        turns[_CONTRACTS + k] = find_contracts(view) & allowed
    for first in range(0, count, _TURNS):
        listed = 0
        for k in range(first, min(first + _TURNS, count)):
            lane, left = turns[_LANES + k], turns[_CONTRACTS + k]
            state[b.CALL + lane] = PASS
            while left != 0:
                looks[_LANES + listed], looks[_CONTRACTS + listed] = lane, trailing_zeros(left)
                left &= left - 1
                listed += 1
        for k in range(listed, b.fill_vectors(listed)):
            looks[_LANES + k], looks[_CONTRACTS + k] = 0, 0
        # Like all loops to `fill_vectors` this one has no branches, and becomes vector code.
        for k in range(b.fill_vectors(listed)):
            view = _read_question(state, looks[_LANES + k], place, turn, f.TO_BID, teams)
            order, contract = f.order_suits(view.hand), looks[_CONTRACTS + k]
            f.write_call_features(view, order, contract, looks, _FEATURES + k, b.STRIDE)
        best, previous = Choice(0.0, PASS), -1
        for k in range(listed):
            lane, contract = looks[_LANES + k], looks[_CONTRACTS + k]
            if lane != previous:
                best, previous = Choice(0.0, PASS), lane
            address = find_weights(weights, contract)
            layer = add_features(address, LAYOUT, looks, FEATURES, _FEATURES + k, b.STRIDE)
            lowest = dispatch.find_lowest_bid(state[b.AMOUNT + lane], limits)
            best = _prefer_bid(
                best, layer, address, contract, lowest, dispatch.find_highest_bid(limits)
            )
            state[b.CALL + lane] = best.call


def _make_ask_counter(loop: int, question: int, unit: int) -> dispatch.AskLoop:
    """Return the loop of a place that counters, or overcounters, where that is worth more."""

    def ask_counter(
        block_pointer: t.Int64Pointer, lanes: int, place: t.Place, turn: int, teams: int, over:
        t.Flag, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        state = dispatch.view_block(block_pointer)
        weights = resources[loop * MAX_POLICIES + number]
        questions = stack_int64(_SIZE)
        count = _list_questions(state, lanes, b.MAY_COUNTER, place, number, questions)
        for k in range(b.fill_vectors(count)):
            lane = questions[_LANES + k]
            earliest = state[b.SENDER + lane] + 1
            view = _read_question(state, lane, place, earliest, question, teams)
            order = f.order_suits(view.hand)
            f.write_call_features(view, order, view.contract, questions, _FEATURES + k, b.STRIDE)
        for k in range(count):
            lane = questions[_LANES + k]
            address = find_weights(weights, state[b.CONTRACT + lane])
            layer = add_features(address, LAYOUT, questions, FEATURES, _FEATURES + k, b.STRIDE)
            gain = compute_total(layer, address, LAYOUT, unit)
            state[b.CALL + lane] = 1 if gain > 0 else 0

    return ask_counter


learned.bid_filter = may_bid
learned.blocks = {
    "bid": ask_bid,
    "counter": _make_ask_counter(dispatch.COUNTER, f.TO_COUNTER, COUNTER_UNIT),
    "overcounter": _make_ask_counter(dispatch.OVERCOUNTER, f.TO_OVERCOUNTER, OVERCOUNTER_UNIT),
}
