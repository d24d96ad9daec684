"""Parameters that vary: how they are written, and what is played with them."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.arguments import VaryLike
from kqj_sim.errors import InputError
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.match import PairedMatch
from kqj_sim.questions.compare.settings import (
    ParameterValues,
    list_combinations,
    list_parameter_values,
    parse_parameter_values,
)
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.recording import play_records
from tests.variants import LIVELY
from tools.leads import iterate_lead_chunks

RULES = KqjRules()
COUNTER = parse_player("points:take=45+greedy")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("take=30:70:20", ["30", "50", "70"]),
        ("take=30:75:20", ["30", "50", "70"]),
        ("take = 40,30, 45.5", ["40", "30", "45.5"]),
        ("per_count=0.1:0.5:0.1", ["0.1", "0.2", "0.3", "0.4", "0.5"]),
        ("take=-10:10:10", ["-10", "0", "10"]),
        ("take=5:5:1", ["5"]),
        ("calling.take=1,2", ["1", "2"]),
    ],
)
def test_values_of_numbers(text: str, values: list[str]) -> None:
    assert parse_parameter_values(text, COUNTER, RULES) == ParameterValues(
        text.partition("=")[0].strip(), tuple(values)
    )


def test_values_of_names_and_flags() -> None:
    player = parse_player("pimc")
    priors = parse_parameter_values("prior=none,network", player, RULES)
    assert priors.values == ("none", "network")
    assert parse_parameter_values("merge=true,False", player, RULES).values == ("true", "false")


def test_values_are_lists_of_numbers() -> None:
    take = ParameterValues("take", ("1", "200"))
    assert list_parameter_values({"take": [1, 200]}, COUNTER, RULES) == (take,)
    assert list_parameter_values({"take": np.array([1, 200.0])}, COUNTER, RULES) == (take,)
    assert list_parameter_values({"take": iter(["1", "200"])}, COUNTER, RULES) == (take,)
    both: VaryLike = {"take": range(30, 71, 20), "lap2": "12:14:1", "trump": 9}
    texts = ["take=30:70:20", "lap2=12,13,14", "trump=9"]
    assert list_parameter_values(both, COUNTER, RULES) == list_parameter_values(
        texts, COUNTER, RULES
    )
    flags: VaryLike = {"merge": [True, False], "prior": ("none", "network")}
    merge, prior = list_parameter_values(flags, parse_player("pimc"), RULES)
    assert merge.values == ("true", "false") and prior.values == ("none", "network")


def test_combinations_go_through_all_values() -> None:
    varied = [ParameterValues("take", ("1", "2")), ParameterValues("lap2", ("3", "4"))]
    assert list_combinations(varied) == [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]


def test_values_are_those_of_the_player() -> None:
    text = COUNTER.with_parameters({"take": "30", "lap2": "12"}).under(RULES).text
    assert parse_player(text) == parse_player("points:take=30,lap2=12+greedy").under(RULES)
    # What a policy leaves out the default player does.
    text = parse_player("points").with_parameters({"take": "1"}).under(RULES).text
    assert parse_player(text) == parse_player("points:take=1").under(RULES)


@pytest.mark.parametrize(
    "rules",
    [KqjRules(), KqjRules(teams=3), KqjRules(teams=3, partners="random", bidding="auction")],
    ids=["two", "three", "random three auction"],
)
def test_counts_agree_with_records(rules: KqjRules) -> None:
    one, other = parse_player(f"{LIVELY}+greedy"), parse_player(f"{LIVELY}+random")
    deals = 120
    match = PairedMatch(rules, (one,), other, seed=5)
    played = match.count(7, deals, threads=1)
    assert np.array_equal(
        played.lead,
        np.concatenate([*iterate_lead_chunks(rules, one, other, deals, 5, 7, single_team=True)]),
    )
    takes, made = np.zeros(deals), np.zeros(deals)
    for experiment, seats in zip(match.make_experiments(7, deals), match.arrangements, strict=True):
        for record in play_records(experiment):
            assert record.deal is not None
            own = record.sender is not None and seats[record.sender] == 0
            takes[record.deal - 7] += own
            made[record.deal - 7] += own and record.result == "made"
    assert np.array_equal(played.takes, takes) and np.array_equal(played.made, made)
    assert 0 < made.sum() < takes.sum() < deals * len(match.arrangements) / 6 * SEATS


def test_too_many_values_are_refused_before_they_are_read() -> None:
    text = "take=" + ",".join(map(str, range(100_000)))
    with pytest.raises(InputError, match="take has 100,000 values: at most 400"):
        parse_parameter_values(text, COUNTER, RULES)
    hundreds = [ParameterValues(str(number), tuple(map(str, range(400)))) for number in range(4)]
    with pytest.raises(InputError, match=r"400 x 400 x 400 x 400 are 25,600,000,000 sets"):
        list_combinations(hundreds)
