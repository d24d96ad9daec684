"""The loops that ask a policy about a block of deals.

These are templates: `policies.compiled` copies each with its names `_choose`, `_parameters`,
`_weights`, `_EVERYBODY` and `_CHECKED` bound to one policy, so that the policy's function is
compiled into the loop.  All have one signature, `ASKING`, so that the engine takes any policy as a
function pointer without being compiled again.

`_EVERYBODY` says that one policy sits at all seats: then nobody is left out, and simple policies
become vector code.  `_CHECKED` has what the policy answers checked against the rules, and asks it
only what it is asked at the table: lanes that fill up a vector may hold rounds that nobody plays,
and in others the calling is over.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import carray, types
from numba.extending import intrinsic

from kqj_sim.core import rng
from kqj_sim.core.bits import ALL_TRUMPS, NO_TRUMP, popcount
from kqj_sim.core.compile import apart, scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.core.state import (
    AMOUNT,
    ASKED,
    AT_TABLE,
    CALL,
    CAPOT,
    CARDS,
    CONTRACT,
    DEALT,
    FIVE,
    HAND,
    ILLEGAL,
    KEY,
    LAST_BIDS,
    OPEN,
    PLAYERS,
    ROWS,
    SEATS,
    SENDER,
    STRIDE,
    TURNED,
    filled,
    padded,
    policy_of,
)
from kqj_sim.core.trick import lane_of
from kqj_sim.core.turn import follow_view, join_trick, lead_view, put_lead
from kqj_sim.core.views import PASS, BidView, CounterView, TakeView

ASKING = types.void(
    types.CPointer(types.int64), types.int64, types.int64, types.int64, types.int64, types.int64,
    types.int64, types.CPointer(types.float64), types.CPointer(types.int64),
)  # fmt: skip
"""state, lanes, two numbers that say who is asked, team count, a number of the rules, the policy's
number, the parameters and the resources of all players (`core.rules.Table`)."""

TAKE, BID, COUNTER, OVERCOUNTER, LEAD, FOLLOW, ACCEPT = range(7)
"""The loops that a policy is compiled into: its members in a `core.rules.Table`."""
MEMBERS = 7


@intrinsic
def _call(
    typingctx: Any, address: Any, state: Any, lanes: Any, first: Any, second: Any, teams: Any,
    rule: Any, number: Any, parameters: Any, resources: Any,
) -> Any:  # fmt: skip
    """Call an `ASKING` function at an address."""

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
    players: Any, member: int, state: Any, lanes: int, first: int, second: int, teams: int,
    rule: int,
) -> None:  # fmt: skip
    """Ask every policy of a table: each answers for the lanes in which it sits there."""
    for number in range(players.distinct):
        _call(
            players.functions[member * SEATS + number], state, lanes, first, second, teams, rule,
            number, players.parameters, players.resources,
        )  # fmt: skip


# Bound for each policy by `policies.compiled`.
_choose: Any = None
_parameters: Any = None
_weights: Any = None
_EVERYBODY: bool = True
_CHECKED: bool = True


@scalar
def _block(pointer: Any) -> Any:
    """The state behind a pointer."""
    return carray(pointer, ROWS * STRIDE)


@scalar
def _table(pointer: Any) -> Any:
    """The parameters behind a pointer."""
    return carray(pointer, MEMBERS * SEATS * MAX_PARAMETERS)


def ask_take(
    block: Any, lanes: int, place: int, lap: int, teams: int, all_no_trump: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place in a lap of the taking: CALL is a contract or PASS, where OPEN."""
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = padded(lanes)
    hands = apart(block, FIVE + place * STRIDE)
    turn = rng.CALL + SEATS * lap + place
    for i in range(n):
        players = state[PLAYERS + i]
        if _EVERYBODY or (policy_of(players, place) == number and state[OPEN + i] != 0):
            view = TakeView(
                hands[i], state[TURNED + i], lap, place, all_no_trump, players, teams,
                rng.draw(state[KEY + i], turn),
            )  # fmt: skip
            asked = not _CHECKED or (i < lanes and state[OPEN + i] != 0)
            call = _choose(view, values, weights) if asked else PASS
            if _CHECKED:
                own = lane_of(state[TURNED + i]) == lane_of(1 << 16 * (call & 3))
                allowed = 0 <= call < NO_TRUMP and (lap == 2 or own)
                allowed |= NO_TRUMP <= call <= ALL_TRUMPS and all_no_trump != 0
                wrong = call != PASS and not allowed
                call = PASS if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = call


def ask_bid(
    block: Any, lanes: int, place: int, turn: int, teams: int, limits: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place at its turn of an auction: CALL is a bid (`bid_code`) or PASS, where OPEN.

    `limits` is the least amount of a first bid, the highest amount and whether All-Trumps and
    No-Trump may be bid, packed as (least << 16 | highest) << 1 | all_no_trump.
    """
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = padded(lanes)
    hands = apart(block, DEALT + place * STRIDE)
    all_no_trump = limits & 1
    highest = (limits >> 1) & 0xFFFF
    least = limits >> 17
    for i in range(n):
        players = state[PLAYERS + i]
        if state[OPEN + i] != 0 and (_EVERYBODY or policy_of(players, place) == number):
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
    block: Any, lanes: int, place: int, turn: int, teams: int, over: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place whether it counters (or, with `over`, overcounters), where ASKED: CALL is 0, 1.

    `turn` counts the questions of an auction, so that each has random bits of its own.
    """
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = padded(lanes)
    hands = apart(block, DEALT + place * STRIDE)
    for i in range(n):
        players = state[PLAYERS + i]
        if state[ASKED + i] != 0 and (_EVERYBODY or policy_of(players, place) == number):
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
    block: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask the leader of a trick and put his card on the table."""
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = filled(lanes)
    for i in range(n):
        players = state[AT_TABLE + i]
        if _EVERYBODY or policy_of(players, 0) == number:
            view = lead_view(state, i, trick, teams)
            asked = not _CHECKED or i < lanes
            card = _choose(view, values, weights) if asked else view.legal & -view.legal
            if _CHECKED:
                wrong = card & view.legal == 0 or popcount(card) != 1
                card = view.legal & -view.legal if wrong else card
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            put_lead(state, i, card)


def ask_follow(
    block: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a following position (1 to 5) of a trick and put its card on the table."""
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = filled(lanes)
    hands = apart(block, HAND + position * STRIDE)
    cards = apart(block, CARDS + position * STRIDE)
    for i in range(n):
        players = state[AT_TABLE + i]
        if _EVERYBODY or policy_of(players, position) == number:
            view = follow_view(state, i, hands[i], trick, position, teams)
            asked = not _CHECKED or i < lanes
            card = _choose(view, values, weights) if asked else view.legal & -view.legal
            if _CHECKED:
                wrong = card & view.legal == 0 or popcount(card) != 1
                card = view.legal & -view.legal if wrong else card
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            cards[i] = card
            join_trick(state, i, position, card)
