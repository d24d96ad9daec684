"""Running `kqj-sim` in a test, in this process or as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

import kqj_sim
from kqj_sim.cli import main

PROGRAM = [sys.executable, "-m", "kqj_sim"]
"""`kqj-sim` as a program of its own."""

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(kqj_sim.__file__).parents[1])}
"""An environment in which it finds the package from every working directory."""
ENVIRONMENT.pop("COLUMNS", None)

ENDLESS = ("--deals", "1e15", "--policy", "random")
"""Options of a simulation that ends only when it is interrupted."""


def find_commands(group: click.Group = main, before: str = "") -> dict[str, click.Command]:
    """Return every command below a group, groups included, by its words."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[f"{before}{name}"] = command
        if isinstance(command, click.Group):
            found |= find_commands(command, f"{before}{name} ")
    return found


def run(*arguments: str, **settings: object) -> Result:
    """Run a command in this process; `settings` are those of click's test runner."""
    return CliRunner().invoke(main, list(arguments), **settings)  # type: ignore[arg-type]


def expect_error(result: Result, status: int = 2) -> str:
    """Return the line on stderr of a command that failed.

    Raises:
        AssertionError: It did not fail with this exit status, wrote to stdout, or wrote
            anything but one line that begins with `Error: ` to stderr.
    """
    assert result.exit_code == status, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: "), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@contextmanager
def kill_at_end(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a program at the end of the block, if it still runs."""
    try:
        yield
    finally:
        process.kill()
        process.wait()
