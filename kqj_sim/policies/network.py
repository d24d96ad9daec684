"""`network`: plays the legal card of the greatest value, by a small network (`one_layer`).

Its rows are the features of a decision, and it has an output for each way to play a card: a
decision takes one pass, however many cards are legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import types as t
from kqj_sim.core.block import PLAYERS_BY_POSITION, STRIDE, fill_vectors, policy_of
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.dispatch import LEAD, view_block
from kqj_sim.core.jit import scalar, stack_int64
from kqj_sim.core.trick import find_following_cards, follow_view, lead_view, put_card, read_hand
from kqj_sim.core.types import MAX_POLICIES
from kqj_sim.policies.features import FEATURES, LAYOUT, find_output, write_features
from kqj_sim.policies.one_layer import add_features, compute_total, find_step
from kqj_sim.policies.parameters import fix_version
from kqj_sim.policies.registry import policy
from kqj_sim.policies.trick_odds import build_trick_context

_KIND_BYTES = 2 * LAYOUT.fixed_size

network = policy(
    "network",
    "learned: a small neural network over features of the situation and the card",
    weights=fix_version("network"),
)
network.weights = "network"


@scalar
def write_card_values(view: Any, weights: t.Address, values: t.Float32Pointer) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    Args:
        weights: address of the weights of all kinds of contract in fixed point.
        values: float32, gets as many numbers as there are legal cards, in points.
    """
    known = build_trick_context(view)
    address = weights + known.kind * _KIND_BYTES
    features = stack_int64(FEATURES)
    write_features(view, known, features, 0, 1)
    layer = add_features(address, LAYOUT, features, FEATURES, 0, 1)
    step = find_step(address, LAYOUT)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        output = find_output(view.position, view.led, view.winning, known.slots, card)
        values[count] = np.float32(compute_total(layer, address, LAYOUT, output)) * step
        count += 1
    return count


(_KIND, _LEGAL, _LED, _WINNING, _SLOTS, _FEATURES) = (STRIDE * row for row in range(6))
_FACTS_SIZE = _FEATURES + FEATURES * STRIDE
"""Numbers of the facts of a block, row by row like the block."""


@scalar
def _put_facts(view: Any, lane: t.Lane, facts: t.Int64Pointer) -> None:
    known = build_trick_context(view)
    facts[_KIND + lane] = known.kind
    facts[_LEGAL + lane] = view.legal
    facts[_LED + lane] = view.led
    facts[_WINNING + lane] = view.winning
    facts[_SLOTS + lane] = known.slots
    write_features(view, known, facts, _FEATURES + lane, STRIDE)


@scalar
def _choose_card(
    facts: t.Int64Pointer, lane: t.Lane, position: t.Position, weights: t.Address
) -> t.CardSet:
    """Return the legal card of the greatest value in a lane; of several, the lowest."""
    address = weights + facts[_KIND + lane] * _KIND_BYTES
    layer = add_features(address, LAYOUT, facts, FEATURES, _FEATURES + lane, STRIDE)
    left = facts[_LEGAL + lane]
    best, chosen = -1 << 32, 0
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        output = find_output(
            position, facts[_LED + lane], facts[_WINNING + lane], facts[_SLOTS + lane], card
        )
        total: int = compute_total(layer, address, LAYOUT, output)
        chosen = card if total > best else chosen
        best = max(best, total)
    return chosen


def choose_cards(
    block_pointer: t.Int64Pointer, lanes: int, trick: int, position: t.Position, teams: int,
    sole: int, number: int, parameter_table: t.Float64Pointer, resources: t.Int64Pointer,
) -> None:  # fmt: skip
    """Choose in the lanes in which the policy sits at a position (`ASK_SIGNATURE`).

    With `sole` it sits at all seats; in playouts the block has the seats of the outer table.
    """
    state = view_block(block_pointer)
    weights = resources[LEAD * MAX_POLICIES + number]
    facts = stack_int64(_FACTS_SIZE)
    # The loops over all lanes have no branches: eight lanes take one vector instruction.
    if position == 0:
        for lane in range(fill_vectors(lanes)):
            _put_facts(lead_view(state, lane, trick, teams), lane, facts)
    else:
        for lane in range(fill_vectors(lanes)):
            hand = read_hand(state, lane, position)
            legal = find_following_cards(state, lane, hand, position)
            view = follow_view(state, lane, hand, legal, trick, position, teams)
            _put_facts(view, lane, facts)
    for lane in range(lanes):
        seated = (sole != 0) | (policy_of(state[PLAYERS_BY_POSITION + lane], position) == number)
        legal = facts[_LEGAL + lane]
        if seated and legal & (legal - 1) != 0:
            facts[_LEGAL + lane] = _choose_card(facts, lane, position, weights)
    if sole != 0:
        for lane in range(fill_vectors(lanes)):
            put_card(state, lane, position, facts[_LEGAL + lane])
    else:
        for lane in range(lanes):
            if policy_of(state[PLAYERS_BY_POSITION + lane], position) == number:
                put_card(state, lane, position, facts[_LEGAL + lane])


network.value_function = write_card_values
network.blocks["card"] = choose_cards
