"""Decisions about a call in auctions, with the lead after each of some calls in the true deal.

The auction goes on after each tried call, and the round is played out.  One playout in the true
deal says little of a call, but it is right on average, and it reflects the hands that are likely
when others have called so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import block, rng
from kqj_sim.core.auction import pack_bid_limits
from kqj_sim.core.bidding import enter_bids
from kqj_sim.core.block import (
    LANES,
    SEATS,
    STRIDE,
    cell_index,
    column_offset,
    policy_of,
    team_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.dispatch import (
    BID,
    COUNTER,
    ask,
)
from kqj_sim.core.jit import kernel, scalar, stack_float32
from kqj_sim.core.playouts import play_called, resume_calls
from kqj_sim.core.round import BEGIN_STAGE, BID_PENDING, COUNTER_PENDING, call_stage, complete_hands
from kqj_sim.core.scoring import MADE
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.types import (
    Address,
    Block,
    Float32Array,
    Int16Array,
    Int64Array,
    Lane,
    Place,
    Rules,
    Seating,
)
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.call_features import TO_BID, TO_COUNTER, TO_OVERCOUNTER, CallTurn, order_suits
from kqj_sim.policies.learned import (
    CAPOT_UNIT,
    COUNTER_UNIT,
    OVERCOUNTER_UNIT,
    find_amount,
    find_contracts,
    write_values,
)

OPTIONS = 8
"""Calls that are tried at a turn to bid, besides the pass."""
CONTRACTS = ALL_TRUMPS + 1
CALLS = CONTRACTS * UNITS
"""Numbers of calls: `UNITS` for each contract, of which some are bids."""
RANDOM_OPTIONS = 2
"""The last ones of the options, drawn from all bids alike."""

BID_SHARE, COUNTER_SHARE = 0.4, 0.9
"""Shares of the turns to bid, and of the bids at which chances to counter are recorded."""
FULL_BLOCK = 32
"""Auctions that still go on with which a turn is recorded with `BID_SHARE`; fewer cost nearly as
much, and are recorded more rarely."""
EXPLORE_SHARE, EXPLORE_NOISE = 0.15, 15.0
"""Share of the turns at which values get noise of this scale, in points, to see more auctions."""
OPTION_NOISE = 30.0
"""The same of the bids that are tried."""
MAX_TURNS = 30
"""Turns after which an auction is no longer looked at."""
DECLINED, COUNTERED = range(2)
"""Options of a player who may counter."""

_DRAW: Any = np.int64(11 << 32)
"""Purpose of the recorder's own draws (`core.rng`)."""
_TURN_DRAWS = 1 << 12
"""Draws of a turn."""
_FORBIDDEN, _NEVER = -1e9, -1e8
"""Value of a bid that may not be made, and a number between it and all others."""
_SCORE, _RESULT = column_offset("score_0"), column_offset("result")


class CallDecisions(NamedTuple):
    """Decisions about a call, n of them.

    Attributes:
        turns: int64 (n, fields of `CallTurn`).
        options: int16 (n, OPTIONS), numbers of the calls tried; -1 for none.
        values: float32 (n, OPTIONS), the lead after each minus that after a pass, in points.  For
            a counter, minus that if nobody counters the bid and the auction goes on; for an
            overcounter, what it changes in the score of the contract.
    """

    turns: Int64Array
    options: Int16Array
    values: Float32Array


class _Outcomes(NamedTuple):
    """Results of the calls tried in the deals of a block, (OPTIONS + 1, LANES); the pass first."""

    contracts: Int64Array
    leads: NDArray[np.float64]
    is_made: Int64Array


@scalar
def _make_turn(state: Block, lane: Lane, place: Place, turn: int, question: int, teams: int) -> Any:
    """Return a place's question in a lane."""
    return CallTurn(
        state[cell_index(block.DEALT + place * STRIDE, lane)], place, turn, question,
        state[block.SENDER + lane], state[block.AMOUNT + lane], state[block.CONTRACT + lane],
        state[block.CAPOT + lane] if question != TO_BID else 0, state[block.LAST_BIDS + lane],
        state[block.PLAYERS + lane], teams,
    )  # fmt: skip


@scalar
def _find_lowest(state: Block, lane: Lane, rules: Rules) -> int:
    """Return the lowest amount that may be bid."""
    amount = state[block.AMOUNT + lane]
    return amount + 10 if amount > 0 else rules.minimum_bid


@scalar
def _write_bid_values(turn: Any, lowest: int, rules: Rules, weights: Address, values: Any) -> None:
    """Write the value of each bid in a contract looked at, by number, else _FORBIDDEN."""
    order = order_suits(turn.hand)
    contracts = find_contracts(turn)
    found = stack_float32(UNITS)
    for contract in range(CONTRACTS):
        write_values(turn, order, contract, weights, found)
        for unit in range(UNITS):
            allowed = unit <= CAPOT_UNIT and find_amount(lowest, unit) <= rules.max_amount
            allowed &= contracts >> contract & 1 != 0
            allowed &= contract < NO_TRUMP or rules.all_no_trump != 2
            values[contract * UNITS + unit] = found[unit] if allowed else _FORBIDDEN


@scalar
def _draw_noise(key: int, number: int, scale: float) -> float:
    """Return Gumbel noise: the greatest value with it is a draw by a softmax."""
    return -np.log(-np.log(rng.to_fraction(rng.draw(key, number)) + 1e-12)) * scale


@scalar
def _find_best(values: Any) -> int:
    """Return the number of the greatest value; -1 if all are forbidden."""
    best, found = _NEVER, -1
    for number in range(CALLS):
        if values[number] > best:
            best, found = values[number], number
    return found


@scalar
def _add_noise(values: Any, key: int, scale: float) -> None:
    """Add noise to the values of all bids."""
    for number in range(CALLS):
        if values[number] > _NEVER:
            values[number] += _draw_noise(key, number, scale)


@scalar
def _choose_options(values: Any, key: int, numbers: Any, lane: Lane) -> None:
    """Choose the bids to try: the best one, some that are good with noise, and some at random."""
    for option in range(1, OPTIONS + 1):
        if option == 2:
            _add_noise(values, key, OPTION_NOISE)
        found = _find_best(values)
        if option > OPTIONS - RANDOM_OPTIONS:
            drawn = rng.scale_below(rng.draw(key, CALLS + option), CONTRACTS * (CAPOT_UNIT + 1))
            found = drawn // (CAPOT_UNIT + 1) * UNITS + drawn % (CAPOT_UNIT + 1)
            found = found if values[found] > _NEVER else -1
        numbers[option, lane] = found
        if found >= 0:
            values[found] = _FORBIDDEN


@scalar
def _make_bid(number: int, lowest: int) -> int:
    """Return the bid with a number as policies make it."""
    contract, unit = number // UNITS, number % UNITS
    bid = bid_code(find_amount(lowest, unit), contract, 1 if unit == CAPOT_UNIT else 0)
    return bid if number >= 0 else PASS


@scalar
def _pack_contract(state: Block, lane: Lane) -> int:
    """Return all of the calls that players of cards see, as one number; -1 if all passed."""
    sender = state[block.SENDER + lane]
    packed = (sender << 3) | state[block.CONTRACT + lane]
    packed = (packed << 10) | state[block.AMOUNT + lane]
    packed = (packed << 1) | state[block.CAPOT + lane]
    packed = (packed << 3) | state[block.STAKE + lane]
    return packed if sender >= 0 else -1


@scalar
def _compute_lead(state: Block, lane: Lane, place: Place, teams: int) -> float:
    """Return the score of a place's team minus the mean of the others."""
    own_team = team_of(state[block.PLAYERS + lane], place)
    own, others = 0, 0
    for team in range(teams):
        score = state[cell_index(_SCORE + team * STRIDE, lane)]
        own += score if team == own_team else 0
        others += score if team != own_team else 0
    return own - others / (teams - 1)


@scalar
def _play_option(
    state: Block, lanes: int, place: Place, rules: Rules, seating: Seating, outcomes: _Outcomes,
    option: int,
) -> None:  # fmt: skip
    """Play the rounds of a block that have a Sender, unless an earlier option had the same
    contract."""
    contracts, leads, is_made = outcomes
    for i in range(lanes):
        deal = state[block.ORIGINAL_LANE + i]
        contract = _pack_contract(state, i)
        contracts[option, deal], leads[option, deal], is_made[option, deal] = contract, 0.0, 0
        for earlier in range(option):
            if contract >= 0 and contracts[earlier, deal] == contract:
                leads[option, deal] = leads[earlier, deal]
                is_made[option, deal] = is_made[earlier, deal]
                state[block.SENDER + i] = -1
                break
    played = play_called(state, lanes, rules, seating)
    for i in range(played):
        deal = state[block.ORIGINAL_LANE + i]
        leads[option, deal] = _compute_lead(state, i, place, rules.teams)
        is_made[option, deal] = 1 if state[cell_index(_RESULT, i)] == MADE else 0


@scalar
def _copy_block(state: Block, inner: Block) -> None:
    """Copy a block, and number its lanes."""
    for at in range(state.shape[0]):
        inner[at] = state[at]
    for i in range(LANES):
        inner[block.ORIGINAL_LANE + i] = i


@scalar
def _store_turn(output: CallDecisions, filled: int, turn: Any) -> None:
    """Write a decision's turn."""
    numbers = output.turns[filled]
    (
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
        numbers[7], numbers[8], numbers[9], numbers[10],
    ) = turn  # fmt: skip


@scalar
def _record_bids(
    state: Block, inner: Block, lanes: int, place: Place, turn: int, rules: Rules,
    seating: Seating, weights: Address, outcomes: _Outcomes, output: CallDecisions, filled: int,
) -> int:  # fmt: skip
    """Record a turn to bid where auctions go on; return the new number of decisions."""
    values = stack_float32(CALLS)
    numbers = np.full((OPTIONS + 1, LANES), -1)
    for i in range(lanes):
        if state[block.STILL_CALLING + i] != 0:
            asked = _make_turn(state, i, place, turn, TO_BID, rules.teams)
            _write_bid_values(asked, _find_lowest(state, i, rules), rules, weights, values)
            key = rng.draw(state[block.KEY + i], _DRAW + _TURN_DRAWS * (turn + 1))
            _choose_options(values, key, numbers, i)
    for option in range(OPTIONS + 1):
        _copy_block(state, inner)
        for i in range(lanes):
            bid = _make_bid(numbers[option, i], _find_lowest(state, i, rules))
            is_open = state[block.STILL_CALLING + i] != 0
            inner[block.CALL + i] = bid if is_open else PASS
            inner[block.SENDER + i] = state[block.SENDER + i] if is_open else -1
        resume_calls(inner, lanes, rules, seating, turn, BID_PENDING)
        _play_option(inner, lanes, place, rules, seating, outcomes, option)
    for i in range(lanes):
        if state[block.STILL_CALLING + i] != 0 and numbers[1, i] >= 0:
            _store_turn(output, filled, _make_turn(state, i, place, turn, TO_BID, rules.teams))
            for k in range(OPTIONS):
                output.options[filled, k] = numbers[k + 1, i]
                output.values[filled, k] = outcomes.leads[k + 1, i] - outcomes.leads[0, i]
            filled += 1
    return filled


@scalar
def _store_counter(output: CallDecisions, filled: int, turn: Any, unit: int, value: float) -> int:
    """Write the decision to counter, or to overcounter; return the new number of decisions."""
    _store_turn(output, filled, turn)
    for k in range(OPTIONS):
        output.options[filled, k] = -1
    output.options[filled, 0] = turn.contract * UNITS + unit
    output.values[filled, 0] = value
    return filled + 1


@scalar
def _record_counters(
    state: Block, inner: Block, bids: Block, lanes: int, bidder: Place, turn: int, key: int,
    rules: Rules, seating: Seating, silent: Seating, outcomes: _Outcomes, output: CallDecisions,
    filled: int,
) -> int:  # fmt: skip
    """Record a place's chance to counter the bids of a turn, and one to overcounter.

    A counter matters only where all other opponents decline; to overcounter, only where the place
    counters.
    """
    log = np.empty(0, np.int64)
    place = (bidder + 1 + rng.scale_below(rng.draw(key, _DRAW + 200 + turn), SEATS - 1)) % SEATS
    partner = (bidder + rng.scale_below(rng.draw(key, _DRAW + 300 + turn), SEATS)) % SEATS
    counters = policy_of(state[block.PLAYERS], place) == 0
    overcounters = policy_of(state[block.PLAYERS], partner) == 0
    is_kept, is_countered = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    _copy_block(state, bids)
    for i in range(lanes):
        players = state[block.PLAYERS + i]
        is_bid = state[block.STILL_CALLING + i] != 0 and state[block.CALL + i] != PASS
        is_opponent = team_of(players, place) != team_of(players, bidder)
        is_kept[i] = 1 if is_bid and is_opponent else 0
    for i in range(LANES):
        bids[block.STILL_CALLING + i] = is_kept[i]
    if is_kept.sum() == 0 or not (counters or overcounters):
        return filled
    enter_bids(bids, lanes, rules, silent, log, turn)
    for step in range(1, SEATS):
        asked = (bidder + step) % SEATS
        for i in range(LANES):
            players = bids[block.PLAYERS + i]
            is_opponent = team_of(players, asked) != team_of(players, bidder)
            bids[block.MAY_COUNTER + i] = is_kept[i] if is_opponent else 0
            bids[block.CALL + i] = 0
        ask(seating, COUNTER, bids, lanes, asked, 16 * turn + step, rules.teams, 0)
        for i in range(lanes):
            if bids[block.MAY_COUNTER + i] != 0 and bids[block.CALL + i] == 1:
                is_countered[i] = 1 if asked == place else is_countered[i]
                is_kept[i] = 1 if asked == place else 0
    for option in range(2):
        _copy_block(bids, inner)
        for i in range(LANES):
            goes_on = is_kept[i] != 0 and option == DECLINED
            inner[block.STILL_CALLING + i] = bids[block.STILL_CALLING + i] if goes_on else 0
            inner[block.SENDER + i] = bidder if is_kept[i] != 0 else -1
            inner[block.STAKE + i] = 2 if option == COUNTERED else 1
            inner[block.AWAITS_REPLY + i] = 1 if option == COUNTERED else 0
        resume_calls(inner, lanes, rules, seating, turn, COUNTER_PENDING)
        _play_option(inner, lanes, place, rules, seating, outcomes, option)
    for i in range(lanes):
        players, amount = bids[block.PLAYERS + i], bids[block.AMOUNT + i]
        won = amount if outcomes.is_made[COUNTERED, i] != 0 else -amount
        if is_kept[i] != 0 and counters:
            asking = _make_turn(bids, i, place, bidder + 1, TO_COUNTER, rules.teams)
            gain = outcomes.leads[COUNTERED, i] - outcomes.leads[DECLINED, i]
            filled = _store_counter(output, filled, asking, COUNTER_UNIT, gain)
        is_partner = team_of(players, partner) == team_of(players, bidder)
        if is_kept[i] != 0 and is_countered[i] != 0 and overcounters and is_partner:
            asking = _make_turn(bids, i, partner, bidder + 1, TO_OVERCOUNTER, rules.teams)
            filled = _store_counter(output, filled, asking, OVERCOUNTER_UNIT, 2 * won)
    return filled


@scalar
def _explore(
    state: Block, lanes: int, place: Place, turn: int, rules: Rules, weights: Address
) -> None:
    """Replace some bids of a turn by what has the greatest value with noise."""
    values = stack_float32(CALLS)
    for i in range(lanes):
        key = rng.draw(state[block.KEY + i], _DRAW + _TURN_DRAWS * (turn + 1) + 1)
        if state[block.STILL_CALLING + i] != 0 and rng.to_fraction(key) < EXPLORE_SHARE:
            asked = _make_turn(state, i, place, turn, TO_BID, rules.teams)
            lowest = _find_lowest(state, i, rules)
            _write_bid_values(asked, lowest, rules, weights, values)
            _add_noise(values, rng.draw(key, 0), EXPLORE_NOISE)
            best = _find_best(values)
            passes = _draw_noise(rng.draw(key, 0), CALLS, EXPLORE_NOISE)
            better = best >= 0 and values[best] > passes
            state[block.CALL + i] = _make_bid(best, lowest) if better else PASS


@kernel
def record_auctions(
    state: Block, inner: Block, bids: Block, first: int, dealer: int, seed: int, rules: Rules,
    seating: Seating, silent: Seating, weights: Address, output: CallDecisions, filled: int,
) -> int:  # fmt: skip
    """Run the auctions of LANES deals, and record decisions of the players of policy 0.

    Args:
        state, inner, bids: blocks.
        first, dealer, seed: number of the first deal, the dealer of all, and the seed.
        rules: the rules.
        seating, silent: the players, and the same who never counter.
        weights: address of the weights whose values choose the bids that are tried.
        output: gets the decisions from number `filled` on; it has room for
            MAX_TURNS * 3 * LANES more.
        filled: see `output`.

    Returns:
        The number of decisions that `output` then holds.
    """
    outcomes = _Outcomes(
        np.empty((OPTIONS + 1, LANES), np.int64),
        np.empty((OPTIONS + 1, LANES)),
        np.empty((OPTIONS + 1, LANES), np.int64),
    )
    log = np.empty(0, np.int64)
    for i in range(LANES):
        state[block.DEAL_NUMBER + i] = first + i
        state[block.DEALER + i] = dealer
        state[block.PENDING + i] = 0
        state[block.KEY + i] = rng.derive_deal_key(seed, first + i)
        state[block.ILLEGAL + i] = 0
    call_stage(seating.stages[BEGIN_STAGE], (state, LANES, rules, seating, log))
    complete_hands(state, LANES, 0)
    key = rng.derive_deal_key(seed + 1, first)
    for turn in range(MAX_TURNS):
        place, going = turn % SEATS, 0
        for i in range(LANES):
            going += state[block.STILL_CALLING + i]
        if going == 0:
            break
        share = BID_SHARE * min(1.0, going / FULL_BLOCK)
        learns = policy_of(state[block.PLAYERS], place) == 0
        if learns and rng.to_fraction(rng.draw(key, _DRAW + turn)) < share:
            filled = _record_bids(
                state, inner, LANES, place, turn, rules, seating, weights, outcomes, output, filled
            )
        for i in range(LANES):
            state[block.CALL + i] = PASS
        ask(seating, BID, state, LANES, place, turn, rules.teams, pack_bid_limits(rules))
        _explore(state, LANES, place, turn, rules, weights)
        if rng.to_fraction(rng.draw(key, _DRAW + 100 + turn)) < COUNTER_SHARE:
            filled = _record_counters(
                state, inner, bids, LANES, place, turn, key, rules, seating, silent, outcomes,
                output, filled,
            )  # fmt: skip
        enter_bids(state, LANES, rules, seating, log, turn)
    return filled
