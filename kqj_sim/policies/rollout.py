"""`rollout`: calls like `points`, unless playouts show that another call is better.

The other players' cards are dealt at random, in auctions such as agree with their calls
(`policies.hidden_hands`).  Each call that comes into question is made in the same deals: another
policy goes on calling, and the cards are played.  The call that scores most on average, in points
ahead of the others, is then played against that of `calling` in new deals, and made only if it is
ahead there by `_LEAD` points and `_ERRORS` standard errors: the best of several estimates is too
high in the deals that chose it (the winner's curse).

The deals of a block are at the same turn, so the calls of all of them fill the lanes of an inner
block side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from kqj_sim.core import asking, rng
from kqj_sim.core.bits import ALL_TRUMPS, LANE, NO_TRUMP
from kqj_sim.core.calls import bid_code, no_calls
from kqj_sim.core.compile import int64_at, scalar, stage
from kqj_sim.core.nested import nested_rules, nested_table
from kqj_sim.core.resume import BID, COUNTERED, NOTHING
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    AMOUNT,
    ASKED,
    CALL,
    CONTRACT,
    DEALER,
    DEALT,
    EXTRA,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    LAP,
    NEWS,
    OPEN,
    ORIGIN,
    PENDING,
    PLAYERS,
    ROWS,
    SEATS,
    SENDER,
    STAKE,
    STRIDE,
    TURNED,
    index,
    new_block,
    policy_of,
    result,
    team_of,
)
from kqj_sim.core.trial import STANDING, call_and_play
from kqj_sim.core.views import PASS
from kqj_sim.policies.compiled import parameter_offset
from kqj_sim.policies.counting import count
from kqj_sim.policies.hidden_hands import deal_auction, deal_taking
from kqj_sim.policies.parameters import named, whole
from kqj_sim.policies.points import FITTED, base_total
from kqj_sim.policies.registry import policy

rollout = policy(
    "rollout",
    "calls like points unless playouts show another call to be better; slow",
    worlds=whole(64, "deals in which each call is tried out", 1, 10_000),
    contracts=whole(3, "contracts that are tried out, the best by the point count", 1, 6),
    player=named(
        "standard", ("random", "greedy", "standard", "linear", "network"), "who plays the cards"
    ),
    calling=named(
        "points",
        ("points", "always", "never", "random"),
        "the call to start from, and who goes on calling",
    ),
)

_JUMPS = (10, 20, 40)
"""Amounts by which bids above the lowest one are tried out too."""

_CAPOT_TOTAL = 400
"""The amount that is bid with Capot."""

_OPTIONS = 12
"""Most calls that are tried out at once."""

_CONFIRMING = 4
"""The best call is tried out against the first one in so many times the deals that chose it."""

_ERRORS, _LEAD = 3.0, 10.0
"""Standard errors, and points a round, that it must be ahead by in them."""

_SCORE = result("score_0")
_parameters_at = scalar(parameter_offset)


class _Trial(NamedTuple):
    """An inner block that is being filled, and what comes of it.

    state: the inner block.
    hands: what is dealt: the first cards of each place, then the others.
    where: for each of its lanes the value that its lead is added to.
    first: for each of its lanes the one where the first option is tried out in the same deal.
    scores: for each of its lanes the score, in points ahead of the others.
    values: for each lane of the outer block `_OPTIONS` sums of leads over the first option.
    squares: the sums of the squares of these leads.
    options: for each of these the call.
    counts: for each lane of the outer block how many options it has; 0 where it is not asked.
    """

    state: Any
    hands: Any
    where: Any
    first: Any
    scores: Any
    values: Any
    squares: Any
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
    block = new_block()
    no_calls(block, LANES)
    return _Trial(
        block,
        np.zeros(2 * SEATS, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES),
        np.zeros(LANES * _OPTIONS),
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
def _copy_lane(state: Any, i: int, trial: _Trial, lane: int, key: int) -> None:
    """How things stand in a lane of the outer block, with the cards of `hands`."""
    block = trial.state
    for each in range(SEATS):
        block[index(FIVE + each * STRIDE, lane)] = trial.hands[each]
        block[index(EXTRA + each * STRIDE, lane)] = trial.hands[SEATS + each]
    block[DEALER + lane] = state[DEALER + i]
    block[PENDING + lane] = 0
    block[PLAYERS + lane] = state[PLAYERS + i]
    block[KEY + lane] = key
    block[ILLEGAL + lane] = 0
    for row in STANDING:
        block[index(row, lane)] = state[index(row, i)]
    block[NEWS + lane] = 0
    block[CALL + lane] = PASS


@stage
def _finish(trial: _Trial, waiting: int, place: int, turn: int, said: int, means: _Means) -> None:
    """Go on calling, play the lanes that wait, and add up their leads over the first option."""
    block, rules = trial.state, means.rules
    played = call_and_play(block, waiting, rules, means.calling, means.player, turn, said)
    for lane in range(waiting):
        trial.scores[lane] = 0.0
    for lane in range(played):
        team = team_of(block[PLAYERS + lane], place)
        own = others = 0
        for each in range(rules.teams):
            score = block[index(_SCORE + each * STRIDE, lane)]
            own += score if each == team else 0
            others += score if each != team else 0
        trial.scores[block[ORIGIN + lane]] = own - others / (rules.teams - 1)
    for lane in range(waiting):
        ahead = trial.scores[lane] - trial.scores[trial.first[lane]]
        trial.values[trial.where[lane]] += ahead
        trial.squares[trial.where[lane]] += ahead * ahead


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
    start: int, end: int, means: _Means,
) -> None:  # fmt: skip
    """Try the options of all lanes out in the worlds from `start` to `end`."""
    taking = member == asking.TAKE
    said = NOTHING
    if member == asking.BID:
        said = BID
    elif member == asking.COUNTER:
        said = COUNTERED
    goes_on = turn + 1 if taking else turn
    waiting = 0
    for i in range(lanes):
        if trial.counts[i] <= 1:
            continue
        own = state[index((FIVE if taking else DEALT) + place * STRIDE, i)]
        turned = state[TURNED + i] if taking else 0
        draw = rng.draw(state[KEY + i], question)
        for world in range(start, end):
            key = rng.deal_key(draw, world)
            if taking:
                deal_taking(trial.hands, place, own, turned, key)
            else:
                deal_auction(state, i, trial.hands, place, own, key, turn, means.rules)
            if waiting + trial.counts[i] > LANES:
                _finish(trial, waiting, place, goes_on, said, means)
                waiting = 0
            base = waiting
            for which in range(trial.counts[i]):
                _copy_lane(state, i, trial, waiting, key)
                trial.state[TURNED + waiting] = turned
                option = trial.options[i * _OPTIONS + which]
                _enter(state, i, trial, waiting, place, turn, member, option)
                trial.where[waiting] = i * _OPTIONS + which
                trial.first[waiting] = base
                waiting += 1
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
    """One more call to be tried out in a lane, unless it is there already."""
    for which in range(trial.counts[i]):
        if trial.options[i * _OPTIONS + which] == option:
            return
    at = i * _OPTIONS + trial.counts[i]
    trial.options[at] = option
    trial.values[at] = 0.0
    trial.squares[at] = 0.0
    trial.counts[i] += 1


@stage
def _add_contracts(
    trial: _Trial, i: int, hand: int, allowed: int, amount: int, means: _Means
) -> None:
    """Contracts that may be named (a bit each) as options, the best first; bids, with an amount."""
    two = means.rules.teams == 2
    for _ in range(means.contracts):
        best, choice = -1e9, -1
        for contract in range(ALL_TRUMPS + 1):
            if allowed >> contract & 1 != 0:
                total = count(hand, contract, FITTED)
                if amount > 0:
                    total *= FITTED.per_count if two else FITTED.three_per_count
                    total += base_total(contract, means.rules.teams, FITTED)
                elif contract >= NO_TRUMP:
                    no_trump = FITTED.no_trump if two else FITTED.three_no_trump
                    all_trumps = FITTED.all_trumps if two else FITTED.three_all_trumps
                    total += no_trump if contract == NO_TRUMP else all_trumps
                if total > best:
                    best, choice = total, contract
        if choice < 0:
            return
        allowed ^= 1 << choice
        _add_option(trial, i, choice if amount == 0 else bid_code(amount, choice, 0))


@stage
def _start(
    state: Any, lanes: int, trial: _Trial, place: int, number: int, flags: int, member: int,
    second: int, rule: int, means: _Means,
) -> None:  # fmt: skip
    """Make the call of `calling` the first option of each lane asked about."""
    said = np.empty(LANES, np.int64)
    for i in range(lanes):
        said[i] = state[CALL + i]
    asking.ask(means.calling, member, state, lanes, place, second, means.rules.teams, rule)
    for i in range(lanes):
        if state[index(flags, i)] != 0 and policy_of(state[PLAYERS + i], place) == number:
            _add_option(trial, i, state[CALL + i])
        else:
            state[CALL + i] = said[i]


@stage
def _answer(
    state: Any, lanes: int, trial: _Trial, place: int, turn: int, question: int, member: int,
    means: _Means,
) -> None:  # fmt: skip
    """Find the best option of each lane, and make it if new deals show it to be better."""
    _try(state, lanes, trial, place, turn, question, member, 0, means.worlds, means)
    for i in range(lanes):
        if trial.counts[i] > 0:
            best = trial.options[i * _OPTIONS + _best(trial, i)]
            trial.counts[i] = 1
            _add_option(trial, i, best)
    end = means.worlds * (1 + _CONFIRMING)
    _try(state, lanes, trial, place, turn, question, member, means.worlds, end, means)
    confirming = means.worlds * _CONFIRMING
    for i in range(lanes):
        if trial.counts[i] > 1:
            at = i * _OPTIONS + 1
            lead = trial.values[at] / confirming
            variance = max(0.0, trial.squares[at] / confirming - lead * lead)
            if lead > _LEAD + _ERRORS * np.sqrt(variance / (confirming - 1)):
                state[CALL + i] = trial.options[at]


@rollout.block("take")
def choose_take(
    block: Any, lanes: int, place: int, lap: int, teams: int, all_no_trump: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Take, or pass (`core.asking.ASKING`)."""
    state = carray(block, ROWS * STRIDE)
    means = _means(asking.TAKE, number, table, resources)
    trial = _new_trial()
    _start(state, lanes, trial, place, number, OPEN, asking.TAKE, lap, all_no_trump, means)
    for i in range(lanes):
        if trial.counts[i] > 0:
            turned = state[TURNED + i]
            allowed = 0b110000 if all_no_trump else 0
            for suit in range(NO_TRUMP):
                if lap == 2 or turned & (LANE << 16 * suit) != 0:
                    allowed |= 1 << suit
            hand = state[index(FIVE + place * STRIDE, i)] | turned
            _add_option(trial, i, PASS)
            _add_contracts(trial, i, hand, allowed, 0, means)
    turn = SEATS * (lap - 1) + place
    _answer(state, lanes, trial, place, turn, rng.CALL + SEATS * lap + place, asking.TAKE, means)


@rollout.block("bid")
def choose_bid(
    block: Any, lanes: int, place: int, turn: int, teams: int, limits: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Pass, or bid."""
    state = carray(block, ROWS * STRIDE)
    means = _means(asking.BID, number, table, resources)
    trial = _new_trial()
    highest, least = (limits >> 1) & 0xFFFF, limits >> 17
    allowed = 0b111111 if limits & 1 else 0b001111
    _start(state, lanes, trial, place, number, OPEN, asking.BID, turn, limits, means)
    for i in range(lanes):
        if trial.counts[i] > 0:
            _add_option(trial, i, PASS)
            amount = state[AMOUNT + i] + 10 if state[AMOUNT + i] > 0 else least
            if amount <= highest:
                hand = state[index(DEALT + place * STRIDE, i)]
                _add_contracts(trial, i, hand, allowed, amount, means)
                start = trial.options[i * _OPTIONS]
                contract = ((start if start != PASS else trial.options[i * _OPTIONS + 1]) >> 1) & 7
                for more in _JUMPS:
                    if amount + more <= highest:
                        _add_option(trial, i, bid_code(amount + more, contract, 0))
                amount = max(amount, min(highest, _CAPOT_TOTAL))
                _add_option(trial, i, bid_code(amount, contract, 1))
    _answer(state, lanes, trial, place, turn, rng.CALL + turn, asking.BID, means)


@scalar
def _choose_stake(
    block: Any, lanes: int, place: int, question: int, number: int, table: Any, resources: Any,
    member: int,
) -> None:  # fmt: skip
    """Counter, or overcounter, or not."""
    state = carray(block, ROWS * STRIDE)
    means = _means(member, number, table, resources)
    trial = _new_trial()
    over = 1 if member == asking.OVERCOUNTER else 0
    _start(state, lanes, trial, place, number, ASKED, member, question, over, means)
    for i in range(lanes):
        if trial.counts[i] > 0:
            _add_option(trial, i, 0)
            _add_option(trial, i, 1)
    turn = question >> 4
    _answer(state, lanes, trial, place, turn, rng.COUNTER + question, member, means)


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
