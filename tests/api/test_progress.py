"""The progress line of long runs."""

from __future__ import annotations

import sys
import time

import pytest

import kqj_sim as kqj
from kqj_sim import runner
from kqj_sim.runner import ProgressLine


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_rate_and_time_left_are_those_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(runner, "time", clock)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ProgressLine("deals", 1_000_000, progress=True) as line:
        line.resume(400_000)
        clock.now = 20.0  # it was compiled meanwhile
        line.advance(0)
        assert line.progress is None
        for second in range(1, 61):  # ten times as fast after half a minute
            clock.now = 20.0 + second
            line.advance(500 if second <= 30 else 5000)
        assert line.progress is not None
        (task,) = line.progress.tasks
    assert task.completed == 400_000 + 30 * 500 + 30 * 5000
    assert (task.fields["rate"], task.fields["left"]) == ("5,000", "1:27")


def test_line_appears_before_the_first_units_are_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(runner, "SHOW_AFTER_SECONDS", 0.01)
    with ProgressLine("deals", 100, progress=True) as line:
        for _ in range(500):
            if line.progress is not None:
                break
            time.sleep(0.01)
        assert line.progress is not None and line.progress.live.is_started
    assert not line.progress.live.is_started
    with ProgressLine("deals", 100, progress=True) as short:
        pass
    time.sleep(0.05)
    assert short.progress is None


def test_units_count_when_the_next_one_is_asked_for() -> None:
    counts: list[tuple[int, int]] = []
    with ProgressLine("lines", 3, lambda *numbers: counts.append(numbers)) as line:
        assert [(unit, len(counts)) for unit in line.watch("abc")] == [("a", 0), ("b", 1), ("c", 2)]
    assert counts == [(1, 3), (2, 3), (3, 3)]


def test_without_stderr_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    runner = kqj.Runner(progress=True)
    assert kqj.simulate(deals=10, policy="standard", runner=runner).deals == 10


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (59.6, "1:00"), (3600, "1:00:00"), (90061, "1 day 01:01:01"),
     (86400 * 1234, "1,234 days 00:00:00")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert runner.format_duration(seconds) == text
