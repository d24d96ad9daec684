"""The calls: taking in two laps, and auctions with counters (RULES.md sections 3 and 4)."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.asking import BID, COUNTER, OVERCOUNTER, TAKE, ask
from kqj_sim.core.bits import chosen
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.lanes import exchange, pair_lanes
from kqj_sim.core.rules import Rules
from kqj_sim.core.scoring import tens
from kqj_sim.core.state import (
    AMOUNT,
    ASKED,
    AUCTION_ROWS,
    BIDS,
    CALL,
    CALL_COUNT,
    CAPOT,
    CONTRACT,
    DEALT,
    LAP,
    LAST_BIDS,
    NEWS,
    OPEN,
    OPENING,
    ORIGIN,
    PASSES,
    PLAYERS,
    SEATS,
    SENDER,
    STAKE,
    STRIDE,
    VECTOR,
    index,
    padded,
    team_of,
)
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


@stage
def no_calls(state: Any, lanes: int) -> None:
    """Nobody has said anything."""
    for i in range(padded(lanes)):
        state[OPEN + i] = 1 if i < lanes else 0
        state[SENDER + i] = -1
        state[CONTRACT + i] = -1
        state[LAP + i] = 0
        state[AMOUNT + i] = 0
        state[CAPOT + i] = 0
        state[STAKE + i] = 1
        state[OPENING + i] = 0
        state[BIDS + i] = 0
        state[PASSES + i] = 0
        state[LAST_BIDS + i] = 0
        state[CALL_COUNT + i] = 0
        state[ORIGIN + i] = i
        state[CALL + i] = PASS


@scalar
def note_call(state: Any, log: Any, lane: int, place: int, kind: int, what: int) -> None:
    """Note a call of a lane, by ORIGIN."""
    count = state[CALL_COUNT + lane]
    log[count * STRIDE + state[ORIGIN + lane]] = (what << 8) | (place << 4) | kind
    state[CALL_COUNT + lane] = count + 1


@stage
def taking(state: Any, lanes: int, rules: Rules, table: Any, log: Any, first_turn: int) -> None:
    """Two laps of passing and taking, from a turn (0 to 11) on."""
    n = padded(lanes)
    for turn in range(first_turn, 2 * SEATS):
        lap, place = turn // SEATS + 1, turn % SEATS
        may_name = 1 if rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2) else 0
        ask(table, TAKE, state, lanes, place, lap, rules.teams, may_name)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[OPEN + i] != 0:
                    call = state[CALL + i]
                    note_call(state, log, i, place, LOG_PASS if call == PASS else LOG_TAKE, call)
        for i in range(n):
            call = state[CALL + i]
            takes = state[OPEN + i] != 0 and call != PASS
            state[SENDER + i] = chosen(takes, place, state[SENDER + i])
            state[CONTRACT + i] = chosen(takes, call, state[CONTRACT + i])
            state[LAP + i] = chosen(takes, lap, state[LAP + i])
            state[OPEN + i] = chosen(takes, 0, state[OPEN + i])


@stage
def auction(state: Any, lanes: int, rules: Rules, table: Any, log: Any, first_turn: int) -> None:
    """Bids, counters and overcounters until the bidding closes, from a turn on.

    Lanes are exchanged, as it goes on in ever fewer of them.
    """
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    limits |= 0 if rules.all_no_trump == 2 else 1
    turn = first_turn
    while True:
        lanes = _open_lanes(state, lanes)
        if lanes == 0:
            break
        n = padded(lanes)
        place = turn % SEATS
        question = 16 * turn
        if not rules.counter_any_time:
            _ask_counter_at_turn(state, lanes, rules, table, log, place, question)
        for i in range(n):
            state[CALL + i] = PASS
        ask(table, BID, state, lanes, place, turn, rules.teams, limits)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[OPEN + i] != 0:
                    call = state[CALL + i]
                    note_call(state, log, i, place, LOG_PASS if call == PASS else LOG_BID, call)
        enter_bids(state, lanes, rules, table, log, turn)
        turn += 1


@stage
def _open_lanes(state: Any, lanes: int) -> int:
    """Over how many lanes to go on: OPEN ones come first when half of them are closed; 0 if all."""
    going = 0
    for i in range(lanes):
        going += state[OPEN + i]
    if going > 0 and (2 * going > lanes or lanes <= VECTOR):
        return lanes
    going, pairs = pair_lanes(state, lanes, OPEN)
    exchange(state, pairs, 0, AUCTION_ROWS)
    exchange(state, pairs, PASSES, 1)
    exchange(state, pairs, OPEN, 1)
    exchange(state, pairs, DEALT, SEATS)
    return going


@stage
def enter_bids(state: Any, lanes: int, rules: Rules, table: Any, log: Any, turn: int) -> None:
    """Enter what CALL says at a turn, where OPEN, and ask at once who may counter it."""
    place = turn % SEATS
    _bid_or_pass(state, padded(lanes), place, turn, rules.counter_any_time)
    if _any(state, NEWS, padded(lanes)):
        _ask_all_counters(state, lanes, rules, table, log, place, 16 * turn)


@scalar
def _any(state: Any, flags: int, n: int) -> bool:
    total = 0
    for i in range(n):
        total += state[index(flags, i)]
    return total != 0


@scalar
def _bid_or_pass(state: Any, n: int, place: int, turn: int, counter_any_time: int) -> None:
    """Enter what CALL says; NEWS where the opponents are asked at once to counter."""
    for i in range(n):
        is_open = state[OPEN + i] != 0
        call = state[CALL + i]
        bids = is_open and call != PASS
        capot = call & 1
        amount = call >> 4
        contract = (call >> 1) & 7
        sender = state[SENDER + i]
        passes = 0 if bids else state[PASSES + i] + 1
        state[PASSES + i] = passes
        state[OPENING + i] = amount if bids and sender < 0 else state[OPENING + i]
        state[BIDS + i] += 1 if bids else 0
        state[SENDER + i] = place if bids else sender
        state[CONTRACT + i] = contract if bids else state[CONTRACT + i]
        state[AMOUNT + i] = amount if bids else state[AMOUNT + i]
        state[CAPOT + i] = capot if bids else state[CAPOT + i]
        state[LAP + i] = turn // SEATS + 1 if bids else state[LAP + i]
        entry = tens(amount) << 3 | (contract + 1)
        kept = state[LAST_BIDS + i] & ~(1023 << 10 * place)
        state[LAST_BIDS + i] = kept | (entry << 10 * place) if bids else state[LAST_BIDS + i]
        state[NEWS + i] = 1 if bids and (counter_any_time or capot) else 0
        closed = (bids and capot) or (not bids and passes == (SEATS if sender < 0 else SEATS - 1))
        state[OPEN + i] = 1 if is_open and not closed else 0


@stage
def _ask(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, place: int, question: int,
    over: int,
) -> None:  # fmt: skip
    """Ask a place to counter (or overcounter) where ASKED; who does sets the stake and closes."""
    n = padded(lanes)
    if not _any(state, ASKED, n):
        return
    for i in range(n):
        state[CALL + i] = 0
    member = OVERCOUNTER if over else COUNTER
    ask(table, member, state, lanes, place, question, rules.teams, over)
    if log.shape[0] > 0:
        for i in range(lanes):
            if state[ASKED + i] != 0 and state[CALL + i] == 1:
                note_call(state, log, i, place, LOG_OVERCOUNTER if over else LOG_COUNTER, 0)
    stake = 4 if over else 2
    for i in range(n):
        counters = state[ASKED + i] != 0 and state[CALL + i] == 1
        state[STAKE + i] = stake if counters else state[STAKE + i]
        state[OPEN + i] = 0 if counters else state[OPEN + i]


@stage
def _ask_overcounters(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, bidder: int, question: int
) -> None:
    """Where place `bidder` was just countered (NEWS), his team is asked, himself first."""
    n = padded(lanes)
    for i in range(n):
        countered = state[NEWS + i] != 0 and state[STAKE + i] == 2
        state[ASKED + i] = 1 if countered and state[SENDER + i] == bidder else 0
    if not _any(state, ASKED, n):
        return
    for step in range(SEATS):
        place = (bidder + step) % SEATS
        for i in range(n):
            players = state[PLAYERS + i]
            partner = team_of(players, bidder) == team_of(players, place)
            asked = state[NEWS + i] != 0 and state[STAKE + i] == 2 and state[SENDER + i] == bidder
            state[ASKED + i] = 1 if asked and partner else 0
        _ask(state, lanes, rules, table, log, place, question + 8 + step, 1)


@stage
def _ask_all_counters(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, bidder: int, question: int
) -> None:
    """After a bid (NEWS) every opponent is asked, then, if one countered, the bidder's team."""
    for step in range(1, SEATS):
        place = (bidder + step) % SEATS
        for i in range(padded(lanes)):
            players = state[PLAYERS + i]
            opponent = team_of(players, bidder) != team_of(players, place)
            asked = state[NEWS + i] != 0 and state[STAKE + i] == 1 and opponent
            state[ASKED + i] = 1 if asked else 0
        _ask(state, lanes, rules, table, log, place, question + step, 0)
    _ask_overcounters(state, lanes, rules, table, log, bidder, question)


@stage
def _ask_counter_at_turn(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, place: int, question: int
) -> None:
    """Ask the place whose turn it is whether it counters the last bid in place of bidding."""
    n = padded(lanes)
    for i in range(n):
        players = state[PLAYERS + i]
        sender = state[SENDER + i]
        opponent = sender >= 0 and team_of(players, max(sender, 0)) != team_of(players, place)
        asked = 1 if state[OPEN + i] != 0 and opponent else 0
        state[ASKED + i] = asked
        state[NEWS + i] = asked
    _ask(state, lanes, rules, table, log, place, question, 0)
    ask_overcounters(state, lanes, rules, table, log, question)


@stage
def ask_overcounters(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, question: int
) -> None:
    """Where anybody was just countered (NEWS), his team is asked; `question` is 16 x the turn."""
    for bidder in range(SEATS):
        _ask_overcounters(state, lanes, rules, table, log, bidder, question)
