"""The loops that ask a policy about a block of deals.

These are templates: `policies.compiled` copies each with its names `_choose`, `_parameters`,
`_weights`, `_SOLE_POLICY` and `_CHECKED` bound to one policy, so that the policy's function is
compiled into the loop.  All have one signature, `ASK_SIGNATURE`, so that the engine takes any
policy as a function pointer without being compiled again.

`_SOLE_POLICY` says that one policy sits at all seats: then nobody is left out, and simple policies
become vector code.  `_CHECKED` has what the policy answers checked against the rules, and asks it
only what it is asked at the table: lanes that fill up a vector may hold rounds that nobody plays,
and in others the calling is over.

Tables within a table: what a policy needs that plays hands out with other policies.

Such a policy has as its resource an int64 array: the rules, then one table for each policy that it
names in its parameters.

What a policy holds of each card that may be played, for policies that build on its values.

A template, like the loops of `core.asking`: `policies.compiled` copies it with `_values` and
`_SIZE` bound to one policy.  It is called by address (`core.rules.Seating.resume`).
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import carray, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CALL,
    CAPOT,
    CONTRACT,
    DEALT,
    FIRST_FIVE,
    HAND,
    ILLEGAL,
    KEY,
    LAST_BIDS,
    MAY_COUNTER,
    PLAYERS,
    PLAYERS_BY_POSITION,
    ROW_COUNT,
    SEATS,
    SENDER,
    STILL_CALLING,
    STRIDE,
    TRICK_CARDS,
    UPCARD,
    fill_vectors,
    pad_lanes,
    policy_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, popcount
from kqj_sim.core.jit import (
    float32_at,
    float64_at,
    int64_at,
    make_address_caller,
    mark_noalias,
    scalar,
)
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Seating
from kqj_sim.core.trick import (
    follow_view,
    lead_view,
    put_lead,
    read_hand,
    suit_mask_of,
    update_trick,
)
from kqj_sim.core.views import PASS, BidView, CounterView, TakeView

ASK_SIGNATURE = types.void(
    types.CPointer(types.int64), types.int64, types.int64, types.int64, types.int64, types.int64,
    types.int64, types.CPointer(types.float64), types.CPointer(types.int64),
)  # fmt: skip
"""state, lanes, two numbers that say who is asked, team count, a number of the rules, the policy's
number, the parameters and the resources of all players (`core.rules.Seating`)."""

TAKE, BID, COUNTER, OVERCOUNTER, LEAD, FOLLOW, ACCEPT = range(7)
"""The loops that a policy is compiled into: its members in a `core.rules.Seating`."""
LOOP_COUNT = 7


@intrinsic
def _call_loop(
    typingctx: Any, address: Any, state: Any, lanes: Any, first: Any, second: Any, teams: Any,
    rule: Any, number: Any, parameters: Any, resources: Any,
) -> Any:  # fmt: skip
    """Call an `ASK_SIGNATURE` function at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64, double = ir.IntType(64), ir.DoubleType()
        pointers = [
            context.make_array(signature.args[at])(context, builder, args[at]).data
            for at in (1, 8, 9)
        ]
        function_type = ir.FunctionType(
            ir.VoidType(), [i64.as_pointer(), *[i64] * 6, double.as_pointer(), i64.as_pointer()]
        )
        function = builder.inttoptr(args[0], function_type.as_pointer())
        builder.call(function, [pointers[0], *args[2:8], *pointers[1:]])
        return context.get_dummy_value()

    i64 = types.int64
    return types.void(i64, state, i64, i64, i64, i64, i64, i64, parameters, resources), codegen


@scalar
def ask(
    seating: Any, loop: int, state: Any, lanes: int, first: int, second: int, teams: int,
    rule: int,
) -> None:  # fmt: skip
    """Ask every policy of a table: each answers for the lanes in which it sits there."""
    for number in range(seating.distinct):
        _call_loop(
            seating.loop_addresses[loop * SEATS + number], state, lanes, first, second, teams, rule,
            number, seating.parameters, seating.resources,
        )  # fmt: skip


# Bound for each policy by `policies.compiled`.
_choose: Any = None
_parameters: Any = None
_weights: Any = None
_SOLE_POLICY: bool = True
_CHECKED: bool = True


@scalar
def _view_block(pointer: Any) -> Any:
    """The state behind a pointer."""
    return carray(pointer, ROW_COUNT * STRIDE)


@scalar
def _view_parameters(pointer: Any) -> Any:
    """The parameters behind a pointer."""
    return carray(pointer, LOOP_COUNT * SEATS * MAX_PARAMETERS)


def ask_take(
    block_pointer: Any,
    lanes: int,
    place: int,
    lap: int,
    teams: int,
    all_no_trump: int,
    number: int,
    parameter_table: Any,
    resources: Any,
) -> None:
    """Ask a place in a lap of the taking: CALL is a contract or PASS, where STILL_CALLING."""
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = pad_lanes(lanes)
    hands = mark_noalias(block_pointer, FIRST_FIVE + place * STRIDE)
    turn = rng.CALL + SEATS * lap + place
    for i in range(n):
        players = state[PLAYERS + i]
        if _SOLE_POLICY or (policy_of(players, place) == number and state[STILL_CALLING + i] != 0):
            view = TakeView(
                hands[i], state[UPCARD + i], lap, place, all_no_trump, players, teams,
                rng.draw(state[KEY + i], turn),
            )  # fmt: skip
            asked = not _CHECKED or (i < lanes and state[STILL_CALLING + i] != 0)
            call = _choose(view, values, weights) if asked else PASS
            if _CHECKED:
                own = suit_mask_of(state[UPCARD + i]) == suit_mask_of(1 << 16 * (call & 3))
                allowed = 0 <= call < NO_TRUMP and (lap == 2 or own)
                allowed |= NO_TRUMP <= call <= ALL_TRUMPS and all_no_trump != 0
                wrong = call != PASS and not allowed
                call = PASS if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = call


def ask_bid(
    block_pointer: Any, lanes: int, place: int, turn: int, teams: int, limits: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place at its turn of an auction: CALL is a bid (`bid_code`) or PASS, where
    STILL_CALLING.

    `limits` is the least amount of a first bid, the highest amount and whether All-Trumps and
    No-Trump may be bid, packed as (least << 16 | highest) << 1 | all_no_trump.
    """
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = pad_lanes(lanes)
    hands = mark_noalias(block_pointer, DEALT + place * STRIDE)
    all_no_trump = limits & 1
    highest = (limits >> 1) & 0xFFFF
    least = limits >> 17
    for i in range(n):
        players = state[PLAYERS + i]
        if state[STILL_CALLING + i] != 0 and (_SOLE_POLICY or policy_of(players, place) == number):
            amount = state[AMOUNT + i]
            lowest = amount + 10 if amount > 0 else least
            view = BidView(
                hands[i], place, turn, lowest, highest, all_no_trump,
                state[SENDER + i], amount, state[CONTRACT + i], state[LAST_BIDS + i], players,
                teams, rng.draw(state[KEY + i], rng.CALL + turn),
            )  # fmt: skip
            call = _choose(view, values, weights) if not _CHECKED or i < lanes else PASS
            if _CHECKED:
                bid, contract = call >> 4, (call >> 1) & 7
                allowed = lowest <= bid <= highest and bid % 10 == 0
                allowed &= contract < NO_TRUMP or (contract <= ALL_TRUMPS and all_no_trump != 0)
                wrong = call != PASS and not allowed
                call = PASS if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = call


def ask_counter(
    block_pointer: Any, lanes: int, place: int, turn: int, teams: int, over: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place whether it counters (or, with `over`, overcounters), where MAY_COUNTER: CALL is
    0, 1.

    `turn` counts the questions of an auction, so that each has random bits of its own.
    """
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = pad_lanes(lanes)
    hands = mark_noalias(block_pointer, DEALT + place * STRIDE)
    for i in range(n):
        players = state[PLAYERS + i]
        if state[MAY_COUNTER + i] != 0 and (_SOLE_POLICY or policy_of(players, place) == number):
            view = CounterView(
                hands[i], place, state[SENDER + i], state[AMOUNT + i],
                state[CONTRACT + i], state[CAPOT + i], state[LAST_BIDS + i], players, teams,
                rng.draw(state[KEY + i], rng.COUNTER + turn),
            )  # fmt: skip
            call = _choose(view, values, weights) if not _CHECKED or i < lanes else 0
            if _CHECKED:
                wrong = call != 0 and call != 1
                call = 0 if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = 1 if call else 0


def ask_lead(
    block_pointer: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask the leader of a trick and put his card on the table."""
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = fill_vectors(lanes)
    for i in range(n):
        players = state[PLAYERS_BY_POSITION + i]
        if _SOLE_POLICY or policy_of(players, 0) == number:
            view = lead_view(state, i, trick, teams)
            asked = not _CHECKED or i < lanes
            card = _choose(view, values, weights) if asked else view.legal & -view.legal
            if _CHECKED:
                wrong = card & view.legal == 0 or popcount(card) != 1
                card = view.legal & -view.legal if wrong else card
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            put_lead(state, i, card)


def ask_follow(
    block_pointer: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a following position (1 to 5) of a trick and put its card on the table."""
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = fill_vectors(lanes)
    hands = mark_noalias(block_pointer, HAND + position * STRIDE)
    cards = mark_noalias(block_pointer, TRICK_CARDS + position * STRIDE)
    for i in range(n):
        players = state[PLAYERS_BY_POSITION + i]
        if _SOLE_POLICY or policy_of(players, position) == number:
            view = follow_view(state, i, hands[i], trick, position, teams)
            asked = not _CHECKED or i < lanes
            card = _choose(view, values, weights) if asked else view.legal & -view.legal
            if _CHECKED:
                wrong = card & view.legal == 0 or popcount(card) != 1
                card = view.legal & -view.legal if wrong else card
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            cards[i] = card
            update_trick(state, i, position, card)


RULES_SIZE = len(Rules._fields)
STAGE_COUNT, RESUME_COUNT = 3, 3
SEATING_SIZE = 7
"""Numbers of a table: four addresses of arrays, the number of policies, the seats, another one."""


def pack_seatings(rules: Rules, seatings: list[Seating | None]) -> NDArray[np.int64]:
    """The resource of a policy; the tables' arrays must outlive it, None is for one left out."""
    numbers = list(rules)
    for table in seatings:
        if table is None:
            numbers += [0] * SEATING_SIZE
            continue
        numbers += [
            table.loop_addresses.ctypes.data,
            table.parameters.ctypes.data,
            table.resources.ctypes.data,
            table.stages.ctypes.data,
            table.resume.ctypes.data,
            table.distinct,
            table.seats,
        ]
    return np.array(numbers, dtype=np.int64)


@scalar
def unpack_rules(resource: Any) -> Rules:
    """The rules in a resource (a pointer to int64)."""
    return Rules(
        resource[0], resource[1], resource[2], resource[3], resource[4], resource[5], resource[6],
        resource[7], resource[8],
    )  # fmt: skip


@scalar
def unpack_seating(resource: Any, number: int) -> Seating:
    """A table in a resource (a pointer to int64); nothing is imposed, remembered or described.

    `distinct` is 0 for none.
    """
    at = RULES_SIZE + SEATING_SIZE * number
    return Seating(
        carray(int64_at(resource[at]), LOOP_COUNT * SEATS),
        carray(float64_at(resource[at + 1]), LOOP_COUNT * SEATS * MAX_PARAMETERS),
        carray(int64_at(resource[at + 2]), LOOP_COUNT * SEATS),
        resource[at + 5],
        resource[at + 6],
        carray(int64_at(resource[at + 3]), STAGE_COUNT),
        carray(int64_at(resource[at + 4]), RESUME_COUNT),
        -1,
        -1,
        0,
        0,
        carray(int64_at(resource[at + 4]), 0),
    )


VALUE_SIGNATURE = types.void(
    types.int64[::1], types.int64, types.int64, types.int64, types.int64, types.int64,
    types.CPointer(types.float32),
)  # fmt: skip
"""state, lane, trick, position, team count, address of the policy's weights, and where the values
of the legal cards go, from the lowest bit on, in points."""

_values: Any = None
_SIZE: int = 0


def value_cards(
    state: Any, lane: int, trick: int, position: int, teams: int, weights: int, values: Any
) -> None:
    """Write what each card that may be played is worth to who is to play in a lane."""
    if position == 0:
        _values(lead_view(state, lane, trick, teams), carray(float32_at(weights), _SIZE), values)
    else:
        _values(
            follow_view(state, lane, read_hand(state, lane, position), trick, position, teams),
            carray(float32_at(weights), _SIZE),
            values,
        )


call_value_cards = make_address_caller(VALUE_SIGNATURE)
"""Call such a function: (address, (arguments of VALUE_SIGNATURE))."""
