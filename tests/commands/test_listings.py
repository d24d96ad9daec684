"""The commands that list columns and policies, and show a policy's parameters."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.games import KQJ
from kqj_sim.policies import describe, parse_player
from kqj_sim.policies.players import parse_policy
from tests.command_line import run, run_json
from tests.policies.files import write_policy


@pytest.mark.parametrize("form", [(), ("--format", "markdown")])
def test_lists_are_complete(form: tuple[str, ...]) -> None:
    """The lists as JSON are among the outputs held by hash."""
    columns, policies = (run(name, *form).output for name in ("columns", "policies"))
    for column in KQJ_COLUMNS:
        assert re.search(rf"^\W*{column.name} ", columns, re.M)
        assert all(label in columns for label in column.labels)
    for policy in describe():
        assert re.search(rf"^\W*{policy.name} ", policies, re.M)
    assert KQJ.default_player in policies


def test_presets_are_listed_with_their_values() -> None:
    (bold,) = (each for each in run_json("policies")["policies"] if each["name"] == "bold")
    assert bold["summary"] == "calls like points, but takes at once with any hand"
    assert (bold["calls"], bold["plays"]) == (True, False)
    assert bold["parameters"]["take"] == bold["parameters"]["lap2"] == 0
    assert run_json("policies", "show", "bold")["calling"]["policy"] == "points"


def test_lists_fit_a_page() -> None:
    for command in ("columns", "policies"):
        shown = run(command).output
        assert max(len(line) for line in shown.splitlines()) <= 100


def test_file_of_a_preset_is_the_same_player(tmp_path: Path) -> None:
    path = tmp_path / "edited.toml"
    path.write_text(run("policies", "show", "bold").output, encoding="utf-8")
    assert parse_player(str(path)) == parse_player("bold")


@pytest.mark.parametrize("name", KQJ.built_ins)
def test_markdown_of_a_policy_explains_its_parameters(name: str) -> None:
    markdown = run("policies", "show", name, "--format", "markdown").output
    for parameter, each in parse_policy(name).policy.parameters.items():
        (line,) = [line for line in markdown.splitlines() if line.startswith(f"| {parameter} |")]
        assert each.meaning in line
        assert each.allowed in line


def test_shown_player_of_two_policies(tmp_path: Path) -> None:
    path = tmp_path / "bold.toml"
    path.write_text(run("policies", "show", "random:take=0.25+greedy").output, encoding="utf-8")
    found = run_json("policies", "show", f"{path}:bid=1")
    assert found["name"] == "bold:bid=1"
    assert (found["calling"]["policy"], found["playing"]["policy"]) == ("random", "greedy")
    take, bid, *_ = found["calling"]["parameters"]
    assert (take["value"], take["default"], take["low"], take["high"]) == (0.25, 0.1, 0, 1)
    assert (bid["value"], bid["kind"]) == (1, "number")
    assert found["playing"]["parameters"] == []
    markdown = run("policies", "show", str(path), "--format", "markdown").output
    assert "### random: calls" in markdown
    assert "### greedy: plays" in markdown


def test_a_variable_sets_an_option_of_a_command_below_another() -> None:
    shown = run("policies", "show", "random", env={"KQJ_SIM_POLICIES_SHOW_FORMAT": "json"})
    assert json.loads(shown.output)["name"] == "random"


def test_colours_follow_the_option() -> None:
    assert "\x1b[" not in run("columns").output
    assert "\x1b[" in run("columns", "--color", "always").output


def test_check_of_a_policy_with_problems_fails(tmp_path: Path) -> None:
    text = '\n@policy("hasty")\ndef choose_card(view):\n    return highest(view.hand)\n'
    path = write_policy(tmp_path, text)
    done = run("policies", "check", path, "--deals", "20", "--seed", "4")
    assert done.exit_code == 1
    assert "problem" in done.output and "of seed 4" in done.output
    assert "is not legal" in done.output and "own.py:4" in done.output
