"""Progress of a long run, its workers, and its interruption by Ctrl-C."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

from kqj_sim.arguments import Count, parse_count
from kqj_sim.errors import InputError
from kqj_sim.messages import count_noun
from kqj_sim.signals import list_stop_signals, note_signal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from kqj_sim.simulation.cluster import DaskCluster
    from kqj_sim.simulation.workers import Workers

ProgressLike: TypeAlias = bool | Callable[[int, int], object]
"""True for a line on stderr, or a function of the finished and of all deals."""


class InterruptHandler:
    """A context manager in which a first Ctrl-C or TERM only requests a stop.

    In the program a second one ends the process (`kqj_sim.signals`); elsewhere only Ctrl-C is
    handled, and a second one interrupts as usual.  In other threads than the main one it does
    nothing, as signals do not reach them.
    """

    stop_requested = False

    def __enter__(self) -> InterruptHandler:
        self._is_active = threading.current_thread() is threading.main_thread()
        if self._is_active:
            self._before = {
                number: signal.signal(number, self._request_stop) for number in list_stop_signals()
            }
        return self

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_requested = True
        note_signal(number)
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __exit__(self, *details: object) -> None:
        if self._is_active:
            self._restore()


SHOW_AFTER_SECONDS = 1.0

RATE_WINDOW_SECONDS, RATE_SAMPLE_SECONDS = 30.0, 0.1
"""Time over which the rate is measured, and time between two samples of it."""


class ProgressLine:
    """A line with a bar, the rate and the time left, shown after a second on a terminal.

    A context manager; `unit` is the plural of what is counted, such as deals.
    """

    def __init__(self, unit: str, total: int, quiet: bool) -> None:
        self._unit = unit
        self._total = total
        # Services have no stderr.
        has_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._wanted = not quiet and (has_terminal or _is_notebook())
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

    def print_above(self, text: str) -> bool:
        """Print a line above the bar, and return True; return False if there is no bar."""
        if self.progress is None:
            return False
        self.progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
        return True

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

    def __exit__(self, *details: object) -> None:
        if self.progress is not None:
            self.progress.stop()


def _is_notebook() -> bool:
    """Return whether this is a notebook's kernel, where Rich shows progress below the cell."""
    return "ipykernel" in sys.modules


def format_duration(seconds: float) -> str:
    """Return a duration for people: `0:45`, `2:30:00`, `3 days 04:00:00`."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{count_noun(days, 'day')} {hour:02}:{minute:02}:{second:02}"
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"


class ProgressCallback(ProgressLine):
    """A progress display that calls a function with the finished and all units."""

    def __init__(self, function: Callable[[int, int], object], total: int) -> None:
        super().__init__("", total, quiet=True)
        self._function = function

    def advance(self, count: int, answer: str = "") -> None:
        """Add finished units and report them."""
        super().advance(count, answer)
        self._function(self._finished, self._total)


def open_progress(progress: ProgressLike | None, unit: str, total: int) -> ProgressLine:
    """Return the display that the argument `progress` of a public function asks for."""
    if progress is None or isinstance(progress, bool):
        return ProgressLine(unit, total, quiet=not progress)
    return ProgressCallback(progress, total)


@contextmanager
def open_workers(
    threads: Count | None,
    cluster: str | DaskCluster | None,
    tell: Callable[[str], object] | None = None,
) -> Iterator[Workers]:
    """Yield the number of threads, or the cluster; leave a cluster given by address at the end.

    Args:
        threads: the number of threads; None for all processors.
        tell: called with a line on the cluster's workers; None to say nothing.

    Raises:
        InputError: both are given.
        RunError: the cluster cannot be used.
    """
    threads = parse_count("threads", threads, 1, "2")
    if cluster is None:
        yield threads
        return
    if threads is not None:
        raise InputError(
            "--threads and --cluster: the workers of a cluster have threads of their own "
            "(dask worker --nthreads)"
        )
    if not isinstance(cluster, str):
        yield cluster
        return
    from kqj_sim.simulation.cluster import DaskCluster

    # Failures of Dask come as exceptions; its log would only repeat them.
    logging.disable(logging.CRITICAL)
    try:
        with DaskCluster(cluster, tell) as found:
            yield found
    finally:
        logging.disable(logging.NOTSET)
