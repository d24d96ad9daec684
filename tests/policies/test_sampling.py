"""Layouts drawn for a turn by the chance of calls and cards: against the weights of all layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core.block import LEADER, SEATS, allocate_block
from kqj_sim.core.hidden_hands import (
    KNOWLEDGE_SIZE,
    infer_knowledge,
    redeal_among_last,
    sample_layouts,
)
from kqj_sim.core.jit import kernel
from kqj_sim.policies.particles import OpponentModel, weigh_layouts
from kqj_sim.policies.pimc import (
    draw_likely_layouts,
    new_layout_sampler,
    weigh_player_by_player,
)
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tests.core.known import CASES, slow_worlds
from tests.core.turns import stopped
from tests.policies.slow_plays import PATIENCE
from tests.slow import slow_rows_after
from tests.variants import AUCTION_2, AUCTION_3, lively

ALL = 20_000
SEED = 37


def _model(rules: KqjRules) -> OpponentModel:
    table = encode_seating(rules, [parse_player("network")] * SEATS, None, "rollouts")
    return OpponentModel(table, PATIENCE, encode_rules(rules))


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _weigh_all(
    state: Any, lane: int, trick: int, position: int, model: OpponentModel, block: Any,
    layouts: Any, weights: Any,
) -> int:  # fmt: skip
    known = np.empty(KNOWLEDGE_SIZE, np.int64)
    infer_knowledge(state, lane, trick, position, known)
    count = sample_layouts(known, len(weights), 1, layouts)
    if count < len(weights):
        weigh_layouts(state, lane, trick, position, 1, model, block, layouts, count, weights)
    return int(count)


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _draw_by_player(
    state: Any, lane: int, trick: int, position: int, key: int, model: OpponentModel, block: Any,
    layouts: Any, weights: Any,
) -> None:  # fmt: skip
    sampler = new_layout_sampler(len(weights))
    infer_knowledge(state, lane, trick, position, sampler.known)
    sample_layouts(sampler.known, len(weights), key, sampler.layouts)
    weigh_player_by_player(state, lane, trick, position, key, model, block, sampler)
    layouts[:] = sampler.layouts
    weights[:] = sampler.weights


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _draw(
    state: Any, lane: int, trick: int, position: int, model: OpponentModel, block: Any, wanted: int,
    sampled: int, layouts: Any, weights: Any,
) -> int:  # fmt: skip
    sampler = new_layout_sampler(sampled)
    found = draw_likely_layouts(
        state, lane, trick, position, 5, model, block, sampler, wanted, layouts, 1, weights
    )
    return int(found)


def all_weights(
    rules: KqjRules, state: Any, lane: int, trick: int, position: int
) -> dict[tuple[int, ...], float]:
    """Return the weight of each layout, which sum to 1; none if there are too many."""
    layouts, weights = np.empty(SEATS * ALL, np.int64), np.ones(ALL)
    args = (_model(rules), allocate_block(), layouts, weights)
    count = _weigh_all(state, lane, trick, position, *args)
    if count == ALL:
        return {}
    rows = layouts.reshape(-1, SEATS)[:count].tolist()
    shares = weights[:count] / weights[:count].sum()
    return {tuple(row): share for row, share in zip(rows, shares.tolist(), strict=True)}


def holding(layouts: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the weight in which each place holds each card."""
    bits = layouts[:, :, None] >> np.arange(64)[None, None, :] & 1
    found: NDArray[np.float64] = np.einsum("n,npc->pc", weights / weights.sum(), bits)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3], ids=["auction-2", "auction-3"])
def test_player_by_player_cards_are_held_as_often_as_in_all_layouts(rules: KqjRules) -> None:
    """In the mean of some samples; in auctions the calls' chances need no draws."""
    trick, position, number = 5, 3, 500
    state, lanes = stopped(lively(rules, seed=SEED, deals=128), trick, position, 128)
    model, block = _model(rules), allocate_block()
    checked = weighed = 0
    for lane in range(lanes):
        right = all_weights(rules, state, lane, trick, position)
        if len(right) < 200 or checked == 3:
            continue
        layouts, weights = np.empty(SEATS * number, np.int64), np.empty(number)
        total = np.zeros((SEATS, 64))
        repeats = 16
        for key in range(repeats):
            _draw_by_player(state, lane, trick, position, key, model, block, layouts, weights)
            assert {tuple(row) for row in layouts.reshape(-1, SEATS).tolist()} <= right.keys()
            total += holding(layouts.reshape(-1, SEATS), weights) / repeats
        keys = np.array(list(right))
        expected = holding(keys, np.array(list(right.values())))
        own = (int(state[LEADER + lane]) + position) % SEATS
        assert not total[own].any()
        np.testing.assert_allclose(total, expected, atol=0.04)
        weighed += np.abs(expected - holding(keys, np.ones(len(right)))).max() > 0.12
        checked += 1
    assert checked == 3
    assert weighed >= 1


@pytest.mark.parametrize(("trick", "position"), slow_rows_after(1, [(5, 1), (4, 0), (6, 4)]))
def test_draws_add_up_to_the_number_wanted_or_are_all_layouts(trick: int, position: int) -> None:
    state, lanes = stopped(lively(AUCTION_2, seed=SEED, deals=24), trick, position, 24)
    wanted, model, block = 40, _model(AUCTION_2), allocate_block()
    for lane in range(lanes):
        layouts = np.full(SEATS * (wanted + 1), -1, np.int64)
        weights = np.full(wanted + 1, -1.0)
        args = (model, block, wanted, 2 * wanted, layouts, weights)
        found = _draw(state, lane, trick, position, *args)
        count = abs(found)
        assert 1 <= count <= wanted
        assert weights[0] == -1 and (weights[1 : 1 + count] > 0).all()
        if found > 0:
            assert weights[1 : 1 + count].sum() == wanted
            assert (weights[1 : 1 + count] == weights[1 : 1 + count].round()).all()
        else:
            right = all_weights(AUCTION_2, state, lane, trick, position)
            rows = layouts.reshape(-1, SEATS)[1 : 1 + count].tolist()
            assert {tuple(row) for row in rows} == right.keys()
            for row, weight in zip(rows, weights[1 : 1 + count], strict=True):
                assert weight == pytest.approx(count * right[tuple(row)])


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _redeal(known: Any, layouts: Any, first: int, key: int) -> None:
    redeal_among_last(known, layouts, 0, first, 6, key)


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _sample(known: Any, layouts: Any) -> int:
    return int(sample_layouts(known, len(layouts) // SEATS, 1, layouts))


@pytest.mark.parametrize("case", ["one bound", "two bound", "nothing"])
@pytest.mark.parametrize("first", [2, 3])
def test_redealing_keeps_first_hands_and_every_deal_of_the_rest_is_as_likely(
    case: str, first: int
) -> None:
    known = CASES[case].array()
    layouts = np.zeros(SEATS, np.int64)
    _sample(known, layouts)
    kept = tuple(layouts[:first].tolist())
    possible = {world for world in slow_worlds(CASES[case]) if world[:first] == kept}
    times = dict.fromkeys(possible, 0)
    repeats = 60 * len(possible)
    for key in range(repeats):
        _redeal(known, layouts, first, key)
        times[tuple(layouts.tolist())] += 1
    counts = np.array(list(times.values()))
    assert len(possible) > 1
    # Chi-squared over its degrees of freedom.
    assert ((counts - 60) ** 2 / 60).sum() / (len(possible) - 1) < 1 + 6 / np.sqrt(len(possible))
