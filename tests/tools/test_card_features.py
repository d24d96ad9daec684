"""Features of cards against their slow twin, and alike for suits that are alike."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pytest

from kqj_sim.core.jit import kernel
from kqj_sim.core.views import CardView
from kqj_sim.policies.trick_odds import build_trick_context
from tests.policies.moments import TURN_RULES, iterate_exchanged_turns, iterate_turns, view_of
from tests.policies.slow_features import index_of
from tests.slow import slow_after
from tests.tools.slow_card_features import SlowCards
from tests.variants import told
from tools.feature_network import CARD_FEATURES, CARD_INDICES, CARD_TABLES, write_card_features


@kernel(cache=False)
def _features(view, cards):  # type: ignore[no-untyped-def]
    known = build_trick_context(view)
    rows = np.full(cards.shape[0] * CARD_FEATURES + 1, -1)
    for row in range(cards.shape[0]):
        write_card_features(view, known, cards[row], rows, row * CARD_FEATURES)
    return rows


def computed(view: CardView, cards: list[int]) -> list[list[int]]:
    rows = _features(view, np.array(cards))
    assert rows[-1] == -1, "an index too many"
    found: list[list[int]] = rows[:-1].reshape(-1, CARD_FEATURES).tolist()
    return found


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_features_are_those_of_the_slow_twin(name: str) -> None:
    contracts = set()
    ends = np.cumsum([prod(sizes) for sizes in CARD_TABLES.values()])
    assert ends[-1] == CARD_INDICES
    for moment, view in iterate_turns(name):
        slow = SlowCards(moment)
        cards = sorted(moment.legal)
        rows = computed(view, [slow.bits[card] for card in cards])
        for card, row in zip(cards, rows, strict=True):
            wanted = [index_of(CARD_TABLES, values) for values in slow.card(card)]
            assert row == wanted, told(moment.record, view, card, slow.card(card))
            assert np.searchsorted(ends, row, side="right").tolist() == list(range(CARD_FEATURES))
        contracts.add(view.contract)
    assert len(contracts) >= 4, contracts


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_suits_that_play_the_same_part_may_be_exchanged(name: str) -> None:
    for one, two, cards, bits_one, bits_two in iterate_exchanged_turns(name):
        rows, rows_two = computed(view_of(one), bits_one), computed(view_of(two), bits_two)
        # Suits of which the player holds the same ranks may change places in the tables.
        pairs = zip(cards, rows, rows_two, strict=True)
        held = {one.ranks_held(card.suit) for card, a, b in pairs if a != b}
        assert len(held) <= 1, told(one.record, view_of(one), view_of(two))
        assert Counter(map(tuple, rows)) == Counter(map(tuple, rows_two))
