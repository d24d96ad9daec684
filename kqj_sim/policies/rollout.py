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
    LAST_BIDS,
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
    TRICKS,
    TURNED,
    index,
    new_block,
    policy_of,
    result,
    team_of,
)
from kqj_sim.core.trial import STANDING, call_and_play
from kqj_sim.core.views import PASS
from kqj_sim.core.worlds import random_subset
from kqj_sim.policies.compiled import parameter_offset
from kqj_sim.policies.counting import count
from kqj_sim.policies.likely import SOFT, chance_to_bid
from kqj_sim.policies.parameters import named, whole
from kqj_sim.policies.points import FITTED, base_total
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

_TRIES = 16
"""So many hands are looked at for one with which a player would have called as he did."""

_SCORE = result("score_0")
_parameters_at = scalar(parameter_offset)


class _Trial(NamedTuple):
    """An inner block that is being filled, and what comes of it.

    state: the inner block.
    hands: what is dealt: the first cards of each place, then the others.
    where: for each of its lanes the value that its score is added to.
    values: for each lane of the outer block `_OPTIONS` sums of scores.
    options: for each of these the call.
    counts: for each lane of the outer block how many options it has; 0 where it is not asked.
    """

    state: Any
    hands: Any
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
    block = new_block()
    no_calls(block, LANES)
    return _Trial(
        block,
        np.zeros(2 * SEATS, np.int64),
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
def _chance_to_call(
    state: Any, i: int, place: int, hand: int, countered: int, rules: Rules
) -> float:
    """The chance that a place with a hand of eight cards has called as it did in an auction.

    `countered` is the place that is taken to have countered, -1 for none.
    """
    two = rules.teams == 2
    if place == countered:
        hold = FITTED.hold if two else FITTED.three_hold
        needed = (FITTED.margin if two else FITTED.three_margin) / hold
        return normal_share((count(hand, state[CONTRACT + i], FITTED) - needed) / SOFT)
    return chance_to_bid(state, i, place, hand, rules)


@scalar
def _who_countered(state: Any, i: int, draw: int, teams: int) -> int:
    """One of the opponents of a bidder who was countered, each as likely; -1 if he was not."""
    if state[STAKE + i] == 1:
        return -1
    players = state[PLAYERS + i]
    team = team_of(players, state[SENDER + i])
    place, passed_over = -1, rng.below(draw, SEATS - SEATS // teams)
    while passed_over >= 0:
        place += 1
        passed_over -= 1 if team_of(players, place) != team else 0
    return place


@scalar
def _deal_take(hands: Any, place: int, own: int, turned: int, key: int) -> None:
    """Deal all but the Return: `hands` has the first five cards of each place, then the others."""
    left = PACK & ~(own | turned)
    for each in range(2 * SEATS):
        size = 5 if each < SEATS else (2 if each == 2 * SEATS - 1 else 3)
        cards = own if each == place else random_subset(left, size, key, 8 * each)
        left &= ~cards
        hands[each] = cards


@scalar
def _deal_auction(
    state: Any, i: int, hands: Any, place: int, own: int, key: int, rules: Rules
) -> None:
    """Deal eight cards to each place, to those who called such as they would call with.

    Those are dealt to first; each gets the first of `_TRIES` hands that is accepted, or the last.
    """
    left = PACK & ~own
    countered = _who_countered(state, i, rng.draw(key, rng.WORLD), rules.teams)
    for each in range(SEATS):
        hands[each], hands[SEATS + each] = 0, 0
    hands[place] = own
    for silent in range(2):
        for each in range(SEATS):
            called = each == countered or (state[LAST_BIDS + i] >> 10 * each) & 1023 != 0
            if each == place or called == (silent != 0):
                continue
            cards = 0
            for tried in range(_TRIES if called else 1):
                counter = 1 + 10 * (_TRIES * each + tried)
                cards = random_subset(left, TRICKS, key, counter)
                chance = 1.0
                if called:
                    chance = _chance_to_call(state, i, each, cards, countered, rules)
                if rng.fraction(rng.draw(key, rng.WORLD + counter + TRICKS)) < chance:
                    break
            left ^= cards
            hands[each] = cards


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
    """Go on calling and play the lanes that wait; their scores are added to `values`."""
    block, rules = trial.state, means.rules
    played = call_and_play(block, waiting, rules, means.calling, means.player, turn, said)
    for lane in range(played):
        team = team_of(block[PLAYERS + lane], place)
        own = others = 0
        for each in range(rules.teams):
            score = block[index(_SCORE + each * STRIDE, lane)]
            own += score if each == team else 0
            others += score if each != team else 0
        trial.values[trial.where[block[ORIGIN + lane]]] += own - others / (rules.teams - 1)


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
            if taking:
                _deal_take(trial.hands, place, own, turned, key)
            else:
                _deal_auction(state, i, trial.hands, place, own, key, means.rules)
            for which in range(first, trial.counts[i]):
                _copy_lane(state, i, trial, waiting, key)
                trial.state[TURNED + waiting] = turned
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
