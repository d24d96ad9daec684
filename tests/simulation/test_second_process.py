"""The second process of a first run: it compiles a stage, and its failures do not matter."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from kqj_sim.core import code_cache
from kqj_sim.simulation import encode
from kqj_sim.simulation.encode import compile_elsewhere
from tests.command_line import run_python


@pytest.fixture
def first_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[subprocess.Popen[bytes]]:
    """An empty cache and a free processor; the list gets the processes that are started."""
    started = []
    start = encode.start_process

    def note_start(whole_rounds: bool) -> subprocess.Popen[bytes] | None:
        helper = start(whole_rounds)
        if helper is not None:
            started.append(helper)
        return helper

    monkeypatch.setattr(code_cache, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(encode, "has_free_processor", lambda: True)
    monkeypatch.setattr(encode, "start_process", note_start)
    return started


@pytest.mark.slow
def test_program_leaves_kernels_in_the_cache_that_simulations_find(tmp_path: Path) -> None:
    variables = {"NUMBA_CACHE_DIR": str(tmp_path)}
    program = encode.PROGRAM.format(path=sys.path, whole_rounds=True)
    run_python("-c", program, variables=variables, check=True)
    code = (
        "import kqj_sim as kqj\n"
        "from kqj_sim.core import round\n"
        "from kqj_sim.simulation import encode\n"
        "assert encode.has_cached_kernels('core.round.finish_rounds')\n"
        "kqj.simulate(policy='random', deals=10)\n"
        "for kernel in (round.finish_rounds, round.play_deals):\n"
        "    print(sum(kernel.stats.cache_hits.values()))\n"
    )
    found = run_python("-c", code, variables=variables, check=True)
    assert found.stdout.split() == ["1", "1"]


HANGS = "import time; time.sleep(600)"


@pytest.mark.parametrize(
    ("program", "patience", "fails"),
    [("raise SystemExit(3)", 60, False), (HANGS, 0.05, False), (HANGS, 60, True)],
    ids=["it fails", "it hangs", "this process fails"],
)
def test_process_that_fails_or_hangs_is_ended(
    program: str, patience: float, fails: bool, first_run: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(encode, "PROGRAM", program)
    monkeypatch.setattr(encode, "PATIENCE", patience)
    begun = time.monotonic()
    expected = pytest.raises(ZeroDivisionError) if fails else nullcontext()
    with expected, compile_elsewhere(whole_rounds=True):
        if fails:
            raise ZeroDivisionError
    assert time.monotonic() - begun < 50
    (helper,) = first_run
    assert helper.returncode == 3 if program != HANGS else helper.returncode not in (None, 0)


REASONS: dict[str, Callable[[pytest.MonkeyPatch, Path], object]] = {
    "no Python": lambda patch, folder: patch.setattr(sys, "executable", ""),
    "no such program": lambda patch, folder: patch.setattr(sys, "executable", str(folder / "no")),
    "the stage is cached": lambda patch, folder: (
        folder / "core.round.finish_rounds-0.code"
    ).touch(),
    "kernels cannot be kept": lambda patch, folder: patch.setattr(
        code_cache, "CACHE_FOLDER", Path(__file__, "folder")
    ),
}


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS)
def test_nothing_is_started_in_vain(
    first_run: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    reason: Callable[[pytest.MonkeyPatch, Path], object],
) -> None:
    reason(monkeypatch, tmp_path)
    with compile_elsewhere(whole_rounds=True):
        pass
    assert not first_run


@pytest.mark.parametrize(
    ("processors", "load", "free"), [(1, 0.0, False), (2, 0.3, True), (2, 1.5, False), (8, 6, True)]
)
def test_process_needs_a_free_processor(
    monkeypatch: pytest.MonkeyPatch, processors: int, load: float, free: bool
) -> None:
    monkeypatch.setattr(encode, "count_processors", lambda: processors)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert encode.has_free_processor() is free
