"""How far a long run has come, on a terminal's stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds that a run may last without a word."""


def timed_lines(quiet: bool) -> Callable[[str], None]:
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
        self._first: tuple[float, int] | None = None
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def advance(self, count: int, answer: str = "") -> None:
        """Say that so many more deals, or games, are finished, and what the answer is so far."""
        self._finished += count
        now = time.monotonic()
        if self._first is None:
            # The rate leaves out what went before: compiling, and the first chunk.
            self._first = (now, self._finished)
        since, before = self._first
        if not self._wanted or now - since < PATIENCE:
            return
        if self._progress is None:
            self._progress, self._task = self._open()
        assert self._task is not None
        rate = f"{(self._finished - before) / (now - since):,.0f}"
        self._progress.update(self._task, completed=self._finished, rate=rate, answer=answer)

    def _open(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        progress = Progress(
            TextColumn("{task.completed:,} of {task.total:,} {task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rate]} a second"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[answer]}"),
            console=Console(stderr=True),
            transient=True,
        )
        progress.start()
        return progress, progress.add_task(self._unit, total=self._total, rate="", answer="")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
