"""How far a long run has come, on a terminal's stderr.

Ctrl-C: where the work in hand must be finished first, and how a command ends after it.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


EXIT_INTERRUPTED = 130
"""The exit status after Ctrl-C."""


class InterruptHandler:
    """Makes a first Ctrl-C a request to stop, true in `asked`; a second one is as ever.

    A context manager, for the main thread.
    """

    asked = False

    def __enter__(self) -> InterruptHandler:
        self._before = signal.signal(signal.SIGINT, self._request_stop)
        return self

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._before)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)


def exit_interrupted(message: str) -> NoReturn:
    """End a command that was interrupted and has shown what was finished; `message` says how
    much."""
    click.echo(f"Interrupted: {message}", err=True)
    click.get_current_context().exit(EXIT_INTERRUPTED)


SHOW_AFTER_SECONDS = 1.0
"""Seconds that a run may last without a word."""

RATE_WINDOW_SECONDS, RATE_SAMPLE_SECONDS = 30.0, 0.1
"""Seconds of which the rate and the time left are told, and how often they are noted."""


def make_timed_printer(quiet: bool) -> Callable[[str], None]:
    """What says a line on stderr, with the seconds from now on before it; nothing if `quiet`."""
    began = time.monotonic()

    def say(line: str) -> None:
        if not quiet:
            click.echo(f"{time.monotonic() - began:7.0f} s  {line}", err=True)

    return say


class ProgressLine:
    """A line with a bar, the rate and the time left, shown after a second on a terminal.

    A context manager.
    """

    def __init__(self, unit: str, total: int, quiet: bool) -> None:
        self._unit = unit
        self._total = total
        self._wanted = not quiet and sys.stderr.isatty()
        self._finished = 0
        self._began: float | None = None
        self._lately: deque[tuple[float, int]] = deque()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def resume(self, count: int) -> None:
        """Say how many an earlier run has finished."""
        self._finished += count

    def advance(self, count: int, answer: str = "") -> None:
        """Say that so many more deals, or games, are finished, and what the answer is so far."""
        self._finished += count
        if not self._wanted:
            return
        now = time.monotonic()
        if self._began is None:
            # The rate leaves out what went before: compiling, and the first chunk.
            self._began = now
        if not self._lately or now - self._lately[-1][0] > RATE_SAMPLE_SECONDS:
            self._lately.append((now, self._finished))
        while now - self._lately[0][0] > RATE_WINDOW_SECONDS and len(self._lately) > 1:
            self._lately.popleft()
        if now - self._began < SHOW_AFTER_SECONDS:
            return
        if self._progress is None:
            self._progress, self._task = self._open()
        assert self._task is not None
        since, before = self._lately[0]
        rate = (self._finished - before) / max(now - since, RATE_SAMPLE_SECONDS)
        self._progress.update(
            self._task, completed=self._finished, rate=f"{rate:,.0f}", answer=answer,
            left="-" if rate == 0 else _format_duration((self._total - self._finished) / rate),
        )  # fmt: skip

    def _open(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        progress = Progress(
            TextColumn("{task.completed:,} of {task.total:,} {task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rate]} a second, {task.fields[left]} left"),
            TextColumn("{task.fields[answer]}"),
            console=Console(stderr=True),
            transient=True,
        )
        task = progress.add_task(self._unit, total=self._total, rate="-", left="-", answer="")
        progress.start()
        return progress, task

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _format_duration(seconds: float) -> str:
    """A time as a person reads it: `0:45`, `2:30:00`, `3 days 04:00:00`."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days:,} day{'s' if days > 1 else ''} {hour:02}:{minute:02}:{second:02}"
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"
