"""Asking policies: one loop over a block for each kind of decision.

Factories compile a policy into each loop (`policies.binding`).  All loops have one signature,
`ASK_SIGNATURE`, and are called by address, so the engine is not compiled again for each policy.

A policy that plays hands out has as its resource an int64 array: the rules, then one packed
seating for each policy that it names in its parameters (`pack_seatings`).  `VALUE_SIGNATURE`
functions give other policies the values that a policy assigns to the legal cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import llvmlite.ir as ir
import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from kqj_sim.core import block as b
from kqj_sim.core import jit, rng
from kqj_sim.core import types as t
from kqj_sim.core.block import STRIDE
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, popcount
from kqj_sim.core.trick import (
    find_following_cards,
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
"""Block, lanes (in Kwajongen the one lane), two numbers that say who is asked, number of teams, a
number from the rules, the policy's number, parameters and resources of all players
(`core.types.Seating`)."""

AskLoop: TypeAlias = Callable[..., None]
"""A plain function of `ASK_SIGNATURE`, ready for `core.jit.compile_cfunc`."""

TAKE, BID, COUNTER, OVERCOUNTER, LEAD, FOLLOW, ACCEPT, RULE_OUT_BID = range(8)
"""The loops that a policy is compiled into: the groups of entries in a `core.types.Seating`."""
LOOP_COUNT = 8
LOOP_ENTRIES = LOOP_COUNT * t.MAX_POLICIES
"""Entries of `Seating.loop_addresses` and `.resources`."""


@intrinsic
def call_loop(
    typingctx: t.Numba, address: t.Numba, state: t.Numba, lanes: t.Numba,
    first: t.Numba, second: t.Numba, teams: t.Numba, rule: t.Numba,
    number: t.Numba, parameters: t.Numba, resources: t.Numba,
) -> t.Numba:  # fmt: skip
    """Call an `ASK_SIGNATURE` function at an address, with arrays or pointers."""

    def codegen(context: t.Numba, builder: t.Numba, signature: t.Numba, args: t.Numba) -> t.Numba:
        i64, double = ir.IntType(64), ir.DoubleType()
        pointers = [
            context.make_array(signature.args[at])(context, builder, args[at]).data
            if isinstance(signature.args[at], types.Array)
            else args[at]
            for at in (1, 8, 9)
        ]
        # numba's C functions of no result return a pointer, and WebAssembly compares the types.
        arguments = [i64.as_pointer(), *[i64] * 6, double.as_pointer(), i64.as_pointer()]
        function_type = ir.FunctionType(ir.IntType(8).as_pointer(), arguments)
        function = builder.inttoptr(args[0], function_type.as_pointer())
        builder.call(function, [pointers[0], *args[2:8], *pointers[1:]])
        return context.get_dummy_value()

    i64 = types.int64
    return types.void(i64, state, i64, i64, i64, i64, i64, i64, parameters, resources), codegen


class PolicyTable(NamedTuple):
    """The players as `ask` needs them, by address: references to arrays would be counted.

    Attributes as of `core.types.Seating`.
    """

    loop_addresses: t.Int64Pointer
    distinct: int
    parameters: t.Float64Pointer
    resources: t.Int64Pointer


@jit.scalar
def view_table(seating: t.Seating) -> PolicyTable:
    """Return the players of a seating, which must outlive the result."""
    return PolicyTable(
        jit.int64_at(seating.loop_addresses.ctypes.data),
        seating.distinct,
        jit.float64_at(seating.parameters.ctypes.data),
        jit.int64_at(seating.resources.ctypes.data),
    )


@jit.scalar
def ask(
    seating: t.Seating | PolicyTable, loop: int, state: t.Block | t.Int64Pointer, lanes: int, first:
    int, second: int, teams: int, rule: int,
) -> None:  # fmt: skip
    """Ask every policy at the table; each decides in the lanes in which it sits there.

    Args:
        loop: TAKE to RULE_OUT_BID.
        first, second: who is asked and when: the third and fourth argument of the loop.
        rule: the sixth argument of the loop; for loops of cards 1 if one policy sits at
            all seats, for then its number is not in a block that holds the seats of another table.
    """
    if loop in (LEAD, FOLLOW):
        rule = 1 if seating.distinct == 1 else 0
    for number in range(seating.distinct):
        address = seating.loop_addresses[loop * t.MAX_POLICIES + number]
        if address != 0:
            call_loop(
                address, state, lanes, first, second, teams, rule, number, seating.parameters,
                seating.resources,
            )  # fmt: skip


class Asking(NamedTuple):
    """A policy as a loop asks it; the functions are compiled into the loop."""

    choose: t.Kernel
    """The decision, as a function of (view, parameters, resource, `core.block.ORIGINAL_LANE`)."""
    read_parameters: t.Kernel
    """Reads the policy's parameters: (parameters of all players, policy's number)."""
    read_resource: t.Kernel
    """Reads what else it gets: (resources of all players, policy's number)."""
    sole_policy: bool
    """The policy sits at all seats: no lane is left out, and simple policies become vector code."""
    checked: bool
    """Check the decisions against the rules, and ask only where a decision is due: padding lanes
    may hold rounds that nobody plays, and in others the calling is over."""


@jit.scalar
def view_block(pointer: t.Int64Pointer) -> t.Block:
    """Return the block behind a pointer."""
    return carray(pointer, b.ROW_COUNT * b.STRIDE)


@jit.scalar
def view_parameters(pointer: t.Float64Pointer) -> t.Float64Array:
    """Return the parameters of all players behind a pointer."""
    return carray(pointer, LOOP_ENTRIES * t.MAX_PARAMETERS)


@jit.scalar
def check_choice(state: t.Block, lane: t.Lane, choice: int, allowed: bool, instead: int) -> int:
    """Return a user policy's choice; if it is not allowed, mark the lane and return `instead`."""
    state[b.ILLEGAL + lane] = state[b.ILLEGAL + lane] if allowed else 1
    return choice if allowed else instead


@jit.scalar
def check_card(state: t.Block, lane: t.Lane, card: t.Card, legal: t.CardSet) -> t.Card:
    """Return a user policy's card; if not legal, mark the lane and return the lowest legal one."""
    return check_choice(
        state, lane, card, card & legal != 0 and popcount(card) == 1, legal & -legal
    )


def make_ask_lead(asking: Asking) -> AskLoop:
    """Return the loop that asks the leader of a trick."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_lead(
        block_pointer: t.Int64Pointer, lanes: int, trick: int, position: t.Position, teams: int,
        unused: int, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = b.fill_vectors(lanes)
        for i in range(n):
            players = state[b.PLAYERS_BY_POSITION + i]
            if sole_policy or b.policy_of(players, 0) == number:
                view = lead_view(state, i, trick, teams)
                is_asked = not checked or i < lanes
                lane = state[b.ORIGINAL_LANE + i]
                card = view.legal & -view.legal
                card = choose(view, values, resource, lane) if is_asked else card
                if checked:
                    card = check_card(state, i, card, view.legal)
                put_lead(state, i, card)

    return ask_lead


def make_ask_follow(asking: Asking) -> AskLoop:
    """Return the loop that asks a following position."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_follow(
        block_pointer: t.Int64Pointer, lanes: int, trick: int, position: t.Position, teams: int,
        unused: int, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = b.fill_vectors(lanes)
        hands = jit.mark_noalias(block_pointer, b.HAND + position * b.STRIDE)
        cards = jit.mark_noalias(block_pointer, b.TRICK_CARDS + position * b.STRIDE)
        # Three short loops: a processor looks only some hundred instructions ahead for those of
        # the next deals.
        for i in range(n):
            state[b.LEGAL + i] = find_following_cards(state, i, hands[i], position)
        for i in range(n):
            players = state[b.PLAYERS_BY_POSITION + i]
            if sole_policy or b.policy_of(players, position) == number:
                legal = state[b.LEGAL + i]
                view = follow_view(state, i, hands[i], legal, trick, position, teams)
                is_asked = not checked or i < lanes
                lane = state[b.ORIGINAL_LANE + i]
                card = choose(view, values, resource, lane) if is_asked else legal & -legal
                if checked:
                    card = check_card(state, i, card, legal)
                cards[i] = card
        for i in range(n):
            players = state[b.PLAYERS_BY_POSITION + i]
            if sole_policy or b.policy_of(players, position) == number:
                update_trick(state, i, position, cards[i])

    return ask_follow


RULES_SIZE = len(t.Rules._fields)
STAGE_COUNT, RESUME_COUNT = 3, 3
SEATING_SIZE = 7
"""Numbers of a packed seating: five addresses of arrays, the number of policies and the seats."""


def pack_seatings(rules: t.Rules, seatings: list[t.Seating | None]) -> t.Int64Array:
    """Return the resource of a policy: the rules and seatings in one array.

    The seatings' arrays must outlive it; None stands for a policy that is not named.
    """
    numbers = list(rules)
    for seating in seatings:
        if seating is None:
            numbers += [0] * SEATING_SIZE
            continue
        numbers += [
            seating.loop_addresses.ctypes.data,
            seating.parameters.ctypes.data,
            seating.resources.ctypes.data,
            seating.stages.ctypes.data,
            seating.resume.ctypes.data,
            seating.distinct,
            seating.seats,
        ]
    return np.array(numbers, dtype=np.int64)


_rules_at = jit.make_tuple_reader(types.NamedUniTuple(types.int64, RULES_SIZE, t.Rules))


@jit.scalar
def unpack_rules(resource: t.Int64Pointer) -> t.Rules:
    """Return the rules in a resource."""
    return _rules_at(carray(resource, RULES_SIZE), 0)


@jit.scalar
def unpack_seating(resource: t.Int64Pointer, number: int) -> t.Seating:
    """Return a seating in a resource, with `distinct` 0 if it was left out.

    Nothing is imposed, no history is kept and no columns are written.
    """
    at = RULES_SIZE + SEATING_SIZE * number
    return t.Seating(
        carray(jit.int64_at(resource[at]), LOOP_ENTRIES),
        carray(jit.float64_at(resource[at + 1]), LOOP_ENTRIES * t.MAX_PARAMETERS),
        carray(jit.int64_at(resource[at + 2]), LOOP_ENTRIES),
        resource[at + 5],
        resource[at + 6],
        carray(jit.int64_at(resource[at + 3]), STAGE_COUNT),
        carray(jit.int64_at(resource[at + 4]), RESUME_COUNT),
        -1,
        -1,
        0,
        0,
        carray(jit.int64_at(resource[at + 4]), 0),
    )


VALUE_SIGNATURE = types.void(
    types.int64[::1], types.int64, types.int64, types.int64, types.int64, types.int64,
    types.CPointer(types.float32),
)  # fmt: skip
"""Block, lane, trick, position, team count, address of the policy's weights, and the array for the
values of the legal cards in points, from the lowest bit on: eight float32, of which those behind
the last card's mean nothing."""


def make_value_cards(write_values: t.Kernel) -> Callable[..., None]:
    """Return the `VALUE_SIGNATURE` function of a policy.

    `write_values` is the policy's function (view, address of its weights, values).
    """

    def value_cards(
        state: t.Block, lane: t.Lane, trick: int, position: t.Position, teams: int, weights:
        t.Address, values: t.Float32Pointer,
    ) -> None:  # fmt: skip
        if position == 0:
            write_values(lead_view(state, lane, trick, teams), weights, values)
        else:
            hand = read_hand(state, lane, position)
            legal = find_following_cards(state, lane, hand, position)
            view = follow_view(state, lane, hand, legal, trick, position, teams)
            write_values(view, weights, values)

    return value_cards


call_value_cards = jit.make_address_caller(VALUE_SIGNATURE)
"""Call a `VALUE_SIGNATURE` function: (address, (its arguments))."""


# Loops over a block that ask policies for their calls.


def make_ask_take(asking: Asking) -> AskLoop:
    """Return the loop that asks a place in the taking."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_take(
        block_pointer: t.Int64Pointer, lanes: int, place: t.Place, lap: int, teams: int,
        all_no_trump: t.Flag, number: int, parameter_table: t.Float64Pointer, resources:
        t.Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place in a lap of the taking: CALL is a contract or PASS, where STILL_CALLING."""
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = b.pad_lanes(lanes)
        # An index into `state` would be a row at a variable offset: to compare addresses before
        # the loop takes as long as the loop itself takes for a hundred deals.
        hands = jit.mark_noalias(block_pointer, b.FIRST_FIVE + place * b.STRIDE)
        turn = rng.CALL + b.SEATS * lap + place
        for i in range(n):
            players = state[b.PLAYERS + i]
            # A sole policy answers in closed lanes, too, and nobody reads it: without the branch a
            # policy without inner loops becomes vector code.
            if sole_policy or (
                b.policy_of(players, place) == number and state[b.STILL_CALLING + i] != 0
            ):
                view = TakeView(
                    hands[i], state[b.UPCARD + i], lap, place, all_no_trump, players, teams,
                    rng.draw_32(state[b.KEY + i], turn),
                )  # fmt: skip
                is_asked = not checked or (i < lanes and state[b.STILL_CALLING + i] != 0)
                lane = state[b.ORIGINAL_LANE + i]
                call = choose(view, values, resource, lane) if is_asked else PASS
                if checked:
                    own = suit_mask_of(state[b.UPCARD + i]) == suit_mask_of(1 << 16 * (call & 3))
                    allowed = 0 <= call < NO_TRUMP and (lap == 2 or own)
                    allowed |= NO_TRUMP <= call <= ALL_TRUMPS and all_no_trump != 0
                    call = check_choice(state, i, call, allowed or call == PASS, PASS)
                state[b.CALL + i] = call

    return ask_take


@jit.scalar
def find_lowest_bid(amount: int, limits: int) -> int:
    """Return the lowest bid over an amount, 0 for none; `limits` as of `make_ask_bid`."""
    return amount + 10 if amount > 0 else limits >> 17


@jit.scalar
def find_highest_bid(limits: int) -> int:
    """Return the highest amount of a bid; `limits` as of `make_ask_bid`."""
    return (limits >> 1) & 0xFFFF


@jit.scalar
def bid_view(
    state: t.Block,
    lane: t.Lane,
    hand: t.CardSet,
    place: t.Place,
    turn: int,
    limits: int,
    teams: int,
) -> BidView:
    """Return the view of a place at its turn of an auction; `limits` as of `make_ask_bid`."""
    amount = state[b.AMOUNT + lane]
    return BidView(
        hand, place, turn, find_lowest_bid(amount, limits), find_highest_bid(limits), limits & 1,
        state[b.SENDER + lane], amount, state[b.CONTRACT + lane], state[b.LAST_BIDS + lane],
        state[b.PLAYERS + lane], teams, rng.draw_32(state[b.KEY + lane], rng.CALL + turn),
    )  # fmt: skip


def make_ask_bid(asking: Asking) -> AskLoop:
    """Return the loop that asks a place at its turn of an auction."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_bid(
        block_pointer: t.Int64Pointer, lanes: int, place: t.Place, turn: int, teams: int, limits:
        int, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place at its turn: CALL is a bid (`bid_code`) or PASS, where STILL_CALLING.

        `limits` is the least amount of a first bid, the highest amount and whether All-Trumps and
        No-Trump may be bid, packed as (least << 16 | highest) << 1 | all_no_trump.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = b.fill_vectors(lanes)
        hands = jit.mark_noalias(block_pointer, b.DEALT + place * b.STRIDE)
        for i in range(n):
            players = state[b.PLAYERS + i]
            if state[b.STILL_CALLING + i] != 0 and (
                sole_policy or b.policy_of(players, place) == number
            ):
                view = bid_view(state, i, hands[i], place, turn, limits, teams)
                is_asked = not checked or i < lanes
                lane = state[b.ORIGINAL_LANE + i]
                call = choose(view, values, resource, lane) if is_asked else PASS
                if checked:
                    bid, contract = call >> 4, (call >> 1) & 7
                    allowed = view.lowest_amount <= bid <= view.highest_amount and bid % 10 == 0
                    without_suit = contract <= ALL_TRUMPS and view.all_no_trump != 0
                    allowed &= contract < NO_TRUMP or without_suit
                    call = check_choice(state, i, call, allowed or call == PASS, PASS)
                state[b.CALL + i] = call

    return ask_bid


def make_rule_out_bid(asking: Asking) -> AskLoop:
    """Return the loop that rules out, before a place is asked, that it bids as in CALL.

    The decision is a function of (view, bid, parameters, resource), False if the policy would not
    make the bid.  It is asked where hands that agree with a bid are searched, which most do not.
    """
    may_bid, read_parameters, read_resource, sole_policy, _ = asking

    def rule_out_bid(
        block_pointer: t.Int64Pointer, lanes: int, place: t.Place, turn: int, teams: int, limits:
        int, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        """Make the bid in CALL a PASS where the place would not make it; see `make_ask_bid`.

        Only hands and keys differ between the lanes.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        hands = jit.mark_noalias(block_pointer, b.DEALT + place * b.STRIDE)
        # Read once, so that what follows from it is computed once.
        bid, public = state[b.CALL], bid_view(state, 0, 0, place, turn, limits, teams)
        if not sole_policy and b.policy_of(public.players, place) != number:
            return
        for i in range(lanes):
            view = BidView(
                hands[i], place, turn, public.lowest_amount, public.highest_amount,
                public.all_no_trump, public.bidder, public.amount, public.contract,
                public.last_bids, public.players, teams,
                rng.draw_32(state[b.KEY + i], rng.CALL + turn),
            )  # fmt: skip
            state[b.CALL + i] = bid if may_bid(view, bid, values, resource) else PASS

    return rule_out_bid


_FEW = 16
"""One in so many lanes or fewer are few (`make_ask_counter`)."""


def make_ask_counter(asking: Asking) -> AskLoop:
    """Return the loop that asks a place to counter or overcounter."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    @jit.scalar
    def is_asked(state: t.Block, lane: t.Lane, place: t.Place, number: int) -> bool:
        mine = sole_policy or b.policy_of(state[b.PLAYERS + lane], place) == number
        return (state[b.MAY_COUNTER + lane] != 0) & mine

    @jit.scalar
    def ask_lane(
        state: t.Block, lane: t.Lane, hand: t.CardSet, place: t.Place, turn: int, teams: int,
        values: t.Parameters, resource: object,
    ) -> None:  # fmt: skip
        view = CounterView(
            hand, place, state[b.SENDER + lane], state[b.AMOUNT + lane], state[b.CONTRACT + lane],
            state[b.CAPOT + lane], state[b.LAST_BIDS + lane], state[b.PLAYERS + lane], teams,
            rng.draw_32(state[b.KEY + lane], rng.COUNTER + turn),
        )  # fmt: skip
        call = choose(view, values, resource, state[b.ORIGINAL_LANE + lane])
        if checked:
            call = check_choice(state, lane, call, call == 0 or call == 1, 0)
        state[b.CALL + lane] = 1 if call else 0

    def ask_counter(
        block_pointer: t.Int64Pointer, lanes: int, place: t.Place, turn: int, teams: int, over:
        t.Flag, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place to counter (with `over`, to overcounter), where MAY_COUNTER: CALL is 0 or 1.

        `turn` counts the questions of an auction, so that each has random bits of its own.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = b.pad_lanes(lanes)
        hands = jit.mark_noalias(block_pointer, b.DEALT + place * b.STRIDE)
        count = 0
        for i in range(n):
            count += state[b.MAY_COUNTER + i]
        if _FEW * count > n:
            for i in range(n):
                if is_asked(state, i, place, number) and (not checked or i < lanes):
                    ask_lane(state, i, hands[i], place, turn, teams, values, resource)
            return
        # Few lanes are asked: they are listed, as vector code would ask all.
        asked_lanes = jit.stack_int64(STRIDE)
        count = 0
        for i in range(lanes):
            asked_lanes[count] = i
            count += 1 if is_asked(state, i, place, number) else 0
        for k in range(count):
            i = asked_lanes[k]
            ask_lane(state, i, hands[i], place, turn, teams, values, resource)

    return ask_counter
