"""Intervals against scipy and numpy, and against the truth over a thousand seeds."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from kqj_sim.stats import intervals, quantiles
from kqj_sim.stats.intervals import Estimate
from tests.slow import slow_after

SEEDS = 1000
Draw = Callable[[np.random.Generator], NDArray[np.integer]]


def histogram(values: NDArray[np.integer]) -> dict[int, int]:
    return dict(Counter(values.tolist()))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999, 1 - 1e-6])
def test_students_quantiles_are_scipys(confidence: float) -> None:
    for freedom in range(1, 30):
        expected = stats.t.ppf((1 + confidence) / 2, freedom)
        assert quantiles.student_quantile(freedom, confidence) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method, count, observations", [
    ("exact", 0, 1), ("exact", 0, 10), ("exact", 3, 10), ("exact", 10, 10), ("exact", 1, 2),
    ("exact", 39, 1000), ("exact", 961, 1000), ("exact", 39, 78), ("exact", 30, 35),
    ("exact", 25, 10**6),
    ("wilson", 40, 1000), ("wilson", 960, 1000), ("wilson", 671, 1000), ("wilson", 40, 80),
])  # fmt: skip
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99, 0.9999999])
def test_share_is_clopper_and_pearsons_or_wilsons(
    method: Literal["exact", "wilson"], count: int, observations: int, confidence: float
) -> None:
    found = intervals.estimate_share(count, observations, confidence)
    right = stats.binomtest(count, observations).proportion_ci(confidence, method=method)
    assert found.value == count / observations
    assert (found.low, found.high) == pytest.approx((right.low, right.high), rel=1e-6, abs=1e-15)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("effective", [0.7, 3.5, 77.7, 5e4, 1e9])
@pytest.mark.parametrize("events", [0.02, 0.3, 7.7, 39.2])
def test_share_of_an_effective_number_is_that_of_beta(events: float, effective: float) -> None:
    if events > effective / 2:
        events = effective / 3
    found = intervals.estimate_weighted_share(events / effective, effective, 5)
    low = stats.beta.ppf(0.025, events, effective - events + 1)
    high = stats.beta.ppf(0.975, events + 1, effective - events)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6)
    mirrored = intervals.estimate_weighted_share(1 - events / effective, effective, 5)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("confidence", [1 - 1e-12, 1 - 1e-15])
@pytest.mark.parametrize("count, observations", [(1, 3), (1, 1000), (5, 10**6), (39, 78)])
def test_every_confidence_has_an_interval(count: int, observations: int, confidence: float) -> None:
    found = intervals.estimate_share(count, observations, confidence)
    narrow = intervals.estimate_share(count, observations, 0.9999)
    assert 0 < found.low < narrow.low < found.value < narrow.high < found.high < 1


def _exact_coverage(chance: float, observations: int, confidence: float) -> float:
    """Return the probability that the interval holds the chance: summed, not simulated."""
    spread = 12 * math.sqrt(observations * chance * (1 - chance)) + 12
    first = max(0, math.floor(observations * chance - spread))
    last = min(observations, math.ceil(observations * chance + spread))
    counts = np.arange(first, last + 1)
    found = [intervals.estimate_share(count, observations, confidence) for count in counts.tolist()]
    holds = np.array([each.low <= chance <= each.high for each in found])
    return float(stats.binom.pmf(counts, observations, chance)[holds].sum())


@pytest.mark.parametrize("chance", [1e-4, 0.001, 0.003, 0.01, 0.02, 0.03])
@pytest.mark.parametrize("observations", [250, 1000, 30_000])
def test_rare_shares_hold_their_level(chance: float, observations: int) -> None:
    """Wilson's interval would hold 0.001 in 92.0% of the samples of 1,000, 0.00055 in 89.5%."""
    for truth in (chance, 1 - chance):
        assert _exact_coverage(truth, observations, 0.95) >= 0.94
        assert _exact_coverage(truth, observations, 0.99) >= 0.986


def test_no_chance_is_held_less_often_than_in_94_of_100_samples() -> None:
    for observations in (1000, 20_000):
        chances = np.geomspace(0.05, 300, 400) / observations
        assert min(_exact_coverage(p, observations, 0.95) for p in chances.tolist()) >= 0.94


@pytest.mark.parametrize("size", [10, 29, 31, 32, 500])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_mean_is_students(size: int, confidence: float) -> None:
    values = np.random.default_rng(size).integers(-50, 400, size)
    found = intervals.estimate_mean(histogram(values), confidence)
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
    found = intervals.estimate_ratio_from_sums(400, sums[0], sums[1], products)  # type: ignore[arg-type]
    assert found.value == made.sum() / weights.sum()
    error = (made - found.value * weights).std(ddof=1) / np.sqrt(400) / weights.mean()
    half = quantiles.student_quantile(399, 0.95) * error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert math.isnan(intervals.estimate_ratio_from_sums(5, 0, 0, (0, 0, 0)).value)


@pytest.mark.parametrize("count", [1, 2, 40, 1000])
def test_constant_observations_leave_room_for_the_unseen(count: int) -> None:
    """Shares have the interval of shares; other means reach as far as the unseen may pull them."""
    for ones in (0, count):
        found = intervals.estimate_mean_from_sums(count, ones, ones, 0.9, (0, 1))
        assert found == pytest.approx(tuple(intervals.estimate_share(ones, count, 0.9)))
    unseen = intervals.estimate_share(0, count, 0.9).high
    found = intervals.estimate_mean_from_sums(count, 5 * count, 25 * count, 0.9, (-15, 25))
    assert found[:3] == pytest.approx((5, 5 - 20 * unseen, 5 + 20 * unseen))
    assert intervals.estimate_mean_from_sums(count, 5 * count, 25 * count, 0.9).low == -math.inf
    # Three contracts in each of these deals, all of them made.
    made = intervals.estimate_ratio_from_sums(
        count, 3 * count, 3 * count, (9 * count,) * 3, 0.9, True
    )
    assert made == pytest.approx(tuple(intervals.estimate_share(count, count, 0.9)))


def test_no_interval_goes_beyond_the_limits() -> None:
    plain, limited = (
        intervals.estimate_mean_from_sums(10, 3, 3, 0.95, limits) for limits in (None, (0, 1))
    )
    assert plain.low < 0 == limited.low and plain.high == limited.high
    plain, limited = (
        intervals.estimate_ratio_from_sums(500, 300, 299, (300, 299, 299), 0.95, is_share)
        for is_share in (False, True)
    )
    assert plain.high > 1 > limited.high > limited.value > plain.low > limited.low


def test_unseen_rare_values_are_within_the_limits_interval() -> None:
    """If all deals seen are alike, intervals miss the truth in at most 5% of the runs."""
    for rare in (0.0005, 0.002, 0.005):
        left_out = 0.0
        none_seen = (1 - rare) ** 1000
        found = intervals.estimate_mean_from_sums(1000, 0, 0, 0.95, (-600, 600))
        if found.high < 600 * rare:
            left_out += none_seen
        assert left_out <= 0.05


@pytest.mark.parametrize(("size", "weigh", "chance", "is_share", "least", "most"), [
    (300, lambda random: random.integers(0, 3, 300), 0.6, False, 0.93, 0.97),
    # Contracts that fail once in 300, of two a deal or fewer; Student's interval: 86%.
    (500, lambda random: random.binomial(2, 0.7, 500), 299 / 300, True, 0.935, 1),
], ids=["usual", "rare"])  # fmt: skip
def test_ratio_holds_the_truth_in_95_of_100_seeds(
    size: int, weigh: Draw, chance: float, is_share: bool, least: float, most: float
) -> None:
    held = 0
    for seed in range(SEEDS):
        random = np.random.default_rng(seed)
        weights = weigh(random)
        made = random.binomial(weights, chance)
        sums = int(weights.sum()), int(made.sum())
        products = int(weights @ weights), int(weights @ made), int(made @ made)
        found = intervals.estimate_ratio_from_sums(size, *sums, products, is_share=is_share)
        held += found.low <= chance <= found.high
    assert least <= held / SEEDS <= most


def test_mean_loses_nothing_in_large_sums() -> None:
    far = 10**12
    near = intervals.estimate_mean_from_sums(4 * 10**9, 6 * 10**9, 10 * 10**9)
    shifted = intervals.estimate_mean({far + 1: 2 * 10**9, far + 2: 2 * 10**9})
    assert shifted.value == far + 1.5
    assert near.value == 1.5
    assert (shifted.high - shifted.value) == pytest.approx(near.high - near.value, abs=1e-3)
    assert near.high - near.value == pytest.approx(1.96 * 0.5 / math.sqrt(4e9), rel=1e-4)


@pytest.mark.parametrize("counts", [{7: 1}, {7: 100}])
def test_mean_without_spread_has_no_interval(counts: dict[int, int]) -> None:
    found = intervals.estimate_mean(counts)
    assert found.value == 7
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_nothing_observed_gives_no_number() -> None:
    for found in (
        intervals.estimate_share(0, 0),
        intervals.estimate_mean({}),
        intervals.estimate_standard_deviation({}),
        intervals.estimate_quantile({}, 0.5),
    ):
        assert all(map(math.isnan, found[:3])) and found.observations == 0


def test_quantile_bounds_are_order_statistics() -> None:
    found = intervals.estimate_quantile({value: 1 for value in range(1, 101)}, 0.5)
    # P(40 <= X <= 60) with X binomial (100, 1/2) is 0.9648; without an end it is below 0.95.
    assert (found.low, found.high) == (40, 61)


def test_too_few_observations_for_a_quantile_leave_a_bound_out() -> None:
    found = intervals.estimate_quantile({value: 1 for value in range(20)}, 0.05)
    assert found.low == -math.inf and found.high == 3


def test_binomial_ranks_are_scipys_or_one_off() -> None:
    random = np.random.default_rng(11)
    for _ in range(500):
        trials = int(10 ** random.uniform(0, 8))
        probability = float(random.choice([0.05, 0.25, 0.5, 0.75, 0.95]))
        level = float(random.choice([0.005, 0.025, 0.1, 0.9, 0.975, 0.995]))
        found = quantiles.binomial_quantile(level, trials, probability)
        right = stats.binom.ppf(level, trials, probability)
        exact = trials * probability * (1 - probability) < 30
        assert abs(found - right) <= (0 if exact else 1), (level, trials, probability)


def _held(draw: Draw, estimate: Callable[[dict[int, int]], Estimate], truth: float) -> float:
    """Share of the seeds whose interval holds the truth."""
    held = 0
    for seed in range(SEEDS):
        found = estimate(histogram(draw(np.random.default_rng(seed))))
        held += not (found.low > truth or found.high < truth)
    return held / SEEDS


def _binomial(trials: int, chance: float, size: int) -> Draw:
    return lambda random: random.binomial(trials, chance, size)


def _estimate_share(counts: dict[int, int]) -> Estimate:
    return intervals.estimate_share(counts.get(1, 0), sum(counts.values()))


# Four standard errors of a share of 0.95 of a thousand seeds are 0.028; two ranks of a discrete
# distribution hold a little more.
@pytest.mark.parametrize(("draw", "estimate", "truth", "least", "most"), [
    *((_binomial(1, p, 400), _estimate_share, p, 0.92, 0.98) for p in (0.02, 0.3, 0.67)),
    *((_binomial(250, 0.5, n), intervals.estimate_mean, 125, 0.92, 0.98) for n in (10, 300)),
    (_binomial(20, 0.5, 1000), intervals.estimate_standard_deviation, math.sqrt(5), 0.935, 0.975),
    *(
        (
            lambda random: random.integers(0, 10_000, 300),
            partial(intervals.estimate_quantile, probability=p),
            math.ceil(10_000 * p) - 1, 0.925, 0.99,
        )
        for p in (0.05, 0.5, 0.75)
    ),
])  # fmt: skip
def test_interval_holds_the_truth_in_95_of_100_seeds(
    draw: Draw, estimate: Callable[[dict[int, int]], Estimate], truth: float,
    least: float, most: float,
) -> None:  # fmt: skip
    assert least <= _held(draw, estimate, truth) <= most


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 9, 10, 12, 20])
@pytest.mark.parametrize("lead", [0.55, 0.66, 0.75])
def test_mean_of_few_scores_has_no_interval_or_one_that_holds(size: int, lead: float) -> None:
    """Leads of made and failed contracts; Student's interval of five holds in 72 to 88%."""
    truth = 170 * lead - 170 * (1 - lead)

    def draw(random: np.random.Generator) -> NDArray[np.integer]:
        made = random.random(size) < lead
        return np.where(made, 170, -170) + random.integers(-20, 21, size)

    assert _held(draw, intervals.estimate_mean, truth) >= 0.92
    found = intervals.estimate_mean(histogram(draw(np.random.default_rng(1))))
    assert math.isinf(found.low) == math.isinf(found.high) == (size < 10)


# Totals of the contracting team: two broad peaks, of contracts that fail and that are made, and a
# far one of Capots, whose share is 0.5% for `greedy`, 2% for the default player, 3% in auctions.
LUMPS = {
    "greedy": ([0.004, 0.336, 0.655, 0.005], [0, 75, 162, 402]),
    "default": ([0.006, 0.414, 0.56, 0.02], [0, 78, 165, 402]),
    "auctions": ([0.002, 0.198, 0.77, 0.03], [0, 80, 178, 402]),
}


def _totals(random: np.random.Generator, name: str, size: int) -> NDArray[np.integer]:
    shares, places = LUMPS[name]
    which = random.choice(4, size, p=shares)
    widths = np.array([0, 25, 30, 8])[which]
    spread = np.rint(random.normal(0, 1, size) * widths)
    totals: NDArray[np.integer] = np.abs(np.array(places)[which] + spread).astype(np.int64)
    return totals


@pytest.mark.parametrize("name", LUMPS)
@pytest.mark.parametrize("size", slow_after(1, [1000, 3000]))
def test_deviation_interval_holds_the_truth_in_95_of_100_seeds(name: str, size: int) -> None:
    """The interval on a logarithmic scale, without the skewness, holds 92 to 94% of them."""
    truth = float(_totals(np.random.default_rng(10**6), name, 2_000_000).std())
    held = _held(
        lambda random: _totals(random, name, size), intervals.estimate_standard_deviation, truth
    )
    assert 0.935 <= held <= 0.975


def test_few_observations_do_not_give_a_deviation() -> None:
    values = np.random.default_rng(5).integers(0, 400, 1000)
    for size, told in ((2, False), (999, False), (1000, True)):
        found = intervals.estimate_standard_deviation(histogram(values[:size]))
        assert not any(map(math.isnan, found)) if told else all(map(math.isnan, found[:3]))
        assert found.observations == size


@pytest.mark.parametrize("counts", [{7: 2000}, {0: 1000, 9: 1000}])
def test_equal_squares_leave_the_deviation_without_interval(counts: dict[int, int]) -> None:
    found = intervals.estimate_standard_deviation(counts)
    assert found.value == pytest.approx(np.std(list(counts)), rel=1e-3)
    assert (found.low, found.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("size", [100, 1000])
@pytest.mark.parametrize("shares", [(0.999, 0.001, 0.0), (0.997, 0.002, 0.001), (0.97, 0.03, 0)])
def test_mean_of_rare_numbers_holds_the_truth_in_95_of_100_seeds(
    shares: tuple[float, float, float], size: int
) -> None:
    """Student's interval holds 0.001 in 63% of the samples of 1,000, the rest having no event."""
    truth = shares[1] + 2 * shares[2]

    def draw(values: list[int], random: np.random.Generator) -> NDArray[np.integer]:
        return random.choice(values, size, p=shares)

    for values, mean in (([0, 1, 2], truth), ([2, 1, 0], 2 - truth)):
        held = _held(
            partial(draw, values),
            lambda counts: intervals.estimate_mean(counts, limits=(0, 2)),
            mean,
        )
        assert held >= 0.935


def test_mean_of_rare_events_is_their_share() -> None:
    found = intervals.estimate_mean({0: 995, 40: 5})
    assert found == pytest.approx(tuple(40 * intervals.estimate_share(5, 1000)))
    from_above = intervals.estimate_mean_from_sums(1000, 995, 995, 0.9, (0, 1))
    assert from_above == pytest.approx(tuple(intervals.estimate_share(995, 1000, 0.9)))


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 47])
@pytest.mark.parametrize("value", [0.0, 0.3, 4.0, 60.0])
def test_tail_of_chi_square_is_scipys(degrees: int, value: float) -> None:
    expected = stats.chi2.sf(value, degrees)
    assert quantiles.chi_square_tail(value, degrees) == pytest.approx(expected, rel=1e-9)


def test_estimate_is_a_number_where_one_is_asked_for() -> None:
    share = intervals.Estimate(0.5, 0.4, 0.7, 100)
    assert (float(share), f"{share:.1%}", share > 0.45, share >= 0.5, share < np.float64(0.5)) == (
        0.5, "50.0%", True, True, False,
    )  # fmt: skip
    assert 100 * share == np.int64(100) * share == intervals.Estimate(50, 40, 70, 100)
    assert 1 - share == -(share - 1) == pytest.approx((0.5, 0.3, 0.6, 100))
    assert share / -2 == (-0.25, -0.35, -0.2, 100)
    assert round(share / 3, 1) == (0.2, 0.1, 0.2, 100) and f"{0 * -share}".count("-") == 0
    assert np.mean([share, 3 * share]) == np.array(share) * 2 == 1
    assert max(share, intervals.Estimate(0.6, 0.5, 0.7, 3)).observations == 3


@pytest.mark.parametrize("other", [intervals.Estimate(0.5, 0.4, 0.7, 100), [1.0], "2"])
def test_estimate_combines_with_numbers_only(other: Any) -> None:
    share = intervals.Estimate(0.5, 0.4, 0.7, 100)
    for combine in (operator.add, operator.sub, operator.mul, operator.truediv):
        with pytest.raises(TypeError, match=f"with a number, not with {type(other).__name__}"):
            combine(share, other)
