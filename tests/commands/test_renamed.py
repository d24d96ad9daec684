"""Renamed options: an earlier name ends with one line that gives the new one."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from kqj_sim.cli import main
from kqj_sim.commands.renamed import RENAMED_OPTIONS
from tests.command_line import expect_error, run

RENAMED = [
    (command, old, new) for command, names in RENAMED_OPTIONS.items() for old, new in names.items()
]


@pytest.mark.parametrize(("command", "old", "new"), RENAMED)
def test_earlier_names_of_options_lead_to_the_new_one(command: str, old: str, new: str) -> None:
    line = expect_error(run(*command.split(), f"--{old}", "5"))
    assert f"--{old} is now --{new}" in line


@pytest.mark.parametrize(("command", "old", "new"), RENAMED)
def test_new_names_exist_and_earlier_ones_do_not(command: str, old: str, new: str) -> None:
    found: click.Command = main
    for word in command.split():
        assert isinstance(found, click.Group)
        found = found.commands[word]
    names = {name for each in found.params for name in each.opts}
    assert f"--{new}" in names and f"--{old}" not in names


@pytest.mark.parametrize(("command", "old", "new"), RENAMED)
def test_earlier_names_in_files_lead_to_the_new_one(
    command: str, old: str, new: str, tmp_path: Path
) -> None:
    config, table = tmp_path / "kqj.toml", command.replace(" ", ".")
    config.write_text(f"[{table}]\n{old} = 5\n")
    line = expect_error(run(*command.split(), "--config", str(config)))
    assert f"[{table}] {old} is now {new.replace('-', '_')}" in line


@pytest.mark.parametrize(("command", "old", "new"), RENAMED)
def test_earlier_variables_lead_to_the_new_one(
    command: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"KQJ_SIM_{command}_{old}".upper().replace(" ", "_"), "5")
    right = f"KQJ_SIM_{command}_{new}".upper().replace("-", "_").replace(" ", "_")
    assert f"is now {right}" in expect_error(run(*command.split()))


def test_every_option_has_the_variable_and_the_parameter_of_its_name() -> None:
    """`--max-deals` is `max_deals` in Python and KQJ_SIM_COMPARE_MAX_DEALS in the environment."""

    def check(group: click.Group) -> None:
        for command in group.commands.values():
            if isinstance(command, click.Group):
                check(command)
            for each in command.params:
                if isinstance(each, click.Option):
                    # `from` is a keyword of Python.
                    name = "from" if each.name == "source" else each.name
                    name = f"--{name}".replace("_", "-")
                    assert name in each.opts, (command.name, each.opts)

    check(main)
