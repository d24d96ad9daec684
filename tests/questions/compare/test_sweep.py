"""Sweeps: parameters that vary, as they are written; what is played; comparison with the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from kqj_sim.arguments import VaryLike
from kqj_sim.errors import InputError
from kqj_sim.paired.leads import ComparisonPlan
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.play import (
    Sweep,
    compare_with_best,
    list_combinations,
    list_parameter_values,
    parse_parameter_values,
    play_settings,
)
from kqj_sim.questions.compare.screen import make_sweep_screen
from kqj_sim.rules import DEFAULT_RULES, GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.stats import quantiles
from tests.comparisons import compare
from tests.runners import WatchedRunner
from tests.variants import LIVELY, OTHER_GAMES

FIELD = f"{LIVELY}+greedy"
TAKES = "take=0,0.15,0.3,0.6"
COUNTER = parse_player("points:take=45+greedy")


def swept(
    vary: str = TAKES, *, opponents: str = FIELD, runner: Runner | None = None, **plan: Any
) -> Sweep:
    whole = ComparisonPlan(**plan if "precision" in plan else {"deals": 600, **plan})
    player, field = parse_player(FIELD), parse_player(opponents)
    return play_settings(player, [vary], DEFAULT_RULES, field, whole, runner or Runner(threads=1))


def differences(values: NDArray[np.float64]) -> Callable[[int, int], tuple[float, float]]:
    def of(one: int, other: int) -> tuple[float, float]:
        found = values[one] - values[other]
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))

    return of


@pytest.mark.parametrize("means", [(0, 0, 0, 0, 0), (0, 0.1, 0.1, 0, -0.2), (1, 0, 0, 0, 0)])
def test_joint_intervals_hold_and_the_best_is_among_the_tied(means: tuple[float, ...]) -> None:
    random = np.random.default_rng(3)
    truth = np.array(means)
    others = [max(np.delete(truth, k)) for k in range(len(truth))]
    runs, held, contained = 1000, 0, 0
    for _ in range(runs):
        # Correlated: what all sets of values have in common is the luck of the deal.
        values = truth[:, None] + random.normal(size=(1, 100)) + random.normal(size=(5, 100))
        found, may_be = compare_with_best(differences(values), 5, 100, 0.95)
        held += all(
            each.low <= own - other <= each.high
            for each, own, other in zip(found, truth, others, strict=True)
        )
        contained += may_be[int(truth.argmax())]
    # 95%, and 3.5 standard deviations of a binomial less.
    assert min(held, contained) > runs * 0.95 - 3.5 * math.sqrt(runs * 0.95 * 0.05)


def test_critical_value_is_that_of_one_side_for_all_the_others() -> None:
    """Hsu's intervals, by hand: the second is the best, the third cannot be told from it."""
    means = (0.0, 10.0, 9.0)
    found, may_be = compare_with_best(
        lambda one, other: (means[one] - means[other], 2.0), 3, 50, 0.95
    )
    reach = 2 * stats.t.ppf(1 - 0.05 / 2, 49)
    assert may_be == [False, True, True]
    right = [(-10, -10 - reach, 0), (1, 1 - reach, 1 + reach), (-1, -1 - reach, -1 + reach)]
    for each, wanted in zip(found, right, strict=True):
        assert each[:3] == pytest.approx(wanted, rel=1e-4)


def test_clear_best_is_alone() -> None:
    values = np.random.default_rng(1).normal(size=(3, 200)) + np.array([[0.0], [3.0], [1.0]])
    found, may_be = compare_with_best(differences(values), 3, 200, 0.95)
    assert may_be == [False, True, False]
    assert found[1].low == 0 and found[1].high > found[1].value > 0
    assert found[0].high == 0 and found[0].low < found[0].value < 0


def test_equal_values_are_tied() -> None:
    values = np.repeat(np.random.default_rng(1).normal(size=(1, 50)), 3, axis=0)
    found, may_be = compare_with_best(differences(values), 3, 50, 0.95)
    assert may_be == [True] * 3
    assert all(each[:3] == (0, 0, 0) for each in found)


def test_one_set_has_nothing_to_be_compared_with() -> None:
    (found,), may_be = compare_with_best(lambda one, other: (0, 0), 1, 50, 0.95)
    assert may_be == [True] and math.isnan(found.value)


def test_the_field_itself_scores_exactly_nothing() -> None:
    found = {each.values["take"]: each for each in swept().settings}
    same = found["0.3"]
    assert same.points.value == 0
    assert found["0.6"].taken.value > same.taken.value > found["0.15"].taken.value
    assert found["0"].taken.value == 0 and math.isnan(found["0"].made.value)


def test_best_scores_most_and_the_others_are_behind_it() -> None:
    found = swept(deals=3000)
    points = [each.points.value for each in found.settings]
    assert found.best.points.value == max(points)
    assert [each.status for each in found.settings].count("best") == 1
    for each in found.settings:
        others = [other.points.value for other in found.settings if other is not each]
        assert each.lead_over_best_other.value == pytest.approx(each.points.value - max(others))
        assert (each.status == "worse") == (
            each.lead_over_best_other.high == 0 and each.lead_over_best_other.low < 0
        )
        assert each.loss.value == pytest.approx(max(points) - each.points.value)
        if each.status != "best":
            assert (each.loss.low >= 0) == (each.status == "worse")
    assert found.relative_efficiency > 1


@pytest.mark.parametrize(("rules", "player", "vary"), [
    (KqjRules(), FIELD, "take=0.1,0.2,0.4"),
    (KqjRules(teams=3), FIELD, "take=0.1,0.2,0.4"),
    *((rules, "random", "accept=0,0.5,1") for rules in OTHER_GAMES.values()),
], ids=str)  # fmt: skip
def test_all_sets_play_the_deals_of_a_comparison(rules: GameRules, player: str, vary: str) -> None:
    plan = ComparisonPlan.make(rules, deals=600, seed=23, first=3)
    policy = parse_player(player, rules.game)
    sweep = play_settings(policy, [vary], rules, policy, plan, Runner(threads=1))
    _, one, other = sweep.settings
    (leads,) = compare(
        one.policy, other.policy, rules=rules, opponents=policy, deals=600, seed=23, first=3,
        runner=Runner(threads=2),
    ).pairs.values()  # fmt: skip
    assert one.points.value - other.points.value == pytest.approx(leads.lead.value)
    for number, setting in enumerate((one, other)):
        assert setting.taken == leads.estimate_share(number, "takes")
        assert setting.made == leads.estimate_ratio(number, "made", "takes")


def test_parameters_without_effect_are_all_the_same() -> None:
    found = swept("counter=0.1,0.5,0.9", opponents=f"{LIVELY}+random", deals=300)
    assert {each.status for each in found.settings} == {"best", "tied"}
    assert all(each.lead_over_best_other.value == 0 for each in found.settings)
    assert math.isnan(found.relative_efficiency)


def test_precision_ends_a_sweep() -> None:
    sweep = swept(precision=8.0)
    assert sweep.leads.deals < 100_000
    half = max(setting.points.high - setting.points.low for setting in sweep.settings) / 2
    assert 4 < half <= 8
    sweep = swept(precision=0.01, max_deals=2000)
    assert sweep.leads.deals == 2000
    said = "The precision of ±0.01 was not reached within 2,000 deals."
    assert said in make_sweep_screen(sweep).remarks


def test_a_width_is_not_believed_before_rare_deals_would_have_been_seen() -> None:
    """The field itself: no deal is worth anything, but one of 600 points may not have been seen."""
    sweep = swept("counter=0.1,0.5", precision=1.0, max_deals=9000)
    enough = quantiles.normal_quantile(0.95) * 3**0.5 * 600
    assert enough < sweep.leads.deals < 1.11 * enough


def test_interrupted_it_holds_what_all_sets_have_played() -> None:
    runner = WatchedRunner(lambda: len(runner.advanced) == 2)
    sweep = swept(deals=10_000_000, runner=runner)
    assert sweep.interrupted and 0 < sweep.leads.deals < 10_000_000
    assert sum(runner.advanced) == len(sweep.settings) * sweep.leads.deals
    runner = WatchedRunner()
    assert not swept(runner=runner).interrupted and sum(runner.advanced) == 4 * 600


@pytest.mark.parametrize(("text", "values"), [
    ("take=30:70:20", ["30", "50", "70"]),
    ("take=30:75:20", ["30", "50", "70"]),
    ("take = 40,30, 45.5", ["40", "30", "45.5"]),
    ("per_count=0.1:0.5:0.1", ["0.1", "0.2", "0.3", "0.4", "0.5"]),
    ("take=-10:10:10", ["-10", "0", "10"]),
    ("take=5:5:1", ["5"]),
    ("calling.take=1,2", ["1", "2"]),
])  # fmt: skip
def test_values_of_numbers(text: str, values: list[str]) -> None:
    assert parse_parameter_values(text, COUNTER, DEFAULT_RULES) == (
        text.partition("=")[0].strip(),
        tuple(values),
    )


def test_values_are_lists_of_numbers() -> None:
    take = ("take", ("1", "200"))
    assert list_parameter_values({"take": [1, 200]}, COUNTER, DEFAULT_RULES) == (take,)
    assert list_parameter_values({"take": np.array([1, 200.0])}, COUNTER, DEFAULT_RULES) == (take,)
    assert list_parameter_values({"take": iter(["1", "200"])}, COUNTER, DEFAULT_RULES) == (take,)
    both: VaryLike = {"take": range(30, 71, 20), "lap2": "12:14:1", "trump": 9}
    texts = ["take=30:70:20", "lap2=12,13,14", "trump=9"]
    assert list_parameter_values(both, COUNTER, DEFAULT_RULES) == list_parameter_values(
        texts, COUNTER, DEFAULT_RULES
    )
    flags: VaryLike = {"merge": [True, False], "prior": ("none", "network")}
    for varied in (flags, ["merge=true,False", "prior=none,network"]):
        parameters = dict(list_parameter_values(varied, parse_player("pimc"), DEFAULT_RULES))
        assert parameters == {"merge": ("true", "false"), "prior": ("none", "network")}


def test_combinations_go_through_all_values() -> None:
    varied = [("take", ("1", "2")), ("lap2", ("3", "4"))]
    assert list_combinations(varied) == [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]


def test_values_are_those_of_the_player() -> None:
    text = COUNTER.with_parameters({"take": "30", "lap2": "12"}).under(DEFAULT_RULES).text
    assert parse_player(text) == parse_player("points:take=30,lap2=12+greedy").under(DEFAULT_RULES)
    # What a policy leaves out the default player does.
    text = parse_player("points").with_parameters({"take": "1"}).under(DEFAULT_RULES).text
    assert parse_player(text) == parse_player("points:take=1").under(DEFAULT_RULES)


def test_too_many_values_are_refused_before_they_are_read() -> None:
    text = "take=" + ",".join(map(str, range(100_000)))
    with pytest.raises(InputError, match="take has 100,000 values: at most 400"):
        parse_parameter_values(text, COUNTER, DEFAULT_RULES)
    hundreds = [(str(number), tuple(map(str, range(400)))) for number in range(4)]
    with pytest.raises(InputError, match=r"400 x 400 x 400 x 400 are 25,600,000,000 sets"):
        list_combinations(hundreds)
