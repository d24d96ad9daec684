"""Features of decisions against their slow twin, and alike for suits that are alike."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pytest

from kqj_sim.cards import SUITS
from kqj_sim.core.jit import kernel
from kqj_sim.core.views import CardView
from kqj_sim.policies import features
from kqj_sim.policies.features import FEATURES, PARTS, ROWS, TABLES
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances
from tests.core.coding import strength_of
from tests.policies.moments import (
    TURN_RULES,
    Moment,
    iterate_exchanged_turns,
    iterate_turns,
    view_of,
)
from tests.policies.slow_features import Slow, index_of
from tests.slow import slow_after
from tests.variants import told

HELD_BACK = 0.25


@kernel(cache=False)
def _features(view, cards):  # type: ignore[no-untyped-def]
    known = build_trick_context(view)
    found = np.empty(FEATURES + 1, np.int64)
    found[FEATURES] = -1
    features.write_features(view, known, found, 0, 1)
    outputs = np.empty(cards.shape[0], np.int64)
    for row in range(cards.shape[0]):
        outputs[row] = features.find_output(
            view.position, view.led, view.winning, known.slots, cards[row]
        )
    return found, outputs


def computed(view: CardView, cards: list[int]) -> tuple[list[int], list[int]]:
    """The features, and the outputs of some cards."""
    found, outputs = _features(view, np.array(cards))
    assert found[-1] == -1, "an index too many"
    return found[:-1].tolist(), outputs.tolist()


@kernel(cache=False)
def _outcomes(view, cards):  # type: ignore[no-untyped-def]
    known = build_trick_context(view)
    chances = np.empty((cards.shape[0], 2))
    for row in range(cards.shape[0]):
        chances[row] = estimate_win_chances(view, HELD_BACK, known, cards[row])
    return chances


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_chances_are_those_of_the_slow_twin(name: str) -> None:
    for moment, view in iterate_turns(name):
        slow = Slow(moment)
        cards = sorted(moment.legal)
        chances = _outcomes(view, np.array([slow.bits[card] for card in cards]))
        wanted = [[float(chance) for chance in slow.outcome(card, HELD_BACK)] for card in cards]
        assert np.allclose(chances, wanted, rtol=0, atol=1e-12), told(moment.record, view, wanted)


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_features_and_outputs_are_those_of_the_slow_twin(name: str) -> None:
    contracts, ways = set(), set()
    for moment, view in iterate_turns(name):
        slow = Slow(moment)
        cards = sorted(moment.legal)
        found, outputs = computed(view, [slow.bits[card] for card in cards])
        wanted = [slow.output(card) for card in cards]
        indices = np.ravel_multi_index([*np.transpose(wanted)], (5, 4, 12))
        assert outputs == indices.tolist(), told(moment.record, view, wanted)
        wanted_features = sorted(index_of(TABLES, each) for each in slow.features())
        assert sorted(found) == wanted_features, told(moment.record, view, slow.features())
        contracts.add(view.contract)
        ways |= {way for way, _, _ in wanted}
    assert len(contracts) >= 4, contracts
    assert ways == set(range(5))


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_each_part_gives_its_features(name: str) -> None:
    ends = np.cumsum([rows for rows, _ in PARTS.values()])
    assert ends[-1] == sum(map(prod, TABLES.values())) == ROWS
    for _, view in iterate_turns(name):
        found, _ = computed(view, [view.legal & -view.legal])
        parts = np.searchsorted(ends, found, side="right")
        assert sorted(parts.tolist()) == list(range(FEATURES))


def _ranks_held(moment: Moment, suit: str) -> frozenset[str]:
    return frozenset(card.rank for card in moment.hand if card.suit == suit)


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_suits_that_play_the_same_part_may_be_exchanged(name: str) -> None:
    for suits, one, two in iterate_exchanged_turns(name):
        other = dict(zip(SUITS, suits, strict=True))
        coded, coded_two = strength_of(one.contract), strength_of(two.contract)
        cards = sorted(one.legal)
        bits_two = [coded_two[card._replace(suit=other[card.suit])] for card in cards]
        found, outputs = computed(view_of(one), [coded[card] for card in cards])
        found_two, outputs_two = computed(view_of(two), bits_two)
        assert Counter(found) == Counter(found_two), told(one.record, suits, view_of(one))
        # Suits of which the player holds the same ranks may change places in the tables.
        pairs = zip(cards, outputs, outputs_two, strict=True)
        held = {_ranks_held(one, card.suit) for card, a, b in pairs if a != b}
        assert len(held) <= 1, told(one.record, suits, view_of(one))
        assert Counter(outputs) == Counter(outputs_two)
