"""`linear`: values a card by the sum of its features' weights."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.block import TRICKS
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import scalar, stack_float32, stack_int64
from kqj_sim.policies.features import CARD_FEATURES, CARD_INDICES, write_card_features
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import build_trick_context

linear = policy("linear", "learned: adds up weights of features", weights="linear")


@linear.values
@scalar
def write_card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    `weights` has `CARD_INDICES` numbers for each kind of contract.
    """
    known = build_trick_context(view)
    start = known.kind * CARD_INDICES
    features = stack_int64(CARD_FEATURES)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        write_card_features(view, known, card, features, 0)
        total = weights[start + features[0]]
        for k in range(1, CARD_FEATURES):
            total += weights[start + features[k]]
        values[count] = total
        count += 1
    return count


@linear
def choose_card(view: Any, parameters: Any, weights: Any) -> int:
    """Play the legal card of the greatest value."""
    if view.legal & (view.legal - 1) == 0:
        return view.legal
    values = stack_float32(TRICKS)
    write_card_values(view, weights, values)
    return best_card(view.legal, values)
