"""Moments, the same as of all observations at once, and weighted means with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from kqj_sim.stats import sequences
from kqj_sim.stats.intervals import estimate_mean_from_sums, estimate_share, estimate_weighted_share
from kqj_sim.stats.moments import Moments, Objective, WeightedMoments, count_by_group, multiply

RANDOM = np.random.default_rng(4)


def test_parts_in_any_order_add_up_to_the_whole() -> None:
    values = RANDOM.integers(-600, 600, (3, 2, 500))
    whole, parts = (Moments.zeros((3, 2), kind=int) for _ in range(2))
    whole.observe(values)
    for part in (values[..., 300:], values[..., :10], values[..., 10:300]):
        moments = Moments.zeros((3, 2), kind=int)
        moments.observe(part)
        parts.add(moments)
    assert int(whole.count) == int(parts.count) == 500
    assert np.array_equal(whole.sums, parts.sums)
    assert np.array_equal(whole.products, parts.products)
    one, other = values[1]
    difference = one - other
    assert whole[1].summarize(0) == (500, one.sum(), one @ one)
    assert whole[1].summarize_difference(0, 1) == (500, difference.sum(), difference @ difference)
    products = (one @ one, one @ other, other @ other)
    assert whole[1].summarize_pair(0, 1) == (500, one.sum(), other.sum(), products)


@pytest.mark.parametrize("largest", [1000, 2**30], ids=["small", "beyond float64"])
def test_products_are_exact(largest: int) -> None:
    values = np.array([[largest, largest - 1, 1 - largest], [1, -3, largest]])
    moments = Moments.zeros((2,), kind=int)
    moments.observe(values)
    right = [
        [sum(a * b for a, b in zip(one, other, strict=True)) for other in values.tolist()]
        for one in values.tolist()
    ]
    assert moments.products.tolist() == right


def test_groups_are_counted_apart_and_pooled() -> None:
    groups, values = RANDOM.integers(0, 6, 400), RANDOM.integers(-50, 50, (2, 400))
    found, whole = count_by_group(groups, values, 6), Moments.zeros((2,), kind=int)
    whole.observe(values)
    for group in range(6):
        right = Moments.zeros((2,), kind=int)
        right.observe(values[:, groups == group])
        for variable in (0, 1):
            assert found[group].summarize(variable) == right.summarize(variable)
        assert np.array_equal(found[group].products, right.products)
    assert found.pool().summarize(1) == whole.summarize(1)
    cells = found.regroup((2, 3))
    assert cells[1, 1:].pool().summarize(0) == found[4:].pool().summarize(0)


def test_a_view_of_a_group_adds_to_the_whole() -> None:
    moments = Moments.zeros((2,), (3,), kind=int)
    moments[1].observe(np.array([[1, 2], [3, 4]]))
    assert moments.count.tolist() == [0, 2, 0]
    assert moments.sums[1].tolist() == [3, 7]


@pytest.mark.parametrize(
    ("one", "other"),
    [((7,), (7,)), ((3, 7), (7,)), ((2, 3, 7), (7,)), ((7,), (7, 4)), ((3, 7), (7, 4))],
)
def test_products_are_those_of_numpy(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    left, right = RANDOM.normal(size=one), RANDOM.normal(size=other)
    assert multiply(left, right) == pytest.approx(left @ right, rel=1e-12)


def sums(values: np.ndarray, weights: np.ndarray, block: int = 100) -> WeightedMoments:
    """The sums of values (options, n), a block at a time."""
    found = WeightedMoments.zeros(1, len(values))
    for start in range(0, len(weights), block):
        part = slice(start, start + block)
        found.add(len(weights[part]), weights[part], values[None, :, part])
    return found


def test_equal_weights_give_the_plain_intervals() -> None:
    generator = np.random.default_rng(1)
    hits = (generator.random(1000) < 0.3).astype(float)
    points = generator.normal(20, 50, 1000).round()
    found = sums(np.stack([hits, points]), np.full(1000, 0.25))
    assert found.effective_sample_size == pytest.approx(1000)
    assert found.estimate_mean(0, 0, 0.95, is_share=True) == pytest.approx(
        tuple(estimate_share(int(hits.sum()), 1000))
    )
    plain = estimate_mean_from_sums(1000, int(points.sum()), int((points**2).sum()))
    assert found.estimate_mean(0, 1, 0.95) == pytest.approx(tuple(plain), rel=2e-3)


@pytest.mark.parametrize("heavy", [0.0, 1.0], ids=["others", "hits"])
def test_a_share_counts_as_many_deals_as_tell_less(heavy: float) -> None:
    """Those of its own spread, where the rarer outcome weighs more; else Kish's number."""
    generator = np.random.default_rng(8)
    hits = (generator.random(500) < 0.05).astype(float)
    weights = np.where(hits == heavy, 5.0, 1.0) * generator.random(500)
    found = sums(hits[None], weights).estimate_mean(0, 0, 0.95, is_share=True)
    value = np.average(hits, weights=weights)
    kish = weights.sum() ** 2 / (weights**2).sum()
    own = value * (1 - value) * weights.sum() ** 2 / (weights**2 * (hits - value) ** 2).sum()
    assert (own < kish) == (heavy == 1)
    assert found == pytest.approx(tuple(estimate_weighted_share(value, min(kish, own), 500)))


def test_a_mean_has_students_interval_of_the_effective_number() -> None:
    generator = np.random.default_rng(9)
    points, weights = generator.normal(20, 50, 300), generator.random(300) ** 8
    found = sums(points[None], weights)
    assert 10 <= found.effective_sample_size < 100
    estimate = found.estimate_mean(0, 0, 0.95)
    error = math.sqrt((weights**2 * (points - estimate.value) ** 2).sum()) / weights.sum()
    half = stats.t.ppf(0.975, int(found.effective_sample_size) - 1) * error
    right = np.average(points, weights=weights)
    assert estimate[:3] == pytest.approx((right, right - half, right + half))
    few = sums(points[None], weights**8)
    assert few.effective_sample_size < 10
    assert few.estimate_mean(0, 0, 0.95)[1:3] == (-math.inf, math.inf)


def test_differences_are_those_of_the_same_deals() -> None:
    generator = np.random.default_rng(2)
    one = generator.normal(0, 100, 500)
    weights = generator.random(500)
    found = sums(np.stack([one, one + 3, -one]), weights)
    always = found.estimate_mean(0, 1, 0.95, baseline=0)
    assert always.value == pytest.approx(3)
    assert math.isnan(always.low) or always.high - always.low < 1e-6
    twice = found.estimate_mean(0, 0, 0.95, baseline=2)
    alone = found.estimate_mean(0, 0, 0.95)
    assert twice.high - twice.low == pytest.approx(2 * (alone.high - alone.low))


def test_shares_of_none_and_all_have_intervals() -> None:
    weights = np.random.default_rng(3).random(400)
    found = sums(np.stack([np.ones(400), np.zeros(400)]), weights)
    always, never = (found.estimate_mean(0, each, 0.95, is_share=True) for each in (0, 1))
    assert (always.value, always.high, never.value, never.low) == (1, 1, 0, 0)
    assert 0.97 < always.low < 1
    assert 0 < never.high < 0.03


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(4)
    held = {"share": 0, "mean": 0, "sequence": 0}
    runs = 400
    for _ in range(runs):
        weights = generator.gamma(2, 1, 600)
        hits = (generator.random(600) < 0.3).astype(float)
        points = generator.exponential(40, 600) * (1 + (weights > 2))
        found = sums(np.stack([hits, points]), weights, 600)
        heavy = 5 * math.exp(-2)  # E[w; w > 2] / E[w] of this gamma distribution
        truth = 40 * (1 + heavy)
        by_share = found.estimate_mean(0, 0, 0.95, is_share=True)
        held["share"] += by_share.low <= 0.3 <= by_share.high
        by_mean = found.estimate_mean(0, 1, 0.95)
        held["mean"] += by_mean.low <= truth <= by_mean.high
        always = found.estimate_mean(0, 1, 0.95, sequential=True)
        held["sequence"] += always.low <= truth <= always.high
    assert 0.92 < held["share"] / runs < 0.98
    assert 0.91 < held["mean"] / runs < 0.98
    assert held["sequence"] / runs > 0.98


def test_the_unit_of_the_weights_does_not_matter() -> None:
    generator = np.random.default_rng(5)
    hits, weights = (generator.random(900) < 0.4).astype(float), generator.random(900)
    for sequential in (False, True):
        one, other = (
            sums(hits[None], weights * unit).estimate_mean(
                0, 0, 0.95, sequential=sequential, is_share=True
            )
            for unit in (1.0, 1e-6)
        )
        assert one == pytest.approx(tuple(other))


def of_options(
    wins: np.ndarray, points: np.ndarray, weights: np.ndarray | None = None
) -> WeightedMoments:
    """Sums of a share and of points, each (options, n)."""
    options, count = wins.shape
    found = WeightedMoments.zeros(2, options)
    found.add(count, np.ones(count) if weights is None else weights, np.stack([wins, points]))
    return found


def test_conclusive_by_share_or_by_best() -> None:
    generator = np.random.default_rng(6)
    points = np.stack([generator.normal(30, 50, 4000), generator.normal(0, 50, 4000)])
    even = np.tile([0.0, 1.0], (2, 2000))
    assert of_options(even, points).is_conclusive(0, Objective(1, 0, 2, 600), 1e-3, 0.95)
    same = points[[0, 0]]
    assert not of_options(even, same).is_conclusive(0, Objective(1, 0, 2, 600), 0.02, 0.95)
    assert of_options(even, same).is_conclusive(0, Objective(1, 0, 2, 600), 0.03, 0.95)
    # A single option is the best, but what is asked is its share.
    assert not of_options(even[:1], points[:1]).is_conclusive(
        0, Objective(1, 0, 1, 600), 0.02, 0.95
    )
    assert of_options(even[:1], points[:1]).is_conclusive(0, Objective(1, 0, 1, 600), 0.03, 0.95)


def test_conclusive_best_leads_all_others_jointly() -> None:
    generator = np.random.default_rng(10)
    worse = generator.normal(-10, 1, 2000)
    level = generator.normal(size=2000)
    level = (level - level.mean()) / level.std()
    errors = [sequences.compute_sequence_width(2000, each) for each in (0.95, 0.975)]
    # Ahead of the second by more than its own interval, and by less than that of two at once.
    ahead = level + np.mean(errors) / math.sqrt(2000)
    points = np.stack([ahead, np.zeros(2000), worse])
    even = np.tile([0.0, 1.0], (3, 1000))
    assert of_options(even[:2], points[:2]).is_conclusive(0, Objective(1, 0, 2, 0), 1e-3, 0.95)
    assert not of_options(even, points).is_conclusive(0, Objective(1, 0, 3, 0), 1e-3, 0.95)


def test_a_share_must_be_known_to_either_side() -> None:
    """Near the end the interval is cut off, and narrower than twice its longer side."""
    never = of_options(np.zeros((1, 2000)), np.zeros((1, 2000)))
    high = never.estimate_mean(0, 0, 0.95, sequential=True, is_share=True).high
    assert not never.is_conclusive(0, Objective(1, 0, 1, 600), 0.9 * high, 0.95)
    assert never.is_conclusive(0, Objective(1, 0, 1, 600), 1.1 * high, 0.95)


def test_rare_losses_are_not_overlooked() -> None:
    """Two cards that differ little, and perhaps by much in a deal that was not seen yet."""
    points = np.zeros((2, 1500))
    points[0, ::20] = 2
    found = of_options(np.tile([0.0, 1.0], (2, 750)), points)
    assert found.is_conclusive(0, Objective(1, 0, 2, 0), 1e-3, 0.95)
    assert not found.is_conclusive(0, Objective(1, 0, 2, 600), 1e-3, 0.95)


def test_few_heavy_deals_are_not_conclusive() -> None:
    generator = np.random.default_rng(7)
    points = np.stack([generator.normal(400, 5, 3000), generator.normal(0, 5, 3000)])
    even = np.tile([0.0, 1.0], (2, 1500))
    assert of_options(even, points).is_conclusive(0, Objective(1, 0, 2, 600), 1e-3, 0.95)
    heavy = np.where(np.arange(3000) % 10 == 0, 1.0, 1e-3)
    assert not of_options(even, points, heavy).is_conclusive(0, Objective(1, 0, 2, 600), 1e-3, 0.95)


def test_selected_options_have_the_moments_of_these_alone() -> None:
    generator = np.random.default_rng(12)
    wins, points = np.tile([0.0, 1.0], (4, 50)), generator.normal(0, 50, (4, 100))
    weights = generator.random(100)
    found = of_options(wins, points, weights).select([3, 1])
    for mine, theirs in zip(found, of_options(wins[[3, 1]], points[[3, 1]], weights), strict=True):
        np.testing.assert_allclose(mine, theirs)


def test_what_may_be_the_best() -> None:
    generator = np.random.default_rng(13)
    points = generator.normal([[0], [-10], [-40], [0]], 100, (4, 1000))
    points[3] = points[0] - 10  # In all deals.
    even, objective = np.tile([0.0, 1.0], (4, 500)), Objective(1, 0, 4, 600)
    assert of_options(even, points).find_possible(0, objective).tolist() == [1, 1, 0, 0]
    assert of_options(even[:, :200], points[:, :200]).find_possible(0, objective).all()


def test_the_best_is_hardly_ever_left_out() -> None:
    """Of twelve equal options, which lose much in few deals, each may be the best."""
    generator, left_out = np.random.default_rng(14), 0
    even, objective = np.tile([0.0, 1.0], (12, 512)), Objective(1, 0, 12, 600)
    for _ in range(400):
        luck, own = generator.random(1024), generator.random((12, 1024))
        points = np.where((luck + own) / 2 < 0.1, -400.0, 20.0)
        moments = of_options(even, points)
        possible = moments.find_possible(moments.best(objective), objective)
        left_out += int((~possible).sum())
    assert left_out <= 3  # 400 x 11 comparisons, of which one in 60,000 is wrong.
