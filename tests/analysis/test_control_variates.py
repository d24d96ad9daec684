"""The control variate: no bias, intervals that hold, and numbers that threads cannot change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from kqj_sim.analysis.control_variates import AdjustedEstimate, ControlTally, compute_team_leads
from kqj_sim.experiment import Experiment
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation import reduce_rows, simulate
from tests.variants import LIVELY

STRONG, WEAK = f"{LIVELY}+greedy", f"{LIVELY}+random"
RULES = [KqjRules(), KqjRules(teams=3), KqjRules(teams=3, partners="random", bidding="auction")]
NAMES = ["two", "three", "random three auction"]


def uneven(rules: KqjRules, deals: int, first: int = 0) -> Experiment:
    """One strong player at a table of weak ones, so that the means are not 0."""
    return Experiment(rules, (STRONG,) + (WEAK,) * (SEATS - 1), deals, first=first)


def tally(experiment: Experiment, threads: int = 1, chunk: int | None = None) -> ControlTally:
    return reduce_rows(experiment, lambda: ControlTally(experiment, STRONG), threads, chunk).result


def runs(rules: KqjRules, count: int, deals: int) -> Iterator[AdjustedEstimate]:
    """Estimate the score of seat 0's side in many small runs with different deals."""
    experiment = uneven(rules, deals=count * deals)
    rows = simulate(experiment, threads=1)
    for first in range(0, count * deals, deals):
        own = slice(first, first + deals)
        found = ControlTally(experiment, STRONG)
        found.add(replace(rows, deal=rows.deal[own], values=rows.values[:, own]))
        yield found.estimate_corrected(0)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    experiment = uneven(rules, deals=1000, first=7)
    whole, parts = tally(experiment), tally(experiment, 2, 37)
    for number in range(rules.score_count):
        assert whole.estimate_corrected(number) == parts.estimate_corrected(number)
    assert whole.table().frame.equals(parts.table().frame)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_control_has_mean_zero_over_the_dealers(rules: KqjRules) -> None:
    """The correction relies on it: a policy against itself, each seat dealing equally often."""
    rows = simulate(Experiment(rules, (STRONG,) * SEATS, 60_000), threads=1)
    for column in ("score", "total"):
        found = compute_team_leads(rows, rules, column)
        errors = found.std(axis=1) / math.sqrt(len(rows))
        assert np.all(np.abs(found.mean(axis=1)) < 4 * errors)


def test_leads_are_what_a_team_has_more_than_the_others() -> None:
    rules = KqjRules(teams=3, partners="random")
    rows = simulate(Experiment(rules, (LIVELY,) * SEATS, 200), threads=1)
    found = compute_team_leads(rows, rules, "score")
    for place in range(len(rows)):
        scores = [int(rows.column(f"score_{team}")[place]) for team in range(3)]
        for seat in range(SEATS):
            own = int(rows.column(f"team_of_seat_{seat}")[place])
            others = [scores[team] for team in range(3) if team != own]
            assert found[seat, place] == 2 * scores[own] - sum(others)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_corrected_means_are_unbiased_and_their_intervals_hold(rules: KqjRules) -> None:
    """Many small runs, against the mean of all their deals and many more."""
    many = compute_team_leads(
        simulate(uneven(rules, deals=1_200_000, first=10**9)), rules, "score"
    )[0]
    truth = many.mean() / (rules.teams - 1)
    error = many.std() / math.sqrt(len(many)) / (rules.teams - 1)
    found = [each.corrected for each in runs(rules, 250, 120)]
    values = np.array([each.value for each in found])
    spread = math.hypot(values.std(ddof=1) / math.sqrt(len(values)), error)
    assert abs(values.mean() - truth) < 3.5 * spread
    held = sum(each.low <= truth <= each.high for each in found)
    # Binomial: 95% of 250, and 3.5 standard deviations to either side.
    assert 0.90 * len(found) < held < 0.998 * len(found)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_corrected_means_are_those_of_a_slow_twin(rules: KqjRules) -> None:
    """The coefficients of one half correct the other, dealer by dealer."""
    deals, first = 400, 5
    experiment = uneven(rules, deals, first)
    rows = simulate(experiment, threads=1)
    again = simulate(replace(experiment, policies=(STRONG,) * SEATS), threads=1)
    outcomes = compute_team_leads(rows, rules, "score").astype(float)
    controls = np.stack(
        [compute_team_leads(again, rules, name) for name in ("score", "total")]
    ).astype(float)
    halves, dealers = rows.deal % 12 // 6, rows.deal % 6
    strata = [[(halves == half) & (dealers == dealer) for dealer in range(6)] for half in (0, 1)]
    tallied = tally(experiment)
    for number, outcome in enumerate(outcomes):
        control = controls[:, number].T
        value = variance = 0.0
        for half in (0, 1):
            known_x, known_y = (
                np.concatenate([each[own] - each[own].mean(axis=0) for own in strata[1 - half]])
                for each in (control, outcome)
            )
            fitted = np.linalg.lstsq(known_x, known_y, rcond=None)[0]
            weight = np.mean(halves == half) / 6
            for own in strata[half]:
                left = (outcome - control @ fitted)[own]
                value += weight * left.mean()
                variance += weight**2 * left.var(ddof=1) / len(left)
        found = tallied.estimate_corrected(number)
        half_width = stats.t.ppf(0.975, deals - 12) * math.sqrt(variance)
        right = np.array([value, value - half_width, value + half_width]) / (rules.teams - 1)
        assert list(found.corrected[:3]) == pytest.approx(right.tolist(), rel=1e-5)
        assert found.relative_efficiency == pytest.approx(outcome.var(ddof=1) / deals / variance)


def test_factor_is_what_the_runs_spread_less() -> None:
    found = list(runs(KqjRules(), 250, 120))
    plain, corrected = (
        np.var([getattr(each, name).value for each in found]) for name in ("plain", "corrected")
    )
    factor = np.mean([each.relative_efficiency for each in found])
    assert factor > 1.2
    assert plain / corrected == pytest.approx(factor, rel=0.3)


def test_a_control_that_is_the_experiment_leaves_no_error() -> None:
    experiment = Experiment(policies=(STRONG,) * SEATS, deals=600)
    found = tally(experiment).estimate_corrected(0)
    assert found.corrected.value == pytest.approx(0)
    assert math.isnan(found.relative_efficiency) and math.isnan(found.corrected.low)


def test_few_deals_give_no_corrected_mean() -> None:
    found = tally(uneven(KqjRules(), deals=23)).estimate_corrected(0)
    assert math.isnan(found.corrected.value) and math.isnan(found.relative_efficiency)
    assert not math.isnan(found.plain.value)


def test_plain_mean_is_that_of_the_deals() -> None:
    experiment = uneven(KqjRules(teams=3), deals=500)
    rows = simulate(experiment, threads=1)
    found = tally(experiment)
    for team in range(3):
        lead = compute_team_leads(rows, experiment.rules, "score")[team] / 2
        assert found.estimate_corrected(team).plain.value == pytest.approx(lead.mean())
