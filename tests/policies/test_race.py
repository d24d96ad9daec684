"""Races of candidate cards: against plain sums over all values, and what stages are made of."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core.jit import kernel
from kqj_sim.policies.pimc import (
    MAX_CARDS,
    add_world,
    count_marks,
    count_stages,
    drop_beaten,
    find_leader,
    new_race,
    place_marks,
)

LANE = 3


@kernel(cache=False)  # type: ignore[untyped-decorator]
def _race(values: Any, weights: Any, priors: Any, prior_worlds: float, margin: float) -> Any:
    """Run two stages, each half of the worlds; return who is left after each, and the leader."""
    race = new_race()
    worlds, cards = values.shape
    race.running[LANE] = (1 << cards) - 1
    race.priors[LANE * MAX_CARDS : LANE * MAX_CARDS + cards] = priors
    running = np.zeros(cards)
    left = np.zeros(3, np.int64)
    for world in range(worlds):
        if world == worlds // 2:
            drop_beaten(race, LANE, prior_worlds, margin)
            left[0] = race.running[LANE]
        at = 0
        for which in range(cards):
            if race.running[LANE] >> which & 1:
                running[at] = values[world, which]
                at += 1
        add_world(race, LANE, running, 0, weights[world])
    drop_beaten(race, LANE, prior_worlds, margin)
    left[1] = race.running[LANE]
    left[2] = find_leader(race, LANE, prior_worlds)
    return left


def slow_stage(
    running: set[int], values: NDArray[Any], weights: NDArray[Any], priors: NDArray[Any],
    prior_worlds: float, margin: float,
) -> tuple[set[int], int]:  # fmt: skip
    """Return who is left, and the leader, from all values of the worlds tried so far."""
    total = weights.sum()
    merged = (weights @ values + prior_worlds * priors) / (total + prior_worlds)
    leader = min(running, key=lambda which: (-merged[which], which))
    left = {leader}
    for which in running - left:
        differences = values[:, leader] - values[:, which]
        variance = np.cov(differences, aweights=weights, ddof=0)
        effective = total**2 / (weights**2).sum()
        error = sqrt(max(variance, 0) / (effective + prior_worlds))
        if merged[leader] - merged[which] < margin * error:
            left.add(which)
    return left, leader


@pytest.mark.parametrize("margin", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("prior_worlds", [0.0, 10.0])
def test_cards_are_dropped_as_a_slow_twin_drops_them(margin: float, prior_worlds: float) -> None:
    draw = np.random.default_rng(5)
    dropped = kept = 0
    for cards in (2, 3, 8):
        for _ in range(30):
            worlds = 40
            values = draw.normal(0, 20, (worlds, 1)) + draw.normal(0, 8, (worlds, cards))
            values += draw.normal(0, 3, cards)
            weights = draw.integers(1, 4, worlds).astype(float)
            priors = draw.normal(0, 3, cards)
            left = _race(values, weights, priors, prior_worlds, margin)
            half = worlds // 2
            running, _ = slow_stage(
                set(range(cards)), values[:half], weights[:half], priors, prior_worlds, margin
            )
            assert left[0] == sum(1 << which for which in running)
            running, leader = slow_stage(running, values, weights, priors, prior_worlds, margin)
            assert left[1] == sum(1 << which for which in running)
            assert left[2] == leader
            dropped += cards - len(running)
            kept += len(running) - 1
    assert dropped > 0
    assert (kept > 0) == (margin > 0)


def test_equal_cards_are_not_tried_further() -> None:
    values = np.repeat(np.random.default_rng(6).integers(-50, 50, (20, 1)), 3, axis=1)
    left = _race(values.astype(float), np.ones(20), np.zeros(3), 10.0, 2.5)
    assert left.tolist() == [1, 1, 0]


@pytest.mark.parametrize(("worlds", "first"), [(128, 32), (100, 30), (7, 2), (64, 64), (5, 1)])
def test_stages_share_the_worlds_and_are_evenly_spaced(worlds: int, first: int) -> None:
    stages = count_stages(worlds, first)
    for key in range(20):
        seen: set[int] = set()
        for stage in range(stages):
            step, offset = place_marks(key, stages, stage)
            marks = {
                mark
                for mark in range(worlds)
                if count_marks(mark + 1, step, offset) > count_marks(mark, step, offset)
            }
            assert not marks & seen
            seen |= marks
            spaces = np.diff(sorted(seen))
            assert len(set(spaces.tolist())) <= 1
            assert stage > 0 or len(marks) <= first
        assert seen == set(range(worlds))


def test_every_world_is_as_often_in_the_first_stage() -> None:
    stages = count_stages(32, 4)
    times = np.zeros(32)
    for key in range(4000):
        step, offset = place_marks(key, stages, 0)
        times[offset::step] += 1
    np.testing.assert_allclose(times / 4000, 1 / 8, atol=0.025)
