"""Layouts of the hidden cards for a turn, drawn by the chance of the observed calls and cards.

With few hidden cards they are drawn from all layouts (`core.weighted_layouts`).  With more, hands
are fixed player after player by sequential Monte Carlo (Doucet, de Freitas and Gordon 2001): of a
sample of layouts, those are kept in which the first player's hand explains that player's choices,
the other hands are dealt anew in each, then the second player's hands are weighed, and so on.  So
few of the sample go lost to hands that do not fit one another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import LEADER, SEATS, TRICKS
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, redeal_among_last, sample_layouts
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.knowledge import infer_knowledge
from kqj_sim.core.types import Block, Float64Array, Int64Array, Key, Lane, Position
from kqj_sim.core.weighted_layouts import (
    HandLists,
    draw_weighted_layouts,
    list_hands,
    new_hand_lists,
    weigh_all_layouts,
)
from kqj_sim.policies.particles import (
    OpponentModel,
    resample_layouts,
    scale_weights,
    weigh_layouts,
    weigh_lists,
    weigh_place,
)

_EXACT_FROM = TRICKS - 3
"""First trick from which layouts are drawn by the weights of all."""
_REDEALS = 2
"""Times that the pairs of the players whose hands are not yet fixed redeal."""


class LayoutSampler(NamedTuple):
    """Scratch space for `draw_likely_layouts`.

    Attributes:
        known: int64 (KNOWLEDGE_SIZE,), what the player knows.
        lists: the hands that each player can hold.
        layouts: int64 (6 * n,), the layouts sampled.
        before: int64 (6 * n,), those before they were resampled.
        weights: float64 (n,), their weights.
    """

    known: Int64Array
    lists: HandLists
    layouts: Int64Array
    before: Int64Array
    weights: Float64Array


@scalar
def new_layout_sampler(sampled: int) -> LayoutSampler:
    """Return the space for samples of a size."""
    return LayoutSampler(
        np.empty(KNOWLEDGE_SIZE, np.int64),
        new_hand_lists(),
        np.empty(SEATS * sampled, np.int64),
        np.empty(SEATS * sampled, np.int64),
        np.empty(sampled),
    )


@block_loop
def draw_likely_layouts(
    state: Block, lane: Lane, trick: int, position: Position, key: Key, model: OpponentModel,
    block: Block, sampler: LayoutSampler, wanted: int, layouts: Any, at: int, weights: Any,
) -> int:  # fmt: skip
    """Draw layouts by the chance of the others' calls and cards.

    Args:
        state, lane, trick, position: the turn.
        key: key of the draws.
        model: the assumed play of the others.
        block: an inner block, overwritten.
        sampler: space for the sample, from which with many hidden cards the layouts are drawn.
        wanted: number of layouts.
        layouts: filled with the hidden hands, one layout after another, from number `at` on.
        weights: filled likewise with the layouts' weights: the number of times each is drawn,
            `wanted` in all, or the weights of all layouts if there are no more than `wanted`.

    Returns:
        Number of layouts, negative if these are all.
    """
    known, lists = sampler.known, sampler.lists
    fraction = rng.to_fraction(rng.draw(key, rng.CARD))
    infer_knowledge(state, lane, trick, position, known)
    written, written_weights = layouts[at * SEATS :], weights[at:]
    if trick >= _EXACT_FROM and list_hands(known, lists):
        weigh_lists(state, lane, trick, position, key, model, block, lists)
        count = weigh_all_layouts(known, lists, wanted, written, written_weights)
        if count >= 0:
            return -count
        return draw_weighted_layouts(known, lists, wanted, fraction, written, written_weights)
    sample, sampled = sampler.layouts, len(sampler.weights)
    count = sample_layouts(known, sampled, key, sample)
    if count < sampled:
        weigh_layouts(
            state, lane, trick, position, key, model, block, sample, count, sampler.weights
        )
    else:
        weigh_player_by_player(state, lane, trick, position, key, model, block, sampler)
    complete = count < sampled and count <= wanted
    if complete:
        scale_weights(sampler.weights, count)
    else:
        resample_layouts(sampler.weights, count, wanted, fraction)
    kept = 0
    for number in range(count):
        if sampler.weights[number] > 0.0:
            _copy_layout(sample, number, written, kept)
            written_weights[kept] = sampler.weights[number]
            kept += 1
    return -kept if complete else kept


@scalar
def _copy_layout(layouts: Any, number: int, target: Any, target_number: int) -> None:
    """Copy a layout from one array to another."""
    for place in range(SEATS):
        target[target_number * SEATS + place] = layouts[number * SEATS + place]


@block_loop
def weigh_player_by_player(
    state: Block, lane: Lane, trick: int, position: Position, key: Key, model: OpponentModel,
    block: Block, sampler: LayoutSampler,
) -> None:  # fmt: skip
    """Resample a uniform sample of layouts by one player's hands after the other's.

    The weights are left to count for the last player.
    """
    own = (state[LEADER + lane] + position) % SEATS
    last = SEATS - 2 if own == SEATS - 1 else SEATS - 1
    layouts, weights, count = sampler.layouts, sampler.weights, len(sampler.weights)
    for place in range(last + 1):
        if place == own:
            continue
        weigh_place(state, lane, trick, position, key, model, block, layouts, place, weights)
        if place == last:
            break
        stage_key = rng.derive_deal_key(key, -1 - place)
        fraction = rng.to_fraction(rng.draw(stage_key, rng.CARD))
        resample_layouts(weights, count, count, fraction)
        sampler.before[:] = layouts
        drawn = 0
        for number in range(count):
            for _ in range(int(weights[number])):
                _copy_layout(sampler.before, number, layouts, drawn)
                redeal_among_last(
                    sampler.known, layouts, drawn, place + 1, _REDEALS,
                    rng.derive_deal_key(stage_key, drawn),
                )  # fmt: skip
                drawn += 1
