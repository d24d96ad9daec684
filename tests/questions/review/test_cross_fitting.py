"""The loss of a choice: no bias, intervals that hold, and mistakes only where they are shown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kqj_sim.questions.review.cross_fitting import (
    Draws,
    average,
    compute_exact_loss,
    estimate_loss,
    find_mistakes,
)
from kqj_sim.stats.quantiles import student_quantile, student_tail

RUNS = 1500


def draw(random: np.random.Generator, means: list[float], deals: int = 200) -> Draws:
    """Draw options whose values share most of their luck, as in the same deals."""
    common = random.normal(0, 150, deals)
    values = np.array([mean + common + random.normal(0, 60, deals) for mean in means])
    return Draws(random.gamma(2, 0.5, deals), values, (values > 0).astype(float))


@pytest.mark.parametrize("means", [[0.0] * 5, [0.0, 0.0], [0.0, 10.0, 9.0, -40.0], [0.0, -30.0]])
def test_loss_is_unbiased_and_its_interval_holds(means: list[float]) -> None:
    """The loss is that against the options that halves choose, which is at most the true one."""
    random = np.random.default_rng(7)
    true = max(means) - means[0]
    values, naive, covered, rejected = [], [], 0, 0
    for _ in range(RUNS):
        draws = draw(random, means)
        loss = estimate_loss(None, draws, 0, 0.95)
        estimate = loss.cautious_points
        values.append(loss.points.value)
        # The same deals choose the best option and value it.
        averages = draws.values @ draws.weights / draws.weights.sum()
        naive.append(averages.max() - averages[0])
        covered += estimate.low <= true + 1e-9 <= estimate.high + 1e-9
        rejected += loss.points.p_value < 0.05
    mean, error = np.mean(values), np.std(values) / RUNS**0.5
    assert mean < true + 3 * error
    assert mean > true - 3 * error - (3.5 if len(means) == 4 else 0)
    assert covered / RUNS > 0.935
    if true == 0:
        assert rejected / RUNS < 0.065
        assert len(means) < 3 or np.mean(naive) > 4


@pytest.mark.parametrize(
    ("leads", "spreads"),
    [([5, 5], [1, 200]), ([2, 2], [12, 40]), ([3, 0, 0], [15, 15, 15]), ([-5], [8])],
    ids=["two of one value", "both rare", "rare", "never"],
)
def test_share_of_large_losses_is_that_against_the_best_option(
    leads: list[float], spreads: list[float]
) -> None:
    """Options that are worth the same lose 30 points in quite different shares of the deals."""
    random = np.random.default_rng(5)
    true = [
        math.erfc((30 - lead) / spread / 2**0.5) / 2
        for lead, spread in zip(leads, spreads, strict=True)
    ]
    covered, count = 0, 0
    for _ in range(RUNS):
        weights, common = random.gamma(2, 0.5, 300), random.normal(0, 150, 300)
        rivals = [common + random.normal(*each, 300) for each in zip(leads, spreads, strict=True)]
        values = np.array([common, *rivals])
        loss = estimate_loss(None, Draws(weights, values, (values > 0).astype(float)), 0, 0.95)
        estimate = loss.large
        if loss.best == 0:
            assert estimate[:1] == (0.0,) and math.isnan(estimate.high)
            continue
        assert estimate.low < estimate.high
        covered += estimate.low <= true[loss.best - 1] <= estimate.high
        count += 1
    assert covered >= 0.935 * count


def test_chances_to_win_that_differ_in_no_deal_have_the_bounds_of_so_many_deals() -> None:
    random = np.random.default_rng(5)
    covered, rare = 0, 0.003
    for _ in range(RUNS):
        values = random.normal([[0.0], [40.0]], 20, (2, 300))
        wins = np.array([np.zeros(300), random.random(300) < rare])
        estimate = estimate_loss(None, Draws(np.ones(300), values, wins), 0, 0.95).wins
        assert estimate.low < estimate.high
        covered += estimate.low <= rare <= estimate.high
    assert covered >= 0.93 * RUNS
    # Nothing is compared where the choice is the best option of either half.
    loss = estimate_loss(None, Draws(np.ones(300), values[::-1], wins[::-1]), 0, 0.95)
    assert loss.best == 0 and math.isnan(loss.wins.high)


def test_average_is_the_ratio_of_sums_with_its_error() -> None:
    random = np.random.default_rng(3)
    found = [average(random.gamma(2, 0.5, 300), random.normal(5, 20, 300)) for _ in range(RUNS)]
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(5, abs=0.15)
    assert values.std() == pytest.approx(np.mean([each.error for each in found]), rel=0.06)


def test_exact_loss_is_the_difference_of_weighted_means() -> None:
    draws = Draws(
        np.array([1.0, 3.0]), np.array([[0.0, 4.0], [8.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    )
    loss = compute_exact_loss(draws, 1)
    assert (loss.best, loss.points.value, loss.wins.value) == (0, 1.0, 0.5)
    assert loss.points.is_exact and loss.points.p_value == 0
    assert compute_exact_loss(draws, 0).points.p_value == 1


def test_mistakes_are_shown_over_all_decisions_together() -> None:
    assert find_mistakes([0.012, 0.2, 0.001], 0.95) == [True, False, True]
    assert find_mistakes([0.03, 0.03, 0.03], 0.95) == [False] * 3
    assert find_mistakes([], 0.95) == []


@pytest.mark.parametrize("freedom", [3, 29, 30, 200])
def test_tail_of_student_agrees_with_the_quantile(freedom: int) -> None:
    for confidence in (0.5, 0.9, 0.99, 0.9999):
        quantile = student_quantile(freedom, confidence)
        assert student_tail(quantile, freedom) == pytest.approx((1 - confidence) / 2, rel=0.02)
