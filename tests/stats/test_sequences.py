"""Confidence sequences: the truth is left in at most 5% of runs, at whatever moment one looks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.stats import sequences
from kqj_sim.stats.quantiles import normal_quantile

RUNS = 2000
LOOKS = [round(sequences.FIRST_LOOK * 1.2**step) for step in range(16)]
DEALS = LOOKS[-1]


def rare(generator: np.random.Generator) -> NDArray[np.float64]:
    """Scores of players who differ in one deal of a hundred, by up to 600 points, lopsided."""
    differing = generator.random((RUNS, DEALS)) < 0.01
    return np.where(differing, generator.choice([-100.0, -50.0, 600.0], (RUNS, DEALS)), 0.0)


def rarest(generator: np.random.Generator) -> NDArray[np.float64]:
    """Players who differ in one deal of two thousand: the first look sees nothing, or little."""
    return np.where(generator.random((RUNS, DEALS)) < 0.0005, 600.0, 0.0)


def usual(generator: np.random.Generator) -> NDArray[np.float64]:
    """Differences as they are between players who differ in every second deal."""
    differing = generator.random((RUNS, DEALS)) < 0.5
    return np.where(differing, np.round(generator.normal(3, 120, (RUNS, DEALS))), 0.0)


def left(values: NDArray[np.float64], truth: float, bound: float) -> tuple[float, float]:
    """Shares of runs in which the truth is left at some look: the sequence, and Student's."""
    sums, squares = values.cumsum(axis=1), (values * values).cumsum(axis=1)
    ever = np.zeros(len(values), dtype=bool)
    fixed = np.zeros(len(values), dtype=bool)
    for look in LOOKS:
        mean = sums[:, look - 1] / look
        variance = squares[:, look - 1] / look - mean**2
        error = np.sqrt((variance + sequences.UNSEEN_OBSERVATIONS * bound**2 / look) / look)
        ever |= np.abs(mean - truth) > sequences.compute_sequence_width(look) * error
        fixed |= np.abs(mean - truth) > normal_quantile(0.95) * error
    return float(ever.mean()), float(fixed.mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "truth"),
    [(usual, None), (rare, 0.01 * 150), (rarest, 0.3)],
    ids=["usual", "rare", "rarest"],
)
def test_the_truth_is_left_in_at_most_5_percent_of_runs(draw: object, truth: float | None) -> None:
    assert callable(draw)
    values = draw(np.random.default_rng(3))
    expected = float(values.mean()) if truth is None else truth
    ever, fixed = left(values, expected, bound=600)
    assert ever <= 0.05
    # What the sequence is for: looking again and again at an interval of one moment.
    assert fixed > 0.05
    if draw is rarest:
        # And the bound: a variance of what was seen alone is too small.
        assert left(values, expected, bound=0)[0] > 0.3


def test_a_mean_is_that_of_the_vectorised_formula() -> None:
    values = np.random.default_rng(1).integers(-300, 400, 5000)
    found = sequences.estimate_mean_sequentially(
        5000, int(values.sum()), int((values * values).sum()), bound=600
    )
    error = math.sqrt((values.var() + sequences.UNSEEN_OBSERVATIONS * 600**2 / 5000) / 5000)
    assert found.value == values.mean()
    assert found.high - found.value == pytest.approx(sequences.compute_sequence_width(5000) * error)
    assert found.value - found.low == pytest.approx(found.high - found.value)
    assert found.observations == 5000


@pytest.mark.parametrize("tuned_for", [1000, 10_000, 250_000])
def test_a_sequence_is_narrowest_where_it_was_tuned_for(tuned_for: int) -> None:
    best = sequences.compute_sequence_width(tuned_for, 0.95, tuned_for)
    assert best == pytest.approx(3.035, abs=0.005)
    for other in (tuned_for // 3, tuned_for * 3):
        assert sequences.compute_sequence_width(tuned_for, 0.95, other) > best
    # Twice the logarithm grows slowly; early looks are dear.
    assert sequences.compute_sequence_width(100 * tuned_for, 0.95, tuned_for) < 1.2 * best
    assert sequences.compute_sequence_width(tuned_for // 100, 0.95, tuned_for) > 2.5 * best


def test_nothing_seen_is_not_nothing_there() -> None:
    unseen = sequences.estimate_mean_sequentially(3000, 0, 0, bound=600)
    assert unseen.high > 3 / 3000 * 600 > 0 > -3 / 3000 * 600 > unseen.low
    assert sequences.estimate_mean_sequentially(3000, 0, 0).low == -math.inf
    assert math.isnan(sequences.estimate_mean_sequentially(0, 0, 0, bound=600).value)


def test_a_ratio_of_equal_weights_is_a_mean() -> None:
    values = np.random.default_rng(2).normal(10, 5, 2000)
    total, squares = float(values.sum()), float((values**2).sum())
    plain = sequences.estimate_mean_sequentially(2000, total, squares)
    weighed = sequences.estimate_ratio_sequentially(
        2000, 2 * 2000, 2 * total, (4 * 2000, 4 * total, 4 * squares)
    )
    assert weighed == pytest.approx(tuple(plain))
    assert math.isnan(sequences.estimate_ratio_sequentially(5, 0, 0, (0, 0, 0)).value)


@pytest.mark.slow
def test_a_self_normalised_mean_is_left_in_at_most_5_percent_of_runs() -> None:
    generator = np.random.default_rng(5)
    runs, count = 500, 8000
    outside = np.zeros(runs, dtype=bool)
    for run in range(runs):
        weights = generator.exponential(size=count)
        values = generator.normal(weights, 3)  # Correlated with their weights: the mean is 2.
        w, y = weights, weights * values
        sums = [series.cumsum() for series in (w, y, w * w, w * y, y * y)]
        for look in (1000, 1500, 2500, 4000, 6000, count):
            at = [float(series[look - 1]) for series in sums]
            found = sequences.estimate_ratio_sequentially(
                look, at[0], at[1], (at[2], at[3], at[4]), tuned_count=2000
            )
            outside[run] |= not found.low <= 2 <= found.high
    assert outside.mean() <= 0.05
