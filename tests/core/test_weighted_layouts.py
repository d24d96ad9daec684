"""Layouts drawn by weights: against all layouts found by plain Python."""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core.hidden_hands import EXCLUDED, HAND_SIZES
from kqj_sim.core.jit import kernel
from kqj_sim.core.weighted_layouts import (
    draw_from_hand_lists,
    draw_weighted_layouts,
    list_hands,
    new_hand_lists,
    weigh_all_layouts,
)
from kqj_sim.games.kqj.card_sampler import make_factor_lists
from kqj_sim.positions.sampling import derive_keys
from kqj_sim.rules import SEATS
from tests.core.known import CASES, Known, World, has_several_worlds, slow_worlds
from tests.slow import slow_after

LATE = {
    **CASES,
    "three cards each, two bound": Known((3, 3, 0, 2, 3, 2), (0, 0x3F, 0, 0b11 << 9, 0, 0)),
    "fifteen cards": Known((3, 3, 3, 3, 3, 0), (0x3FF, 0x1F, 0x7FE0, 0x7C1F, 0, 0)),
}


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _draw(
    known: Any, seed: int, wanted: int, fraction: float, layouts: Any, weights: Any, factors: Any
) -> int:
    """Weigh all layouts, or draw some of many.

    The factors, drawn at random by `seed`, are written beside the hands.
    """
    lists = new_hand_lists()
    if not list_hands(known, lists):
        return -1
    np.random.seed(seed)
    for k in range(lists.starts[SEATS]):
        lists.factors[k] = np.random.random() ** 4 + 1e-6
    for player in range(SEATS):
        for k in range(lists.starts[player], lists.starts[player + 1]):
            factors[k, 0] = player
            factors[k, 1] = lists.hands[k]
            factors[k, 2] = lists.factors[k]
    found: int = weigh_all_layouts(known, lists, wanted, layouts, weights)
    if found < 0:
        found = draw_weighted_layouts(known, lists, wanted, fraction, layouts, weights)
    return found


def drawn(
    known: Known, wanted: int, seed: int, fraction: float
) -> tuple[list[tuple[World, float]], dict[World, float]]:
    """Return the layouts drawn with their weights, and the right weights of all, which sum to 1."""
    layouts: NDArray[np.int64] = np.zeros(SEATS * wanted, dtype=np.int64)
    weights, factors = np.zeros(wanted), np.zeros((SEATS * 455, 3))
    found = _draw(known.array(), seed, wanted, fraction, layouts, weights, factors)
    factor = {(int(player), int(hand)): each for player, hand, each in factors if each > 0}
    right = {
        world: prod(factor[player, hand] for player, hand in enumerate(world))
        for world in slow_worlds(known)
    }
    total = sum(right.values())
    worlds = [tuple(each) for each in layouts.reshape(-1, SEATS)[:found].tolist()]
    return (
        list(zip(worlds, weights.tolist(), strict=False)),
        {world: weight / total for world, weight in right.items()},
    )


@pytest.mark.parametrize("case", slow_after(4, CASES))
def test_up_to_the_number_wanted_all_layouts_have_their_weights(case: str) -> None:
    count = len(slow_worlds(CASES[case]))
    found, right = drawn(CASES[case], max(count, 1), 1, 0.5)
    assert len(found) == count
    for world, weight in found:
        assert weight == pytest.approx(count * right[world])


@pytest.mark.parametrize("case", slow_after(3, [c for c in LATE if has_several_worlds(LATE[c])]))
@pytest.mark.parametrize("fraction", slow_after(1, [0.0, 0.3, 0.999]))
def test_layouts_are_drawn_in_proportion_but_for_less_than_one(case: str, fraction: float) -> None:
    """Systematic resampling rounds the number of times that a layout is expected, up or down."""
    wanted = min(64, len(slow_worlds(LATE[case])) - 1)
    found, right = drawn(LATE[case], wanted, 2, fraction)
    assert sum(weight for _, weight in found) == wanted
    assert len(dict(found)) == len(found)
    for world, weight in found:
        assert abs(weight - wanted * right[world]) < 1 + 1e-6
    seldom = min(weight for _, weight in found)
    missing = max((right[w] for w in right if w not in dict(found)), default=0)
    assert seldom >= 1
    assert wanted * missing < 1 + 1e-6


def test_over_all_first_marks_the_layouts_are_drawn_in_proportion() -> None:
    known, wanted, steps = LATE["two bound"], 3, 400
    total: dict[World, float] = {}
    for step in range(steps):
        found, right = drawn(known, wanted, 3, (step + 0.5) / steps)
        for world, weight in found:
            total[world] = total.get(world, 0) + weight / steps
    for world, share in right.items():
        assert total.get(world, 0) == pytest.approx(wanted * share, abs=0.02)


def test_too_many_hidden_cards_are_refused() -> None:
    draws = np.zeros((SEATS * 455, 3))
    for counts in ((4, 3, 3, 3, 3, 0), (4, 1, 1, 1, 1, 0)):
        known = Known(counts, (0,) * SEATS).array()
        assert _draw(known, 1, 5, 0.0, np.zeros(30, np.int64), np.zeros(5), draws) == -1


@pytest.mark.slow
def test_the_hands_listed_are_those_that_the_player_may_hold() -> None:
    for known in LATE.values():
        factors = np.zeros((SEATS * 455, 3))
        _draw(known.array(), 1, 1, 0.0, np.zeros(SEATS, np.int64), np.zeros(1), factors)
        listed = {(int(player), int(hand)) for player, hand, each in factors if each > 0}
        numbers = known.array()
        for player, hand in listed:
            assert hand.bit_count() == numbers[HAND_SIZES + player]
            assert hand & numbers[EXCLUDED + player] == 0
        held = {(player, hand) for world in slow_worlds(known) for player, hand in enumerate(world)}
        assert held <= listed
        assert all(one != other for one, other in pairwise(sorted(listed)))


def test_tables_have_the_factors_in_ascending_order_of_the_hands() -> None:
    unseen = sum(1 << bit for bit in range(0, 42, 2))
    hands = sorted(sum(1 << 2 * card for card in cards) for cards in combinations(range(21), 3))
    lists = make_factor_lists(
        unseen, np.array([0, len(hands)]), np.array(hands), np.arange(1.0, 1 + len(hands))
    )
    assert lists.tables[0].tolist() == lists.factors.tolist()
    assert lists.hands.tolist() == sorted(
        sum(1 << card for card in cards) for cards in combinations(range(21), 3)
    )


@pytest.mark.parametrize(
    "case", ["one bound", "two bound", "each bound", "circle and pair", "only a circle of five"]
)
def test_hands_drawn_from_lists_weigh_as_the_product_of_their_factors(case: str) -> None:
    known, worlds, choose = CASES[case], sorted(slow_worlds(CASES[case])), random.Random(7)
    places = [place for place in range(SEATS) if known.counts[place]]
    choose.shuffle(places)
    held = sorted({(player, hand) for world in worlds for player, hand in enumerate(world)})
    factor = {each: choose.random() ** 3 + 0.01 if each[1] else 1.0 for each in held}
    lists = [[hand for player, hand in held if player == place] for place in places]
    hands = np.array([hand for each in lists for hand in each])
    factors = np.array(
        [factor[p, hand] for p, each in zip(places, lists, strict=True) for hand in each]
    )
    starts = np.cumsum([0, *(len(each) for each in lists)])
    keys = derive_keys(1, 0, 20_000)
    layouts, weights = np.zeros((len(keys), SEATS), dtype=np.int64), np.zeros(len(keys))
    factor_lists = make_factor_lists(known.unseen, starts, hands, factors)
    draw_from_hand_lists(factor_lists, np.array(places), known.unseen, keys, layouts, weights)
    drawn = [tuple(world) for world in layouts.tolist()]
    assert {world for world, weight in zip(drawn, weights, strict=True) if weight > 0} <= {*worlds}
    right = np.array([prod(factor[player, hand] for player, hand in enumerate(w)) for w in worlds])
    error = weights.std() / len(keys) ** 0.5
    assert abs(weights.mean() - right.sum()) < 4 * error + 1e-9
    for _ in range(20):
        values = {world: choose.random() for world in worlds}
        expected = np.array([values[world] for world in worlds]) @ right / right.sum()
        found = np.array([values.get(world, 0.0) for world in drawn])
        mean = weights @ found / weights.sum()
        error = ((weights * (found - mean)) ** 2).sum() ** 0.5 / weights.sum()
        assert abs(mean - expected) < 4.5 * error + 1e-9
