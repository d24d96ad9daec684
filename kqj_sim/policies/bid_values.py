"""Totals of all bids at a turn, with what the views of the contracts share added once.

They are those of `call_values.write_values`.  Contracts have positions: suits as in the order of
the hand, then No-Trump and All-Trumps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, SUIT_MASK, popcount
from kqj_sim.core.jit import int16_at, int32_at, scalar, stack_int64
from kqj_sim.core.simd_int16 import UNITS, load, rectify, write_dots
from kqj_sim.core.types import Address, CardSet, Int16Pointer, Int32Pointer, Int64Pointer
from kqj_sim.core.views import last_bid_contract
from kqj_sim.policies.call_features import (
    AMOUNTS,
    HALF_BITS,
    HALF_ROWS,
    HOLDINGS,
    LAYOUT,
    LENGTH_ROWS,
    LENGTH_SLOTS,
    LENGTHS,
    QUESTION_ROWS,
    TO_BID,
    CallTurn,
    find_amount_row,
    find_bidder_row,
    find_call_row,
    find_lowest_row,
    find_place_row,
    find_positions,
    find_tens,
    number_contract,
    order_suits,
)
from kqj_sim.policies.call_values import find_weights
from kqj_sim.policies.one_layer import add_row
from kqj_sim.policies.tools import is_partner

_ROOM = SEATS + 1
_SHARED_ROWS = 3 + 2 * _ROOM


class _Context(NamedTuple):
    """The rows of a turn that do not depend on the hand."""

    shared: Int64Pointer
    """Rows that every view has."""
    shared_count: int
    calls: Int64Pointer
    """First rows of the last call of each player who has bid, in any contract."""
    amounts: Int64Pointer
    """Rows of the amount of that bid, in the contract of a view."""
    positions: Int64Pointer
    """Positions of its contract."""
    bid_count: int
    bidder_row: int
    """First row of the last bidder."""
    position: int
    """Position of the contract of the last bid; -1 if there is none."""


@scalar
def _list_context(
    turn: CallTurn, order: int, shared: Int64Pointer, calls: Int64Pointer, amounts: Int64Pointer,
    positions: Int64Pointer,
) -> _Context:  # fmt: skip
    """Return the rows of a turn to bid that do not depend on the hand, in arrays of the caller."""
    shared[0] = find_lowest_row(turn)
    shared[1] = find_place_row(turn)
    shared[2] = QUESTION_ROWS + 2 * TO_BID
    silent, bids = 3, 0
    numbers = find_positions(order)
    for step in range(SEATS):
        place = turn.place + step
        place -= SEATS if place >= SEATS else 0
        partner = 1 if is_partner(turn.players, place, turn.place) else 0
        contract = last_bid_contract(turn.last_bids, place)
        call, amount = find_call_row(step, partner), find_amount_row(step, partner)
        # Both lists are written, and one gets longer: there is no branch to predict.
        shared[silent] = call + (1 if place < turn.turn else 0)
        shared[silent + 1] = amount
        calls[bids] = call + 2
        amounts[bids] = amount + AMOUNTS + find_tens(turn, place)
        positions[bids] = (numbers >> 4 * max(contract, 0)) & 15
        silent += 2 if contract < 0 else 0
        bids += 1 if contract >= 0 else 0
    position = (numbers >> 4 * turn.contract) & 15 if turn.bidder >= 0 else -1
    return _Context(
        shared, silent, calls, amounts, positions, bids, find_bidder_row(turn), position
    )


@scalar
def _add_shared(numbers: Int16Pointer, context: _Context) -> Any:
    """Return the sums of the rows that all views of a kind of contract share."""
    hidden = load(numbers, LAYOUT.bias)
    for k in range(context.shared_count):
        hidden = add_row(hidden, numbers, context.shared[k])
    return hidden


@scalar
def _add_suit(hidden: Any, numbers: Int16Pointer, slot: int, cards: CardSet) -> Any:
    """Return sums with the rows of a suit's cards in a slot added."""
    hidden = add_row(hidden, numbers, HALF_ROWS + 2 * slot * HOLDINGS + (cards & (HOLDINGS - 1)))
    hidden = add_row(hidden, numbers, HALF_ROWS + (2 * slot + 1) * HOLDINGS + (cards >> HALF_BITS))
    if slot < LENGTH_SLOTS:
        hidden = add_row(hidden, numbers, LENGTH_ROWS + slot * LENGTHS + popcount(cards))
    return hidden


@scalar
def _write_totals(
    hidden: Any, address: Address, context: _Context, view: int, totals: Int32Pointer, at: int
) -> None:
    """Write the totals of a contract from the sums of the rows that do not depend on its bids."""
    numbers = int16_at(address)
    for k in range(context.bid_count):
        number = number_contract(context.positions[k], view)
        hidden = add_row(hidden, numbers, context.calls[k] + number)
        hidden = add_row(hidden, numbers, context.amounts[k] + (AMOUNTS if number > 0 else 0))
    named = number_contract(context.position, view) if context.position >= 0 else 0
    hidden = add_row(hidden, numbers, context.bidder_row + named)
    layer = rectify(hidden)
    bias = int32_at(address + 2 * LAYOUT.output_bias)
    write_dots(totals, at, layer, numbers, LAYOUT.matrix, bias, 0, UNITS)


@scalar
def write_bid_totals(
    turn: CallTurn, contracts: int, weights: Address, totals: Int32Pointer
) -> None:
    """Write the totals of all bids in some contracts.

    Args:
        turn: the turn, to bid.
        contracts: bits of the contracts.
        weights: address of the weights of all kinds.
        totals: int32, gets `UNITS` numbers for each of the contracts, at `UNITS` times its number.
    """
    order = order_suits(turn.hand)
    context = _list_context(
        turn, order, stack_int64(_SHARED_ROWS), stack_int64(_ROOM), stack_int64(_ROOM),
        stack_int64(_ROOM),
    )  # fmt: skip
    suits = (order & 15, (order >> 4) & 15, (order >> 8) & 15, (order >> 12) & 15)
    first = (turn.hand >> 16 * suits[0]) & SUIT_MASK
    second = (turn.hand >> 16 * suits[1]) & SUIT_MASK
    third = (turn.hand >> 16 * suits[2]) & SUIT_MASK
    fourth = (turn.hand >> 16 * suits[3]) & SUIT_MASK

    numbers = int16_at(weights)
    base = _add_shared(numbers, context)
    fourth_last = _add_suit(base, numbers, 3, fourth)
    long_last = _add_suit(fourth_last, numbers, 2, third)
    if contracts >> suits[0] & 1 != 0:
        hidden = _add_suit(_add_suit(long_last, numbers, 1, second), numbers, 0, first)
        _write_totals(hidden, weights, context, 0, totals, UNITS * suits[0])
    if contracts >> suits[1] & 1 != 0:
        hidden = _add_suit(_add_suit(long_last, numbers, 1, first), numbers, 0, second)
        _write_totals(hidden, weights, context, 1, totals, UNITS * suits[1])
    if contracts >> suits[2] & 1 != 0:
        hidden = _add_suit(_add_suit(fourth_last, numbers, 1, first), numbers, 2, second)
        hidden = _add_suit(hidden, numbers, 0, third)
        _write_totals(hidden, weights, context, 2, totals, UNITS * suits[2])
    if contracts >> suits[3] & 1 != 0:
        hidden = _add_suit(_add_suit(base, numbers, 1, first), numbers, 2, second)
        hidden = _add_suit(_add_suit(hidden, numbers, 3, third), numbers, 0, fourth)
        _write_totals(hidden, weights, context, 3, totals, UNITS * suits[3])
    for contract in range(NO_TRUMP, ALL_TRUMPS + 1):
        if contracts >> contract & 1 != 0:
            address = find_weights(weights, contract)
            numbers = int16_at(address)
            hidden = _add_suit(_add_shared(numbers, context), numbers, 0, first)
            hidden = _add_suit(_add_suit(hidden, numbers, 1, second), numbers, 2, third)
            hidden = _add_suit(hidden, numbers, 3, fourth)
            _write_totals(hidden, address, context, contract, totals, UNITS * contract)
