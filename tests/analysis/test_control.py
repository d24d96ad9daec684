"""The control variate: no bias, intervals that hold, and numbers that threads cannot change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from kqj_sim.analysis.control import ControlTally, Corrected, leads
from kqj_sim.experiment import Experiment
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation import fold, simulate
from tests.variants import LIVELY

STRONG, WEAK = f"{LIVELY}+greedy", f"{LIVELY}+random"
RULES = [KqjRules(), KqjRules(teams=3), KqjRules(teams=3, partners="random", bidding="auction")]
NAMES = ["two", "three", "random three auction"]


def uneven(rules: KqjRules, deals: int, first: int = 0) -> Experiment:
    """One strong player at a table of weak ones, so that the means are not 0."""
    return Experiment(rules, (STRONG,) + (WEAK,) * (SEATS - 1), deals, first=first)


def tally(experiment: Experiment, threads: int = 1, chunk: int | None = None) -> ControlTally:
    return fold(experiment, lambda: ControlTally(experiment, STRONG), threads, chunk).result


def runs(rules: KqjRules, count: int, deals: int) -> Iterator[Corrected]:
    """What many small runs say of seat 0's side: each of other deals."""
    experiment = uneven(rules, deals=count * deals)
    rows = simulate(experiment, threads=1)
    for first in range(0, count * deals, deals):
        own = slice(first, first + deals)
        found = ControlTally(experiment, STRONG)
        found.add(replace(rows, deal=rows.deal[own], values=rows.values[:, own]))
        yield found.corrected(0)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    experiment = uneven(rules, deals=1000, first=7)
    whole, parts = tally(experiment), tally(experiment, 2, 37)
    for number in range(rules.score_count):
        assert whole.corrected(number) == parts.corrected(number)
    assert whole.table().frame.equals(parts.table().frame)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_control_has_mean_zero_over_the_dealers(rules: KqjRules) -> None:
    """What the correction rests on: a policy against itself, each seat dealing as often."""
    rows = simulate(Experiment(rules, (STRONG,) * SEATS, 60_000), threads=1)
    for column in ("score", "total"):
        found = leads(rows, rules, column)
        errors = found.std(axis=1) / math.sqrt(len(rows))
        assert np.all(np.abs(found.mean(axis=1)) < 4 * errors)


def test_leads_are_what_a_team_has_more_than_the_others() -> None:
    rules = KqjRules(teams=3, partners="random")
    rows = simulate(Experiment(rules, (LIVELY,) * SEATS, 200), threads=1)
    found = leads(rows, rules, "score")
    for place in range(len(rows)):
        scores = [int(rows.column(f"score_{team}")[place]) for team in range(3)]
        for seat in range(SEATS):
            own = int(rows.column(f"team_of_seat_{seat}")[place])
            others = [scores[team] for team in range(3) if team != own]
            assert found[seat, place] == 2 * scores[own] - sum(others)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_corrected_means_are_unbiased_and_their_intervals_hold(rules: KqjRules) -> None:
    """Many small runs, against the mean of all their deals and many more."""
    many = leads(simulate(uneven(rules, deals=1_200_000, first=10**9)), rules, "score")[0]
    truth = many.mean() / (rules.teams - 1)
    error = many.std() / math.sqrt(len(many)) / (rules.teams - 1)
    found = [each.corrected for each in runs(rules, 250, 120)]
    values = np.array([each.value for each in found])
    spread = math.hypot(values.std(ddof=1) / math.sqrt(len(values)), error)
    assert abs(values.mean() - truth) < 3.5 * spread
    held = sum(each.low <= truth <= each.high for each in found)
    # Binomial: 95% of 250, and 3.5 standard deviations to either side.
    assert 0.90 * len(found) < held < 0.998 * len(found)


def test_factor_is_what_the_runs_spread_less() -> None:
    found = list(runs(KqjRules(), 250, 120))
    plain, corrected = (
        np.var([getattr(each, name).value for each in found]) for name in ("plain", "corrected")
    )
    factor = np.mean([each.factor for each in found])
    assert factor > 1.2
    assert plain / corrected == pytest.approx(factor, rel=0.3)


def test_a_control_that_is_the_experiment_leaves_no_error() -> None:
    experiment = Experiment(policies=(STRONG,) * SEATS, deals=600)
    found = tally(experiment).corrected(0)
    assert found.corrected.value == pytest.approx(0)
    assert math.isnan(found.factor) and math.isnan(found.corrected.low)


def test_few_deals_give_no_corrected_mean() -> None:
    found = tally(uneven(KqjRules(), deals=23)).corrected(0)
    assert math.isnan(found.corrected.value) and math.isnan(found.factor)
    assert not math.isnan(found.plain.value)


def test_plain_mean_is_that_of_the_deals() -> None:
    experiment = uneven(KqjRules(teams=3), deals=500)
    rows = simulate(experiment, threads=1)
    found = tally(experiment)
    for team in range(3):
        lead = leads(rows, experiment.rules, "score")[team] / 2
        assert found.corrected(team).plain.value == pytest.approx(lead.mean())
