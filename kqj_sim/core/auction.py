"""The calls of one deal: the questions that they answer, and the calls that may follow.

It is the bidding of `core.bidding` for a deal whose calls are known, packed into integers as
`core.call_odds` takes it.
"""

from __future__ import annotations

from kqj_sim.core import observed_calls as oc
from kqj_sim.core.block import SEATS
from kqj_sim.core.call_odds import OPTION_PENDING, OPTION_ROWS, OPTION_TURN
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.dispatch import BID, COUNTER, OVERCOUNTER, TAKE
from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.playouts import PUBLIC_ROWS
from kqj_sim.core.round import BID_PENDING, COUNTER_PENDING, NOTHING_PENDING
from kqj_sim.core.types import Contract, Flag, Int64Array, Place, Rules, Suit
from kqj_sim.core.views import PASS, replace_last_bid

(
    SENDER, CONTRACT, LAP, AMOUNT, CAPOT, STAKE, OPENING, BIDS, LAST_BIDS, PASSES, OPEN, NEWS, CALL,
) = range(len(PUBLIC_ROWS))  # fmt: skip
"""Entries of the state of the auction: the rows `PUBLIC_ROWS`."""
STATE_SIZE = len(PUBLIC_ROWS)

PLACE, KIND, CODE = range(3)
"""Entries of a call: the place; TAKE or BID, where it may be a pass, COUNTER or OVERCOUNTER; and
the contract, the bid (`core.views.bid_code`), or PASS."""
CALL_SIZE = 3

MAX_OPTIONS = 8
"""A pass, a counter and six contracts."""


@scalar
def allows_all_no_trump(rules: Rules, lap: int) -> bool:
    """Return whether All-Trumps and No-Trump may be taken in a lap."""
    return rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2)


@scalar
def pack_bid_limits(rules: Rules) -> int:
    """Return the rules as `core.dispatch.make_ask_bid` takes them."""
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    return limits | (0 if rules.all_no_trump == 2 else 1)


@scalar
def _clear(state: Int64Array) -> None:
    for entry in range(STATE_SIZE):
        state[entry] = 0
    state[SENDER] = state[CONTRACT] = -1
    state[STAKE] = state[OPEN] = 1
    state[CALL] = PASS


@scalar
def _enter_turn(state: Int64Array, turn: int, code: int) -> None:
    state[NEWS] = 0
    if code == PASS:
        state[PASSES] += 1
        if state[PASSES] == (SEATS if state[SENDER] < 0 else SEATS - 1):
            state[OPEN] = 0
        return
    place, amount, contract = turn % SEATS, code >> 4, (code >> 1) & 7
    state[SENDER] = place
    state[CONTRACT] = contract
    state[LAP] = turn // SEATS + 1
    state[AMOUNT] = amount
    state[CAPOT] = code & 1
    state[STAKE] = 1
    state[OPENING] = state[OPENING] if state[OPENING] != 0 else amount
    state[BIDS] += 1
    state[LAST_BIDS] = replace_last_bid(state[LAST_BIDS], place, amount // 10, contract)
    state[PASSES] = 0
    state[OPEN] = 0 if code & 1 else 1


@scalar
def _enter_counter(state: Int64Array, is_over: Flag) -> None:
    state[STAKE] = 4 if is_over else 2
    state[NEWS] = 0 if is_over else 1
    state[OPEN] = 0


@scalar
def _observe(
    observed: Int64Array, count: int, own: Place, place: Place, kind: int, argument: int,
    rule: int, answer: int, state: Int64Array,
) -> int:  # fmt: skip
    """Append a question and its answer, unless it was the player's own; return their number."""
    if place == own:
        return count
    at = count * oc.OBSERVED_CALL_SIZE
    observed[at + oc.CALLER_PLACE] = place
    observed[at + oc.CALL_LOOP] = kind
    observed[at + oc.CALL_ARGUMENT] = argument
    observed[at + oc.CALL_RULE] = rule
    observed[at + oc.CALL_MADE] = answer
    for entry in range(STATE_SIZE):
        observed[at + oc.CALL_ROWS + entry] = state[entry]
    return count + 1


@kernel
def replay_calls(
    calls: Int64Array, teams: Int64Array, rules: Rules, own: Place, observed: Int64Array,
    state: Int64Array,
) -> int:  # fmt: skip
    """List the questions that the others answered, in order, and find the state of the auction.

    Not to counter is an answer, too.  Where a counter is in question all others have declined: if
    one of them had not, the answer would not matter.

    Args:
        calls: int64 (n, CALL_SIZE), legal calls.
        teams: int64 (6,), teams by place.
        own: place of the player, whose own answers are left out.
        observed: int64 (m * OBSERVED_CALL_SIZE,), filled; m, which is returned, is at most
            SEATS + 2 for each call, and for what comes after them.
        state: int64 (STATE_SIZE,), filled.
    """
    _clear(state)
    count, turn, n = 0, 0, calls.shape[0]
    for number in range(n + 1):
        kind = calls[number, KIND] if number < n else -1
        place = calls[number, PLACE] if number < n else -1
        code = calls[number, CODE] if number < n else PASS
        in_turn = rules.counter_any_time == 0 and state[CAPOT] == 0
        sender = state[SENDER]
        is_reply = kind in (COUNTER, OVERCOUNTER)
        was_countered = number > 0 and calls[number - 1, KIND] == COUNTER
        was_bid = number > 0 and calls[number - 1, KIND] == BID and calls[number - 1, CODE] != PASS
        asks_at_once = was_bid and not in_turn
        # Questions of an overcounter, and of a counter at once, belong to the turn of the bid; if a
        # counter took a turn, to that one.
        asked_turn = turn if was_countered and in_turn else turn - 1
        if was_countered or asks_at_once:
            for step in range(SEATS):
                other = (sender + step) % SEATS
                if (teams[other] == teams[sender]) != was_countered:
                    continue
                answer = 1 if is_reply and other == place else 0
                argument = 16 * asked_turn + step + (8 if was_countered else 0)
                loop = OVERCOUNTER if was_countered else COUNTER
                rule = 1 if was_countered else 0
                count = _observe(observed, count, own, other, loop, argument, rule, answer, state)
                if answer != 0:
                    break
        if number == n:
            break
        if kind == TAKE:
            lap = turn // SEATS + 1
            rule = 1 if allows_all_no_trump(rules, lap) else 0
            count = _observe(observed, count, own, place, TAKE, lap, rule, code, state)
        elif not (is_reply and (was_countered or asks_at_once)):
            if in_turn and sender >= 0 and teams[sender] != teams[place]:
                answer = 1 if kind == COUNTER else 0
                count = _observe(observed, count, own, place, COUNTER, 16 * turn, 0, answer, state)
            if kind == BID:
                limits = pack_bid_limits(rules)
                count = _observe(observed, count, own, place, BID, turn, limits, code, state)
        if is_reply:
            _enter_counter(state, 1 if kind == OVERCOUNTER else 0)
        else:
            if kind == BID:
                _enter_turn(state, turn, code)
            turn += 1
    return count


@scalar
def _add_option(options: Int64Array, count: int, turn: int, pending: int, state: Int64Array) -> int:
    options[count, OPTION_TURN] = turn
    options[count, OPTION_PENDING] = pending
    for entry in range(STATE_SIZE):
        options[count, OPTION_ROWS + entry] = state[entry]
    return count + 1


@kernel
def list_calls(
    state: Int64Array, question: int, turn: int, place: Place, suit: Suit, teams: Int64Array,
    rules: Rules, options: Int64Array,
) -> int:  # fmt: skip
    """List the calls that may be made now; of bids, the lowest in each contract.

    Args:
        state: int64 (STATE_SIZE,), the state of the auction.
        question: TAKE, BID, COUNTER or OVERCOUNTER.
        turn: turns to take or to bid before this one; replies are none.
        suit: suit of the Return, 0 to 3; with auctions any number.
        teams: int64 (6,), teams by place.
        options: int64 (MAX_OPTIONS, OPTION_SIZE), filled; their number is returned.
    """
    count, lap = 0, turn // SEATS + 1
    if question == TAKE:
        count = _add_option(options, count, turn + 1, NOTHING_PENDING, state)
        for contract in range(ALL_TRUMPS + 1):
            allowed = lap == 2 or contract == suit
            if contract >= NO_TRUMP:
                allowed = allows_all_no_trump(rules, lap)
            if allowed:
                count = _add_option(options, count, turn + 1, NOTHING_PENDING, state)
                taken = options[count - 1, OPTION_ROWS:]
                taken[SENDER], taken[CONTRACT], taken[LAP], taken[OPEN] = place, contract, lap, 0
    elif question == BID:
        count = _add_option(options, count, turn, BID_PENDING, state)
        options[0, OPTION_ROWS + CALL] = PASS
        at_once = rules.counter_any_time != 0
        is_opponent = state[SENDER] >= 0 and teams[state[SENDER]] != teams[place]
        if is_opponent and (state[PASSES] == 0 or not at_once):
            resumed = turn - 1 if at_once else turn
            count = _add_option(options, count, resumed, COUNTER_PENDING, state)
            _enter_counter(options[count - 1, OPTION_ROWS:], 0)
        amount = state[AMOUNT] + 10 if state[AMOUNT] > 0 else rules.minimum_bid
        if amount <= rules.max_amount:
            for contract in range(NO_TRUMP if rules.all_no_trump == 2 else ALL_TRUMPS + 1):
                count = _add_option(options, count, turn, BID_PENDING, state)
                options[count - 1, OPTION_ROWS + CALL] = amount << 4 | contract << 1
    else:
        is_over = 1 if question == OVERCOUNTER else 0
        # A counter belongs to the turn of the bid, the last one.
        made_turn, made_pending = turn - 1, COUNTER_PENDING
        if is_over:
            made_turn, made_pending = turn, NOTHING_PENDING
        count = _add_option(options, count, turn, NOTHING_PENDING, state)
        options[0, OPTION_ROWS + NEWS] = 0 if is_over else state[NEWS]
        count = _add_option(options, count, made_turn, made_pending, state)
        _enter_counter(options[1, OPTION_ROWS:], is_over)
    return count


@kernel
def write_contract_option(
    state: Int64Array, turn: int, place: Place, amount: int, contract: Contract, option: Int64Array
) -> None:
    """Write the option that is a contract bid and then played, with nobody calling on.

    `option` is int64 (1, OPTION_SIZE), filled; the other arguments are those of `list_calls`.
    """
    own_turn = turn - turn % SEATS + place
    _add_option(option, 0, own_turn, NOTHING_PENDING, state)
    _enter_turn(option[0, OPTION_ROWS:], own_turn, amount << 4 | contract << 1)
    option[0, OPTION_ROWS + OPEN] = 0
