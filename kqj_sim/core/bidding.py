"""Calls: taking in two laps, and auctions with counters (docs/rules.md, sections 3 and 4)."""

from __future__ import annotations

from kqj_sim.core import block as b
from kqj_sim.core.cards import select, whole_tens
from kqj_sim.core.dispatch import BID, COUNTER, OVERCOUNTER, TAKE, ask
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.types import Block, Flag, Int64Array, Lane, Place, RowOffset, Rules, Seating
from kqj_sim.core.views import PASS, replace_last_bid

MAX_CALLS = 512
"""No auction is longer: at most 60 bids (600 / 10), four passes between two, and a counter and an
overcounter at the end."""

LOG_PASS, LOG_TAKE, LOG_BID, LOG_COUNTER, LOG_OVERCOUNTER = range(5)
"""Kinds of logged calls; a logged call is (bid or contract) << 8 | place << 4 | kind."""

LOG_SIZE = MAX_CALLS * b.STRIDE
"""Numbers in a log: call c of the deal that began in lane i is at c * STRIDE + i."""


@block_loop
def reset_calls(state: Block, lanes: int) -> None:
    """Reset the rows of the calls to those before the first call."""
    for i in range(b.pad_lanes(lanes)):
        state[b.STILL_CALLING + i] = 1 if i < lanes else 0
        state[b.SENDER + i] = -1
        state[b.CONTRACT + i] = -1
        state[b.LAP + i] = 0
        state[b.AMOUNT + i] = 0
        state[b.CAPOT + i] = 0
        state[b.STAKE + i] = 1
        state[b.OPENING_AMOUNT + i] = 0
        state[b.BID_COUNT + i] = 0
        state[b.PASS_COUNT + i] = 0
        state[b.LAST_BIDS + i] = 0
        state[b.CALL_COUNT + i] = 0
        state[b.ORIGINAL_LANE + i] = i
        state[b.CALL + i] = PASS


@scalar
def log_call(state: Block, log: Int64Array, lane: Lane, place: Place, kind: int, call: int) -> None:
    """Append a call of a lane to the log."""
    count = state[b.CALL_COUNT + lane]
    log[count * b.STRIDE + state[b.ORIGINAL_LANE + lane]] = (call << 8) | (place << 4) | kind
    state[b.CALL_COUNT + lane] = count + 1


@scalar
def _log_turn(state: Block, lanes: int, log: Int64Array, place: Place, kind: int) -> None:
    """Log CALL of a place as a pass or a call of a kind, where STILL_CALLING."""
    if log.shape[0] > 0:
        for i in range(lanes):
            if state[b.STILL_CALLING + i] != 0:
                call = state[b.CALL + i]
                log_call(state, log, i, place, LOG_PASS if call == PASS else kind, call)


@block_loop
def run_taking(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, first_turn: int
) -> None:
    """Run the two laps of passing and taking, from a turn, 0 to 11, on.

    `log` is int64 (LOG_SIZE,), or empty if calls are not logged; so throughout this module.
    """
    n = b.pad_lanes(lanes)
    for turn in range(first_turn, 2 * b.SEATS):
        lap, place = turn // b.SEATS + 1, turn % b.SEATS
        may_name = 1 if rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2) else 0
        ask(seating, TAKE, state, lanes, place, lap, rules.teams, may_name)
        _log_turn(state, lanes, log, place, LOG_TAKE)
        for i in range(n):
            call = state[b.CALL + i]
            takes = state[b.STILL_CALLING + i] != 0 and call != PASS
            state[b.SENDER + i] = select(takes, place, state[b.SENDER + i])
            state[b.CONTRACT + i] = select(takes, call, state[b.CONTRACT + i])
            state[b.STILL_CALLING + i] = select(takes, 0, state[b.STILL_CALLING + i])
        if place == b.SEATS - 1:
            for i in range(n):
                taken_now = state[b.SENDER + i] >= 0 and state[b.LAP + i] == 0
                state[b.LAP + i] = select(taken_now, lap, state[b.LAP + i])


@block_loop
def run_auction(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, first_turn: int
) -> None:
    """Run bids, counters and overcounters from a turn on until every auction is closed.

    Lanes are exchanged, as auctions go on in ever fewer of them.
    """
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    limits |= 0 if rules.all_no_trump == 2 else 1
    turn = first_turn
    while True:
        lanes = _compact_lanes(state, lanes)
        if lanes == 0:
            break
        n = b.pad_lanes(lanes)
        place = turn % b.SEATS
        question = 16 * turn
        if not rules.counter_any_time:
            _ask_counter_at_turn(state, lanes, rules, seating, log, place, question)
        for i in range(n):
            state[b.CALL + i] = PASS
        ask(seating, BID, state, lanes, place, turn, rules.teams, limits)
        _log_turn(state, lanes, log, place, LOG_BID)
        enter_bids(state, lanes, rules, seating, log, turn)
        turn += 1


@block_loop
def _compact_lanes(state: Block, lanes: int) -> int:
    """Move the STILL_CALLING lanes to the front once half are closed; return how many go on."""
    going = 0
    for i in range(lanes):
        going += state[b.STILL_CALLING + i]
    if going > 0 and (2 * going > lanes or lanes <= b.LANE_MULTIPLE):
        return lanes
    going, pairs = b.pair_selected_lanes(state, lanes, b.STILL_CALLING)
    b.swap_lanes(state, pairs, 0, b.AUCTION_ROWS)
    b.swap_lanes(state, pairs, b.PASS_COUNT, 1)
    b.swap_lanes(state, pairs, b.STILL_CALLING, 1)
    b.swap_lanes(state, pairs, b.DEALT, b.SEATS)
    return going


@block_loop
def enter_bids(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, turn: int
) -> None:
    """Enter CALL of a turn where STILL_CALLING, and ask for immediate counters."""
    place = turn % b.SEATS
    _enter_bid_or_pass(state, b.pad_lanes(lanes), place, turn, rules.counter_any_time)
    if _any_flagged(state, b.AWAITS_REPLY, b.pad_lanes(lanes)):
        _ask_all_counters(state, lanes, rules, seating, log, place, 16 * turn)


@scalar
def _any_flagged(state: Block, flags: RowOffset, n: int) -> bool:
    total = 0
    for i in range(n):
        total += state[b.cell_index(flags, i)]
    return total != 0


@scalar
def _enter_bid_or_pass(
    state: Block, n: int, place: Place, turn: int, counter_any_time: Flag
) -> None:
    """Enter CALL; set AWAITS_REPLY where opponents are asked at once to counter."""
    for i in range(n):
        is_open = state[b.STILL_CALLING + i] != 0
        call = state[b.CALL + i]
        bids = is_open and call != PASS
        capot = call & 1
        amount = call >> 4
        contract = (call >> 1) & 7
        sender = state[b.SENDER + i]
        passes = 0 if bids else state[b.PASS_COUNT + i] + 1
        state[b.PASS_COUNT + i] = passes
        state[b.OPENING_AMOUNT + i] = amount if bids and sender < 0 else state[b.OPENING_AMOUNT + i]
        state[b.BID_COUNT + i] += 1 if bids else 0
        state[b.SENDER + i] = place if bids else sender
        state[b.CONTRACT + i] = contract if bids else state[b.CONTRACT + i]
        state[b.AMOUNT + i] = amount if bids else state[b.AMOUNT + i]
        state[b.CAPOT + i] = capot if bids else state[b.CAPOT + i]
        state[b.LAP + i] = turn // b.SEATS + 1 if bids else state[b.LAP + i]
        last_bids = state[b.LAST_BIDS + i]
        replaced = replace_last_bid(last_bids, place, whole_tens(amount), contract)
        state[b.LAST_BIDS + i] = replaced if bids else last_bids
        state[b.AWAITS_REPLY + i] = 1 if bids and (counter_any_time or capot) else 0
        closed = (bids and capot) or (
            not bids and passes == (b.SEATS if sender < 0 else b.SEATS - 1)
        )
        state[b.STILL_CALLING + i] = 1 if is_open and not closed else 0


@block_loop
def _ask_to_counter(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, place: Place,
    draw_number: int, is_overcounter: Flag,
) -> None:  # fmt: skip
    """Ask a place to counter or overcounter where MAY_COUNTER; doing so closes the auction."""
    n = b.pad_lanes(lanes)
    if not _any_flagged(state, b.MAY_COUNTER, n):
        return
    for i in range(n):
        state[b.CALL + i] = 0
    member = OVERCOUNTER if is_overcounter else COUNTER
    ask(seating, member, state, lanes, place, draw_number, rules.teams, is_overcounter)
    if log.shape[0] > 0:
        for i in range(lanes):
            if state[b.MAY_COUNTER + i] != 0 and state[b.CALL + i] == 1:
                log_call(
                    state, log, i, place, LOG_OVERCOUNTER if is_overcounter else LOG_COUNTER, 0
                )
    stake = 4 if is_overcounter else 2
    for i in range(n):
        counters = state[b.MAY_COUNTER + i] != 0 and state[b.CALL + i] == 1
        state[b.STAKE + i] = stake if counters else state[b.STAKE + i]
        state[b.STILL_CALLING + i] = 0 if counters else state[b.STILL_CALLING + i]


@block_loop
def _ask_bidders_team(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, bidder: Place,
    draw_number: int,
) -> None:  # fmt: skip
    """Ask the team of a bidder who was just countered (AWAITS_REPLY), bidder first."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        countered = state[b.AWAITS_REPLY + i] != 0 and state[b.STAKE + i] == 2
        state[b.MAY_COUNTER + i] = 1 if countered and state[b.SENDER + i] == bidder else 0
    if not _any_flagged(state, b.MAY_COUNTER, n):
        return
    for step in range(b.SEATS):
        place = (bidder + step) % b.SEATS
        for i in range(n):
            players = state[b.PLAYERS + i]
            partner = b.team_of(players, bidder) == b.team_of(players, place)
            is_asked = (
                state[b.AWAITS_REPLY + i] != 0
                and state[b.STAKE + i] == 2
                and state[b.SENDER + i] == bidder
            )
            state[b.MAY_COUNTER + i] = 1 if is_asked and partner else 0
        _ask_to_counter(state, lanes, rules, seating, log, place, draw_number + 8 + step, 1)


@block_loop
def _ask_all_counters(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, bidder: Place,
    draw_number: int,
) -> None:  # fmt: skip
    """Ask every opponent of a bid (AWAITS_REPLY) to counter, then its team to overcounter."""
    for step in range(1, b.SEATS):
        place = (bidder + step) % b.SEATS
        for i in range(b.pad_lanes(lanes)):
            players = state[b.PLAYERS + i]
            opponent = b.team_of(players, bidder) != b.team_of(players, place)
            is_asked = state[b.AWAITS_REPLY + i] != 0 and state[b.STAKE + i] == 1 and opponent
            state[b.MAY_COUNTER + i] = 1 if is_asked else 0
        _ask_to_counter(state, lanes, rules, seating, log, place, draw_number + step, 0)
    _ask_bidders_team(state, lanes, rules, seating, log, bidder, draw_number)


@block_loop
def _ask_counter_at_turn(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, place: Place,
    draw_number: int,
) -> None:  # fmt: skip
    """Ask the place whose turn it is to counter the last bid instead of bidding."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        players = state[b.PLAYERS + i]
        sender = state[b.SENDER + i]
        opponent = sender >= 0 and b.team_of(players, max(sender, 0)) != b.team_of(players, place)
        is_asked = 1 if state[b.STILL_CALLING + i] != 0 and opponent else 0
        state[b.MAY_COUNTER + i] = is_asked
        state[b.AWAITS_REPLY + i] = is_asked
    _ask_to_counter(state, lanes, rules, seating, log, place, draw_number, 0)
    ask_overcounters(state, lanes, rules, seating, log, draw_number)


@block_loop
def ask_overcounters(
    state: Block, lanes: int, rules: Rules, seating: Seating, log: Int64Array, draw_number: int
) -> None:
    """Ask the teams of all who were just countered (AWAITS_REPLY) to overcounter.

    `draw_number` is 16 times the turn.
    """
    for bidder in range(b.SEATS):
        _ask_bidders_team(state, lanes, rules, seating, log, bidder, draw_number)
