"""Signals of the program: results so far after the first, the end at once after the second."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from kqj_sim.reporting.files import OutputFile, OutputFolder
from kqj_sim.signals import TOGETHER_SECONDS
from tests.command_line import ENDLESS, ENVIRONMENT, PROGRAM, kill_at_end

ENDLESS_POLICY = """
from kqj_sim import policy, lowest

@policy("endless")
def choose_card(view):
    number = 1
    while number > 0:
        number = number % 7 + 1
    return lowest(view.legal)
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_rows(folder: Path) -> None:
    """Wait until the temporary file of rows has grown."""
    while not any(part.stat().st_size for part in folder.glob(".rows.csv.*")):
        time.sleep(0.02)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_results_so_far_are_written(number: signal.Signals, status: int, tmp_path: Path) -> None:
    process = start(tmp_path, "simulate", *ENDLESS, "--rows", "rows.csv")
    with kill_at_end(process):
        wait_for_rows(tmp_path)
        # As `timeout` does, which sends the signal twice.
        process.send_signal(number)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == status, err
    assert "Interrupted: the tables hold" in err
    assert "contracts are made" in out
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.run.json"}


def test_second_signal_ends_a_policy_that_does_not_return(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS_POLICY, encoding="utf-8")
    process = start(tmp_path, "compare", "endless.py", "standard", "--out", "out.json")
    with kill_at_end(process):
        while not [*tmp_path.glob(".out.json.*")]:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=4 * TOGETHER_SECONDS)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("Interrupted\n")
    assert "Traceback" not in err
    assert {path.name for path in tmp_path.iterdir()} <= {"endless.py", "__pycache__"}


def test_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    process = start(tmp_path, "simulate", *ENDLESS, "--rows", "rows.csv")
    with kill_at_end(process):
        wait_for_rows(tmp_path)
        running = {path.name for path in tmp_path.iterdir()}
        with OutputFile(tmp_path / "rows.csv") as stream:
            stream.write(b"another run")
        assert {path.name for path in tmp_path.iterdir()} == {*running, "rows.csv"}
    assert {path.name for path in tmp_path.iterdir()} == {*running, "rows.csv"}
    for name in ("rows.csv", "rows.run.json"):
        with OutputFile(tmp_path / name):
            pass
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.run.json"}


def test_next_report_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    process = start(tmp_path, "report", "--deals", "1e12", "--policy", "random", "--out", "report")
    with kill_at_end(process):
        while not [*folder.glob(".*.part")]:
            time.sleep(0.02)
    assert [*folder.glob(".*.part")]
    with OutputFolder(folder) as written:
        written.write("report.html", b"page")
    assert [path.name for path in folder.iterdir()] == ["report.html"]
