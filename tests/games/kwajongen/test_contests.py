"""Comparisons and sweeps of Kwajongen, against the records."""

from __future__ import annotations

import math

import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare import sweep, tune
from kqj_sim.questions.compare.match import PairedMatch
from kqj_sim.simulation.paired import (
    list_arrangements,
)
from tests.comparisons import compare

RULES = KwajongenRules()
BOLD, SHY, FIELD = (
    parse_player(f"random:accept={share}", "kwajongen") for share in ("0.7", "0.2", "0.4")
)
DEALS, SEED = 400, 23


def test_two_fixed_teams_hold_the_cards_of_each_other() -> None:
    assert list_arrangements(RULES) == ((0, 1, 0, 1), (1, 0, 1, 0))
    assert list_arrangements(RULES, single_team=True) == list_arrangements(RULES)


def test_a_lead_has_a_bound() -> None:
    assert PairedMatch(RULES, (BOLD, SHY)).max_lead == 4
    assert PairedMatch(RULES, (BOLD, SHY), FIELD).max_lead == 8


def test_compare_finds_the_better_and_knows_when_to_stop() -> None:
    found = compare(BOLD, SHY, rules=RULES, seed=SEED)
    (pair,) = found.pairs
    assert found.plan.indifference == 0.01
    assert pair.verdict == "worse" and pair.tally.deals % 4 == 0
    again = compare(SHY, BOLD, rules=RULES, seed=SEED, deals=pair.tally.deals)
    assert again.lead(0, 1).value == -pair.lead.value > 0
    games = compare(BOLD, SHY, rules=RULES, games=60)
    assert games.plan.indifference == 0.5 and games.lead(0, 1).value < 0


def test_sweep_plays_all_values_on_the_same_deals() -> None:
    found = sweep("random", ["accept=0:1:0.5"], rules=RULES, opponents=FIELD, deals=600, seed=SEED)
    assert [each.values["accept"] for each in found.settings] == ["0", "0.5", "1"]
    never, half, always = found.settings
    assert never.taken.value == 0 and math.isnan(never.made.value)
    (direct,) = compare(
        half.policy, always.policy, rules=RULES, opponents=FIELD, deals=600, seed=SEED
    ).pairs
    assert half.points.value - always.points.value == pytest.approx(direct.lead.value)


def test_tune_searches_and_confirms() -> None:
    found = tune(
        "random:accept=0.9", ["accept=0:1"], rules=RULES, opponents=FIELD, deals=100, generations=3,
        confirm=800, seed=SEED,
    )  # fmt: skip
    assert found.gain.value > 0 and 0 <= found.best["accept"] < 0.9
