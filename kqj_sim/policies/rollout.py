"""`rollout`: calls like `points`, unless playouts show that another call is better.

The other players' cards are dealt at random, in auctions such that they agree with the calls
(`policies.hidden_hands`).  Each call in question is made in the same deals: another policy goes on
calling, and the cards are played.  The call with the highest mean score, in points ahead of the
others, is then played against that of `calling` in new deals, and made only if it is ahead there by
`_LEAD` points and `_ERRORS` standard errors: in the deals that chose it the best of several
estimates is too high (the winner's curse).

The deals of a block are at the same turn, so the calls of all of them fill the lanes of an inner
block side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from kqj_sim.core import dispatch, rng
from kqj_sim.core.bidding import reset_calls
from kqj_sim.core.block import (
    AMOUNT,
    AWAITS_REPLY,
    CALL,
    CONTRACT,
    DEALER,
    DEALT,
    FIRST_FIVE,
    FURTHER_CARDS,
    ILLEGAL,
    KEY,
    LANES,
    LAP,
    MAY_COUNTER,
    ORIGINAL_LANE,
    PENDING,
    PLAYERS,
    ROW_COUNT,
    SEATS,
    SENDER,
    STAKE,
    STILL_CALLING,
    STRIDE,
    UPCARD,
    allocate_inner_block,
    cell_index,
    column_offset,
    policy_of,
    team_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, SUIT_MASK
from kqj_sim.core.dispatch import unpack_rules, unpack_seating
from kqj_sim.core.jit import block_loop, int64_at, scalar
from kqj_sim.core.playouts import CALL_STATE_ROWS, resume_calls_and_play
from kqj_sim.core.round import BID_PENDING, COUNTER_PENDING, NOTHING_PENDING
from kqj_sim.core.rules import MAX_POLICIES, Rules, Seating
from kqj_sim.core.types import Block, CardSet, Key, Place
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.binding import parameter_offset
from kqj_sim.policies.hidden_hands import deal_auction, deal_taking
from kqj_sim.policies.parameters import named, whole
from kqj_sim.policies.point_count import count_points
from kqj_sim.policies.points import CAPOT_TOTAL, FITTED, base_total
from kqj_sim.policies.registry import policy

rollout = policy(
    "rollout",
    "calls like points unless playouts show a better call; slow",
    worlds=whole(64, "possible deals in which each call is tried", 1, 10_000),
    contracts=whole(3, "number of contracts tried, the best by the point count", 1, 6),
    player=named(
        "standard",
        ("random", "greedy", "standard", "linear", "network"),
        "policy that plays the cards",
    ),
    calling=named(
        "points",
        ("points", "always", "never", "random"),
        "policy that makes the first choice and the later calls",
    ),
)

_JUMP_AMOUNTS = (10, 20, 40)
"""Amounts above the lowest bid that are tried too."""

_MAX_OPTIONS = 12
"""Most calls to try at once."""

_CONFIRMING = 4
"""Deals that confirm the best call, in multiples of those that chose it."""

_ERRORS, _LEAD = 3.0, 10.0
"""Standard errors, and points per round, by which it must be ahead in them."""

_SCORE = column_offset("score_0")
_parameters_at = scalar(parameter_offset)


class _RolloutBlock(NamedTuple):
    """An inner block that is being filled, and the results of its lanes.

    Attributes:
        state: the inner block.
        hands: the hands dealt: the first cards of each place, then the others.
        where: for each of its lanes the index in `values` to add its lead to.
        first: for each of its lanes the one that tries the first option in the same deal.
        scores: for each of its lanes the score, in points ahead of the others.
        values: for each lane of the outer block `_MAX_OPTIONS` sums of leads over the first option.
        squares: the sums of the squares of these leads.
        options: for each of these the call.
        counts: for each lane of the outer block its number of options; 0 where it is not asked.
    """

    state: Block
    hands: Any
    where: Any
    first: Any
    scores: Any
    values: Any
    squares: Any
    options: Any
    counts: Any


class _RolloutSetup(NamedTuple):
    """The parameters, rules and players of the playouts."""

    worlds: int
    contracts: int
    rules: Rules
    player: Seating
    calling: Seating


@scalar
def _allocate_rollouts() -> _RolloutBlock:
    """Allocate a block without options."""
    block = allocate_inner_block()
    reset_calls(block, LANES)
    return _RolloutBlock(
        block, np.zeros(2 * SEATS, np.int64), np.zeros(LANES, np.int64), np.zeros(LANES, np.int64),
        np.zeros(LANES), np.zeros(LANES * _MAX_OPTIONS), np.zeros(LANES * _MAX_OPTIONS),
        np.zeros(LANES * _MAX_OPTIONS, np.int64), np.zeros(LANES, np.int64),
    )  # fmt: skip


@scalar
def _read_setup(loop: int, number: int, parameter_table: Any, resources: Any) -> _RolloutSetup:
    """Return the parameters and players of a policy, by its number at the table."""
    at = _parameters_at(loop, number)
    resource = int64_at(resources[loop * MAX_POLICIES + number])
    return _RolloutSetup(
        int(parameter_table[at]), int(parameter_table[at + 1]), unpack_rules(resource),
        unpack_seating(resource, 0), unpack_seating(resource, 1),
    )  # fmt: skip


@scalar
def _copy_lane(state: Block, i: int, rollouts: _RolloutBlock, lane: int, key: Key) -> None:
    """Copy the auction of a lane of the outer block, with the cards of `hands`."""
    block = rollouts.state
    for each in range(SEATS):
        block[cell_index(FIRST_FIVE + each * STRIDE, lane)] = rollouts.hands[each]
        block[cell_index(FURTHER_CARDS + each * STRIDE, lane)] = rollouts.hands[SEATS + each]
    block[DEALER + lane] = state[DEALER + i]
    block[PENDING + lane] = 0
    block[PLAYERS + lane] = state[PLAYERS + i]
    block[KEY + lane] = key
    block[ILLEGAL + lane] = 0
    for row in CALL_STATE_ROWS:
        block[cell_index(row, lane)] = state[cell_index(row, i)]
    block[AWAITS_REPLY + lane] = 0
    block[CALL + lane] = PASS


@block_loop
def _play_out_waiting(
    rollouts: _RolloutBlock,
    waiting: int,
    place: Place,
    turn: int,
    pending: int,
    setup: _RolloutSetup,
) -> None:
    """Go on calling, play the waiting lanes, and add up their leads over the first option."""
    block, rules = rollouts.state, setup.rules
    played = resume_calls_and_play(
        block, waiting, rules, setup.calling, setup.player, turn, pending
    )
    for lane in range(waiting):
        rollouts.scores[lane] = 0.0
    for lane in range(played):
        team = team_of(block[PLAYERS + lane], place)
        own = others = 0
        for each in range(rules.teams):
            score = block[cell_index(_SCORE + each * STRIDE, lane)]
            own += score if each == team else 0
            others += score if each != team else 0
        rollouts.scores[block[ORIGINAL_LANE + lane]] = own - others / (rules.teams - 1)
    for lane in range(waiting):
        ahead = rollouts.scores[lane] - rollouts.scores[rollouts.first[lane]]
        rollouts.values[rollouts.where[lane]] += ahead
        rollouts.squares[rollouts.where[lane]] += ahead * ahead


@scalar
def _enter_option(
    state: Block, i: int, rollouts: _RolloutBlock, lane: int, place: Place, turn: int, loop: int,
    option: int,
) -> None:  # fmt: skip
    """Make the call of an option in a lane."""
    block = rollouts.state
    if loop == dispatch.BID:
        block[CALL + lane] = option
    elif loop == dispatch.TAKE:
        if option != PASS:
            block[SENDER + lane] = place
            block[CONTRACT + lane] = option
            block[LAP + lane] = turn // SEATS + 1
            block[STILL_CALLING + lane] = 0
    elif option != 0:
        block[STAKE + lane] = 2 if loop == dispatch.COUNTER else 4
        block[AWAITS_REPLY + lane] = 1 if loop == dispatch.COUNTER else 0
        block[STILL_CALLING + lane] = 0


@block_loop
def _roll_out_options(
    state: Block, lanes: int, rollouts: _RolloutBlock, place: Place, turn: int, draw_number: int,
    loop: int, start: int, end: int, setup: _RolloutSetup,
) -> None:  # fmt: skip
    """Try the options of all lanes in the worlds from `start` to `end` - 1."""
    taking = loop == dispatch.TAKE
    pending = NOTHING_PENDING
    if loop == dispatch.BID:
        pending = BID_PENDING
    elif loop == dispatch.COUNTER:
        pending = COUNTER_PENDING
    next_turn = turn + 1 if taking else turn
    waiting = 0
    for i in range(lanes):
        if rollouts.counts[i] <= 1:
            continue
        own = state[cell_index((FIRST_FIVE if taking else DEALT) + place * STRIDE, i)]
        upcard = state[UPCARD + i] if taking else 0
        draw = rng.draw(state[KEY + i], draw_number)
        for world in range(start, end):
            key = rng.derive_deal_key(draw, world)
            if taking:
                deal_taking(rollouts.hands, place, own, upcard, key)
            else:
                deal_auction(state, i, rollouts.hands, place, own, key, turn, setup.rules)
            if waiting + rollouts.counts[i] > LANES:
                _play_out_waiting(rollouts, waiting, place, next_turn, pending, setup)
                waiting = 0
            base = waiting
            for which in range(rollouts.counts[i]):
                _copy_lane(state, i, rollouts, waiting, key)
                rollouts.state[UPCARD + waiting] = upcard
                option = rollouts.options[i * _MAX_OPTIONS + which]
                _enter_option(state, i, rollouts, waiting, place, turn, loop, option)
                rollouts.where[waiting] = i * _MAX_OPTIONS + which
                rollouts.first[waiting] = base
                waiting += 1
    if waiting > 0:
        _play_out_waiting(rollouts, waiting, place, next_turn, pending, setup)


@scalar
def _find_best_option(rollouts: _RolloutBlock, i: int) -> int:
    """Return the number of a lane's option of the highest score, of equal ones the first."""
    best = 0
    for which in range(1, rollouts.counts[i]):
        better = (
            rollouts.values[i * _MAX_OPTIONS + which] > rollouts.values[i * _MAX_OPTIONS + best]
        )
        best = which if better else best
    return best


@scalar
def _add_option(rollouts: _RolloutBlock, i: int, option: int) -> None:
    """Add a call to the options of a lane, unless it is there already."""
    for which in range(rollouts.counts[i]):
        if rollouts.options[i * _MAX_OPTIONS + which] == option:
            return
    at = i * _MAX_OPTIONS + rollouts.counts[i]
    rollouts.options[at] = option
    rollouts.values[at] = 0.0
    rollouts.squares[at] = 0.0
    rollouts.counts[i] += 1


@block_loop
def _add_contracts(
    rollouts: _RolloutBlock, i: int, hand: CardSet, allowed: int, amount: int, setup: _RolloutSetup
) -> None:
    """Add the best of the allowed contracts (one bit each) as options; as bids, with an amount."""
    two = setup.rules.teams == 2
    for _ in range(setup.contracts):
        best, choice = -1e9, -1
        for contract in range(ALL_TRUMPS + 1):
            if allowed >> contract & 1 != 0:
                total = count_points(hand, contract, FITTED)
                if amount > 0:
                    total *= FITTED.per_count if two else FITTED.three_per_count
                    total += base_total(contract, setup.rules.teams, FITTED)
                elif contract >= NO_TRUMP:
                    no_trump = FITTED.no_trump if two else FITTED.three_no_trump
                    all_trumps = FITTED.all_trumps if two else FITTED.three_all_trumps
                    total += no_trump if contract == NO_TRUMP else all_trumps
                if total > best:
                    best, choice = total, contract
        if choice < 0:
            return
        allowed ^= 1 << choice
        _add_option(rollouts, i, choice if amount == 0 else bid_code(amount, choice, 0))


@block_loop
def _add_starting_calls(
    state: Block, lanes: int, rollouts: _RolloutBlock, place: Place, number: int, asked_row: int,
    member: int, second: int, rule: int, setup: _RolloutSetup,
) -> None:  # fmt: skip
    """Make the call of `calling` the first option of each lane that is asked."""
    calls_before = np.empty(LANES, np.int64)
    for i in range(lanes):
        calls_before[i] = state[CALL + i]
    dispatch.ask(setup.calling, member, state, lanes, place, second, setup.rules.teams, rule)
    for i in range(lanes):
        if state[cell_index(asked_row, i)] != 0 and policy_of(state[PLAYERS + i], place) == number:
            _add_option(rollouts, i, state[CALL + i])
        else:
            state[CALL + i] = calls_before[i]


@block_loop
def _enter_best_calls(
    state: Block, lanes: int, rollouts: _RolloutBlock, place: Place, turn: int, draw_number: int,
    loop: int, setup: _RolloutSetup,
) -> None:  # fmt: skip
    """Find the best option of each lane, and make it if new deals confirm that it is better."""
    _roll_out_options(
        state, lanes, rollouts, place, turn, draw_number, loop, 0, setup.worlds, setup
    )
    for i in range(lanes):
        if rollouts.counts[i] > 0:
            best = rollouts.options[i * _MAX_OPTIONS + _find_best_option(rollouts, i)]
            rollouts.counts[i] = 1
            _add_option(rollouts, i, best)
    end = setup.worlds * (1 + _CONFIRMING)
    _roll_out_options(
        state, lanes, rollouts, place, turn, draw_number, loop, setup.worlds, end, setup
    )
    confirming = setup.worlds * _CONFIRMING
    for i in range(lanes):
        if rollouts.counts[i] > 1:
            at = i * _MAX_OPTIONS + 1
            lead = rollouts.values[at] / confirming
            variance = max(0.0, rollouts.squares[at] / confirming - lead * lead)
            if lead > _LEAD + _ERRORS * np.sqrt(variance / (confirming - 1)):
                state[CALL + i] = rollouts.options[at]


@rollout.block("take")
def choose_take(
    block_pointer: Any, lanes: int, place: Place, lap: int, teams: int, all_no_trump: int,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Take, or pass (`core.dispatch.ASK_SIGNATURE`)."""
    state = carray(block_pointer, ROW_COUNT * STRIDE)
    setup = _read_setup(dispatch.TAKE, number, parameter_table, resources)
    rollouts = _allocate_rollouts()
    _add_starting_calls(
        state,
        lanes,
        rollouts,
        place,
        number,
        STILL_CALLING,
        dispatch.TAKE,
        lap,
        all_no_trump,
        setup,
    )
    for i in range(lanes):
        if rollouts.counts[i] > 0:
            upcard = state[UPCARD + i]
            allowed = 0b110000 if all_no_trump else 0
            for suit in range(NO_TRUMP):
                if lap == 2 or upcard & (SUIT_MASK << 16 * suit) != 0:
                    allowed |= 1 << suit
            hand = state[cell_index(FIRST_FIVE + place * STRIDE, i)] | upcard
            _add_option(rollouts, i, PASS)
            _add_contracts(rollouts, i, hand, allowed, 0, setup)
    turn = SEATS * (lap - 1) + place
    _enter_best_calls(
        state, lanes, rollouts, place, turn, rng.CALL + SEATS * lap + place, dispatch.TAKE, setup
    )


@rollout.block("bid")
def choose_bid(
    block_pointer: Any, lanes: int, place: Place, turn: int, teams: int, limits: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Pass, or bid."""
    state = carray(block_pointer, ROW_COUNT * STRIDE)
    setup = _read_setup(dispatch.BID, number, parameter_table, resources)
    rollouts = _allocate_rollouts()
    highest, least = (limits >> 1) & 0xFFFF, limits >> 17
    allowed = 0b111111 if limits & 1 else 0b001111
    _add_starting_calls(
        state, lanes, rollouts, place, number, STILL_CALLING, dispatch.BID, turn, limits, setup
    )
    for i in range(lanes):
        if rollouts.counts[i] > 0:
            _add_option(rollouts, i, PASS)
            amount = state[AMOUNT + i] + 10 if state[AMOUNT + i] > 0 else least
            if amount <= highest:
                hand = state[cell_index(DEALT + place * STRIDE, i)]
                _add_contracts(rollouts, i, hand, allowed, amount, setup)
                start = rollouts.options[i * _MAX_OPTIONS]
                contract = (
                    (start if start != PASS else rollouts.options[i * _MAX_OPTIONS + 1]) >> 1
                ) & 7
                for more in _JUMP_AMOUNTS:
                    if amount + more <= highest:
                        _add_option(rollouts, i, bid_code(amount + more, contract, 0))
                amount = max(amount, min(highest, CAPOT_TOTAL))
                _add_option(rollouts, i, bid_code(amount, contract, 1))
    _enter_best_calls(state, lanes, rollouts, place, turn, rng.CALL + turn, dispatch.BID, setup)


@scalar
def _choose_stake(
    block_pointer: Any, lanes: int, place: Place, draw_number: int, number: int,
    parameter_table: Any, resources: Any, loop: int,
) -> None:  # fmt: skip
    """Counter or overcounter, or decline."""
    state = carray(block_pointer, ROW_COUNT * STRIDE)
    setup = _read_setup(loop, number, parameter_table, resources)
    rollouts = _allocate_rollouts()
    over = 1 if loop == dispatch.OVERCOUNTER else 0
    _add_starting_calls(
        state, lanes, rollouts, place, number, MAY_COUNTER, loop, draw_number, over, setup
    )
    for i in range(lanes):
        if rollouts.counts[i] > 0:
            _add_option(rollouts, i, 0)
            _add_option(rollouts, i, 1)
    turn = draw_number >> 4
    _enter_best_calls(state, lanes, rollouts, place, turn, rng.COUNTER + draw_number, loop, setup)


@rollout.block("counter")
def choose_counter(
    block_pointer: Any, lanes: int, place: Place, draw_number: int, teams: int, over: int,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Counter, or decline."""
    _choose_stake(
        block_pointer, lanes, place, draw_number, number, parameter_table, resources,
        dispatch.COUNTER,
    )  # fmt: skip


@rollout.block("overcounter")
def choose_overcounter(
    block_pointer: Any, lanes: int, place: Place, draw_number: int, teams: int, over: int,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Overcounter, or decline."""
    _choose_stake(
        block_pointer, lanes, place, draw_number, number, parameter_table, resources,
        dispatch.OVERCOUNTER,
    )  # fmt: skip
