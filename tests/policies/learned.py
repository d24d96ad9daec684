"""The features of views, and the values of `network` by numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.views import CardView
from kqj_sim.policies import features
from kqj_sim.policies.features import (
    CARD_FEATURES,
    CARD_INDICES,
    HELD_BACK_SHARE,
    SHARED_FEATURES,
    SHARED_INDICES,
    write_card_features,
    write_shared_features,
)
from kqj_sim.policies.trick_odds import KIND_COUNT, build_trick_context, estimate_win_chances

Floats = NDArray[np.float64]


def bits(cards: int) -> list[int]:
    """The cards of a set, from the lowest bit on."""
    return [1 << bit for bit in range(64) if cards >> bit & 1]


def indices(view: CardView) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """The kind of the contract, the shared features, and those of each legal card."""
    known = build_trick_context(view)
    shared = np.empty(SHARED_FEATURES, np.int64)
    write_shared_features(view, known, shared, 0, 1)
    legal = bits(view.legal)
    cards = np.empty(len(legal) * CARD_FEATURES, np.int64)
    for row, card in enumerate(legal):
        odds = estimate_win_chances(view, HELD_BACK_SHARE, known, card)
        write_card_features(view, known, card, odds, cards, row * CARD_FEATURES, 1)
    return known.kind, shared, cards.reshape(-1, CARD_FEATURES)


def network_values(view: CardView, weights: Floats) -> Floats:
    """The network as matrices, read in the order in which the layout lists its blocks."""
    kind, shared, cards = indices(view)
    left = weights.reshape(KIND_COUNT, features.KIND_SIZE)[kind]
    blocks = []
    for start, shape in (
        (features.LINEAR_OFFSET, (CARD_INDICES,)),
        (features.SHARED_ROWS_OFFSET, (SHARED_INDICES, 48)),
        (features.CARD_ROWS_OFFSET, (CARD_INDICES, 48)),
        (features.BIAS_1_OFFSET, (48,)),
        (features.MATRIX_OFFSET, (48, 16)),
        (features.BIAS_2_OFFSET, (16,)),
        (features.OUTPUT_OFFSET, (16,)),
    ):
        assert start % 16 == 0
        blocks.append(left[start : start + int(np.prod(shape))].reshape(shape))
    single, shared_rows, card_rows, bias_1, matrix, bias_2, output = blocks
    first = bias_1 + shared_rows[shared].sum(axis=0) + card_rows[cards].sum(axis=1)
    second = bias_2 + np.maximum(first, 0) @ matrix
    values: Floats = single[cards].sum(axis=1) + np.maximum(second, 0) @ output
    return values
