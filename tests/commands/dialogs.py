"""Dialogs of `kqj-sim odds` whose answers are known beforehand."""

from __future__ import annotations

import shlex

import pytest
from click.testing import Result

from tests.command_line import run

FEW = ("--policy", "points:take=45+greedy", "--deals", "256", "--threads", "1", "--quiet")


def enter(monkeypatch: pytest.MonkeyPatch, lines: list[str], *arguments: str) -> Result:
    """Return what a dialog prints for these lines; after the last one the input ends."""
    monkeypatch.setattr("kqj_sim.commands.odds.is_terminal", lambda: True)
    done = run("odds", *FEW, *arguments, input="".join(f"{line}\n" for line in lines))
    assert done.exit_code == 0, done.output
    return done


def commands_in(done: Result) -> list[list[str]]:
    """Return the commands that ask the same questions, as words."""
    lines = done.stdout.splitlines()
    return [
        shlex.split(lines[number + 1])
        for number, line in enumerate(lines)
        if line == "The same question:"
    ]
