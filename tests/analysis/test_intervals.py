"""Intervals against scipy and numpy, and against the truth over a thousand seeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate

SEEDS = 1000


def histogram(values: NDArray[np.integer]) -> dict[int, int]:
    return dict(Counter(values.tolist()))


@pytest.mark.parametrize("count, observations", [(0, 10), (3, 10), (10, 10), (671, 1000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_share_is_wilsons(count: int, observations: int, confidence: float) -> None:
    found = intervals.share(count, observations, confidence)
    right = stats.binomtest(count, observations).proportion_ci(confidence, method="wilson")
    assert found.value == count / observations
    assert (found.low, found.high) == pytest.approx((right.low, right.high), abs=1e-12)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("size", [2, 5, 29, 31, 32, 500])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_mean_is_students(size: int, confidence: float) -> None:
    values = np.random.default_rng(size).integers(-50, 400, size)
    found = intervals.mean(histogram(values), confidence)
    low, high = stats.t.interval(confidence, size - 1, values.mean(), stats.sem(values))
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-4)
    assert found.observations == size


def test_ratio_of_sums_is_a_mean_by_weight() -> None:
    generator = np.random.default_rng(4)
    weights = generator.integers(0, 3, 400)
    made = generator.binomial(weights, 0.6)
    sums = [int(each) for each in (weights.sum(), made.sum())]
    pairs = ((weights, weights), (weights, made), (made, made))
    products = tuple(int((one * other).sum()) for one, other in pairs)
    found = intervals.ratio_of_sums(400, sums[0], sums[1], products)  # type: ignore[arg-type]
    assert found.value == made.sum() / weights.sum()
    error = (made - found.value * weights).std(ddof=1) / np.sqrt(400) / weights.mean()
    half = intervals.student_quantile(399, 0.95) * error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert math.isnan(intervals.ratio_of_sums(5, 0, 0, (0, 0, 0)).value)


@pytest.mark.parametrize("count", [1, 2, 40, 1000])
def test_what_is_all_the_same_leaves_room_for_the_unseen(count: int) -> None:
    """Shares have Wilson's interval; other means reach as far as the unseen may pull them."""
    for ones in (0, count):
        found = intervals.mean_of_sums(count, ones, ones, 0.9, (0, 1))
        assert found == pytest.approx(intervals.share(ones, count, 0.9))
    unseen = intervals.share(0, count, 0.9).high
    found = intervals.mean_of_sums(count, 5 * count, 25 * count, 0.9, (-15, 25))
    assert found[:3] == pytest.approx((5, 5 - 20 * unseen, 5 + 20 * unseen))
    assert math.isnan(intervals.mean_of_sums(count, 5 * count, 25 * count, 0.9).low)
    # Three contracts in each of these deals, all of them made.
    made = intervals.ratio_of_sums(count, 3 * count, 3 * count, (9 * count,) * 3, 0.9, (0, 1))
    assert made == pytest.approx(intervals.share(count, count, 0.9))


def test_no_interval_goes_beyond_the_limits() -> None:
    plain, limited = (intervals.mean_of_sums(500, 1, 1, 0.95, limits) for limits in (None, (0, 1)))
    assert plain.low < 0 == limited.low and plain.high == limited.high
    plain, limited = (
        intervals.ratio_of_sums(500, 300, 299, (300, 299, 299), 0.95, limits)
        for limits in (None, (0, 1))
    )
    assert plain.high > 1 == limited.high and plain.low == limited.low


def test_unseen_rare_values_are_within_the_limits_interval() -> None:
    """Where all deals seen are alike the truth is left out in no more than 5% of the runs."""
    for rare in (0.0005, 0.002, 0.005):
        left_out = 0.0
        none_seen = (1 - rare) ** 1000
        found = intervals.mean_of_sums(1000, 0, 0, 0.95, (-600, 600))
        if found.high < 600 * rare:
            left_out += none_seen
        assert left_out <= 0.05


def test_ratio_of_equal_weights_is_a_mean() -> None:
    values = np.random.default_rng(5).integers(-30, 40, 300)
    total, squares = int(values.sum()), int((values**2).sum())
    plain = intervals.mean_of_sums(300, total, squares)
    assert intervals.ratio_of_sums(300, 300, total, (300, total, squares)) == pytest.approx(plain)


def test_ratios_hold_the_truth_in_95_percent() -> None:
    generator = np.random.default_rng(6)
    inside = 0
    for _ in range(SEEDS):
        weights = generator.integers(0, 3, 300)
        made = generator.binomial(weights, 0.6)
        found = intervals.ratio_of_sums(
            300,
            int(weights.sum()),
            int(made.sum()),
            (int(weights @ weights), int(weights @ made), int(made @ made)),
        )
        inside += found.low <= 0.6 <= found.high
    assert 0.93 <= inside / SEEDS <= 0.97


def test_mean_loses_nothing_in_large_sums() -> None:
    far = 10**12
    near = intervals.mean_of_sums(4 * 10**9, 6 * 10**9, 10 * 10**9)
    shifted = intervals.mean({far + 1: 2 * 10**9, far + 2: 2 * 10**9})
    assert shifted.value == far + 1.5
    assert near.value == 1.5
    assert (shifted.high - shifted.value) == pytest.approx(near.high - near.value, abs=1e-3)
    assert near.high - near.value == pytest.approx(1.96 * 0.5 / math.sqrt(4e9), rel=1e-4)


@pytest.mark.parametrize("counts", [{7: 1}, {7: 100}])
def test_mean_without_spread_has_no_interval(counts: dict[int, int]) -> None:
    found = intervals.mean(counts)
    assert found.value == 7
    assert math.isnan(found.low) and math.isnan(found.high)


def test_nothing_observed_gives_no_number() -> None:
    for found in (
        intervals.share(0, 0),
        intervals.mean({}),
        intervals.standard_deviation({}),
        intervals.quantile({}, 0.5),
    ):
        assert all(map(math.isnan, found[:3])) and found.observations == 0


def test_impossible_share_and_confidence_are_refused() -> None:
    with pytest.raises(ValueError, match="not 5 of 4"):
        intervals.share(5, 4)
    with pytest.raises(ValueError, match=r"such as 0\.95, not 95"):
        intervals.share(1, 4, 95)


def test_standard_deviation_has_divisor_n_less_1() -> None:
    values = np.random.default_rng(3).integers(0, 400, 500)
    assert intervals.standard_deviation(histogram(values)).value == pytest.approx(
        values.std(ddof=1)
    )


@pytest.mark.parametrize("size", [1, 2, 9, 100, 5000])
@pytest.mark.parametrize("probability", [0.05, 0.25, 0.5, 0.75, 0.95])
def test_quantile_is_that_of_the_inverted_distribution(size: int, probability: float) -> None:
    values = np.random.default_rng(size).integers(0, 400, size)
    found = intervals.quantile(histogram(values), probability)
    assert found.value == np.quantile(values, probability, method="inverted_cdf")


def test_quantile_bounds_are_order_statistics() -> None:
    found = intervals.quantile({value: 1 for value in range(1, 101)}, 0.5)
    # P(40 <= X <= 60) with X binomial (100, 1/2) is 0.9648; without an end it is below 0.95.
    assert (found.low, found.high) == (40, 61)


def test_too_few_observations_for_a_quantile_leave_a_bound_out() -> None:
    found = intervals.quantile({value: 1 for value in range(20)}, 0.05)
    assert math.isnan(found.low) and found.high == 3


def test_binomial_ranks_are_scipys_or_one_off() -> None:
    random = np.random.default_rng(11)
    for _ in range(500):
        trials = int(10 ** random.uniform(0, 8))
        probability = float(random.choice([0.05, 0.25, 0.5, 0.75, 0.95]))
        level = float(random.choice([0.005, 0.025, 0.1, 0.9, 0.975, 0.995]))
        found = intervals.binomial_quantile(level, trials, probability)
        right = stats.binom.ppf(level, trials, probability)
        exact = trials * probability * (1 - probability) < 30
        assert abs(found - right) <= (0 if exact else 1), (level, trials, probability)


def _held(
    draw: Callable[[np.random.Generator], NDArray[np.integer]],
    estimate: Callable[[dict[int, int]], Estimate],
    truth: float,
) -> float:
    """Share of the seeds whose interval holds the truth."""
    held = 0
    for seed in range(SEEDS):
        found = estimate(histogram(draw(np.random.default_rng(seed))))
        held += not (found.low > truth or found.high < truth)
    return held / SEEDS


# Four standard errors of a share of 0.95 of a thousand seeds are 0.028.


@pytest.mark.parametrize("chance", [0.02, 0.3, 0.67])
def test_share_interval_holds_the_truth_in_95_of_100_seeds(chance: float) -> None:
    held = _held(
        lambda random: random.binomial(1, chance, 400),
        lambda counts: intervals.share(counts.get(1, 0), 400),
        chance,
    )
    assert 0.92 <= held <= 0.98


@pytest.mark.parametrize("size", [10, 300])
def test_mean_interval_holds_the_truth_in_95_of_100_seeds(size: int) -> None:
    held = _held(lambda random: random.binomial(250, 0.5, size), intervals.mean, 125)
    assert 0.92 <= held <= 0.98


def test_spread_interval_holds_the_truth_in_95_of_100_seeds() -> None:
    # Far from normal: three lumps, with a fourth moment of their own.
    def draw(random: np.random.Generator) -> NDArray[np.integer]:
        return random.choice([0, 120, 400], 600, p=[0.3, 0.6, 0.1])

    truth = math.sqrt(0.6 * 120**2 + 0.1 * 400**2 - (0.6 * 120 + 0.1 * 400) ** 2)
    assert 0.92 <= _held(draw, intervals.standard_deviation, truth) <= 0.98


@pytest.mark.parametrize("probability", [0.05, 0.5, 0.75])
def test_quantile_interval_holds_the_truth_in_95_of_100_seeds(probability: float) -> None:
    held = _held(
        lambda random: random.integers(0, 10_000, 300),
        lambda counts: intervals.quantile(counts, probability),
        math.ceil(10_000 * probability) - 1,
    )
    assert 0.925 <= held <= 0.99  # two ranks of a discrete distribution hold a little more
