"""`pimc`: perfect-information Monte Carlo: play every card on in worlds that agree with all seen.

Worlds are sampled layouts of the hidden cards (`core.hidden_hands`).  In each of them every
candidate card is played on to the end of the round by another policy, which sees only what its
players would.  The value of the round is averaged over the worlds, the same ones for all
candidates, and another policy's values, the *prior*, are added as if they had been found in so many
worlds: a few worlds alone choose worse than a good policy without any.  Worlds may be weighed by
the chance of the others' calls and cards in them (`particles`): from trick 6 on they are drawn from
all by these weights (`core.weighted_layouts`), before from a sample.  Late tricks gain most for
their time, so the search may begin at a trick, before which the prior's card is played.

The deals of a block are at the same turn, so worlds and candidates of all of them fill the lanes of
an inner block side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from kqj_sim.core import rng
from kqj_sim.core.block import (
    HAND,
    KEY,
    LANES,
    LEADER,
    PLAYED_CARDS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    ROW_COUNT,
    SEATS,
    STRIDE,
    TRICKS,
    cell_index,
    policy_of,
    team_of,
)
from kqj_sim.core.cards import (
    PACK,
    SUIT_MASK,
    count_card_points,
    lowest_bit,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.dispatch import LEAD, call_value_cards, unpack_rules, unpack_seating
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, infer_knowledge, sample_layouts
from kqj_sim.core.jit import block_loop, int64_at, scalar, stack_float32
from kqj_sim.core.playouts import PlayoutQueue, compute_utility, new_playout_queue, play_out_queue
from kqj_sim.core.round import CARD_VALUES
from kqj_sim.core.rules import MAX_PARAMETERS, MAX_POLICIES, Rules, Seating
from kqj_sim.core.trick import find_legal_cards, put_card
from kqj_sim.core.types import Block, CardSet, Position
from kqj_sim.core.weighted_layouts import (
    draw_weighted_layouts,
    list_hands,
    new_hand_lists,
)
from kqj_sim.policies.binding import parameter_offset
from kqj_sim.policies.parameters import NO_POLICY, flag, named, number, whole
from kqj_sim.policies.particles import OpponentModel, weigh_layouts, weigh_lists
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card, nth_card

ROLLOUT_POLICIES = ("random", "greedy", "standard", "linear", "network")
"""Policies that may play on."""

_FROM: dict[str, Any] = {
    "from": whole(6, "first trick in which cards are tried; before, the prior plays", 1, 7)
}
"""A parameter whose name is a keyword of Python."""

pimc = policy(
    "pimc",
    "tries every card of the last tricks in many possible deals; slow",
    worlds=whole(128, "possible deals in which each card is tried", 1, 10_000),
    **_FROM,
    rollout=named("network", ROLLOUT_POLICIES, "policy that plays these deals on"),
    prior=named(
        "network", (NO_POLICY, "linear", "network"), "policy whose estimates of cards are added"
    ),
    prior_worlds=number(10, "number of deals that these estimates count as", 0, 10_000),
    merge=flag(True, "try only one of several equivalent cards"),
    weigh=flag(True, "weight deals by how likely they make the observed calls and cards"),
    model=named("network", ("linear", "network"), "with weigh: policy that rates the cards played"),
    patience=number(
        2, "with weigh: a card rated lower by this many points is a quarter as likely", 0.01, 1000
    ),
    drawn=whole(4, "with weigh, before trick 6: deals drawn for each that is kept", 1, 100),
)

_PARAMETERS_OFFSET = parameter_offset(LEAD, 0)
_EXACT_FROM = TRICKS - 3
"""First trick from which layouts are drawn by the weights of all."""
_MAX_CARDS = TRICKS
"""Most cards to choose from."""


@scalar
def _select_candidates(state: Block, lane: int, position: Position, legal: CardSet) -> int:
    """Return the lowest card of each run of equivalent cards.

    Equivalent cards have the same points, and no card that another player may still hold, or that
    lies on the table, is between them.
    """
    own = state[cell_index(HAND + position * STRIDE, lane)]
    others = PACK & ~(own | state[PLAYED_CARDS + lane])
    candidates = 0
    previous, previous_points = 0, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        points = count_card_points(
            card,
            state[POINT_PLANES + lane],
            state[POINT_PLANES + STRIDE + lane],
            state[POINT_PLANES + 2 * STRIDE + lane],
            state[POINT_PLANES + 3 * STRIDE + lane],
            state[POINT_PLANES + 4 * STRIDE + lane],
        )
        same_suit = previous & (SUIT_MASK << (trailing_zeros(card) & 48)) != 0
        between = others & (card - previous)
        if not (same_suit and between == 0 and points == previous_points):
            candidates |= card
        previous, previous_points = card, points
    return candidates


@block_loop
def _play_out_waiting(
    state: Block, queue: PlayoutQueue, shares: Any, waiting: int, trick: int, position: Position,
    rules: Rules, rollouts: Seating, values: Any,
) -> None:  # fmt: skip
    """Play the waiting lanes on and add their utilities, times their weights, to `values`."""
    play_out_queue(state, queue, waiting, trick, position, rules, rollouts)
    for lane in range(waiting):
        team = team_of(state[PLAYERS_BY_POSITION + queue.sources[lane]], position)
        value = compute_utility(queue.state, lane, team, rules.teams)
        values[queue.targets[lane]] += shares[lane] * value


@scalar
def _find_best(values: Any, first: int, count: int) -> int:
    """Return the number of the greatest of some values, of equal ones the first."""
    best = 0
    for which in range(1, count):
        best = which if values[first + which] > values[first + best] else best
    return best


@block_loop
def _play_like_prior(
    state: Block, lanes: int, trick: int, position: Position, teams: int, number: int,
    prior: Seating,
) -> None:  # fmt: skip
    """Play the card that the prior values most, in the lanes in which the policy sits."""
    values = stack_float32(_MAX_CARDS)
    for i in range(lanes):
        if policy_of(state[PLAYERS_BY_POSITION + i], position) != number:
            continue
        legal = find_legal_cards(state, i, trick, position, teams)
        if popcount(legal) > 1:
            _write_prior_values(state, i, trick, position, teams, prior, values)
        put_card(state, i, position, best_card(legal, values))


@scalar
def _write_prior_values(
    state: Block, lane: int, trick: int, position: Position, teams: int, prior: Seating,
    values: Any,
) -> None:  # fmt: skip
    """Write the prior's value of each legal card, from the lowest bit on."""
    weights = prior.resources[LEAD * MAX_POLICIES]
    call_value_cards(
        prior.resume[CARD_VALUES], (state, lane, trick, position, teams, weights, values)
    )


@pimc.block("card")
def choose_card(
    block_pointer: Any, lanes: int, trick: int, position: Position, teams: int, unused: int,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Choose in the lanes in which the policy sits at a position
    (`core.dispatch.ASK_SIGNATURE`)."""
    state = carray(block_pointer, ROW_COUNT * STRIDE)
    at = _PARAMETERS_OFFSET + number * MAX_PARAMETERS
    wanted, searched_from = int(parameter_table[at]), int(parameter_table[at + 1])
    prior_worlds, merge = parameter_table[at + 2], parameter_table[at + 3] != 0.0
    weigh, patience = parameter_table[at + 4] != 0.0, parameter_table[at + 5]
    drawn = wanted * int(parameter_table[at + 6]) if weigh else wanted
    resource = int64_at(resources[LEAD * MAX_POLICIES + number])
    rules = unpack_rules(resource)
    rollouts, prior = unpack_seating(resource, 0), unpack_seating(resource, 1)
    if trick + 1 < searched_from and prior.distinct > 0:
        _play_like_prior(state, lanes, trick, position, teams, number, prior)
        return
    model = OpponentModel(unpack_seating(resource, 2), patience, rules)
    queue = new_playout_queue()
    lane_shares = np.empty(LANES)
    lists = new_hand_lists()
    known = np.empty(KNOWLEDGE_SIZE, np.int64)
    worlds = np.empty(SEATS * drawn, np.int64)
    shares = np.ones(drawn)
    values = np.zeros(LANES * _MAX_CARDS)
    candidates = np.zeros(LANES, np.int64)
    found = np.ones(LANES, np.int64)
    waiting = 0
    for i in range(lanes):
        if policy_of(state[PLAYERS_BY_POSITION + i], position) != number:
            continue
        legal = find_legal_cards(state, i, trick, position, teams)
        candidates[i] = _select_candidates(state, i, position, legal) if merge else legal
        count = popcount(candidates[i])
        if count == 1:
            continue
        infer_knowledge(state, i, trick, position, known)
        key = rng.draw_for_card(state[KEY + i], trick, (state[LEADER + i] + position) % SEATS)
        if weigh and trick >= _EXACT_FROM and list_hands(known, lists):
            weigh_lists(state, i, trick, position, key, model, queue.state, lists)
            fraction = rng.to_fraction(rng.draw(key, rng.CARD))
            sampled = draw_weighted_layouts(known, lists, wanted, fraction, worlds, shares)
        else:
            sampled = sample_layouts(known, drawn, key, worlds)
            if weigh:
                weigh_layouts(
                    state, i, trick, position, key, model, queue.state, worlds, sampled, wanted,
                    shares,
                )  # fmt: skip
        found[i] = min(sampled, wanted)
        for world in range(sampled):
            for which in range(count if shares[world] > 0.0 else 0):
                queue.sources[waiting] = i
                queue.cards[waiting] = nth_card(candidates[i], which)
                queue.keys[waiting] = rng.derive_deal_key(key, world)
                lane_shares[waiting] = shares[world]
                queue.targets[waiting] = i * _MAX_CARDS + which
                for place in range(SEATS):
                    queue.hands[waiting * SEATS + place] = worlds[world * SEATS + place]
                waiting += 1
                if waiting == LANES:
                    _play_out_waiting(
                        state, queue, lane_shares, waiting, trick, position, rules, rollouts,
                        values,
                    )  # fmt: skip
                    waiting = 0
    if waiting > 0:
        _play_out_waiting(
            state, queue, lane_shares, waiting, trick, position, rules, rollouts, values
        )
    priors = stack_float32(_MAX_CARDS)
    for i in range(lanes):
        if policy_of(state[PLAYERS_BY_POSITION + i], position) != number:
            continue
        count = popcount(candidates[i])
        if count > 1 and prior.distinct > 0:
            legal = find_legal_cards(state, i, trick, position, teams)
            _write_prior_values(state, i, trick, position, teams, prior, priors)
            # Where fewer worlds are possible than wanted, each counts for more.
            factor = prior_worlds * max(found[i], 1) / wanted
            for which in range(count):
                below = legal & (nth_card(candidates[i], which) - 1)
                values[i * _MAX_CARDS + which] += factor * priors[popcount(below)]
        card = nth_card(candidates[i], _find_best(values, i * _MAX_CARDS, count))
        put_card(state, i, position, card)
