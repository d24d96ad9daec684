"""Leads: when they are known well enough, and how often their intervals hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.paired.leads import (
    DEFAULT_MAX_DEALS,
    RELATIVE_PRECISION,
    ComparisonPlan,
    Leads,
    play_until_enough,
)
from kqj_sim.paired.match import LeadTally, Match, assign_players
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate as play_rows
from kqj_sim.simulation.workers import Workers
from kqj_sim.stats import quantiles, sequences
from tests.comparisons import compare, make_leads
from tests.runners import WatchedRunner
from tests.slow import slow_after
from tests.variants import OTHER_GAMES
from tools.leads import iterate_lead_chunks

SEEDS = 1000
MANY = 10_000_000
"""Deals that take far longer than a chunk."""
UNPLAYED = parse_player("never"), parse_player("always")
"""The players of matches whose leads are made up."""
WEAK, STRONG = "random:take=0.1", "random:take=0.1+greedy"
TWIN = '''
from kqj_sim import policy
from kqj_sim.core.rng import draw, scale_below
from kqj_sim.policies.tools import nth_card

twin = policy("twin", "passes, then takes, and plays anything; other draws, the same law", draws=0)


@twin
def choose_take(view, parameters):
    """In the second lap, spades or hearts."""
    return scale_below(draw(view.random, 20 + int(parameters.draws)), 2) if view.lap == 2 else -1


@twin
def choose_card(view, parameters):
    """Any legal card."""
    count, cards = 0, view.legal
    while cards != 0:
        cards &= cards - 1
        count += 1
    return nth_card(view.legal, scale_below(draw(view.random, 20 + int(parameters.draws)), count))
'''


@dataclass(frozen=True)
class Resampled(Match):
    """A match whose deals are drawn from leads that were played before."""

    population: NDArray[np.int64] | None = None

    def play(
        self, first: int, count: int, workers: Workers = None, chunk: int | None = None
    ) -> Iterator[LeadTally]:
        """Deals drawn by the seed and the number of the first."""
        assert self.population is not None
        generator = np.random.default_rng([self.seed, first])
        leads, tally = generator.choice(self.population, count), self.make_tally()
        tally.leads.observe(leads[np.newaxis])
        tally.observe_pair(np.arange(first, first + count), leads, leads != 0)
        yield tally


@pytest.fixture(scope="module")
def population() -> NDArray[np.int64]:
    """Leads of one variant of a policy over another, times the divisor."""
    players = "random:take=0.3+greedy", "random:take=0.25+greedy"
    return np.concatenate([*iterate_lead_chunks(KqjRules(), *players, 40_000, 77)])


def runs(population: NDArray[np.int64], plan: ComparisonPlan) -> Iterator[Leads]:
    """A thousand comparisons, each with deals of its own."""
    runner = Runner(threads=1)
    for seed in range(SEEDS):
        match = Resampled(KqjRules(), UNPLAYED, seed=seed, is_pair=True, population=population)
        leads = Leads(match, plan)
        play_until_enough(leads, plan.iterate_looks(), runner, lambda count: None)
        yield leads


@pytest.mark.slow
def test_equals_differ_in_at_most_5_percent_of_seeds(population: NDArray[np.int64]) -> None:
    even = np.concatenate([population, -population])
    plan = ComparisonPlan(indifference=4, max_deals=6000)
    verdicts = [leads.verdict for leads in runs(even, plan)]
    assert verdicts.count("better") + verdicts.count("worse") <= 0.05 * SEEDS
    assert verdicts.count("equal") > 0


@pytest.mark.parametrize("lead", slow_after(0, [0.0, 0.15, 0.4]))
def test_intervals_that_decide_hold_the_truth(population: NDArray[np.int64], lead: float) -> None:
    """Leads of as many standard deviations: equal ones, and some known to a fifth of themselves."""
    centred = population - round(population.mean())
    shifted = centred + round(lead * population.std())
    divisor = Match(KqjRules(), UNPLAYED).lead_divisor
    truth = shifted.mean() / divisor
    plan = ComparisonPlan(max_deals=20_000, indifference=3.1 * population.std() / divisor / 60)
    played = list(runs(shifted, plan))
    inside = [leads.lead.low <= truth <= leads.lead.high for leads in played]
    assert np.mean(inside) >= 0.95
    assert len({leads.deals for leads in played}) > 3
    if lead >= 0.15:
        assert all(leads.compute_half_width() <= leads.target_width for leads in played)
        assert {leads.verdict for leads in played} == {"better"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan", [ComparisonPlan(deals=1500), ComparisonPlan(precision=1.2)], ids=["deals", "until"]
)
def test_fixed_intervals_hold_the_truth_in_95_percent(
    population: NDArray[np.int64], plan: ComparisonPlan
) -> None:
    truth = population.mean() / Match(KqjRules(), UNPLAYED).lead_divisor
    leads = [played.lead for played in runs(population, plan)]
    assert 0.93 <= np.mean([lead.low <= truth <= lead.high for lead in leads]) <= 0.97
    if plan.precision is not None:
        half = [(lead.high - lead.low) / 2 for lead in leads]
        assert 0.8 * plan.precision < min(half) <= max(half) <= plan.precision


def test_a_width_is_not_believed_before_rare_deals_would_have_been_seen() -> None:
    """Leads of a point: as far as was seen, the first look would do."""
    match = Match(KqjRules(), UNPLAYED)
    point = np.array([-match.lead_divisor, match.lead_divisor])
    leads = next(runs(point, ComparisonPlan(precision=1.0)))
    # Three deals of 600 points that were not seen, beside which the rest is nothing.
    enough = quantiles.normal_quantile(0.95) * 3**0.5 * 600
    assert enough < leads.deals < 1.11 * enough
    assert leads.lead.high - leads.lead.low < 0.1


@pytest.mark.parametrize(
    ("lead", "verdict"), [(-2, "worse"), (-1, "open"), (0, "equal"), (1, "open"), (2, "better")]
)
def test_verdict_of_an_interval(lead: int, verdict: str) -> None:
    """Of half-width 1.97; equal is what lies within 2.5 on both sides."""
    leads = make_leads([lead - 20, lead + 20] * 200, indifference=2.5)
    assert (leads.lead.high - leads.lead.low) / 2 == pytest.approx(1.97, abs=0.01)
    assert leads.verdict == verdict


def test_looks_come_at_the_same_deals_whatever_is_played() -> None:
    looks = list(ComparisonPlan().iterate_looks())
    assert looks[0] == 1002 >= sequences.FIRST_LOOK
    assert looks[-1] == DEFAULT_MAX_DEALS
    assert all(one < other <= 1.11 * one for one, other in pairwise(looks))
    assert all(look % 6 == 0 for look in looks[:-1])
    assert list(ComparisonPlan(max_deals=500).iterate_looks()) == [500]
    assert list(ComparisonPlan(deals=77).iterate_looks()) == [77]


def test_it_stops_when_the_lead_is_known_to_a_fifth_of_itself() -> None:
    runner = WatchedRunner()
    (leads,) = compare(WEAK, STRONG, runner=runner).pairs.values()
    assert leads.verdict == "worse"
    assert leads.deals == sum(runner.advanced) < DEFAULT_MAX_DEALS
    half = [(lead.high - lead.low) / 2 / abs(lead.value) for lead in leads.list_leads()]
    assert leads.history[-1][0] == leads.deals
    assert half[-1] <= RELATIVE_PRECISION < min(half[:-1])
    # At half as many deals it is expected to take about as many as it takes.
    middle = next(at for at, (deals, *_) in enumerate(leads.history) if deals > leads.deals / 2)
    deals = leads.history[middle][0]
    assert deals * (half[middle] / RELATIVE_PRECISION) ** 2 == pytest.approx(leads.deals, rel=0.5)


def test_a_limit_ends_what_shows_nothing() -> None:
    (leads,) = compare(
        "random:take=0.10", "random:take=0.101", max_deals=1200, indifference=0.01
    ).pairs.values()
    assert (leads.deals, leads.verdict) == (1200, "open")


@pytest.mark.slow
def test_twins_are_seldom_declared_different(tmp_path: Path) -> None:
    twin = tmp_path / "twin.py"
    twin.write_text(TWIN, encoding="utf-8")
    different = 0
    for seed in range(40):
        comparison = compare(f"{twin}:draws=1", f"{twin}:draws=2", seed=seed, max_deals=1500)
        assert comparison.pairs[0, 1].tally.differing > 1000
        different += comparison.pairs[0, 1].verdict in ("better", "worse")
    assert different <= 6  # More than 6 of 40 at 5% each are one case in a hundred.


def test_the_factor_is_a_ratio_of_variances() -> None:
    (leads,) = compare(STRONG, "random:take=0.3+greedy", deals=2000).pairs.values()
    match = leads.match
    one, other = match.players
    paired = np.concatenate([*iterate_lead_chunks(match.rules, one, other, 2000, 1)])
    single = []
    for sides in match.arrangements:
        rows = play_rows(Experiment(players=assign_players(sides, one, other), deals=2000))
        lead = rows.column("score_0").astype(int) - rows.column("score_1")
        single.append((lead if sides[0] == 0 else -lead).var(ddof=1))
    assert leads.relative_efficiency == pytest.approx(
        np.mean(single) / (paired / match.lead_divisor).var(ddof=1)
    )
    assert leads.relative_efficiency > 2


def test_against_opponents_each_plays_the_same_side_of_the_same_deals() -> None:
    (leads,) = compare(WEAK, STRONG, opponents="greedy", deals=600).pairs.values()
    points = [
        np.concatenate([*iterate_lead_chunks(KqjRules(), name, "greedy", 600, 1, single_team=True)])
        for name in (WEAK, STRONG)
    ]
    expected = (points[0] - points[1]).mean() / leads.match.lead_divisor
    assert leads.lead.value == pytest.approx(expected)


@pytest.mark.parametrize("rules", [KqjRules(), *OTHER_GAMES.values()], ids=str)
def test_a_lead_has_a_bound(rules: GameRules) -> None:
    players = parse_player("random", rules.game), parse_player("standard", rules.game)
    match = Match(rules, players)
    alone = Leads(match, ComparisonPlan(deals=10))
    assert alone.get_bound(1) == rules.max_points * match.lead_divisor
    field = replace(match, opponents=players[0])
    bounds = [Leads(field, ComparisonPlan(deals=10)).get_bound(other) for other in (None, 1)]
    assert bounds == [rules.max_points * field.lead_divisor * factor for factor in (1, 2)]


def test_games_stop_too() -> None:
    (leads,) = compare(WEAK, STRONG, rules=KqjRules(target=200), games="auto").pairs.values()
    assert leads.verdict == "worse"
    assert -100 <= leads.lead.value < 0


def test_the_pace_decides_what_is_played_together_and_no_number() -> None:
    """Of three players against opponents, interrupted and not."""
    match = Match(KqjRules(), tuple(map(parse_player, (WEAK, STRONG, "greedy"))), UNPLAYED[0])
    tallies = []
    for threads in (1, 2):
        leads = Leads(match, ComparisonPlan(deals=2000, first=3))
        sizes: list[int] = []
        runner = Runner(threads=threads)
        assert play_until_enough(leads, [300, 2000], runner, sizes.append)
        assert leads.deals == sum(sizes) == 2000 and len({*sizes}) > 1
        tallies.append(leads.tally)
    assert np.array_equal(tallies[0].leads.products, tallies[1].leads.products)
    assert np.array_equal(tallies[0].measures.products, tallies[1].measures.products)
    leads, sizes = Leads(match, ComparisonPlan(deals=MANY, first=3)), []
    stopping = WatchedRunner(lambda: len(sizes) == 2)
    assert not play_until_enough(leads, [MANY], stopping, sizes.append)
    # All players have played the same deals.
    assert leads.deals == sum(sizes) < MANY
    assert {*leads.tally.singles.count.ravel().tolist()} == {leads.deals}
