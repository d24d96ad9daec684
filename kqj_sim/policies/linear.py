"""`linear`: the value of a card is the sum of its features' weights."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import lowest_bit
from kqj_sim.core.compile import scalar
from kqj_sim.core.memory import stack_int64
from kqj_sim.policies.features import CARD_FEATURES, CARD_INDICES, card_features, situation


@scalar
def card_values(view: Any, weights: Any, values: Any) -> int:
    """Write the value of each legal card, from the lowest bit on; how many they are.

    `weights` has `CARD_INDICES` numbers for each kind of contract.
    """
    known = situation(view)
    start = known.kind * CARD_INDICES
    features = stack_int64(CARD_FEATURES)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        card_features(view, known, card, features, 0)
        total = weights[start + features[0]]
        for k in range(1, CARD_FEATURES):
            total += weights[start + features[k]]
        values[count] = total
        count += 1
    return count
