"""Completion in the shell: policies, parameters, columns, tables and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete

from kqj_sim.cli import main
from kqj_sim.commands.completion import read_names
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES
from kqj_sim.policies.registry import find_policy, list_names
from tests.command_line import run
from tests.commands.completions import SHELLS, complete, list_tables


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sim",), ["simulate"]),
        (("simulate", "--dea"), ["--deals"]),
        (("simulate", "--policy", "net"), ["network"]),
        (("simulate", "--policy", "team0=gre"), ["team0=greedy"]),
        (("simulate", "--policy", "points+net"), ["points+network"]),
        (("simulate", "--policy", "random:tak"), ["random:take="]),
        (("simulate", "--policy", "random:take=0.2,cou"), ["random:take=0.2,counter="]),
        (("simulate", "--policy", "mine/own"), ["<file>"]),
        (("compare", "greedy", "sta"), ["standard"]),
        (("sweep", "random", "--vary", "bi"), ["bid"]),
        (("tune", "random", "--parameters", "take,bi"), ["take,bid"]),
        (("policies", "show", "gre"), ["greedy"]),
        (("simulate", "--by", "lap"), ["lap"]),
        (("simulate", "--by", "capot_a"), ["capot_announced"]),
        (("simulate", "--by", "lap,capot_a"), ["lap,capot_announced"]),
        (("simulate", "--columns", "lap,capot_a"), ["lap,capot_announced"]),
        (("simulate", "--where", "lap == 2 and (sender_ac"), ["lap == 2 and (sender_aces"]),
        (("simulate", "--out", "tab"), ["<file>"]),
        (("report", "--out", "tab"), ["<dir>"]),
        (("check", "rounds"), ["<file>"]),
        (("simulate", "--bidding", "a"), ["auction"]),
    ],
)
def test_values_are_completed(
    words: tuple[str, ...], expected: list[str], shell: type[ShellComplete]
) -> None:
    assert complete(*words, shell=shell) == expected


@pytest.mark.parametrize("words", ["simulate", "compare", "sweep", "odds", "tune", "review"])
def test_tables_are_completed(words: str) -> None:
    names = read_names("tables")[words]["kqj"]
    assert complete(words, "--tables", "") == [*names, "all", "list"]
    assert complete(words, "--tables", f"{names[0]},{names[-1]}") == [f"{names[0]},{names[-1]}"]


def test_tables_of_completion_are_those_that_the_commands_list() -> None:
    for command, names in list_tables().items():
        assert read_names("tables")[command]["kqj"] == names


@pytest.mark.parametrize("game", GAMES)
def test_names_for_completion_are_those_there_are(game: str) -> None:
    """If this fails, copy the names to kqj_sim/commands/completion.json."""

    def list_parameters(name: str) -> list[str]:
        try:
            return [str(getattr(each, "name", each)) for each in find_policy(name, game).parameters]
        except InputError:  # A preset has none of its own.
            return []

    assert read_names("policies")[game] == {
        name: list_parameters(name) for name in list_names(game)
    }
    done = run("simulate", "--game", game, "--policy", "random", "--deals", "300", "--format=json")
    tables = json.loads(done.stdout)["tables"]
    assert {table["name"] for table in tables} <= {*read_names("tables")["simulate"][game]}


@pytest.mark.parametrize("name", sorted(main.commands))
def test_completion_of_options_needs_no_heavy_library(name: str) -> None:
    assert "--help" in complete(name, "--")


def test_the_shell_is_answered_without_numba() -> None:
    words = "kqj-sim simulate --policy points:openi"
    program = (
        "import sys; from kqj_sim.cli import main\n"
        "try: main()\n"
        "finally: assert not {'numba', 'pandas', 'matplotlib'} & sys.modules.keys()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "_KQJ_SIM_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": "3",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stderr == ""
    assert "plain,points:opening=" in answer.stdout.splitlines()


def test_every_option_that_takes_a_file_or_a_policy_is_completed() -> None:
    for name in ("simulate", "odds", "compare", "sweep", "tune", "report", "records", "show"):
        for option in main.commands[name].params:
            if isinstance(option, click.Option) and option.metavar in ("SPEC", "FILE", "COLUMN"):
                assert complete(name, option.opts[0], ""), (name, option.opts)
