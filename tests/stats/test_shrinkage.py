"""Shrunk means: their formulas once more, slowly, and how often their intervals hold."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.stats.shrinkage import find_between_variance, shrink_means


def _draw_losses(generator: np.random.Generator, mean: float, rounds: int) -> list[float]:
    """Return losses that are mostly 0, and else large, with noise."""
    is_wrong = generator.random(rounds) < mean / 25
    losses = is_wrong * generator.exponential(25, rounds)
    return list(losses + generator.normal(0, 4, rounds))


def test_people_differ_by_what_their_means_vary_beyond_their_errors() -> None:
    means = np.array([1.0, 3.0, 8.0, 12.0])
    assert find_between_variance(means, np.full(4, 1.5)) == pytest.approx(means.var(ddof=1) - 1.5)
    assert find_between_variance(means, np.full(4, 100.0)) == 0


def test_means_go_to_that_of_all_by_the_share_of_luck() -> None:
    generator = np.random.default_rng(4)
    samples = [_draw_losses(generator, mean, 50) for mean in (2, 4, 6, 9, 14, 16)]
    shrunk = shrink_means(samples, 16, 0.95)
    means = np.mean(samples, axis=1)
    variance = np.var(samples, axis=1, ddof=1).mean() / 50
    share = 3 / 5 * variance / means.var(ddof=1)  # Morris (1983), equal variances.
    assert shrunk.values == pytest.approx(means - share * (means - means.mean()), rel=1e-6)
    growth = (50 * variance - 16) / means.mean()
    own = (16 + growth * shrunk.values) / 50
    squared = own * (1 - 5 / 6 * share) + 2 / 3 * share**2 * (means - means.mean()) ** 2
    assert shrunk.errors == pytest.approx(np.sqrt(squared), rel=1e-6)


def test_who_cannot_be_told_apart_shares_a_rank() -> None:
    generator = np.random.default_rng(1)
    samples = [_draw_losses(generator, mean, 400) for mean in (5, 20, 5, 12)]
    assert shrink_means(samples, 16, 0.95).rank() == [1, 4, 1, 3]
    alike = [_draw_losses(generator, 8, 20) for _ in range(6)]
    assert shrink_means(alike, 16, 0.95).rank() == [1] * 6


def test_too_few_observations_have_no_interval() -> None:
    few = shrink_means([[3.0], [40.0, 0.0], [0.0] * 5], 0, 0.95)
    assert [*few.values] == [3, 20, 0] and few.rank() == [1, 1, 1]
    alike = shrink_means([[0.0] * 20] * 6, 0, 0.95)
    assert all(estimate.is_unbounded for estimate in (*few.estimate(), *alike.estimate()))


@pytest.mark.parametrize("rounds", [18, 100])
def test_intervals_hold_the_truth(rounds: int) -> None:
    generator = np.random.default_rng(rounds)
    hits = []
    for _ in range(300):
        truth = generator.uniform(3, 17, 6)
        shrunk = shrink_means([_draw_losses(generator, mean, rounds) for mean in truth], 16, 0.95)
        hits += [*(abs(shrunk.values - truth) <= shrunk.reach * shrunk.errors)]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)
