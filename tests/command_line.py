"""Running `kqj-sim` in a test, in this process or as a program of its own, and its errors."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import pytest
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


def run_json(*arguments: str, **settings: object) -> Any:
    """Return what a command, which succeeds, prints as JSON."""
    done = run(*arguments, "--format", "json", **settings)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def run_python(
    *arguments: str, variables: dict[str, str] | None = None, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, with further variables and settings of `subprocess`."""
    settings = {"capture_output": True, "text": True, "check": False, **settings}
    environment = ENVIRONMENT | (variables or {})
    return subprocess.run([sys.executable, *arguments], env=environment, **settings)


def run_program(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run `kqj-sim` as a program of its own, as `run_python` does."""
    return run_python("-m", "kqj_sim", *arguments, **settings)


def run_in_shell(line: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which PROGRAM stands for `kqj-sim`."""
    line = line.replace("PROGRAM", " ".join(f"'{word}'" for word in PROGRAM))
    settings = {"env": ENVIRONMENT, "text": True, "check": False, **settings}
    return subprocess.run(line, shell=True, capture_output=True, **settings)


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


def read_error(
    function: Callable[..., object], *arguments: Any, kind: Any = kqj_sim.InputError
) -> str:
    """Return the one line of the error, of some kind, that a call with wrong input raises."""
    with pytest.raises(kind) as error:
        function(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


@contextmanager
def kill_at_end(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a program at the end of the block, if it still runs."""
    try:
        yield
    finally:
        process.kill()
        process.wait()


def start(
    folder: Path, *arguments: str, program: Sequence[str] = PROGRAM, **settings: Any
) -> subprocess.Popen[str]:
    """Start a program in a folder; `settings` are those of `subprocess.Popen`."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **settings}
    return subprocess.Popen([*program, *arguments], cwd=folder, env=ENVIRONMENT, **settings)


def wait_until_written(process: subprocess.Popen[str], folder: Path) -> None:
    """Wait until a program has written to the temporary file of its output."""
    end = time.monotonic() + 120
    while not any(part.stat().st_size for part in folder.glob(".kqj-sim-*.part")):
        assert process.poll() is None and time.monotonic() < end, "nothing was written"
        time.sleep(0.02)


def interrupt_at_terminal(folder: Path, pattern: str, *arguments: str) -> tuple[str, str]:
    """Press Ctrl-C once a program shows text of this pattern on a terminal.

    Returns:
        What it prints, with status 130, and all that the terminal shows.
    """
    terminal, stderr = pty.openpty()
    variables = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [*PROGRAM, *arguments], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=stderr
    )
    os.close(stderr)
    with kill_at_end(process):
        shown = ""
        while not re.search(pattern, shown):
            shown += os.read(terminal, 1 << 12).decode(errors="replace")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        with suppress(OSError):  # The end of a terminal is an error.
            while more := os.read(terminal, 1 << 12):
                shown += more.decode(errors="replace")
    os.close(terminal)
    assert process.returncode == 130, shown
    return out.decode(), shown
