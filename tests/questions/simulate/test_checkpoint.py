"""Runs that are saved all the time, and resumed."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from kqj_sim.questions.simulate import checkpoint
from kqj_sim.questions.simulate.checkpoint import SavedRun, read_checkpoint
from tests.command_line import ENDLESS, expect_error, kill_at_end, run, start
from tests.variants import OTHER_GAMES

GREEDY = ("--policy", "greedy", "--seed", "4", "--by", "lap", "--where", "place < 5", "--quiet")
SMALL = ("--deals", "60", "--policy", "random")


def simulate(folder: Path, name: str, *arguments: str) -> tuple[bytes, bytes]:
    files = folder / f"{name}.csv", folder / f"{name}.svg"
    done = run("simulate", *arguments, "--out", str(files[0]), "--plot", str(files[1]))
    assert done.exit_code == 0, done.output
    return files[0].read_bytes(), files[1].read_bytes()


@pytest.mark.parametrize(("unit", "many", "options"), [
    pytest.param("--deals", 30_000, GREEDY, id="deals"),
    pytest.param(
        "--deals", 150, (*GREEDY, "--by", "contracting_total", "--by", "sender_points"),
        id="many groups", marks=pytest.mark.slow,
    ),
    pytest.param(
        "--games", 600, ("--policy", "random", "--target", "300", "--first", "7", "--quiet"),
        id="games",
    ),
    *(
        pytest.param(
            "--deals", 600, ("--game", rules.game, "--policy", "random", "--quiet"), id=title
        )
        for title, rules in OTHER_GAMES.items()
    ),
])  # fmt: skip
def test_resumed_is_one_run(unit: str, many: int, options: tuple[str, ...], tmp_path: Path) -> None:
    whole = simulate(tmp_path, "whole", unit, str(many), *options)
    third = many // 3
    checkpoint = ("--checkpoint", str(tmp_path / "run.npz"))
    for count in (third, third + 1):
        assert run("simulate", unit, str(count), *options, *checkpoint).exit_code == 0
    assert simulate(tmp_path, "resumed", unit, str(many), *options, *checkpoint) == whole


def test_saved_run_goes_on_and_can_become_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = simulate(tmp_path, "whole", "--deals", "50000", *GREEDY)
    saved = ("--checkpoint", str(tmp_path / "run.npz"))
    assert run("simulate", "--deals", "7000", *GREEDY, *saved).exit_code == 0
    monkeypatch.setattr(checkpoint, "SPAN_SECONDS", 0.0)  # many small spans
    monkeypatch.setattr(checkpoint, "SAVE_SECONDS", 0.0)
    for threads in ("1", "2"):
        longer = simulate(
            tmp_path, "longer", "--deals", "50000", *GREEDY, *saved, "--threads", threads
        )
        assert longer == whole
    assert read_checkpoint(tmp_path / "run.npz")[0].finished == 50_000


def killed_run(folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Start a run without end, end it by a signal once it has saved something."""
    arguments = ("simulate", *ENDLESS, "--checkpoint", "run.npz", "--format", "json")
    process = start(folder, *arguments, stdout=subprocess.DEVNULL)
    with kill_at_end(process):
        path = folder / "run.npz"
        before = read_checkpoint(path)[0].finished if path.exists() else 0
        while not (path.exists() and read_checkpoint(path)[0].finished > before):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
    return process.returncode, said


@pytest.mark.slow
def test_killed_run_goes_on_from_what_was_saved(tmp_path: Path) -> None:
    run("simulate", "--deals", "1000", "--policy", "random")  # compiled before
    status, _ = killed_run(tmp_path, signal.SIGKILL)
    assert status == -signal.SIGKILL
    status, said = killed_run(tmp_path, signal.SIGINT)
    assert status == 130
    assert "the same command goes on" in said
    many = str(read_checkpoint(tmp_path / "run.npz")[0].finished + 5000)
    random = ("--deals", many, "--policy", "random", "--format", "csv")
    resumed = run("simulate", *random, "--checkpoint", str(tmp_path / "run.npz"))
    assert resumed.exit_code == 0, resumed.output
    assert resumed.stdout == run("simulate", *random).stdout


PLAYER = '[calling]\npolicy = "random"\ntake = {}\n[playing]\npolicy = "greedy"\n'


@pytest.mark.parametrize(("before", "after", "told"), [
    ("", "--seed 5", "seed 4 and not 5"),
    ("", "--first 10", "first 0 and not 10"),
    ("", "--deals 59", "60 deals and not 59"),
    ("", "--policy seat3=greedy", "policies random, random"),
    ("", "--teams 3", "teams 2 and not 3"),
    ("", "--rows rows.csv", "--rows and --checkpoint"),
    ("--by lap", "--by lap,place", "by lap and not lap, place"),
    ("--impose opener:h", "--impose 2nd:h", "imposed opener:h and not 2nd:h"),
    ("--where 'lap == 1'", "--where 'lap == 2'", "where lap == 1 and not lap == 2"),
    ("--policy player.toml", "--policy player.toml", "players have other parameters"),
    ("", "", "other sources of the package"),
    *(
        ("", f"--game {rules.game}", f"another run (game kqj and not {rules.game})")
        for rules in OTHER_GAMES.values()
    ),
])  # fmt: skip
def test_checkpoint_of_another_run_is_refused(
    before: str, after: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ("simulate", *SMALL, "--seed", "4", "--quiet", "--checkpoint", "run.npz")
    Path("player.toml").write_text(PLAYER.format(0.3))
    for _ in range(2):
        assert run(*given, *shlex.split(before)).exit_code == 0
    saved = Path("run.npz").read_bytes()
    Path("player.toml").write_text(PLAYER.format(0.2))
    if "sources" in told:
        monkeypatch.setattr(checkpoint, "hash_sources", lambda: "other")
    done = run(*given, *shlex.split(after))
    assert told in expect_error(done, done.exit_code) and done.exit_code in (1, 2)
    assert Path("run.npz").read_bytes() == saved


def test_checkpoint_that_cannot_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "run.npz"
    told = expect_error(run("simulate", *ENDLESS, "--checkpoint", str(path)), 1)
    assert "cannot be written" in told and os.path.basename(path) in told


def test_counts_that_cannot_be_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    given = ("simulate", *SMALL, "--checkpoint", str(path))
    assert run(*given).exit_code == 0
    with np.load(path) as archive:
        saved = {name: archive[name] for name in archive.files}
    changed = {
        "deals": -saved["deals"],
        "counts": np.roll(saved["counts"], 1),
        "places": saved["places"] - 1_000_000,
        "more": np.zeros(1, np.int64),
    }
    about = json.loads(saved["about"].tobytes())
    for finished in (0, 59):
        text = json.dumps({**about, "finished": finished}).encode()
        changed["about"] = np.frombuffer(text, np.uint8)
        for name, wrong in changed.items():
            np.savez_compressed(path, **{**saved, name: wrong})
            assert "run.npz is damaged" in expect_error(run(*given), 1)
    for jokers in (2, None):  # Rules of another version.
        text = json.dumps({**about, "rules": about["rules"] | {"jokers": jokers}}).encode()
        np.savez_compressed(path, **{**saved, "about": np.frombuffer(text, np.uint8)})
        assert f"jokers {jokers} and not nothing" in expect_error(run(*given), 1)
    np.savez_compressed(path, **saved)
    assert run(*given).exit_code == 0


@pytest.mark.filterwarnings("default")
def test_checkpoint_that_cannot_be_saved_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.npz"
    given = ("simulate", "--deals", "3000", "--policy", "random", "--threads", "1")
    save, times = SavedRun.save, []

    def save_at_first(self: SavedRun) -> None:
        times.append(self.saved.finished)
        if len(times) > 1:
            raise OSError(errno.EFBIG, "cannot be written: File too large", self.path)
        save(self)

    monkeypatch.setattr(SavedRun, "save", save_at_first)
    monkeypatch.setattr(checkpoint, "SPAN_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "SAVE_SECONDS", 0.0)
    done = run(*given, "--checkpoint", str(path))
    assert done.exit_code == 0
    assert done.stdout == run(*given).stdout
    assert done.stderr.count("Warning: ") == 1
    assert "run.npz cannot be written: File too large; the run goes on" in done.stderr
    assert len(times) > 2 and times[-1] == 3000


def test_checkpoint_that_unpacks_to_gigabytes_is_refused_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.npz"
    np.savez_compressed(path, zeros=np.zeros(1 << 17, np.int64))
    monkeypatch.setattr(checkpoint, "MAX_UNPACKED", 1 << 19)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("it was unpacked"))
    told = expect_error(run("simulate", "--deals", "60", "--checkpoint", str(path)), 1)
    assert "is not a checkpoint" in told
