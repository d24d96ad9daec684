"""`linear`: values a card by the sum of its features' weights."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import float32_at, scalar, stack_int64
from kqj_sim.core.types import Address, Float32Pointer, Int64Pointer
from kqj_sim.policies.card_batches import BATCH, make_choose_card
from kqj_sim.policies.features import (
    CARD_FEATURES,
    CARD_INDICES,
    HELD_BACK_SHARE,
    write_card_features,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances

linear = policy("linear", "learned: adds up weights of features", weights="linear")

_KIND_BYTES = 4 * CARD_INDICES


@linear.values
@scalar
def write_card_values(view: Any, weights: Address, values: Float32Pointer) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    Args:
        view: the player's view.
        weights: address of `CARD_INDICES` float32 for each kind of contract.
        values: float32, gets a number for each legal card.
    """
    known = build_trick_context(view)
    numbers = float32_at(weights + known.kind * _KIND_BYTES)
    features = stack_int64(CARD_FEATURES)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        odds = estimate_win_chances(view, HELD_BACK_SHARE, known, card)
        write_card_features(view, known, card, odds, features, 0, 1)
        total = numbers[features[0]]
        for k in range(1, CARD_FEATURES):
            total += numbers[features[k]]
        values[count] = total
        count += 1
    return count


@scalar
def write_batch_values(
    features: Int64Pointer, shared: Int64Pointer, lanes: Int64Pointer, first: int, last: int,
    decisions: Int64Pointer, count: int, weights: Address, kind: int, values: Float32Pointer,
) -> None:  # fmt: skip
    """Write the value of each candidate of a batch (`card_batches.make_choose_card`)."""
    numbers = float32_at(weights + kind * _KIND_BYTES)
    for at in range(count):
        values[at] = numbers[features[at]]
    for k in range(1, CARD_FEATURES):
        for at in range(count):
            values[at] += numbers[features[k * BATCH + at]]


linear.block("card")(make_choose_card(write_batch_values, with_shared=False))
