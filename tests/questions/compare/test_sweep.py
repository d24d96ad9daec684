"""Sweeps: the comparison with the best, and what is played."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare import settings as module
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.questions.compare.settings import Sweep, compare_with_best, play_settings
from kqj_sim.rules import DEFAULT_RULES, GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.stats import quantiles
from tests.runners import WatchedRunner
from tests.variants import LIVELY

FIELD = f"{LIVELY}+greedy"
TAKES = "take=0,0.15,0.3,0.6"


def swept(
    vary: str = TAKES,
    *,
    opponents: str = FIELD,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner | None = None,
    **plan: Any,
) -> Sweep:
    asked = ComparisonPlan(**plan if "precision" in plan else {"deals": 600, **plan})
    player, field = parse_player(FIELD), parse_player(opponents)
    return play_settings(player, [vary], rules, field, asked, runner or Runner(threads=1))


def differences(values: NDArray[np.float64]) -> Callable[[int, int], tuple[float, float]]:
    """Paired differences of rows of observations."""

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


@pytest.mark.parametrize("rules", [KqjRules(), KqjRules(teams=3)], ids=["two", "three"])
def test_threads_and_batches_do_not_matter(
    rules: KqjRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = swept(rules=rules, deals=2400, first=3)
    monkeypatch.setattr(module, "TARGET_BATCH_SECONDS", 0.0)
    parts = swept(rules=rules, deals=2400, first=3, runner=Runner(threads=2))
    assert repr(parts.settings) == repr(whole.settings)  # NaN is not equal to itself.


def test_parameters_without_effect_are_all_the_same() -> None:
    found = swept("counter=0.1,0.5,0.9", opponents=f"{LIVELY}+random", deals=300)
    assert {each.status for each in found.settings} == {"best", "tied"}
    assert all(each.lead_over_best_other.value == 0 for each in found.settings)
    assert math.isnan(found.relative_efficiency)


def test_precision_ends_a_sweep() -> None:
    found = swept(precision=8.0)
    assert found.deals < 100_000
    half = max(each.points.high - each.points.low for each in found.settings) / 2
    assert 4 < half <= 8
    assert swept(precision=0.01, max_deals=2000).deals == 2000


def test_a_width_is_not_believed_before_rare_deals_would_have_been_seen() -> None:
    """The field itself: no deal is worth anything, but one of 600 points may not have been seen."""
    found = swept("counter=0.1,0.5", precision=1.0, max_deals=9000)
    enough = quantiles.normal_quantile(0.95) * 3**0.5 * 600
    assert enough < found.deals < 1.11 * enough


def test_interrupted_it_holds_what_all_sets_have_played() -> None:
    runner = WatchedRunner(lambda: len(runner.advanced) > 5)
    found = swept(deals=5000, runner=runner)
    assert found.interrupted and found.deals == module.FIRST_BATCH_DEALS
    with pytest.raises(KeyboardInterrupt):
        swept(runner=WatchedRunner(lambda: True))
