"""The calls: taking in two laps, and auctions with counters (RULES.md sections 3 and 4)."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.block import (
    AMOUNT,
    AUCTION_ROWS,
    AWAITS_REPLY,
    BID_COUNT,
    CALL,
    CALL_COUNT,
    CAPOT,
    CONTRACT,
    DEALT,
    LANE_MULTIPLE,
    LAP,
    LAST_BIDS,
    MAY_COUNTER,
    OPENING_AMOUNT,
    ORIGINAL_LANE,
    PASS_COUNT,
    PLAYERS,
    SEATS,
    SENDER,
    STAKE,
    STILL_CALLING,
    STRIDE,
    cell_index,
    pad_lanes,
    pair_selected_lanes,
    swap_lanes,
    team_of,
)
from kqj_sim.core.cards import select
from kqj_sim.core.dispatch import BID, COUNTER, OVERCOUNTER, TAKE, ask
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.rules import Rules
from kqj_sim.core.scoring import whole_tens
from kqj_sim.core.views import PASS

MAX_CALLS = 512
"""No auction is longer: at most 100 bids (1000 / 10), five passes between two, and a counter and an
overcounter at the end."""

LOG_PASS, LOG_TAKE, LOG_BID, LOG_COUNTER, LOG_OVERCOUNTER = range(5)
"""Kinds of logged calls: a call is (bid or contract) << 8 | place << 4 | kind."""

LOG_SIZE = MAX_CALLS * STRIDE


@scalar
def bid_code(amount: int, contract: int, capot: int) -> int:
    """A bid as the number that `choose_bid` answers."""
    return (amount << 4) | (contract << 1) | capot


@block_loop
def reset_calls(state: Any, lanes: int) -> None:
    """Nobody has said anything."""
    for i in range(pad_lanes(lanes)):
        state[STILL_CALLING + i] = 1 if i < lanes else 0
        state[SENDER + i] = -1
        state[CONTRACT + i] = -1
        state[LAP + i] = 0
        state[AMOUNT + i] = 0
        state[CAPOT + i] = 0
        state[STAKE + i] = 1
        state[OPENING_AMOUNT + i] = 0
        state[BID_COUNT + i] = 0
        state[PASS_COUNT + i] = 0
        state[LAST_BIDS + i] = 0
        state[CALL_COUNT + i] = 0
        state[ORIGINAL_LANE + i] = i
        state[CALL + i] = PASS


@scalar
def log_call(state: Any, log: Any, lane: int, place: int, kind: int, call: int) -> None:
    """Note a call of a lane, by ORIGINAL_LANE."""
    count = state[CALL_COUNT + lane]
    log[count * STRIDE + state[ORIGINAL_LANE + lane]] = (call << 8) | (place << 4) | kind
    state[CALL_COUNT + lane] = count + 1


@block_loop
def run_taking(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, first_turn: int
) -> None:
    """Two laps of passing and taking, from a turn (0 to 11) on."""
    n = pad_lanes(lanes)
    for turn in range(first_turn, 2 * SEATS):
        lap, place = turn // SEATS + 1, turn % SEATS
        may_name = 1 if rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2) else 0
        ask(seating, TAKE, state, lanes, place, lap, rules.teams, may_name)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[STILL_CALLING + i] != 0:
                    call = state[CALL + i]
                    log_call(state, log, i, place, LOG_PASS if call == PASS else LOG_TAKE, call)
        for i in range(n):
            call = state[CALL + i]
            takes = state[STILL_CALLING + i] != 0 and call != PASS
            state[SENDER + i] = select(takes, place, state[SENDER + i])
            state[CONTRACT + i] = select(takes, call, state[CONTRACT + i])
            state[LAP + i] = select(takes, lap, state[LAP + i])
            state[STILL_CALLING + i] = select(takes, 0, state[STILL_CALLING + i])


@block_loop
def run_auction(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, first_turn: int
) -> None:
    """Bids, counters and overcounters until the bidding closes, from a turn on.

    Lanes are exchanged, as it goes on in ever fewer of them.
    """
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    limits |= 0 if rules.all_no_trump == 2 else 1
    turn = first_turn
    while True:
        lanes = _compact_lanes(state, lanes)
        if lanes == 0:
            break
        n = pad_lanes(lanes)
        place = turn % SEATS
        question = 16 * turn
        if not rules.counter_any_time:
            _ask_counter_at_turn(state, lanes, rules, seating, log, place, question)
        for i in range(n):
            state[CALL + i] = PASS
        ask(seating, BID, state, lanes, place, turn, rules.teams, limits)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[STILL_CALLING + i] != 0:
                    call = state[CALL + i]
                    log_call(state, log, i, place, LOG_PASS if call == PASS else LOG_BID, call)
        enter_bids(state, lanes, rules, seating, log, turn)
        turn += 1


@block_loop
def _compact_lanes(state: Any, lanes: int) -> int:
    """Over how many lanes to go on: STILL_CALLING ones come first when half of them are closed;
    0 if all."""
    going = 0
    for i in range(lanes):
        going += state[STILL_CALLING + i]
    if going > 0 and (2 * going > lanes or lanes <= LANE_MULTIPLE):
        return lanes
    going, pairs = pair_selected_lanes(state, lanes, STILL_CALLING)
    swap_lanes(state, pairs, 0, AUCTION_ROWS)
    swap_lanes(state, pairs, PASS_COUNT, 1)
    swap_lanes(state, pairs, STILL_CALLING, 1)
    swap_lanes(state, pairs, DEALT, SEATS)
    return going


@block_loop
def enter_bids(state: Any, lanes: int, rules: Rules, seating: Any, log: Any, turn: int) -> None:
    """Enter what CALL says at a turn, where STILL_CALLING, and ask at once who may counter it."""
    place = turn % SEATS
    _enter_bid_or_pass(state, pad_lanes(lanes), place, turn, rules.counter_any_time)
    if _any_flagged(state, AWAITS_REPLY, pad_lanes(lanes)):
        _ask_all_counters(state, lanes, rules, seating, log, place, 16 * turn)


@scalar
def _any_flagged(state: Any, flags: int, n: int) -> bool:
    total = 0
    for i in range(n):
        total += state[cell_index(flags, i)]
    return total != 0


@scalar
def _enter_bid_or_pass(state: Any, n: int, place: int, turn: int, counter_any_time: int) -> None:
    """Enter what CALL says; AWAITS_REPLY where the opponents are asked at once to counter."""
    for i in range(n):
        is_open = state[STILL_CALLING + i] != 0
        call = state[CALL + i]
        bids = is_open and call != PASS
        capot = call & 1
        amount = call >> 4
        contract = (call >> 1) & 7
        sender = state[SENDER + i]
        passes = 0 if bids else state[PASS_COUNT + i] + 1
        state[PASS_COUNT + i] = passes
        state[OPENING_AMOUNT + i] = amount if bids and sender < 0 else state[OPENING_AMOUNT + i]
        state[BID_COUNT + i] += 1 if bids else 0
        state[SENDER + i] = place if bids else sender
        state[CONTRACT + i] = contract if bids else state[CONTRACT + i]
        state[AMOUNT + i] = amount if bids else state[AMOUNT + i]
        state[CAPOT + i] = capot if bids else state[CAPOT + i]
        state[LAP + i] = turn // SEATS + 1 if bids else state[LAP + i]
        entry = whole_tens(amount) << 3 | (contract + 1)
        kept = state[LAST_BIDS + i] & ~(1023 << 10 * place)
        state[LAST_BIDS + i] = kept | (entry << 10 * place) if bids else state[LAST_BIDS + i]
        state[AWAITS_REPLY + i] = 1 if bids and (counter_any_time or capot) else 0
        closed = (bids and capot) or (not bids and passes == (SEATS if sender < 0 else SEATS - 1))
        state[STILL_CALLING + i] = 1 if is_open and not closed else 0


@block_loop
def _ask_to_counter(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, place: int, draw_number: int,
    is_overcounter: int,
) -> None:  # fmt: skip
    """Ask a place to counter (or overcounter) where MAY_COUNTER; who does sets the stake and
    closes."""
    n = pad_lanes(lanes)
    if not _any_flagged(state, MAY_COUNTER, n):
        return
    for i in range(n):
        state[CALL + i] = 0
    member = OVERCOUNTER if is_overcounter else COUNTER
    ask(seating, member, state, lanes, place, draw_number, rules.teams, is_overcounter)
    if log.shape[0] > 0:
        for i in range(lanes):
            if state[MAY_COUNTER + i] != 0 and state[CALL + i] == 1:
                log_call(
                    state, log, i, place, LOG_OVERCOUNTER if is_overcounter else LOG_COUNTER, 0
                )
    stake = 4 if is_overcounter else 2
    for i in range(n):
        counters = state[MAY_COUNTER + i] != 0 and state[CALL + i] == 1
        state[STAKE + i] = stake if counters else state[STAKE + i]
        state[STILL_CALLING + i] = 0 if counters else state[STILL_CALLING + i]


@block_loop
def _ask_overcounters(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, bidder: int, draw_number: int
) -> None:
    """Where place `bidder` was just countered (AWAITS_REPLY), his team is asked, himself first."""
    n = pad_lanes(lanes)
    for i in range(n):
        countered = state[AWAITS_REPLY + i] != 0 and state[STAKE + i] == 2
        state[MAY_COUNTER + i] = 1 if countered and state[SENDER + i] == bidder else 0
    if not _any_flagged(state, MAY_COUNTER, n):
        return
    for step in range(SEATS):
        place = (bidder + step) % SEATS
        for i in range(n):
            players = state[PLAYERS + i]
            partner = team_of(players, bidder) == team_of(players, place)
            asked = (
                state[AWAITS_REPLY + i] != 0
                and state[STAKE + i] == 2
                and state[SENDER + i] == bidder
            )
            state[MAY_COUNTER + i] = 1 if asked and partner else 0
        _ask_to_counter(state, lanes, rules, seating, log, place, draw_number + 8 + step, 1)


@block_loop
def _ask_all_counters(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, bidder: int, draw_number: int
) -> None:
    """After a bid (AWAITS_REPLY) every opponent is asked, then, if one countered, the bidder's
    team."""
    for step in range(1, SEATS):
        place = (bidder + step) % SEATS
        for i in range(pad_lanes(lanes)):
            players = state[PLAYERS + i]
            opponent = team_of(players, bidder) != team_of(players, place)
            asked = state[AWAITS_REPLY + i] != 0 and state[STAKE + i] == 1 and opponent
            state[MAY_COUNTER + i] = 1 if asked else 0
        _ask_to_counter(state, lanes, rules, seating, log, place, draw_number + step, 0)
    _ask_overcounters(state, lanes, rules, seating, log, bidder, draw_number)


@block_loop
def _ask_counter_at_turn(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, place: int, draw_number: int
) -> None:
    """Ask the place whose turn it is whether it counters the last bid in place of bidding."""
    n = pad_lanes(lanes)
    for i in range(n):
        players = state[PLAYERS + i]
        sender = state[SENDER + i]
        opponent = sender >= 0 and team_of(players, max(sender, 0)) != team_of(players, place)
        asked = 1 if state[STILL_CALLING + i] != 0 and opponent else 0
        state[MAY_COUNTER + i] = asked
        state[AWAITS_REPLY + i] = asked
    _ask_to_counter(state, lanes, rules, seating, log, place, draw_number, 0)
    ask_overcounters(state, lanes, rules, seating, log, draw_number)


@block_loop
def ask_overcounters(
    state: Any, lanes: int, rules: Rules, seating: Any, log: Any, draw_number: int
) -> None:
    """Where anybody was just countered (AWAITS_REPLY), his team is asked; `draw_number` is 16 x
    the turn."""
    for bidder in range(SEATS):
        _ask_overcounters(state, lanes, rules, seating, log, bidder, draw_number)
