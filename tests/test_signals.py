"""Signals of the program: results so far after the first, the end at once after the second."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.output.files import OutputFile, OutputFolder
from kqj_sim.signals import TOLD, TOLD_IN_SCRIPTS
from tests.command_line import ENDLESS, kill_at_end, run_python, start, wait_until_written

STUCK = """
import time
from kqj_sim.output.files import OutputFile
from kqj_sim.signals import handle_signals

handle_signals()
with OutputFile("out.json"):
    try:
        print("ready", flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        print("first", flush=True)
        while True:
            time.sleep(600)
"""
"""A program whose main thread does not react to the second signal."""

IMPORTING = """
from kqj_sim.signals import handle_signals

handle_signals()
import slow
"""


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGTERM, 143),
        *(
            pytest.param(signal.Signals[name], 128 + signal.Signals[name], marks=pytest.mark.slow)
            for name in ("SIGHUP", "SIGXCPU", "SIGUSR1", "SIGUSR2", "SIGALRM")
        ),
    ],
)
def test_results_so_far_are_written(number: signal.Signals, status: int, tmp_path: Path) -> None:
    process = start(tmp_path, "simulate", *ENDLESS, "--rows", "rows.csv")
    with process, kill_at_end(process):
        wait_until_written(process, tmp_path)
        # As `timeout` does, which sends the signal twice.
        process.send_signal(number)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == status, err
    assert "Interrupted: the tables hold" in err
    assert "contracts are made" in out
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.run.json"}


def test_second_signal_ends_whatever_runs(tmp_path: Path) -> None:
    process = start(tmp_path, program=(sys.executable, "-c", STUCK))
    with process, kill_at_end(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "first\n"
        assert process.stderr is not None
        assert process.stderr.readline() == TOLD
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (143, "Interrupted\n")
    assert not [*tmp_path.iterdir()]


SCRIPT = """
import time
from kqj_sim.runner import InterruptHandler

with InterruptHandler():
    try:
        print("ready", flush=True)
        while True:
            time.sleep(600)
    except KeyboardInterrupt:
        print("second", flush=True)
"""
"""A user's script, in a step that never ends."""


def test_scripts_are_told_what_a_second_signal_does(tmp_path: Path) -> None:
    process = start(tmp_path, program=(sys.executable, "-c", SCRIPT))
    with process, kill_at_end(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline() == TOLD_IN_SCRIPTS
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "second\n", "")


def test_a_limit_of_processor_time_is_one_request(tmp_path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 60))\n"
    program = STUCK.replace("while True:\n            time.sleep(600)", "while_busy()")
    busy = (
        "def while_busy():\n    end = time.process_time() + 3\n"
        "    while time.process_time() < end:\n        pass\n"
    )
    program = limited + busy + program.replace("time.sleep(600)", "while_busy()")
    done = run_python("-c", program, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\nfirst\n", "")


def test_interrupted_import_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept BaseException:\n"
        "    print('caught')\n",
        encoding="utf-8",
    )
    done = run_python("-c", IMPORTING, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted\n")


def test_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    process = start(tmp_path, "simulate", *ENDLESS, "--rows", "rows.csv")
    with process, kill_at_end(process):
        wait_until_written(process, tmp_path)
        running = {path.name for path in tmp_path.iterdir()}
        with OutputFile(tmp_path / "rows.csv") as stream:
            stream.write(b"another run")
        assert {path.name for path in tmp_path.iterdir()} == {*running, "rows.csv"}
    assert {path.name for path in tmp_path.iterdir()} == {*running, "rows.csv"}
    for name in ("rows.csv", "rows.run.json"):
        with OutputFile(tmp_path / name) as stream:
            stream.write(b"the next run")
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.run.json"}


def test_next_report_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    process = start(tmp_path, "report", "--deals", "1e12", "--policy", "random", "--out", "report")
    with process, kill_at_end(process):
        while not [*tmp_path.glob(".kqj-sim-*.files")]:
            time.sleep(0.02)
        with pytest.raises(InputError, match="another run is writing"), OutputFolder(folder):
            pytest.fail("two runs would write one folder")
    assert [*tmp_path.glob(".kqj-sim-*.files")]
    with OutputFolder(folder) as written:
        written.write("report.html", b"page")
    assert [path.name for path in tmp_path.rglob("*")] == ["report", "report.html"]
