"""Policies by name: specifications, TOML files, entry points, parameters, and their errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.core.types import MAX_PARAMETERS
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.policies import parse_player, policy
from kqj_sim.policies.players import ConfiguredPolicy, Player, parse_policy
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.command_line import run
from tests.variants import AUCTION_2, TAKE_2

QUESTIONS = ("take", "bid", "counter", "overcounter", "card")


def _error(specification: str) -> str:
    with pytest.raises(InputError) as told:
        parse_player(specification)
    message = str(told.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", KQJ.built_ins)
def test_a_built_in_policy_has_its_parameters_written_out(name: str) -> None:
    chosen = parse_policy(name).under(KqjRules())
    found = parse_player(name).under(KqjRules())
    defaults = chosen.policy.parameters
    assert chosen.policy.name == name
    assert chosen.values == tuple(each.default for each in defaults.values())
    assert chosen.text.split(":")[0] == name
    for parameter in defaults:
        assert f"{parameter}=" in chosen.text
    assert found.name == name
    assert chosen.text in found.text


def test_parameters_are_given_by_name() -> None:
    found = parse_player("random: take = 0.25 ,bid=1e-3").calling
    values = dict(zip(found.policy.parameters, found.values, strict=True))
    defaults = {name: each.default for name, each in found.policy.parameters.items()}
    assert values == {**defaults, "take": 0.25, "bid": 0.001}
    assert parse_player("random").calling.values == tuple(defaults.values())


def test_preset_is_a_policy_with_other_values() -> None:
    assert parse_player("bold") == parse_player("points:take=0,lap2=0")
    assert parse_player("bold").name == "bold"
    assert parse_player("bold:take=20").calling.values_by_name["take"] == 20
    assert parse_player("bold").playing == parse_player(KQJ.default_player).playing


def test_a_plus_b_calls_like_a_and_plays_like_b() -> None:
    found = parse_player("random:take=0.5+greedy")
    assert found.calling.policy.name == "random"
    assert found.playing.policy.name == "greedy"
    assert found.policy_for("take").policy.name == "random"
    assert found.policy_for("overcounter").policy.name == "random"
    assert found.policy_for("card").policy.name == "greedy"


def test_the_default_player_answers_everything() -> None:
    default = parse_player(KQJ.default_player)
    for question in QUESTIONS:
        chosen = default.playing if question == "card" else default.calling
        assert chosen.policy.answers(question)


@pytest.mark.parametrize(
    "specification",
    [
        *KQJ.built_ins,
        "random:take=0.5",
        "random:take=0.123456789",
        "random:take=1e-7",
        "standard:take=1e-20",
        "random:take=0.3333333333333333+greedy",
        "greedy+random:counter=0.07",
        "  greedy ",
        "bold",
        "bold:lap2=20+standard",
    ],
)
def test_the_text_of_a_player_reads_back(specification: str) -> None:
    found = parse_player(specification)
    again = parse_player(found.text)
    assert again == found
    assert again.text == found.text


def test_a_record_names_players_that_give_it_again() -> None:
    policies = ("random:take=0.123456789", "greedy", "random+greedy") * 2
    experiment = Experiment(TAKE_2, policies, deals=200)
    records = list(play_records(experiment))
    again = Experiment(TAKE_2, tuple(records[0].players), deals=200)
    assert list(play_records(again)) == records


OFFERED = """
from kqj_sim import highest, policy

offered = policy("offered", "plays high", depth=2)

@offered
def choose_card(view):
    return highest(view.legal)

nothing = 3
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that offers policies through entry points."""
    (tmp_path / "offering_package.py").write_text(OFFERED, encoding="utf-8")
    told = tmp_path / "offering_package-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: offering-package\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(
        "[kqj_sim.policies]\noffered = offering_package:offered\n"
        "by_object = offering_package:offered\nbroken = offering_package:nothing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("package")
def test_a_package_offers_policies_through_entry_points() -> None:
    found = parse_player("offered:depth=3")
    assert found.playing.policy.summary == "plays high"
    assert found.playing.text == "offered:depth=3"
    assert parse_player(found.text) == found
    assert parse_player("by_object").playing.policy is found.playing.policy
    records = list(play_records(Experiment(TAKE_2, ("random:take=1+offered",) * 6, deals=3)))
    assert all(record.tricks for record in records)
    assert "did you mean 'offered'?" in _error("offerd")
    message = _error("broken")
    assert "'broken'" in message
    assert "not a policy" in message


OFFERED_WITH_HELPERS = """
from kqj_sim import policy
from kqj_sim.rules import KqjRules
from offering.helpers import best

@policy("clever", "asks another module of its package")
def choose_card(view):
    return best(view.legal)
"""


def test_a_package_may_spread_its_functions_over_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "offering"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "helpers.py").write_text("def best(cards):\n    return cards & -cards\n")
    (folder / "clever.py").write_text(OFFERED_WITH_HELPERS)
    (folder / "faulty.py").write_text("import nowhere_at_all\n")
    told = tmp_path / "offering-2.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 2.0\n")
    (told / "entry_points.txt").write_text(
        "[kqj_sim.policies]\nclever = offering.clever\nfaulty = offering.faulty\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert parse_player("clever").playing.policy.summary == "asks another module of its package"
    records = list(play_records(Experiment(TAKE_2, ("random:take=1+clever",) * 6, deals=3)))
    assert all(record.tricks for record in records)
    message = _error("faulty")
    assert "offering.faulty: ModuleNotFoundError" in message
    listed = run("policies", "--format", "json")
    assert listed.exit_code == 0
    assert "clever" in [each["name"] for each in json.loads(listed.stdout)["policies"]]
    assert listed.stderr == f"Warning: {message}\n"


def test_a_name_without_the_suffix_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('policy = "random"\n')
    assert "did you mean 'mine.toml'?" in _error("mine")
    assert "did you mean 'mine.toml'?" in _error("mine:take=1")


def test_a_policy_has_not_too_many_parameters() -> None:
    names: dict[str, Any] = {f"p{number}": 0.0 for number in range(MAX_PARAMETERS + 1)}
    with pytest.raises(InputError, match=f"at most {MAX_PARAMETERS}"):
        policy("many", **names)


def test_as_many_parameters_as_allowed_reach_the_policy() -> None:
    names: dict[str, Any] = {f"p{number}": float(number) for number in range(MAX_PARAMETERS)}
    many = policy("many_parameters", **names)

    @many
    def choose_bid(view, parameters):  # type: ignore[no-untyped-def]
        return ((100 + int(parameters.p63 - parameters.p60) * 10) << 4) if view.turn == 0 else -1

    chosen = ConfiguredPolicy(many, tuple(map(float, names.values())), "many_parameters")
    experiment = Experiment(AUCTION_2, ("random",) * 6, deals=4)
    object.__setattr__(experiment, "players", (Player(chosen, parse_policy("greedy")),) * 6)
    for record in play_records(experiment):
        assert (record.amount, record.contract) == (130, "s")
