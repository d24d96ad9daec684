"""`rollout`: calls by trying each call out, in deals that agree with the own cards.

The other players' cards are dealt at random, those of bidders so that the point count speaks for
their bids, and every call that comes into question is made in the same deals: the calling goes on
by another policy, and so does the play.  The call is made that scores most on average, in points
ahead of the others.  Passes are not held against the cards that players are dealt.

The deals of a block are at the same turn, so the calls of all of them fill the lanes of an inner
block side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from kqj_sim.core import asking, rng
from kqj_sim.core.bits import ALL_TRUMPS, LANE, NO_TRUMP, PACK
from kqj_sim.core.calls import bid_code, no_calls
from kqj_sim.core.compile import int64_at, scalar, stage
from kqj_sim.core.nested import nested_rules, nested_table
from kqj_sim.core.resume import BID, CALL_ON, COUNTERED, NOTHING, resume
from kqj_sim.core.round import FINISH, call_stage
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    AMOUNT,
    ASKED,
    BIDS,
    CALL,
    CAPOT,
    CONTRACT,
    DEALER,
    DEALT,
    EXTRA,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    LAP,
    LAST_BIDS,
    NEWS,
    OPEN,
    OPENING,
    ORIGIN,
    PASSES,
    PENDING,
    PLAYERS,
    ROWS,
    SEATS,
    SENDER,
    STAKE,
    STRIDE,
    TURNED,
    index,
    padded,
    policy_of,
    result,
    team_of,
)
from kqj_sim.core.views import PASS
from kqj_sim.core.worlds import random_subset
from kqj_sim.policies.compiled import parameter_offset
from kqj_sim.policies.counting import count
from kqj_sim.policies.parameters import named, whole
from kqj_sim.policies.points import FITTED, base_total, heard
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import normal_share

rollout = policy(
    "rollout",
    "calls by trying each call out in random deals; plays like standard; slow",
    worlds=whole(64, "deals in which each call is tried out", 1, 10_000),
    contracts=whole(3, "contracts that are tried out, the best by the point count", 1, 6),
    player=named(
        "standard", ("random", "greedy", "standard", "linear", "network"), "who plays the cards"
    ),
    calling=named("points", ("points", "always", "never", "random"), "who goes on calling"),
)

_JUMPS = (20, 40, 80)
"""By so much more than the lowest amount the best contract is bid, too."""

_CAPOT_TOTAL = 400
"""The amount that is bid with Capot."""

_OPTIONS = 8
"""Calls that are tried out at most: a pass and the contracts, or Capot and the jumps."""

_TRIES = 40
"""So many deals are looked at for one that agrees with the bids."""

_SPARE_FIRST, _SPARE = 0.5, 0.2
"""Standard deviations of a total by which a bidder expects to exceed the lowest amount, or what he
bids when others have."""

_SOFT = 10.0
"""Points of count about that, within which some bid and some do not."""

_SCORE = result("score_0")
_parameters_at = scalar(parameter_offset)


class _Trial(NamedTuple):
    """An inner block that is being filled, and what comes of it.

    state: the inner block.
    where: for each of its lanes the value that its score is added to.
    values: for each lane of the outer block `_OPTIONS` sums of scores.
    options: for each of these the call.
    counts: for each lane of the outer block how many options it has; 0 where it is not asked.
    """

    state: Any
    where: Any
    values: Any
    options: Any
    counts: Any


class _Means(NamedTuple):
    """With what the calls are tried out."""

    worlds: int
    contracts: int
    rules: Rules
    player: Table
    calling: Table


@scalar
def _new_trial() -> _Trial:
    """Nothing is tried out yet."""
    numbers = np.zeros(ROWS * STRIDE + 8, np.int64)
    start = -numbers.ctypes.data % 64 // 8
    block = numbers[start : start + ROWS * STRIDE]
    no_calls(block, LANES)
    return _Trial(
        block,
        np.zeros(LANES, np.int64),
        np.zeros(LANES * _OPTIONS),
        np.zeros(LANES * _OPTIONS, np.int64),
        np.zeros(LANES, np.int64),
    )


@scalar
def _means(member: int, number: int, table: Any, resources: Any) -> _Means:
    """The parameters and players of the policy `number`, as a member of a table."""
    at = _parameters_at(member, number)
    resource = int64_at(resources[member * SEATS + number])
    return _Means(
        int(table[at]), int(table[at + 1]), nested_rules(resource), nested_table(resource, 0),
        nested_table(resource, 1),
    )  # fmt: skip


@scalar
def _deal_others(
    trial: _Trial, lane: int, place: int, own: int, turned: int, key: int, counter: int
) -> None:
    """Deal a lane: `own` is what a place holds, five cards, or eight if no Return is turned."""
    block = trial.state
    left = PACK & ~(own | turned)
    for part in range(2):
        for other in range(SEATS):
            size = 5 if part == 0 else (2 if other == SEATS - 1 else 3)
            if turned == 0:
                size = 8 if part == 0 else 0
            if other == place and part == 0:
                cards = own
            else:
                cards = random_subset(left, size, key, counter)
                left ^= cards
            counter += 8
            block[index((FIVE if part == 0 else EXTRA) + other * STRIDE, lane)] = cards
    block[TURNED + lane] = turned


@scalar
def _agrees(trial: _Trial, lane: int, place: int, rules: Rules, key: int, counter: int) -> bool:
    """Whether the others would have called, with the hands that a lane has dealt, as they did."""
    block = trial.state
    two = rules.teams == 2
    spread = FITTED.spread if two else FITTED.three_spread
    per_count = FITTED.per_count if two else FITTED.three_per_count
    named = FITTED.named if two else FITTED.three_named
    last_bids, players = block[LAST_BIDS + lane], block[PLAYERS + lane]
    for other in range(SEATS):
        bid = (last_bids >> 10 * other) & 1023
        contract, amount = (bid & 7) - 1, 10 * (bid >> 3)
        if other != place and contract >= 0:
            spare = _SPARE_FIRST if amount <= rules.minimum_bid else _SPARE
            needed = amount + spare * spread - base_total(contract, rules.teams, FITTED)
            needed -= named * heard(last_bids, players, other, contract).named
            held = count(block[index(FIVE + other * STRIDE, lane)], contract, FITTED)
            chance = normal_share((held - needed / per_count) / _SOFT)
            if rng.fraction(rng.draw(key, rng.WORLD + counter + other)) > chance:
                return False
    if block[STAKE + lane] == 1:
        return True
    return _countered(trial, lane, rules, rng.draw(key, rng.WORLD + counter + SEATS))


@scalar
def _countered(trial: _Trial, lane: int, rules: Rules, draw: int) -> bool:
    """Whether an opponent of the bidder would counter, with the hands that a lane has dealt."""
    block = trial.state
    contract = block[CONTRACT + lane]
    players = block[PLAYERS + lane]
    best = 0.0
    for other in range(SEATS):
        if team_of(players, other) != team_of(players, block[SENDER + lane]):
            held = count(block[index(FIVE + other * STRIDE, lane)], contract, FITTED)
            best = max(best, held)
    margin = FITTED.margin if rules.teams == 2 else FITTED.three_margin
    hold = FITTED.hold if rules.teams == 2 else FITTED.three_hold
    return rng.fraction(draw) < normal_share((best - margin / hold) / _SOFT)


@scalar
def _deal_world(
    trial: _Trial, lane: int, place: int, own: int, turned: int, key: int, rules: Rules
) -> None:
    """Deal a lane so that it agrees with the bids, or, if that does not come off, anyhow."""
    for attempt in range(_TRIES):
        counter = 128 * attempt
        _deal_others(trial, lane, place, own, turned, key, counter)
        if turned != 0 or _agrees(trial, lane, place, rules, key, counter + 100):
            break


@scalar
def _copy_lane(state: Any, i: int, trial: _Trial, lane: int, key: int) -> None:
    """How things stand in a lane of the outer block, but for the cards."""
    block = trial.state
    block[DEALER + lane] = state[DEALER + i]
    block[PENDING + lane] = 0
    block[PLAYERS + lane] = state[PLAYERS + i]
    block[KEY + lane] = key
    block[ILLEGAL + lane] = 0
    for row in (
        SENDER, CONTRACT, LAP, AMOUNT, CAPOT, STAKE, OPENING, BIDS, LAST_BIDS, PASSES, OPEN,
    ):  # fmt: skip
        block[index(row, lane)] = state[index(row, i)]
    block[NEWS + lane] = 0
    block[CALL + lane] = PASS


@stage
def _finish(trial: _Trial, waiting: int, place: int, turn: int, said: int, means: _Means) -> None:
    """Go on calling and play the lanes that wait; their scores are added to `values`."""
    block = trial.state
    for lane in range(waiting, padded(waiting)):
        block[OPEN + lane] = 0
        block[SENDER + lane] = -1
    rules = means.rules
    calling = means.calling
    resume(calling.resume[CALL_ON], (block, waiting, rules, calling, turn, said))
    log = np.empty(0, np.int64)
    player = means.player
    played = call_stage(player.stages[FINISH], (block, waiting, rules, player, log))
    for lane in range(played):
        team = team_of(block[PLAYERS + lane], place)
        own = others = 0
        for each in range(rules.teams):
            score = block[index(_SCORE + each * STRIDE, lane)]
            own += score if each == team else 0
            others += score if each != team else 0
        trial.values[trial.where[block[ORIGIN + lane]]] += own - others / (rules.teams - 1)
    no_calls(block, LANES)


@scalar
def _enter(state: Any, i: int, trial: _Trial, lane: int, place: int, turn: int, member: int,
    option: int) -> None:  # fmt: skip
    """Say in a lane what an option says."""
    block = trial.state
    if member == asking.BID:
        block[CALL + lane] = option
    elif member == asking.TAKE:
        if option != PASS:
            block[SENDER + lane] = place
            block[CONTRACT + lane] = option
            block[LAP + lane] = turn // SEATS + 1
            block[OPEN + lane] = 0
    elif option != 0:
        block[STAKE + lane] = 2 if member == asking.COUNTER else 4
        block[NEWS + lane] = 1 if member == asking.COUNTER else 0
        block[OPEN + lane] = 0


@stage
def _try(
    state: Any, lanes: int, trial: _Trial, place: int, turn: int, question: int, member: int,
    first: int, means: _Means,
) -> None:  # fmt: skip
    """Try the options of all lanes out, from the option `first` on."""
    taking = member == asking.TAKE
    said = NOTHING
    if member == asking.BID:
        said = BID
    elif member == asking.COUNTER:
        said = COUNTERED
    goes_on = turn + 1 if taking else turn
    waiting = 0
    for i in range(lanes):
        if trial.counts[i] <= first:
            continue
        own = state[index((FIVE if taking else DEALT) + place * STRIDE, i)]
        turned = state[TURNED + i] if taking else 0
        draw = rng.draw(state[KEY + i], question)
        for world in range(means.worlds):
            key = rng.deal_key(draw, world)
            for which in range(first, trial.counts[i]):
                _copy_lane(state, i, trial, waiting, key)
                _deal_world(trial, waiting, place, own, turned, key, means.rules)
                option = trial.options[i * _OPTIONS + which]
                _enter(state, i, trial, waiting, place, turn, member, option)
                trial.where[waiting] = i * _OPTIONS + which
                waiting += 1
                if waiting == LANES:
                    _finish(trial, waiting, place, goes_on, said, means)
                    waiting = 0
    if waiting > 0:
        _finish(trial, waiting, place, goes_on, said, means)


@scalar
def _best(trial: _Trial, i: int) -> int:
    """Number of the option of a lane that scored most, of equal ones the first."""
    best = 0
    for which in range(1, trial.counts[i]):
        better = trial.values[i * _OPTIONS + which] > trial.values[i * _OPTIONS + best]
        best = which if better else best
    return best


@scalar
def _add_option(trial: _Trial, i: int, option: int) -> None:
    """One more call to be tried out in a lane."""
    at = i * _OPTIONS + trial.counts[i]
    trial.options[at] = option
    trial.values[at] = 0.0
    trial.counts[i] += 1


@stage
def _add_contracts(
    trial: _Trial, i: int, hand: int, allowed: int, amount: int, means: _Means
) -> None:
    """Contracts that may be named (a bit each) as options, the best first; bids, with an amount."""
    for _ in range(means.contracts):
        best, choice = -1e9, -1
        for contract in range(ALL_TRUMPS + 1):
            if allowed >> contract & 1 != 0:
                total = base_total(contract, means.rules.teams, FITTED)
                total += count(hand, contract, FITTED)
                if total > best:
                    best, choice = total, contract
        if choice < 0:
            return
        allowed ^= 1 << choice
        _add_option(trial, i, choice if amount == 0 else bid_code(amount, choice, 0))


@stage
def _answer(state: Any, lanes: int, trial: _Trial) -> None:
    """Make the best calls."""
    for i in range(lanes):
        if trial.counts[i] > 0:
            state[CALL + i] = trial.options[i * _OPTIONS + _best(trial, i)]


@rollout.block("take")
def choose_take(
    block: Any, lanes: int, place: int, lap: int, teams: int, all_no_trump: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Take, or pass (`core.asking.ASKING`)."""
    state = carray(block, ROWS * STRIDE)
    means = _means(asking.TAKE, number, table, resources)
    trial = _new_trial()
    for i in range(lanes):
        if state[OPEN + i] != 0 and policy_of(state[PLAYERS + i], place) == number:
            turned = state[TURNED + i]
            allowed = 0b110000 if all_no_trump else 0
            for suit in range(NO_TRUMP):
                if lap == 2 or turned & (LANE << 16 * suit) != 0:
                    allowed |= 1 << suit
            hand = state[index(FIVE + place * STRIDE, i)] | turned
            _add_option(trial, i, PASS)
            _add_contracts(trial, i, hand, allowed, 0, means)
    turn = SEATS * (lap - 1) + place
    _try(state, lanes, trial, place, turn, rng.CALL + SEATS * lap + place, asking.TAKE, 0, means)
    _answer(state, lanes, trial)


@rollout.block("bid")
def choose_bid(
    block: Any, lanes: int, place: int, turn: int, teams: int, limits: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Pass, or bid as low as one may; in the contract where that is best, also higher, or Capot."""
    state = carray(block, ROWS * STRIDE)
    means = _means(asking.BID, number, table, resources)
    trial = _new_trial()
    highest, least = (limits >> 1) & 0xFFFF, limits >> 17
    allowed = 0b111111 if limits & 1 else 0b001111
    for i in range(lanes):
        if state[OPEN + i] != 0 and policy_of(state[PLAYERS + i], place) == number:
            _add_option(trial, i, PASS)
            amount = state[AMOUNT + i] + 10 if state[AMOUNT + i] > 0 else least
            if amount <= highest:
                hand = state[index(DEALT + place * STRIDE, i)]
                _add_contracts(trial, i, hand, allowed, amount, means)
    question = rng.CALL + turn
    _try(state, lanes, trial, place, turn, question, asking.BID, 0, means)
    for i in range(lanes):
        if trial.counts[i] > 0:
            which = i * _OPTIONS + _best(trial, i)
            best, value = trial.options[which], trial.values[which]
            trial.counts[i] = 0
            _add_option(trial, i, best)
            trial.values[i * _OPTIONS] = value
            if best != PASS:
                lowest, contract = best >> 4, (best >> 1) & 7
                for more in _JUMPS:
                    if lowest + more <= highest:
                        _add_option(trial, i, bid_code(lowest + more, contract, 0))
                amount = max(lowest, min(highest, _CAPOT_TOTAL))
                _add_option(trial, i, bid_code(amount, contract, 1))
    _try(state, lanes, trial, place, turn, question, asking.BID, 1, means)
    _answer(state, lanes, trial)


@scalar
def _choose_stake(
    block: Any, lanes: int, place: int, question: int, number: int, table: Any, resources: Any,
    member: int,
) -> None:  # fmt: skip
    """Counter, or overcounter, or not."""
    state = carray(block, ROWS * STRIDE)
    means = _means(member, number, table, resources)
    trial = _new_trial()
    for i in range(lanes):
        if state[ASKED + i] != 0 and policy_of(state[PLAYERS + i], place) == number:
            _add_option(trial, i, 0)
            _add_option(trial, i, 1)
    turn = question >> 4
    _try(state, lanes, trial, place, turn, rng.COUNTER + question, member, 0, means)
    _answer(state, lanes, trial)


@rollout.block("counter")
def choose_counter(
    block: Any, lanes: int, place: int, question: int, teams: int, over: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Counter, or not."""
    _choose_stake(block, lanes, place, question, number, table, resources, asking.COUNTER)


@rollout.block("overcounter")
def choose_overcounter(
    block: Any, lanes: int, place: int, question: int, teams: int, over: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Overcounter, or not."""
    _choose_stake(block, lanes, place, question, number, table, resources, asking.OVERCOUNTER)
