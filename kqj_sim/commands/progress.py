"""Progress of a long run on stderr, and its interruption by Ctrl-C."""

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
    """A context manager, for the main thread, in which a first Ctrl-C only requests a stop.

    A second Ctrl-C interrupts as usual.

    Attributes:
        stop_requested: True after the first Ctrl-C.
    """

    stop_requested = False

    def __enter__(self) -> InterruptHandler:
        self._before = signal.signal(signal.SIGINT, self._request_stop)
        return self

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_requested = True
        signal.signal(signal.SIGINT, self._before)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)


def exit_interrupted(message: str) -> NoReturn:
    """Exit a command that was interrupted; `message` says how much it has finished."""
    click.echo(f"Interrupted: {message}", err=True)
    click.get_current_context().exit(EXIT_INTERRUPTED)


SHOW_AFTER_SECONDS = 1.0
"""Time before the progress of a run is shown."""

RATE_WINDOW_SECONDS, RATE_SAMPLE_SECONDS = 30.0, 0.1
"""Time over which the rate is measured, and time between two samples of it."""


def make_timed_printer(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints a line with the seconds since now; no output if `quiet`."""
    began = time.monotonic()

    def print_line(line: str) -> None:
        if not quiet:
            click.echo(f"{time.monotonic() - began:7.0f} s  {line}", err=True)

    return print_line


class ProgressLine:
    """A line with a bar, the rate and the time left, shown after a second on a terminal.

    A context manager.

    Args:
        unit: plural of what is counted, such as deals.
        total: number of all units.
        quiet: show nothing.
    """

    def __init__(self, unit: str, total: int, quiet: bool) -> None:
        self._unit = unit
        self._total = total
        self._wanted = not quiet and sys.stderr.isatty()
        self._finished = 0
        self._began: float | None = None
        self._lately: deque[tuple[float, int]] = deque()
        self.progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def resume(self, count: int) -> None:
        """Add units that an earlier run finished; they do not count for the rate."""
        self._finished += count

    def expect(self, total: int) -> None:
        """Change the number of all units."""
        self._total = total

    def advance(self, count: int, answer: str = "") -> None:
        """Add finished units, and show `answer`, the result so far."""
        self._finished += count
        if not self._wanted:
            return
        now = time.monotonic()
        if self._began is None:
            # The rate leaves out compiling and the first chunk.
            self._began = now
        if not self._lately or now - self._lately[-1][0] > RATE_SAMPLE_SECONDS:
            self._lately.append((now, self._finished))
        while now - self._lately[0][0] > RATE_WINDOW_SECONDS and len(self._lately) > 1:
            self._lately.popleft()
        if now - self._began < SHOW_AFTER_SECONDS:
            return
        if self.progress is None:
            self.progress, self._task = self._open()
        assert self._task is not None
        since, before = self._lately[0]
        rate = (self._finished - before) / max(now - since, RATE_SAMPLE_SECONDS)
        self.progress.update(
            self._task, completed=self._finished, total=self._total, rate=f"{rate:,.0f}",
            answer=answer,
            left="-" if rate == 0 else format_duration((self._total - self._finished) / rate),
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
        if self.progress is not None:
            self.progress.stop()


def format_duration(seconds: float) -> str:
    """Return a duration for people: `0:45`, `2:30:00`, `3 days 04:00:00`."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days:,} day{'s' if days > 1 else ''} {hour:02}:{minute:02}:{second:02}"
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"
