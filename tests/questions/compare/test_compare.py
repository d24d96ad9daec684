"""Stopping, conclusions and error rates of comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import figure
from numpy.typing import NDArray

import kqj_sim as kqj
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.match import MatchTally, PairedMatch
from kqj_sim.questions.compare.pairs import PolicyPair
from kqj_sim.questions.compare.plan import (
    DEFAULT_MAX_DEALS,
    RELATIVE_PRECISION,
    ComparisonPlan,
)
from kqj_sim.questions.compare.screen import make_comparison_report, make_sweep_report
from kqj_sim.questions.compare.settings import play_settings
from kqj_sim.questions.compare.tables import make_comparison_tables
from kqj_sim.rules import DEFAULT_RULES, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate as play_rows
from kqj_sim.simulation.workers import Workers
from kqj_sim.stats import quantiles, sequences
from tests.comparisons import compare
from tests.runners import WatchedRunner
from tests.slow import slow_after
from tools.leads import iterate_lead_chunks

SEEDS = 1000
UNPLAYED = parse_player("never"), parse_player("always")
"""The players of matches whose leads are made up."""
WEAK, STRONG = "random:take=0.1", "random:take=0.1+greedy"
SAME = "random:take=0.1,counter=0.9+greedy"
"""Does the same as STRONG where nobody can counter."""
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
class Resampled(PairedMatch):
    """A contest whose deals are drawn from leads that were played before."""

    population: NDArray[np.int64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Nothing else is counted."""
        return ("lead", "differs")

    def play(
        self, first: int, count: int, threads: Workers, chunk: int | None
    ) -> Iterator[MatchTally]:
        """Deals drawn by the seed and the number of the first."""
        assert self.population is not None
        generator = np.random.default_rng([self.seed, first])
        leads = generator.choice(self.population, count)
        counts = np.vstack([leads, leads != 0])
        yield MatchTally.from_deals(self.names, np.arange(first, first + count), counts)


@pytest.fixture(scope="module")
def population() -> NDArray[np.int64]:
    """Leads of one variant of a policy over another, times the contest's scale."""
    players = "random:take=0.3+greedy", "random:take=0.25+greedy"
    return np.concatenate([*iterate_lead_chunks(KqjRules(), *players, 40_000, 77)])


def runs(population: NDArray[np.int64], plan: ComparisonPlan) -> Iterator[PolicyPair]:
    """A thousand comparisons, each with deals of its own."""
    runner = Runner(threads=1)
    for seed in range(SEEDS):
        contest = Resampled(KqjRules(), UNPLAYED, seed=seed, population=population)
        pair = PolicyPair(0, 1, contest, plan, MatchTally.empty(contest.names))
        pair.play(runner, lambda pair, count: None)
        yield pair


@pytest.mark.slow
def test_equals_are_declared_different_in_at_most_5_percent_of_seeds(
    population: NDArray[np.int64],
) -> None:
    even = np.concatenate([population, -population])
    plan = ComparisonPlan(indifference=4, max_deals=6000)
    verdicts = [pair.verdict for pair in runs(even, plan)]
    assert verdicts.count("better") + verdicts.count("worse") <= 0.05 * SEEDS
    assert verdicts.count("equal") > 0


@pytest.mark.parametrize("lead", slow_after(0, [0.0, 0.15, 0.4]))
def test_intervals_hold_the_truth_when_they_decide_when_to_stop(
    population: NDArray[np.int64], lead: float
) -> None:
    """Leads of as many standard deviations: equal ones, and some known to a fifth of themselves."""
    centred = population - round(population.mean())
    leads = centred + round(lead * population.std())
    divisor = PairedMatch(KqjRules(), UNPLAYED).lead_divisor
    truth = leads.mean() / divisor
    plan = ComparisonPlan(max_deals=20_000, indifference=3.1 * population.std() / divisor / 60)
    found = list(runs(leads, plan))
    inside = [pair.lead.low <= truth <= pair.lead.high for pair in found]
    assert np.mean(inside) >= 0.95
    deals = [pair.tally.deals for pair in found]
    assert len(set(deals)) > 3
    if lead >= 0.15:
        assert all(pair.half_width <= pair.target_width for pair in found)
        assert {pair.verdict for pair in found} == {"better"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan", [ComparisonPlan(deals=1500), ComparisonPlan(precision=1.2)], ids=["deals", "until"]
)
def test_fixed_intervals_hold_the_truth_in_95_percent(
    population: NDArray[np.int64], plan: ComparisonPlan
) -> None:
    truth = population.mean() / PairedMatch(KqjRules(), UNPLAYED).lead_divisor
    found = list(runs(population, plan))
    inside = [pair.lead.low <= truth <= pair.lead.high for pair in found]
    assert 0.93 <= np.mean(inside) <= 0.97
    if plan.precision is not None:
        half = [(pair.lead.high - pair.lead.low) / 2 for pair in found]
        assert 0.8 * plan.precision < min(half) <= max(half) <= plan.precision


def test_a_width_is_not_believed_before_rare_deals_would_have_been_seen() -> None:
    """Leads of a point: as far as was seen, the first look would do."""
    contest = PairedMatch(KqjRules(), UNPLAYED)
    point = np.array([-contest.lead_divisor, contest.lead_divisor])
    pair = next(runs(point, ComparisonPlan(precision=1.0)))
    # Three deals of 600 points that were not seen, beside which the rest is nothing.
    enough = quantiles.normal_quantile(0.95) * 3**0.5 * 600
    assert enough < pair.tally.deals < 1.11 * enough
    assert pair.lead.high - pair.lead.low < 0.1


@pytest.mark.parametrize(
    ("lead", "verdict"), [(-2, "worse"), (-1, "open"), (0, "equal"), (1, "open"), (2, "better")]
)
def test_verdict_of_an_interval(lead: int, verdict: str) -> None:
    """Of half-width 1.97; equal is what lies within 2.5 on both sides."""
    contest = Resampled(KqjRules(), UNPLAYED)
    leads = np.tile(np.array([lead - 20, lead + 20]) * contest.lead_divisor, 200)
    sums = MatchTally.from_deals(contest.names, np.arange(400), np.vstack([leads, leads != 0]))
    pair = PolicyPair(0, 1, contest, ComparisonPlan(deals=400, indifference=2.5), sums)
    assert (pair.lead.high - pair.lead.low) / 2 == pytest.approx(1.97, abs=0.01)
    assert pair.verdict == verdict


def test_looks_come_at_the_same_deals_whatever_is_played() -> None:
    looks = list(ComparisonPlan().iterate_looks())
    assert looks[0] == 1002
    assert looks[-1] == DEFAULT_MAX_DEALS
    assert all(one < other <= 1.11 * one for one, other in pairwise(looks))
    assert all(look % 6 == 0 for look in looks[:-1])
    assert list(ComparisonPlan(max_deals=500).iterate_looks()) == [500]
    assert list(ComparisonPlan(deals=77).iterate_looks()) == [77]
    assert looks[0] >= sequences.FIRST_LOOK


def test_comparison_stops_when_the_lead_is_known_to_a_fifth_of_itself() -> None:
    runner = WatchedRunner()
    found = compare(WEAK, STRONG, runner=runner)
    (pair,) = found.pairs
    assert pair.verdict == "worse"
    assert pair.tally.deals == found.deals == sum(runner.advanced) < DEFAULT_MAX_DEALS
    half = [(each.high - each.low) / 2 / abs(each.value) for each in pair.list_leads()]
    assert pair.look_history[-1][0] == pair.tally.deals
    assert half[-1] <= RELATIVE_PRECISION < min(half[:-1])
    # At half as many deals it is expected to take about as many as it takes.
    middle = next(at for at, (deals, *_) in enumerate(pair.look_history) if deals > found.deals / 2)
    deals = pair.look_history[middle][0]
    assert deals * (half[middle] / RELATIVE_PRECISION) ** 2 == pytest.approx(found.deals, rel=0.5)


def test_policies_that_do_the_same_are_equal_and_never_differ() -> None:
    """Another chance to counter, where nobody counters."""
    found = compare(STRONG, SAME, indifference=0.5)
    (pair,) = found.pairs
    assert pair.verdict == "equal"
    assert pair.lead.value == 0
    assert str(found.lead(1, 0).value) == "0.0"  # Not -0.0, which tables would show.
    assert pair.tally.leads == {0: pair.tally.deals}
    assert np.isnan(pair.relative_efficiency)


def test_files_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    paths = []
    for number, take in enumerate((0.1, 0.2)):
        paths.append(tmp_path / f"{number}.toml")
        text = f'name = "mine"\npolicy = "random"\n[parameters]\ntake = {take}\n'
        paths[-1].write_text(text, encoding="utf-8")
    assert compare(*map(str, paths), deals=10).names == ("mine", "mine (2)")


@pytest.mark.parametrize("games", [False, True])
@pytest.mark.parametrize("plan", [{"deals": 300}, {"max_deals": 300}], ids=["fixed", "watched"])
def test_constant_quantities_have_intervals(plan: dict[str, Any], games: bool) -> None:
    """Shares of nothing and of all, and leads of nothing; none goes beyond what is possible."""
    rules = KqjRules(target=500)
    if games:
        plan = {"games": plan["deals"]} if "deals" in plan else {"games": "auto", **plan}
    found = compare(WEAK, STRONG, SAME, rules=rules, **plan)
    for table in make_comparison_tables(found):
        lines = table.frame.dropna(subset="value")
        if table.name not in ("matrix", "largest"):
            measured = lines[lines["unit"] != "count"]
            assert (measured["low"] < measured["high"]).all(), table.name
        shares = lines[(lines["unit"] == "share") & (table.name in ("why", "where"))]
        shares = shares[~shares["quantity"].str.contains("lead")]
        assert shares["low"].ge(0).all() and shares["high"].le(1).all()
    same = found.pairs[2]
    assert same.lead.value == 0 and same.lead.low == -same.lead.high < 0
    differs = {pair.plan.estimate_share(pair.tally, "differs", 1)[:2] for pair in found.pairs}
    assert (0, 0) in differs


def test_a_cap_ends_what_shows_nothing() -> None:
    (pair,) = compare(
        "random:take=0.10", "random:take=0.101", max_deals=1200, indifference=0.01
    ).pairs
    assert (pair.tally.deals, pair.verdict) == (1200, "open")


@pytest.mark.slow
def test_twins_are_seldom_declared_different(tmp_path: Path) -> None:
    twin = tmp_path / "twin.py"
    twin.write_text(TWIN, encoding="utf-8")
    told = 0
    for seed in range(40):
        found = compare(f"{twin}:draws=1", f"{twin}:draws=2", seed=seed, max_deals=1500)
        assert found.pairs[0].tally.total("differs") > 1000
        told += found.pairs[0].verdict in ("better", "worse")
    assert told <= 6  # More than 6 of 40 at 5% each are one case in a hundred.


@pytest.mark.parametrize("rules", [KqjRules(), KqjRules(teams=3)], ids=["two", "three"])
def test_order_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    one = compare(WEAK, STRONG, "greedy", rules=rules, max_deals=1500)
    other = compare("greedy", STRONG, WEAK, rules=rules, max_deals=1500, runner=Runner(threads=2))
    for here, a in enumerate(one.names):
        for there, b in enumerate(one.names):
            if a != b:
                assert one.lead(here, there) == other.lead(2 - here, 2 - there)
    assert [one.names[each] for each in one.ranking] == [
        other.names[each] for each in other.ranking
    ]


def test_the_intervals_of_several_pairs_hold_together() -> None:
    two = compare(WEAK, STRONG, deals=1200)
    three = compare(WEAK, STRONG, "greedy", deals=1200)
    one, other = (found.pairs[0].tally.moments for found in (two, three))
    assert np.array_equal(one.sums, other.sums)
    wide, narrow = ((lead.high - lead.low) for lead in (three.lead(0, 1), two.lead(0, 1)))
    expected = quantiles.student_quantile(1199, 1 - 0.05 / 3)
    assert wide / narrow == pytest.approx(expected / quantiles.student_quantile(1199, 0.95))
    mean = three.estimate_mean_lead(1)
    assert mean.value == pytest.approx((three.lead(1, 0).value + three.lead(1, 2).value) / 2)
    assert three.count_better(three.ranking[0]) == 0


def test_a_ranking_puts_whom_nobody_beats_first() -> None:
    found = compare(WEAK, STRONG, "never+greedy", deals=3000)
    best = found.ranking[0]
    assert all(found.lead(best, each).value > 0 for each in range(3) if each != best)


def test_the_factor_is_a_ratio_of_variances() -> None:
    (pair,) = compare(STRONG, "random:take=0.3+greedy", deals=2000).pairs
    contest = pair.match
    one, other = contest.players
    leads = np.concatenate([*iterate_lead_chunks(contest.rules, one, other, 2000, 1)])
    single = []
    for seats in contest.arrangements:
        rows = play_rows(
            Experiment(players=tuple(contest.players[side] for side in seats), deals=2000)
        )
        lead = rows.column("score_0").astype(int) - rows.column("score_1")
        single.append((lead if seats[0] == 0 else -lead).var(ddof=1))
    assert pair.relative_efficiency == pytest.approx(
        np.mean(single) / (leads / contest.lead_divisor).var(ddof=1)
    )
    assert pair.relative_efficiency > 2


def test_calling_alone_and_playing_alone() -> None:
    calling = compare("random:take=0.2", "never", part="calling", other_part="greedy", deals=60)
    given = [player.given.split("+") for player in calling.players]
    assert given == [["random:take=0.2", "greedy"], ["never", "greedy"]]
    assert [*calling.players] == [parse_player("+".join(each)) for each in given]
    playing = compare("random", "greedy", part="playing", other_part="random:take=0.2", deals=60)
    assert [player.given.split("+")[1] for player in playing.players] == ["random", "greedy"]
    assert playing.players[0].given.startswith("random:take=0.2")
    wanted = ("random:take=0.2+random", "random:take=0.2+greedy")
    assert playing.players == tuple(map(parse_player, wanted))


def test_against_a_field_each_plays_the_same_side_of_the_same_deals() -> None:
    found = compare(WEAK, STRONG, opponents="greedy", deals=600)
    worth = [
        np.concatenate([*iterate_lead_chunks(KqjRules(), each, "greedy", 600, 1, single_team=True)])
        for each in (WEAK, STRONG)
    ]
    scale = found.pairs[0].match.lead_divisor
    assert found.pairs[0].lead.value == pytest.approx((worth[0] - worth[1]).mean() / scale)


def test_games_stop_too() -> None:
    rules = KqjRules(target=200)
    found = compare(WEAK, STRONG, rules=rules, games="auto")
    (pair,) = found.pairs
    assert pair.verdict == "worse"
    assert -100 <= pair.lead.value < 0


def test_interrupted_it_gives_what_was_played() -> None:
    found = compare(WEAK, STRONG, "greedy", deals=5000, runner=WatchedRunner(lambda: True))
    assert found.interrupted
    (pair,) = found.pairs
    assert (pair.one, pair.other) == (0, 1)
    assert 0 < pair.tally.deals < 5000


@pytest.mark.parametrize(("precision", "reached"), [(1000.0, True), (1e-6, False)])
def test_reports_say_that_the_precision_was_not_reached(precision: float, reached: bool) -> None:
    compared = compare("greedy", "random", precision=precision, max_deals=600)
    plan = ComparisonPlan(precision=precision, max_deals=600)
    player, field = parse_player("points"), parse_player(None)
    swept = play_settings(player, ["trump=8,9"], DEFAULT_RULES, field, plan, Runner(threads=1))
    for report in (make_comparison_report(compared), make_sweep_report(swept)):
        said = "The precision of ±1e-06 was not reached within 600 deals." in report.remarks
        assert said != reached


def test_names_of_files_are_no_formulas_in_pictures(tmp_path: Path) -> None:
    """$, ^ and _ are TeX to matplotlib, which also leaves names with _ out of its legends."""
    for name, take in (("_a$b_$x^{", 60), ("c$_$^", 30)):
        text = f'policy = "standard"\n[parameters]\ntake = {take}\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    whole = figure.Figure()
    axes = kqj.compare(*sorted(tmp_path.iterdir()), deals=64).plot(whole.subplots())
    legend = axes.get_legend()
    assert legend is not None and legend.get_texts()[0].get_text().startswith("_a$b_$x^{ ahead: ")
    whole.savefig(tmp_path / "lead.svg")
    assert "lead of _a$b_$x^{, points" in (tmp_path / "lead.svg").read_text(encoding="utf-8")
