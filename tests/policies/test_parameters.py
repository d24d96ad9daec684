"""Parameters of policies: their kinds, ranges and texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kqj_sim.core.types import MAX_PARAMETERS
from kqj_sim.errors import InputError
from kqj_sim.policies import describe, flag, named, number, policy, whole
from kqj_sim.policies.parameters import Parameter
from kqj_sim.policies.players import ConfiguredPolicy
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.weights import VERSIONS
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.variants import AUCTION_2, TAKE_2

SHARE = number(0.25, "a share", 0, 1)
COUNT = whole(3, "a count", 1, 64)
OPEN = number(-2.5, "anything")
SWITCH = flag(True, "a switch")
OTHER = named("greedy", ("greedy", "network", "standard"), "another policy")


@pytest.mark.parametrize(
    ("parameter", "given", "value", "text"),
    [
        (SHARE, "0.5", 0.5, "0.5"), (SHARE, 1, 1.0, "1"), (SHARE, "1e-7", 1e-7, "1e-07"),
        (COUNT, "64", 64.0, "64"), (COUNT, 8.0, 8.0, "8"), (OPEN, "1e20", 1e20, "1e20"),
        (OPEN, "-0.1", -0.1, "-0.1"), (SWITCH, "false", 0.0, "false"), (SWITCH, True, 1.0, "true"),
        (OTHER, "network", "network", "network"),
    ],
)  # fmt: skip
def test_a_value_is_read_and_written(
    parameter: Parameter, given: object, value: object, text: str
) -> None:
    read = parameter.read(given)
    assert read == value
    assert parameter.write(read) == text
    assert parameter.read(text) == value


REFUSED: dict[Parameter, list[object]] = {
    SHARE: [-0.1, 1.1, "1.5", "often", "", "nan", "inf", [1], True],
    COUNT: [0, 65, 2.5, "2.5", False, None, 10**400],
    OPEN: ["inf", "-inf", "nan", "1+1", {}],
    SWITCH: [1, 0, 2, "yes", "", 0.5, None],
    OTHER: ["pimc", "", 3, True, None],
}


@pytest.mark.parametrize("text", ["1.000", "1.250", "1,500", "-12.345"])
def test_a_number_that_can_mean_two_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"can mean .* or .*: write one of these"):
        OPEN.read(text)


def test_a_number_means_one_thing_where_the_other_is_not_allowed() -> None:
    assert SHARE.read("0.125") == 0.125
    narrow = number(2, "points", 0, 300)
    assert narrow.read("1.125") == 1.125 and narrow.write(1.125) == "1.125"
    with pytest.raises(InputError, match=r"1.000 can mean 1 or 1000"):
        COUNT.read("1.000")
    for value in (1.125, -12.345, 999.999, 1000.5):
        assert OPEN.read(OPEN.write(value)) == value


@pytest.mark.parametrize("parameter", REFUSED, ids=lambda parameter: parameter.meaning)
def test_another_value_is_refused_with_what_is_allowed(parameter: Parameter) -> None:
    for given in REFUSED[parameter]:
        with pytest.raises(InputError, match=f"should be {parameter.allowed}"):
            parameter.read(given)


def test_what_is_allowed_in_words() -> None:
    assert SHARE.allowed == "a number from 0 to 1"
    assert COUNT.allowed == "a whole number from 1 to 64"
    assert OPEN.allowed == "a number"
    assert number(1, low=0).allowed == "a number from 0"
    assert number(1, high=2.5).allowed == "a number to 2.5"
    assert whole(4, low=4, high=4).allowed == "4"
    assert SWITCH.allowed == "true or false"
    assert OTHER.allowed == "greedy, network or standard"
    assert named("greedy", ("greedy",)).allowed == "greedy"


def test_compiled_functions_get_all_but_the_names_of_policies() -> None:
    mixed = policy("mixed", share=SHARE, other=OTHER, count=COUNT, switch=SWITCH, plain=7)
    assert mixed.tuple_type._fields == ("share", "count", "switch", "plain")
    unset = tuple(each.unset for each in mixed.parameters.values())
    chosen = ConfiguredPolicy(mixed, unset, "mixed").with_parameters(
        {"other": "network", "switch": "false"}
    )
    assert chosen.values == (0.25, "network", 3.0, 0.0, 7.0)
    assert chosen.numbers == (0.25, 3.0, 0.0, 7.0)
    assert chosen.others == ("network",)
    written = f"network@{VERSIONS['network']}"
    assert chosen.text == f"mixed:share=0.25,other={written},count=3,switch=false,plain=7"
    assert chosen.with_parameters({"other": written}) == chosen


def test_other_weights_than_those_of_the_package_are_refused() -> None:
    assert OTHER.read(f"network@{VERSIONS['network']}") == "network"
    with pytest.raises(InputError, match=f"the weights here are network@{VERSIONS['network']}"):
        OTHER.read("network@0")
    with pytest.raises(InputError, match="should be greedy, network or standard"):
        OTHER.read("standard@1")


def test_names_of_policies_do_not_count_as_numbers() -> None:
    numbers: dict[str, Any] = {f"p{at}": number(0) for at in range(MAX_PARAMETERS)}
    assert len(policy("full", other=OTHER, **numbers).parameters) == MAX_PARAMETERS + 1


@pytest.mark.parametrize("found", describe(), ids=lambda found: found.name)
def test_every_built_in_parameter_has_a_meaning_and_a_range(found: Policy) -> None:
    for name, parameter in found.parameters.items():
        assert 10 <= len(parameter.meaning) <= 100, name
        assert parameter.meaning[0].islower() or parameter.meaning[0].isdigit(), name
        assert not parameter.meaning.endswith("."), name
        if parameter.kind in ("number", "whole number"):
            assert parameter.low is not None and parameter.high is not None, name


def test_every_parameter_of_the_calls_and_the_card_play_has_an_effect() -> None:
    (standard,) = (found for found in describe() if found.name == "standard")
    for name, parameter in standard.parameters.items():
        takes = parameter.bidding == "take"
        # So that players pass twice, and announce Capot.
        others = {"take": 80, "lap2": 60} if takes else {"capot": 200}
        least, most = ({**others, name: value} for value in (parameter.low, parameter.high))
        rules = TAKE_2 if takes else AUCTION_2
        assert not np.array_equal(_play(rules, least), _play(rules, most)), name


def _play(rules: KqjRules, values: dict[str, Any]) -> Any:
    """Return the rows of `standard` with these parameters at every seat."""
    player = "standard:" + ",".join(f"{name}={value}" for name, value in values.items())
    return simulate(Experiment(rules, (player,) * 6, deals=1000)).values
