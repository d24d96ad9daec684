"""Features of decisions against their slow twin, and alike for suits that are alike."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import prod

import msgspec
import numpy as np
import pytest

from kqj_sim.cards import SUITS
from kqj_sim.core.jit import kernel
from kqj_sim.core.views import CardView
from kqj_sim.policies import features
from kqj_sim.policies.features import (
    CARD_FEATURES,
    CARD_INDICES,
    CARD_TABLES,
    SHARED_FEATURES,
    SHARED_INDICES,
    SHARED_TABLES,
)
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances
from kqj_sim.record import Record, from_json, to_json
from tests.core.coding import strength_of
from tests.policies.moments import TURN_RULES, Moment, iterate_turns, moments, play_rounds, view_of
from tests.policies.slow_features import Slow, Values
from tests.slow import slow_after
from tests.variants import told


@kernel(cache=False)
def _features(view, cards):  # type: ignore[no-untyped-def]
    known = build_trick_context(view)
    shared = np.empty(SHARED_FEATURES + 1, np.int64)
    shared[SHARED_FEATURES] = -1
    features.write_shared_features(view, known, shared, 0, 1)
    rows = np.empty(cards.shape[0] * CARD_FEATURES, np.int64)
    for row in range(cards.shape[0]):
        odds = estimate_win_chances(view, features.HELD_BACK_SHARE, known, cards[row])
        features.write_card_features(view, known, cards[row], odds, rows, row * CARD_FEATURES, 1)
    return shared, rows


def computed(view: CardView, cards: list[int]) -> tuple[list[int], list[list[int]]]:
    """The shared features, and those of some cards."""
    shared, rows = _features(view, np.array(cards))
    assert shared[-1] == -1, "an index too many"
    return shared[:-1].tolist(), rows.reshape(-1, CARD_FEATURES).tolist()


@kernel(cache=False)
def _outcomes(view, cards):  # type: ignore[no-untyped-def]
    known = build_trick_context(view)
    chances = np.empty((cards.shape[0], 2))
    for row in range(cards.shape[0]):
        chances[row] = estimate_win_chances(view, features.HELD_BACK_SHARE, known, cards[row])
    return chances


def index_of(tables: dict[str, tuple[int, ...]], values: Values) -> int:
    """The index of a table's values."""
    name, each = values
    sizes = tables[name]
    assert len(each) == len(sizes)
    start = 0
    for other, dimensions in tables.items():
        if other == name:
            break
        start += prod(dimensions)
    return start + int(np.ravel_multi_index([int(value) for value in each], sizes))


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_chances_are_those_of_the_slow_twin(name: str) -> None:
    for moment, view in iterate_turns(name):
        slow = Slow(moment)
        cards = sorted(moment.legal)
        chances = _outcomes(view, np.array([slow.bits[card] for card in cards]))
        wanted = [[float(chance) for chance in slow.outcome(card)] for card in cards]
        assert np.allclose(chances, wanted, rtol=0, atol=1e-12), told(moment.record, view, wanted)


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_features_are_those_of_the_slow_twin(name: str) -> None:
    contracts = set()
    for moment, view in iterate_turns(name):
        slow = Slow(moment)
        cards = sorted(moment.legal)
        shared, rows = computed(view, [slow.bits[card] for card in cards])
        for card, row in zip(cards, rows, strict=True):
            wanted = [index_of(CARD_TABLES, values) for values in slow.card(card)]
            assert row == wanted, told(moment.record, view, card, slow.card(card))
        wanted = sorted(index_of(SHARED_TABLES, values) for values in slow.shared())
        assert sorted(shared) == wanted, told(moment.record, view, slow.shared())
        contracts.add(view.contract)
    assert len(contracts) >= 4, contracts


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_each_table_gives_its_features_in_range(name: str) -> None:
    ends = np.cumsum([prod(sizes) for sizes in CARD_TABLES.values()])
    assert ends[-1] == CARD_INDICES
    assert sum(map(prod, SHARED_TABLES.values())) == SHARED_INDICES
    for moment, view in iterate_turns(name):
        coded = strength_of(moment.contract)
        shared, rows = computed(view, [coded[card] for card in moment.legal])
        assert all(0 <= index < SHARED_INDICES for index in shared)
        assert len(set(shared)) == SHARED_FEATURES
        for row in rows:
            assert np.searchsorted(ends, row, side="right").tolist() == list(range(CARD_FEATURES))


def _exchanged(record: Record, suits: str) -> Record:
    """The round with other suits: the first of `suits` in place of spades, and so on."""
    other = dict(zip(SUITS, suits, strict=True))

    def change(value: object) -> object:
        if isinstance(value, list):
            return [change(each) for each in value]
        if isinstance(value, dict):
            return {key: change(each) for key, each in value.items()}
        if isinstance(value, str) and len(value) == 2 and value[1] in SUITS:
            return value[0] + other[value[1]]
        return other.get(value, value) if isinstance(value, str) else value

    changed = {**msgspec.to_builtins(record)}
    for key in ("hands", "tricks", "turned", "contract", "dealt"):
        if key in changed:
            changed[key] = change(changed[key])
    return from_json(msgspec.json.encode(changed).decode())


def _ranks_held(moment: Moment, suit: str) -> frozenset[str]:
    return frozenset(card.rank for card in moment.hand if card.suit == suit)


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_suits_that_play_the_same_part_may_be_exchanged(name: str) -> None:
    for number, record in enumerate(play_rounds(name)):
        assert from_json(to_json(record)) == record
        suits = "".join(list(permutations(SUITS))[1 + number % 23])
        other = dict(zip(SUITS, suits, strict=True))
        for one, two in zip(moments(record), moments(_exchanged(record, suits)), strict=True):
            coded, coded_two = strength_of(one.contract), strength_of(two.contract)
            cards = sorted(one.legal)
            bits_two = [coded_two[card._replace(suit=other[card.suit])] for card in cards]
            shared, rows = computed(view_of(one), [coded[card] for card in cards])
            shared_two, rows_two = computed(view_of(two), bits_two)
            assert Counter(shared) == Counter(shared_two), told(record, suits, view_of(one))
            # Suits of which the player holds the same ranks may change places in the tables.
            differing = [card for card, a, b in zip(cards, rows, rows_two, strict=True) if a != b]
            held = {_ranks_held(one, card.suit) for card in differing}
            assert len(held) <= 1, told(record, suits, view_of(one))
            assert Counter(map(tuple, rows)) == Counter(map(tuple, rows_two))
