"""Completion in the shell: policies, parameters, columns, tables and files."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from kqj_sim.cli import main
from kqj_sim.games import GAMES
from tests.command_line import run

SHELLS = [BashComplete, ZshComplete, FishComplete]


def complete(*words: str, shell: type[ShellComplete] = BashComplete) -> list[str]:
    """Return the completions of the last word, with the type of those that the shell finds."""
    program = shell(main, {}, "kqj-sim", "_KQJ_SIM_COMPLETE")
    found = program.get_completions(list(words[:-1]), words[-1])
    return [each.value if each.type == "plain" else f"<{each.type}>" for each in found]


TABLES = {
    "simulate": ["simulate"],
    "simulate of groups": ["simulate", "--by", "lap"],
    "compare": ["compare", "random", "standard", "random:take=0.5"],
    "sweep": ["sweep", "standard", "--vary", "take=30,40"],
    "tune": ["tune", "standard", "--parameters", "take=0:80"],
    "review": ["review"],
    "odds": ["odds", "9h", "8h", "Ah", "Ks", "4d", "--return", "7h"],
}
"""Commands that list their tables, by a description."""


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
        *(
            (("simulate", "--game", name, "--policy", ""), [*game.built_ins, *game.presets])
            for name, game in GAMES.items()
        ),
    ],
)
def test_values_are_completed(
    words: tuple[str, ...], expected: list[str], shell: type[ShellComplete]
) -> None:
    assert complete(*words, shell=shell) == expected


@pytest.mark.parametrize("words", sorted(TABLES))
def test_tables_are_completed(words: str) -> None:
    command, *options = TABLES[words]
    listed = run(command, *options, "--tables", "list")
    assert listed.exit_code == 0, listed.output
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert complete(command, *options, "--tables", "") == [*names, "all", "list"]
    both = f"{names[0]},{names[-1]}"
    assert complete(command, *options, "--tables", both) == [both]


@pytest.mark.parametrize("name", sorted(main.commands))
def test_completion_of_options_needs_no_heavy_library(name: str) -> None:
    assert "--help" in complete(name, "--")


def test_every_option_that_takes_a_file_or_a_policy_is_completed() -> None:
    for name in ("simulate", "odds", "compare", "sweep", "tune", "report", "records", "show"):
        for option in main.commands[name].params:
            if isinstance(option, click.Option) and option.metavar in ("SPEC", "FILE", "COLUMN"):
                assert complete(name, option.opts[0], ""), (name, option.opts)
