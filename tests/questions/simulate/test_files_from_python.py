"""Rows and checkpoints of `kqj.simulate`, as the command writes them."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kqj_sim as kqj
from kqj_sim.output.files import OutputFolder
from kqj_sim.output.rows import RowsFile
from kqj_sim.questions.compare.result import TuningResult
from kqj_sim.questions.simulate import checkpoint
from kqj_sim.results import UnwrittenFileError
from kqj_sim.runner import ProgressLine

FEW: dict[str, Any] = {"deals": 600, "policy": "random", "where": "taken"}


def test_rows_are_those_of_the_frame(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    result = kqj.simulate(rows=path, **FEW)
    pd.testing.assert_frame_equal(pd.read_parquet(path), result.frame())
    assert result.to_json() == kqj.simulate(**FEW).to_json()


def test_rows_that_cannot_be_written_do_not_cost_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(self: RowsFile, run: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(RowsFile, "finish", finish)
    with pytest.raises(OSError, match="cannot be written: No space left on device") as caught:
        kqj.simulate(rows=tmp_path / "rows.csv", **FEW)
    assert isinstance(caught.value, UnwrittenFileError)
    assert caught.value.result.to_json() == kqj.simulate(**FEW).to_json()
    endings: dict[str, Any] = {"deals": 99, "cards": 1, "policy": "random"}
    with pytest.raises(UnwrittenFileError, match="cannot be written: No space left") as caught:
        kqj.solve(rows=tmp_path / "rows.csv", **endings)
    assert caught.value.result.to_json() == kqj.solve(**endings).to_json()
    assert not list(tmp_path.iterdir())


def test_files_written_at_the_end_do_not_cost_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(TuningResult, "render_player", fail)
    monkeypatch.setattr(OutputFolder, "write", fail)
    small: dict[str, Any] = {"deals": 20, "opponents": "greedy", "generations": 1, "confirm": 20}
    with pytest.raises(UnwrittenFileError, match="cannot be written: No space left") as caught:
        kqj.tune("standard", "take", save=tmp_path / "x.toml", **small)
    assert caught.value.result.policy == kqj.tune("standard", "take", **small).policy
    few: dict[str, Any] = {"deals": 60, "policy": "random", "games": 0, "chart_deals": 0}
    with pytest.raises(UnwrittenFileError, match="cannot be written: No space left") as caught:
        kqj.report(tmp_path / "r", **few)
    report = caught.value.result
    assert "taking" in report.tables and not report.files
    assert report.to_json() and report.to_markdown()
    assert not list(tmp_path.iterdir())


def test_the_same_call_resumes_a_checkpoint(tmp_path: Path) -> None:
    finished: list[int] = []

    def interrupt(done: int, total: int) -> None:
        if not finished:
            os.kill(os.getpid(), signal.SIGINT)
        finished.append(done)

    path = tmp_path / "run.npz"
    many = FEW | {"deals": 50_000}
    part = kqj.simulate(checkpoint=path, runner=kqj.Runner(1, progress=interrupt), **many)
    assert part.interrupted and part.deals == checkpoint.read_checkpoint(path)[0].finished
    assert 0 < part.deals == finished[-1] < 50_000
    whole = kqj.simulate(checkpoint=path, **many)
    assert whole.to_json() == kqj.simulate(**many).to_json()


def test_an_interruption_is_raised_where_no_lock_is_held() -> None:
    """Raised anywhere, it may leave a lock of a thread's result or of the display in disorder."""
    reached: list[int] = []

    def interrupt(done: int, total: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        reached.append(done)

    many = FEW | {"deals": 50_000}
    part = kqj.simulate(runner=kqj.Runner(1, progress=interrupt), **many)
    assert part.interrupted and 0 < part.deals < 50_000
    assert len(reached) == 1


def test_a_second_interruption_leaves_out_the_unfinished_span(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts of a span are saved whole or not at all."""
    path = tmp_path / "run.npz"
    kqj.simulate(checkpoint=path, **FEW)

    def advance(line: ProgressLine, count: int, answer: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "advance", advance)
    longer = FEW | {"deals": 50_000}
    with pytest.raises(KeyboardInterrupt):
        kqj.simulate(checkpoint=path, **longer)
    monkeypatch.undo()
    assert checkpoint.read_checkpoint(path)[0].finished == 600
    assert kqj.simulate(checkpoint=path, **longer).to_json() == kqj.simulate(**longer).to_json()
