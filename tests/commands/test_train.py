"""`kqj-sim train`."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kqj_sim.cli import main
from kqj_sim.commands import train as command
from kqj_sim.policies import weights
from kqj_sim.training import run as training_run
from kqj_sim.training.run import Training

pytestmark = pytest.mark.slow

SMALL = ("--decisions", "3000", "--held-out", "500", "--threads", "1")


@pytest.fixture(autouse=True)
def own_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No weights in the package, none in use, and small chunks."""
    monkeypatch.setattr(weights, "FOLDER", tmp_path / "package")
    monkeypatch.setattr(training_run, "CHUNK_DECISIONS", 2000)
    monkeypatch.setattr(command, "MATCH_DEALS", 200)


def train(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["train", *arguments])


def error_of(result: Result, status: int = 2) -> str:
    """The one line that a failed command wrote."""
    assert result.exit_code == status, result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_network_is_trained_after_linear(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    done = train("linear", *out, *SMALL, "--rounds", "2")
    assert done.exit_code == 0, done.output
    assert "linear-2-take.npz, version 1: 6,000 decisions" in done.stdout
    assert "points a round ahead of standard" in done.stdout
    assert "residual SD" in done.stdout
    _, about = weights.read(tmp_path / "linear-2-take.npz")
    assert about["command"] == (
        "kqj-sim train linear --teams 2 --bidding take --caller standard --decisions 3000 "
        "--rounds 2 --seed 1 --weights-version 1"
    )
    done = train("network", *out, *SMALL, "--weights-version", "7", "--rounds", "1")
    assert done.exit_code == 0, done.output
    assert "points a round ahead of linear" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[-5:-1]] == [
        "suit", "NT", "AT", "all",
    ]  # fmt: skip
    _, about = weights.read(tmp_path / "network-2-take.npz")
    assert (about["version"], about["begun_with"]) == (7, "linear version 1")
    assert not list(tmp_path.glob("*.checkpoint"))


def test_interrupted_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert train("linear", "--out", str(whole), *SMALL, "--rounds", "1").exit_code == 0
    going_on = Training.run

    def interrupted(self: Training, *arguments: object) -> Iterator[int]:
        for count in going_on(self, *arguments):  # type: ignore[arg-type]
            os.kill(os.getpid(), signal.SIGINT)
            yield count

    monkeypatch.setattr(Training, "run", interrupted)
    stopped = train("linear", "--out", str(parts), *SMALL, "--rounds", "1")
    assert stopped.exit_code == 130
    assert "Interrupted: 2,000 of 3,000 decisions; go on with --resume" in stopped.stderr
    monkeypatch.undo()
    monkeypatch.setattr(training_run, "CHUNK_DECISIONS", 2000)
    told = error_of(train("linear", "--out", str(parts), *SMALL, "--rounds", "1"))
    assert "go on from it with --resume, or remove it" in told
    told = error_of(train("linear", "--out", str(parts), *SMALL, "--rounds", "2", "--resume"))
    assert "is of a training with rounds 1, not 2" in told
    again = ("--rounds", "1", "--resume", "--weights-version", "1")
    assert train("linear", "--out", str(parts), *SMALL, *again).exit_code == 0
    name = "linear-2-take.npz"
    assert (parts / name).read_bytes() == (whole / name).read_bytes()


def test_mistakes_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_IN_USE", {})  # Other tests may have loaded some.
    out = ("--out", str(tmp_path / "out"))
    assert "below 1,000,000,000" in error_of(train("linear", *out, "--seed", "1e9"))
    assert "leave --resume out" in error_of(train("linear", *out, "--resume"))
    assert "No such command 'linea'. Did you mean 'linear'" in error_of(train("linea", *out))
    told = error_of(train("network", *out, "--teams", "3", "--bidding", "auction"), 1)
    assert "`kqj-sim train linear --teams 3 --bidding auction`" in told
    assert not (tmp_path / "out").exists()


def test_folder_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file" in error_of(train("linear", "--out", str(tmp_path / "file"), *SMALL), 1)
