"""`network`: values against whole numbers and numpy, features against their slow twin."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import pytest

from kqj_sim.core.jit import kernel
from kqj_sim.core.views import CardView
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies import call_features, features, network, weights
from kqj_sim.policies.features import FEATURES, PARTS, ROWS, TABLES
from kqj_sim.policies.one_layer import HIDDEN_UNITS, Layout, to_fixed_point
from kqj_sim.policies.trick_odds import build_trick_context, estimate_win_chances
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.policies.moments import (
    TURN_RULES,
    iterate_turns,
    moments,
    view_of,
)
from tests.policies.slow_features import Slow, index_of
from tests.policies.slow_network import bits, indices, network_values, values_in_whole_numbers
from tests.slow import slow_after
from tests.variants import told


def play(name: str, policies: tuple[str, ...], deals: int) -> Iterator[Record]:
    """Play rounds of a variant, called and imposed."""
    rules = TURN_RULES[name]
    amount = None if rules.bidding == "take" else rules.minimum_bid
    for imposed in (None, ImposedContract(1, "NT", amount), ImposedContract(4, "AT", amount)):
        yield from play_records(Experiment(rules, policies, deals, seed=3, imposed=imposed))


@pytest.mark.parametrize("name", TURN_RULES)
def test_a_block_plays_the_card_of_the_greatest_value_of_each_view(name: str) -> None:
    rules = TURN_RULES[name]
    numbers = weights.load_for_play("network", rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    choices = 0
    for policies in (("points+network",), ("points+network", "random", "points+greedy")):
        for record in play(name, policies * (6 // len(policies)), 5):
            if record.contract is None:
                continue
            coded = strength_of(record.contract)
            for moment in moments(record):
                if moment.seat % len(policies) == 0:
                    view = view_of(moment)
                    count = network.write_card_values(view, numbers.ctypes.data, values)
                    wanted = bits(view.legal)[int(np.argmax(values[:count]))]
                    assert coded[moment.card] == wanted
                    choices += count > 1
    assert choices > 300


def test_lowest_of_equal_cards_is_played() -> None:
    played = weights.load_for_play("network", 2, "take")
    kept = played.copy()
    played[:] = 0
    try:
        records = list(play("take-2", ("points+network",) * 6, 4))
    finally:
        played[:] = kept
    for record in records:
        assert record.contract is not None
        coded = strength_of(record.contract)
        for moment in moments(record):
            legal = view_of(moment).legal
            assert coded[moment.card] == legal & -legal


# Networks in fixed point: against whole numbers of Python, and close to the weights.


@pytest.mark.parametrize("name", slow_after(1, ["auction-3-random", "take-2"]))
def test_values_are_those_of_whole_numbers_to_the_bit(name: str) -> None:
    rules = TURN_RULES[name]
    fixed = weights.load_for_play("network", rules.teams, rules.bidding)
    size = features.LAYOUT.fixed_size
    values = np.full(9, np.nan, np.float32)
    seen = 0
    for number, (_, view) in enumerate(iterate_turns(name)):
        if number % 12 == 0:
            kind, rows, outputs = indices(view)
            wanted = values_in_whole_numbers(fixed[kind * size :], features.LAYOUT, rows, outputs)
            count = network.write_card_values(view, fixed.ctypes.data, values)
            assert values[:count].tolist() == wanted and np.isnan(values[8])
            seen += count
    assert seen > 100


@pytest.mark.parametrize("name", TURN_RULES)
def test_values_are_close_to_those_of_the_weights(name: str) -> None:
    rules = TURN_RULES[name]
    numbers = weights.load("network", rules.teams, rules.bidding).astype(np.float64)
    fixed = weights.load_for_play("network", rules.teams, rules.bidding)
    values = np.empty(8, np.float32)
    errors = []
    for number, (_, view) in enumerate(iterate_turns(name)):
        if number % 10 == 0:
            count = network.write_card_values(view, fixed.ctypes.data, values)
            errors += (values[:count] - network_values(view, numbers)).tolist()
    assert len(errors) > 100
    assert np.abs(errors).max() < 0.1
    assert np.std(errors) < 0.02


@pytest.mark.parametrize("inputs", [features, call_features], ids=["network", "learned"])
@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 10.0])
def test_no_sum_can_overflow(inputs: object, spread: float) -> None:
    """Every part with its largest row each time it is read, though no decision has them all."""
    layout: Layout = inputs.LAYOUT  # type: ignore[attr-defined]
    parts: dict[str, tuple[int, int]] = inputs.PARTS  # type: ignore[attr-defined]
    draw = np.random.default_rng(3)
    drawn = draw.normal(0, spread, (1, layout.stored_size)).astype(np.float32)
    (fixed,) = to_fixed_point(drawn, layout, parts.values())
    rows = fixed[: layout.bias].reshape(-1, HIDDEN_UNITS).astype(np.int64)
    high = low = fixed[layout.bias : layout.matrix].astype(np.int64)
    at = 0
    for size, reads in parts.values():
        part = rows[at : at + size]
        high, low = high + reads * part.max(axis=0), low + reads * part.min(axis=0)
        at += size
    assert at == len(rows) == layout.rows
    assert high.max() < 1 << 15 and low.min() >= -(1 << 15)
    matrix = fixed[layout.matrix : layout.output_bias].reshape(-1, HIDDEN_UNITS).astype(np.int64)
    biases = fixed[layout.output_bias : layout.step].view(np.int32).astype(np.int64)
    assert matrix.shape == (layout.outputs, HIDDEN_UNITS)
    largest = np.abs(matrix) @ np.maximum(high, 0) + np.abs(biases)
    assert largest.max() < 1 << 31
    if spread < 1:
        assert max(high.max(), -low.min()) > 1 << 13, "half of the room is used, or more"


# Features of decisions against their slow twin.

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
    ends = np.cumsum([rows for rows, _ in PARTS.values()])
    assert ends[-1] == sum(map(prod, TABLES.values())) == ROWS
    for moment, view in iterate_turns(name):
        slow = Slow(moment)
        cards = sorted(moment.legal)
        found, outputs = computed(view, [slow.bits[card] for card in cards])
        wanted = [slow.output(card) for card in cards]
        indices = np.ravel_multi_index([*np.transpose(wanted)], (5, 4, 12))
        assert outputs == indices.tolist(), told(moment.record, view, wanted)
        wanted_features = sorted(index_of(TABLES, each) for each in slow.features())
        assert sorted(found) == wanted_features, told(moment.record, view, slow.features())
        parts = np.searchsorted(ends, found, side="right")
        assert sorted(parts.tolist()) == list(range(FEATURES))
        contracts.add(view.contract)
        ways |= {way for way, _, _ in wanted}
    assert len(contracts) >= 4, contracts
    assert ways == set(range(5))
