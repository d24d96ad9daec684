"""Paired differences of experiments: the difference of their figures, with intervals that hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kqj_sim.analysis.paired_differences import have_same_deals, measure_paired_differences
from kqj_sim.analysis.tally import Tally
from kqj_sim.experiment import Experiment
from kqj_sim.rules import KqjRules, KwajongenRules
from kqj_sim.simulation import reduce_rows

TWO = Experiment(policies=("random",) * 6, deals=2000, seed=3)
THREE = replace(TWO, rules=KqjRules(teams=3))


@pytest.mark.parametrize(
    "pair",
    [
        (TWO, THREE),
        (TWO, replace(TWO, policies=("greedy",) * 6)),
        (
            Experiment(KwajongenRules(), ("random",) * 4, 1000),
            Experiment(KwajongenRules(), ("standard",) * 4, 1000),
        ),
    ],
    ids=["rules", "players", "kwajongen"],
)
def test_differences_are_those_of_the_tables(pair: tuple[Experiment, Experiment]) -> None:
    (found,) = measure_paired_differences(pair, 0.95, 1)
    tables = [
        {table.name: table for table in reduce_rows(each, _make_tally(each), 1).result.tables()}
        for each in pair
    ]
    compared = 0
    for (table, quantity, group), difference in found.items():
        if all(table in each for each in tables):
            one, other = (each[table].estimates(quantity)[group] for each in tables)
            assert difference.value == pytest.approx(other.value - one.value), (table, quantity)
            # Wilson's and Student's half widths, as if the runs were independent.
            apart = ((one.high - one.low) ** 2 + (other.high - other.low) ** 2) ** 0.5
            assert difference.high - difference.low <= 1.5 * apart + 1e-9, (table, quantity)
            compared += 1
    assert compared >= 6


def _make_tally(experiment: Experiment):  # type: ignore[no-untyped-def]
    return lambda: Tally(experiment)


def test_an_experiment_does_not_differ_from_itself() -> None:
    (found,) = measure_paired_differences((TWO, TWO), 0.95, 1)
    for each in found.values():
        assert each.value == pytest.approx(0, abs=1e-12)
        assert each.high - each.low == pytest.approx(0, abs=1e-6)


def test_only_the_same_deals_of_one_game_are_paired() -> None:
    assert have_same_deals([TWO, THREE])
    assert not have_same_deals([TWO])
    assert not have_same_deals([TWO, replace(TWO, seed=4)])
    assert not have_same_deals([TWO, replace(TWO, deals=1999)])
    assert not have_same_deals([TWO, Experiment(KwajongenRules(), ("random",) * 4, 2000, 3)])
