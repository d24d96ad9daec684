"""`linear`: values a card by the sum of its features' weights."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import scalar, stack_int64
from kqj_sim.policies.card_batches import add_linear_values, make_choose_card
from kqj_sim.policies.features import (
    CARD_FEATURES,
    CARD_INDICES,
    HELD_BACK_SHARE,
    write_card_features,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances

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
        odds = estimate_win_chances(view, HELD_BACK_SHARE, known, card)
        write_card_features(view, known, card, odds, features, 0, 1)
        total = weights[start + features[0]]
        for k in range(1, CARD_FEATURES):
            total += weights[start + features[k]]
        values[count] = total
        count += 1
    return count


@scalar
def write_batch_values(
    features: Any, shared: Any, lanes: Any, first: int, last: int, decisions: Any, count: int,
    weights: Any, start: int, values: Any,
) -> None:  # fmt: skip
    """Write the value of each candidate of a batch (`card_batches.make_choose_card`)."""
    add_linear_values(features, count, weights, start, values)


linear.block("card")(make_choose_card(write_batch_values, CARD_INDICES, with_shared=False))
