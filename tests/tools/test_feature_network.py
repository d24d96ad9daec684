"""The feature network: features of cards against their slow twin, values by numpy, its files."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from kqj_sim.core.jit import kernel
from kqj_sim.core.types import Float32Array, Float64Array
from kqj_sim.core.views import CardView
from kqj_sim.policies.features import FEATURES, write_features
from kqj_sim.policies.trick_odds import KIND_COUNT, build_trick_context
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.imports import ROOT
from tests.policies.moments import (
    TURN_RULES,
    Moment,
    iterate_turns,
    moments,
    view_of,
)
from tests.policies.slow_features import index_of
from tests.slow import slow_after
from tests.tools.slow_card_features import SlowCards
from tests.variants import told
from tools.feature_network import (
    CARD_FEATURES,
    CARD_INDICES,
    CARD_TABLES,
    KIND_SIZE,
    read_weights,
    split_weights,
    weights_file,
    write_card_features,
    write_card_values,
)


def list_legal(moment: Moment) -> list[int]:
    """The legal cards, from the lowest bit on."""
    coded = strength_of(moment.contract)
    return sorted(coded[card] for card in moment.legal)


def values_by_numpy(view: CardView, legal: list[int], numbers: Float32Array) -> Float64Array:
    """The values of the legal cards, by matrices."""
    known = build_trick_context(view)
    shared = np.empty(FEATURES, np.int64)
    write_features(view, known, shared, 0, 1)
    cards = np.empty((len(legal), CARD_FEATURES), np.int64)
    for row, card in zip(cards, legal, strict=True):
        write_card_features(view, known, card, row, 0)
    w = split_weights(numbers[known.kind])
    rows = w["shared_rows"][shared].sum(axis=0, dtype=np.float64)
    first = w["bias_1"] + rows + w["card_rows"][cards].sum(axis=1)
    second = w["bias_2"] + np.maximum(first, 0) @ w["matrix"]
    linear = w["linear"][cards].sum(axis=(1, 2))
    values: Float64Array = linear + np.maximum(second, 0) @ w["output"]
    return values


def test_values_are_those_of_numpy() -> None:
    draws = np.random.default_rng(5)
    numbers = draws.normal(0, 0.1, (KIND_COUNT, KIND_SIZE)).astype(np.float32)
    kinds = set()
    for name in TURN_RULES:
        for number, (moment, view) in enumerate(iterate_turns(name)):
            if number % 5 == 0:
                values = np.full(9, np.nan, np.float32)
                count = write_card_values(view, numbers.ctypes.data, values)
                assert count == len(moment.legal) and np.isnan(values[count:]).all()
                wanted = values_by_numpy(view, list_legal(moment), numbers)
                np.testing.assert_allclose(values[:count], wanted, rtol=1e-4, atol=1e-4)
                kinds.add(view.contract)
    assert len(kinds) == 6


@pytest.mark.parametrize("name", slow_after(1, TURN_RULES))
def test_it_plays_the_card_of_the_greatest_value(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = TURN_RULES[name]
    draws = np.random.default_rng(5)
    monkeypatch.setenv("KQJ_TEACHER", str(tmp_path))
    for teams, bidding in product((2, 3), ("take", "auction")):
        drawn = draws.normal(0, 0.1, KIND_COUNT * KIND_SIZE).astype(np.float16)
        np.savez(weights_file(teams, bidding), weights=drawn)
    numbers = read_weights(weights_file(rules.teams, rules.bidding))
    player = f"points+{ROOT}/tools/teacher.py:feature_network"
    values, chosen = np.empty(8, np.float32), 0
    for record in play_records(Experiment(rules, (player,) * 6, 10, seed=3)):
        if record.contract is None:
            continue
        coded = strength_of(record.contract)
        for moment in moments(record):
            legal = list_legal(moment)
            write_card_values(view_of(moment), numbers.ctypes.data, values)
            assert coded[moment.card] == legal[int(np.argmax(values[: len(legal)]))]
            chosen += len(legal) > 1
    assert chosen > 150


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
