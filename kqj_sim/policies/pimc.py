"""`pimc`: perfect-information Monte Carlo, every card played on in worlds that agree with all seen.

Worlds are hands of the others, drawn by `core.worlds`.  In each of them every candidate card is
played on to the end of the round by another policy, which then sees only what its players would.
What the round is worth is averaged over the worlds, the same ones for all candidates, and another
policy's values, the *prior*, are added as if they had been found in so many worlds: a few worlds
alone choose worse than a good policy without any.  Worlds may count by how likely the others would
have called and played as they did (`policies.weighing`).

The deals of a block are at the same turn, so worlds and candidates of all of them fill the lanes of
an inner block side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from kqj_sim.core import rng
from kqj_sim.core.asking import LEAD
from kqj_sim.core.bits import LANE, PACK, lowest_bit, popcount, trailing_zeros
from kqj_sim.core.branches import branch, put_cards, worth
from kqj_sim.core.compile import int64_at, scalar, stage
from kqj_sim.core.knowledge import know
from kqj_sim.core.memory import stack_float32
from kqj_sim.core.nested import nested_rules, nested_table
from kqj_sim.core.points import points_of
from kqj_sim.core.resume import PLAY_ON, VALUES, resume
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Table
from kqj_sim.core.state import (
    AT_TABLE,
    CARDS,
    DEALT,
    HAND,
    KEY,
    LANES,
    LEADER,
    PLAYED,
    POINTS,
    ROWS,
    SEATS,
    STRIDE,
    TRICKS,
    history,
    index,
    padded,
    policy_of,
    team_of,
)
from kqj_sim.core.turn import legal_in, put_follow, put_lead
from kqj_sim.core.valuing import call_values
from kqj_sim.core.worlds import KNOWN, sample_worlds
from kqj_sim.policies.compiled import parameter_offset
from kqj_sim.policies.parameters import NO_POLICY, flag, named, number, whole
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import nth_card
from kqj_sim.policies.weighing import Model, weigh_worlds

PLAYERS_ON = ("random", "greedy", "standard", "linear", "network")
"""Who may play hands out."""

pimc = policy(
    "pimc",
    "plays every card on in worlds that agree with what was seen; slow",
    worlds=whole(32, "worlds in which each card is played on", 1, 10_000),
    rollout=named("linear", PLAYERS_ON, "who plays on"),
    prior=named("linear", (NO_POLICY, "linear", "network"), "whose values of cards are added"),
    prior_worlds=number(100, "how many worlds these count as", 0, 10_000),
    merge=flag(True, "play cards that come to the same on only once"),
    weigh=flag(False, "worlds count by how likely the others' calls and cards are in them"),
    model=named(
        "linear", ("linear", "network"), "with weigh, whose values of cards say how likely"
    ),
    patience=number(
        2, "with weigh, points that a card is worth less and a quarter as likely", 0.01, 1000
    ),
    drawn=whole(4, "with weigh, worlds drawn for each that is kept", 1, 100),
)

_PARAMETERS = parameter_offset(LEAD, 0)
_MOST = TRICKS
"""Cards that one may choose from."""


class _Inner(NamedTuple):
    """Lanes that wait to be played on, and the block that they go into.

    state: the inner block.
    sources: lane of the outer block.
    cards: candidate card.
    keys: key of the world.
    hands: hands of the world, by place, a world after another.
    shares: how much the world counts.
    where: where its worth goes.
    """

    state: Any
    sources: Any
    cards: Any
    keys: Any
    hands: Any
    shares: Any
    where: Any


@scalar
def _new_inner() -> _Inner:
    """Room for a block of waiting lanes."""
    numbers = np.zeros(ROWS * STRIDE + 8, np.int64)
    start = -numbers.ctypes.data % 64 // 8
    return _Inner(
        numbers[start : start + ROWS * STRIDE],
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(SEATS * LANES, np.int64),
        np.empty(LANES),
        np.empty(LANES, np.int64),
    )


@scalar
def _candidates(state: Any, i: int, position: int, legal: int) -> int:
    """Of each run of cards that come to the same, the lowest.

    Such cards have the same points, and no card that another may still hold, or that lies on the
    table, stands between them.
    """
    own = state[index(HAND + position * STRIDE, i)]
    others = PACK & ~(own | state[PLAYED + i])
    candidates = 0
    previous, previous_points = 0, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        points = points_of(
            card, state[POINTS + i], state[POINTS + STRIDE + i], state[POINTS + 2 * STRIDE + i],
            state[POINTS + 3 * STRIDE + i], state[POINTS + 4 * STRIDE + i],
        )  # fmt: skip
        same_suit = previous & (LANE << (trailing_zeros(card) & 48)) != 0
        between = others & (card - previous)
        if not (same_suit and between == 0 and points == previous_points):
            candidates |= card
        previous, previous_points = card, points
    return candidates


@stage
def _play_on(
    state: Any, inner: _Inner, waiting: int, trick: int, position: int, rules: Rules,
    rollouts: Table, values: Any,
) -> None:  # fmt: skip
    """Play the waiting lanes on; what they are worth is added to `values`."""
    branch(state, inner.state, inner.sources, waiting)
    block = inner.state
    for lane in range(padded(waiting)):
        of = lane if lane < waiting else 0
        i = inner.sources[of]
        leader = state[LEADER + i]
        block[KEY + lane] = inner.keys[of]
        block[index(CARDS + position * STRIDE, lane)] = inner.cards[of]
        for other in range(SEATS):
            place = (leader + other) % SEATS
            hand = inner.hands[of * SEATS + place]
            if other != position:
                # A card stays in the hand until its trick is over.
                held = hand | (state[index(CARDS + other * STRIDE, i)] if other < position else 0)
                block[index(HAND + other * STRIDE, lane)] = held
                block[index(DEALT + place * STRIDE, lane)] = held
        for finished in range(trick):
            led_by = state[index(history(finished, 0), i)]
            for other in range(SEATS):
                place = (led_by + other) % SEATS
                card = state[index(history(finished, 1 + other), i)]
                block[index(DEALT + place * STRIDE, lane)] |= card
    put_cards(block, waiting, position)
    resume(rollouts.resume[PLAY_ON], (block, waiting, rules, rollouts, trick, position + 1))
    for lane in range(waiting):
        team = team_of(state[AT_TABLE + inner.sources[lane]], position)
        values[inner.where[lane]] += inner.shares[lane] * worth(block, lane, team, rules.teams)


@scalar
def _best(values: Any, first: int, count: int) -> int:
    """Number of the greatest of some values, of equal ones the first."""
    best = 0
    for which in range(1, count):
        best = which if values[first + which] > values[first + best] else best
    return best


@pimc.block("card")
def choose_card(
    block: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Choose for the lanes in which the policy sits at a position (`core.asking.ASKING`)."""
    state = carray(block, ROWS * STRIDE)
    at = _PARAMETERS + number * MAX_PARAMETERS
    wanted, prior_worlds, merge = int(table[at]), table[at + 1], table[at + 2] != 0.0
    weigh, patience = table[at + 3] != 0.0, table[at + 4]
    drawn = wanted * int(table[at + 5]) if weigh else wanted
    resource = int64_at(resources[LEAD * SEATS + number])
    rules = nested_rules(resource)
    rollouts, prior = nested_table(resource, 0), nested_table(resource, 1)
    model = Model(nested_table(resource, 2), patience, rules)
    inner = _new_inner()
    known = np.empty(KNOWN, np.int64)
    worlds = np.empty(SEATS * drawn, np.int64)
    shares = np.ones(drawn)
    values = np.zeros(LANES * _MOST)
    candidates = np.zeros(LANES, np.int64)
    found = np.ones(LANES, np.int64)
    waiting = 0
    for i in range(lanes):
        if policy_of(state[AT_TABLE + i], position) != number:
            continue
        legal = legal_in(state, i, trick, position, teams)
        candidates[i] = _candidates(state, i, position, legal) if merge else legal
        count = popcount(candidates[i])
        if count == 1:
            continue
        know(state, i, trick, position, known)
        key = rng.card_draw(state[KEY + i], trick, (state[LEADER + i] + position) % SEATS)
        sampled = sample_worlds(known, drawn, key, worlds)
        found[i] = min(sampled, wanted)
        if weigh:
            weigh_worlds(
                state, i, trick, position, key, model, inner.state, worlds, sampled, wanted, shares
            )
        for world in range(sampled):
            for which in range(count if shares[world] > 0.0 else 0):
                inner.sources[waiting] = i
                inner.cards[waiting] = nth_card(candidates[i], which)
                inner.keys[waiting] = rng.deal_key(key, world)
                inner.shares[waiting] = shares[world]
                inner.where[waiting] = i * _MOST + which
                for place in range(SEATS):
                    inner.hands[waiting * SEATS + place] = worlds[world * SEATS + place]
                waiting += 1
                if waiting == LANES:
                    _play_on(state, inner, waiting, trick, position, rules, rollouts, values)
                    waiting = 0
    if waiting > 0:
        _play_on(state, inner, waiting, trick, position, rules, rollouts, values)
    priors = stack_float32(_MOST)
    for i in range(lanes):
        if policy_of(state[AT_TABLE + i], position) != number:
            continue
        count = popcount(candidates[i])
        if count > 1 and prior.distinct > 0:
            legal = legal_in(state, i, trick, position, teams)
            weights = prior.resources[LEAD * SEATS]
            call_values(prior.resume[VALUES], (state, i, trick, position, teams, weights, priors))
            # Where fewer worlds are possible than wanted, each counts for more.
            factor = prior_worlds * max(found[i], 1) / wanted
            for which in range(count):
                below = legal & (nth_card(candidates[i], which) - 1)
                values[i * _MOST + which] += factor * priors[popcount(below)]
        card = nth_card(candidates[i], _best(values, i * _MOST, count))
        if position == 0:
            put_lead(state, i, card)
        else:
            put_follow(state, i, position, card)
