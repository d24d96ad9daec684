"""The values of `linear` and `network` against numpy, and the card that they choose."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core.compile import kernel
from kqj_sim.core.views import CardView
from kqj_sim.policies import layout, linear, network
from kqj_sim.policies.features import (
    CARD_FEATURES,
    CARD_INDICES,
    SHARED_FEATURES,
    SHARED_INDICES,
    card_features,
    shared_features,
)
from kqj_sim.policies.situation import KINDS, situation
from tests.policies.test_features import RULES, turns

Floats = NDArray[np.float64]


def bits(cards: int) -> list[int]:
    """The cards of a set, from the lowest bit on."""
    return [1 << bit for bit in range(64) if cards >> bit & 1]


def indices(view: CardView) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """The kind of the contract, the shared features, and those of each legal card."""
    known = situation(view)
    shared = np.empty(SHARED_FEATURES, np.int64)
    shared_features(view, known, shared)
    legal = bits(view.legal)
    cards = np.empty(len(legal) * CARD_FEATURES, np.int64)
    for row, card in enumerate(legal):
        card_features(view, known, card, cards, row * CARD_FEATURES)
    return known.kind, shared, cards.reshape(-1, CARD_FEATURES)


def linear_values(view: CardView, weights: Floats) -> Floats:
    """The sums of the weights."""
    kind, _, cards = indices(view)
    values: Floats = weights.reshape(KINDS, CARD_INDICES)[kind][cards].sum(axis=1)
    return values


def network_values(view: CardView, weights: Floats) -> Floats:
    """The network as matrices, read in the order in which the layout lists its blocks."""
    kind, shared, cards = indices(view)
    left = weights.reshape(KINDS, layout.KIND_SIZE)[kind]
    blocks = []
    for start, shape in (
        (layout.LINEAR, (CARD_INDICES,)),
        (layout.SHARED_ROWS, (SHARED_INDICES, 48)),
        (layout.CARD_ROWS, (CARD_INDICES, 48)),
        (layout.BIAS_1, (48,)),
        (layout.MATRIX, (48, 16)),
        (layout.BIAS_2, (16,)),
        (layout.OUTPUT, (16,)),
    ):
        assert start % 16 == 0
        blocks.append(left[start : start + int(np.prod(shape))].reshape(shape))
    single, shared_rows, card_rows, bias_1, matrix, bias_2, output = blocks
    first = bias_1 + shared_rows[shared].sum(axis=0) + card_rows[cards].sum(axis=1)
    second = bias_2 + np.maximum(first, 0) @ matrix
    values: Floats = single[cards].sum(axis=1) + np.maximum(second, 0) @ output
    return values


POLICIES = {
    "linear": (linear, KINDS * CARD_INDICES, linear_values),
    "network": (network, KINDS * layout.KIND_SIZE, network_values),
}


def test_blocks_of_the_layout_do_not_overlap() -> None:
    ends = [
        layout.LINEAR + CARD_INDICES,
        layout.SHARED_ROWS + SHARED_INDICES * layout.HIDDEN_1,
        layout.CARD_ROWS + CARD_INDICES * layout.HIDDEN_1,
        layout.BIAS_1 + layout.HIDDEN_1,
        layout.MATRIX + layout.HIDDEN_1 * layout.HIDDEN_2,
        layout.BIAS_2 + layout.HIDDEN_2,
    ]
    starts = [
        layout.SHARED_ROWS, layout.CARD_ROWS, layout.BIAS_1, layout.MATRIX, layout.BIAS_2,
        layout.OUTPUT,
    ]  # fmt: skip
    assert all(end <= start < end + 16 for end, start in zip(ends, starts, strict=True))
    assert layout.KIND_SIZE == layout.OUTPUT + layout.HIDDEN_2


@pytest.mark.parametrize("policy", POLICIES)
def test_values_are_those_of_numpy(policy: str) -> None:
    module, size, slow = POLICIES[policy]
    choose_card = kernel(cache=False)(module.choose_card)
    draw = np.random.default_rng(5)
    weights = draw.normal(size=size).astype(np.float32)
    kinds = set()
    for name in RULES:
        for number, (moment, view) in enumerate(turns(name)):
            if number % 5 == 0:
                wanted = slow(view, weights.astype(np.float64))
                values = np.full(9, np.nan, np.float32)
                count = module.card_values(view, weights, values)
                assert count == len(moment.legal) == len(wanted)
                assert np.isnan(values[count:]).all()
                np.testing.assert_allclose(values[:count], wanted, rtol=1e-4, atol=1e-2)
                best = bits(view.legal)[int(np.argmax(values[:count]))]
                assert choose_card(view, (), weights) == best
                kinds.add(view.contract)
    assert len(kinds) == 6


@pytest.mark.parametrize("policy", POLICIES)
def test_of_equal_cards_the_lowest_is_played(policy: str) -> None:
    module, size, _ = POLICIES[policy]
    choose_card = kernel(cache=False)(module.choose_card)
    weights = np.zeros(size, np.float32)
    for _, view in turns("take-2"):
        assert choose_card(view, (), weights) == view.legal & -view.legal
