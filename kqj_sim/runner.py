"""The way in which a run is carried out: its workers, its progress, and its end by Ctrl-C."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from kqj_sim.arguments import Count, parse_argument, parse_count, parse_text
from kqj_sim.errors import InputError
from kqj_sim.messages import count_noun, represent
from kqj_sim.plain import to_plain
from kqj_sim.signals import announce_stop, is_program, list_stop_signals, note_signal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from kqj_sim.simulation.cluster import DaskCluster
    from kqj_sim.simulation.workers import Workers

T = TypeVar("T")

ProgressLike: TypeAlias = bool | Callable[[int, int], object]
"""True for a line on stderr, or a function of the finished and of all deals."""


class InterruptHandler:
    """A context manager in which a first Ctrl-C or TERM only requests a stop.

    In the program a second one ends the process (`kqj_sim.signals`); elsewhere only Ctrl-C is
    handled, a second one interrupts as usual, and a line says so.  In other threads than the main
    one it does nothing, as signals do not reach them.
    """

    stop_requested = False
    _announcement: threading.Timer | None = None

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
        if not is_program():
            self._announcement = announce_stop()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __exit__(self, *details: object) -> None:
        if self._is_active:
            self._restore()
        if self._announcement is not None:
            self._announcement.cancel()


SHOW_AFTER_SECONDS = 1.0

RATE_WINDOW_SECONDS, RATE_SAMPLE_SECONDS = 30.0, 0.1
"""Time over which the rate is measured, and time between two samples of it."""


class ProgressLine:
    """A line with a bar, the rate and the time left, shown after a second on a terminal.

    A thread opens it, as the first units may take long.  A context manager; `unit` is the plural of
    what is counted, such as deals.  If `progress` is a function, it is called with the finished and
    all units in place of a line.
    """

    def __init__(self, unit: str, total: int, progress: ProgressLike | None) -> None:
        self._unit = unit
        self._total = total
        self._function = progress if callable(progress) else None
        # Services have no stderr.
        has_terminal = sys.stderr is not None and sys.stderr.isatty()
        # Below the cell of a notebook Rich shows it, too.
        self._wanted = progress is True and (has_terminal or "ipykernel" in sys.modules)
        self._finished = 0
        self._may_grow = False
        self._began: float | None = None
        self._lately: deque[tuple[float, int]] = deque()
        self._answer, self._is_over = "", False
        self.progress: Progress | None = None
        self._task: TaskID | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(SHOW_AFTER_SECONDS, self._open)
        self._timer.daemon = True

    def __enter__(self) -> ProgressLine:
        if self._wanted:
            self._timer.start()
        return self

    def resume(self, count: int) -> None:
        """Add units that an earlier run finished; they do not count for the rate."""
        self._finished += count

    def expect(self, total: int, may_grow: bool = False) -> None:
        """Change the number of all units; one that `may_grow` tells nothing of the time left."""
        self._total, self._may_grow = total, may_grow

    def advance(self, count: int, answer: str = "") -> None:
        """Add finished units, and show `answer`, the result so far."""
        self._finished += count
        if self._function is not None:
            self._function(self._finished, self._total)
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
        self._answer = answer
        if now - self._began >= SHOW_AFTER_SECONDS:
            self._open()
        if self.progress is None or self._task is None:
            return
        since, before = self._lately[0]
        rate = (self._finished - before) / max(now - since, RATE_SAMPLE_SECONDS)
        is_known = rate > 0 and not self._may_grow
        self.progress.update(
            self._task, completed=self._finished, total=self._total, rate=f"{rate:,.0f}",
            answer=answer,
            left=format_duration((self._total - self._finished) / rate) if is_known else "-",
        )  # fmt: skip

    def watch(self, units: Iterable[T]) -> Iterator[T]:
        """Yield units, each of which counts as finished when the next one is asked for."""
        for unit in units:
            yield unit
            self.advance(1)

    def print_above(self, text: str) -> bool:
        """Print a line above the bar, and return True; return False if there is no bar."""
        if self.progress is None:
            return False
        self.progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
        return True

    def _open(self) -> None:
        """Show the line, unless it is shown, or its time is over."""
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
        task = progress.add_task(
            self._unit, total=self._total, completed=self._finished, rate="-", left="-",
            answer=self._answer,
        )  # fmt: skip
        with self._lock:
            if self.progress is None and not self._is_over:
                progress.start()
                self.progress, self._task = progress, task

    def __exit__(self, *details: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self.progress is not None:
                self.progress.stop()


def format_duration(seconds: float) -> str:
    """Return a duration for people: `0:45`, `2:30:00`, `3 days 04:00:00`."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{count_noun(days, 'day')} {hour:02}:{minute:02}:{second:02}"
    return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"


class Runner:
    """The way in which a run is carried out: its workers, its progress, and its end by Ctrl-C.

    No result depends on it.

    Args:
        threads: number of threads; None for all processors.
        cluster: address of a Dask scheduler, or a `DaskCluster`, in place of threads.
        progress: True for a line on stderr, or a function of the finished and of all units, such
            as deals.
        tell: called with notes for people, each a line; None to leave them out.
        made_by: the command or call that asks, as files name it.
        config: name and text of the file of options, if there is one.
        tell_error: called with a line on each part of the work that cannot be done; None to leave
            them to the result.

    Attributes:
        workers: the number of threads, or the cluster.
        made_by, config: as above.

    Example:
        >>> import kqj_sim as kqj
        >>> runner = kqj.Runner(threads=1)
        >>> kqj.sweep("standard", "take=20,150", deals=64, runner=runner).deals
        64
    """

    def __init__(
        self,
        threads: Count | None = None,
        cluster: str | DaskCluster | None = None,
        progress: ProgressLike | None = None,
        tell: Callable[[str], object] | None = None,
        made_by: str = "",
        config: tuple[str, str] | None = None,
        tell_error: Callable[[str], object] | None = None,
    ) -> None:
        progress = to_plain(progress)
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            kind = type(progress).__name__
            raise InputError(f"progress: it is True, False or a function, not {kind}")
        for name, function in (("tell", tell), ("tell_error", tell_error)):
            if not (function is None or callable(function)):
                raise InputError(f"{name}: it is a function, not {type(function).__name__}")
        if not (cluster is None or isinstance(cluster, str) or hasattr(cluster, "address")):
            kind = type(cluster).__name__
            raise InputError(f"cluster: it is an address, such as tcp://10.0.0.5:8786, not {kind}")
        self._threads = to_plain(threads)
        self._cluster = cluster
        self._progress = progress
        self._tell = tell
        self._tell_error = tell_error
        self._line = ProgressLine("", 0, None)
        self._interruption = InterruptHandler()
        self._polls = True
        self._stack: ExitStack | None = None
        self._depth = 0
        self._load: Callable[[], object] | None = None
        self._began = time.monotonic()
        self.workers: Workers = parse_count("threads", threads, 1, "2")
        self.made_by = parse_argument("made_by", parse_text, made_by)
        self.config = config

    def __repr__(self) -> str:
        workers = {"threads": self._threads, "cluster": self._cluster}
        words = (f"{name}={represent(each)}" for name, each in workers.items() if each is not None)
        return f"Runner({', '.join(words)})"

    def for_call(self, made_by: str, load: Callable[[], object]) -> Runner:
        """Return the same for one call.

        Args:
            made_by: names the call, unless a command does.
            load: called before the work, to load what its end needs.
        """
        runner = object.__new__(type(self))
        vars(runner).update(vars(self), made_by=self.made_by or made_by)
        runner._load = load
        return runner

    def __reduce__(self) -> tuple[Any, ...]:
        # A cluster by its address, as a connection can be neither pickled nor copied.
        return Runner, (self._threads, getattr(self._cluster, "address", self._cluster))

    def __enter__(self) -> Self:
        if self._stack is None:
            self._announce_compiling()
            with ExitStack() as stack:
                self.workers = stack.enter_context(self._open_workers())
                self._stack = stack.pop_all()
        self._depth += 1
        return self

    def __exit__(self, *details: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._stack is not None:
            self._stack.__exit__(*details)
            self._stack = None

    @contextmanager
    def _open_workers(self) -> Iterator[Workers]:
        """Yield the number of threads or the cluster; leave one given by address at the end."""
        cluster = self._cluster
        if cluster is None:
            yield parse_count("threads", self._threads, 1, "2")
            return
        if self._threads is not None:
            raise InputError(
                "`threads` and `cluster`: the workers of a cluster have threads of their own "
                "(dask worker --nthreads)"
            )
        if not isinstance(cluster, str):
            yield cluster
            return
        from kqj_sim.simulation.cluster import DaskCluster

        # Failures of Dask come as exceptions; its log would only repeat them.
        logging.disable(logging.CRITICAL)
        try:
            with DaskCluster(cluster, self._tell) as opened:
                yield opened
        finally:
            logging.disable(logging.NOTSET)

    @contextmanager
    def start(
        self, unit: str, total: int, polls: bool = True, is_shown: bool = True
    ) -> Iterator[Self]:
        """Show the progress of work, and let Ctrl-C end it.

        The workers are open meanwhile.  `with runner:` keeps them open for several pieces of work.

        Args:
            unit: plural of what is counted, such as deals.
            total: number of all units.
            polls: True for work that looks at `interrupted`; in other work `advance` raises
                KeyboardInterrupt: raised anywhere, it would break the locks of threads.
            is_shown: False to show no progress, for work that writes to the terminal meanwhile.

        Raises:
            InputError: there are both threads and a cluster.
            RunError: the cluster cannot be used.
        """
        if self._load is not None:
            self._load()
        with ExitStack() as stack:
            stack.enter_context(self)
            self._began = time.monotonic()
            self._interruption = stack.enter_context(InterruptHandler())
            self._polls = polls
            progress = self._progress if is_shown else None
            self._line = stack.enter_context(ProgressLine(unit, total, progress))
            yield self

    def tell(self, text: str, timed: bool = False) -> None:
        """Tell people something, with the seconds since the start if `timed`."""
        if self._tell is None:
            return
        if timed:
            text = f"{time.monotonic() - self._began:7.0f} s  {text}"
        if not self._line.print_above(text):
            self._tell(text)

    def tell_error(self, text: str) -> None:
        """Tell people of a part of the work that cannot be done, even if they want no notes."""
        if self._tell_error is not None:
            self._tell_error(text)

    def advance(self, count: int, answer: str = "") -> None:
        """Add finished units to the progress, and show `answer`, the result so far.

        Raises:
            KeyboardInterrupt: Ctrl-C asked for the end of work that does not poll.
        """
        self._line.advance(count, answer)
        if self.interrupted and not self._polls:
            raise KeyboardInterrupt

    def resume(self, count: int) -> None:
        """Add units that an earlier run finished; they do not count for the rate."""
        self._line.resume(count)

    def expect(self, total: int, may_grow: bool = False) -> None:
        """Change the number of all units; one that `may_grow` tells nothing of the time left."""
        self._line.expect(total, may_grow)

    @property
    def has_cluster(self) -> bool:
        """True if a cluster does the work in place of threads."""
        return self._cluster is not None

    @property
    def interrupted(self) -> bool:
        """True once Ctrl-C asked for the end."""
        return self._interruption.stop_requested

    def _announce_compiling(self) -> None:
        from kqj_sim.core.code_cache import can_keep_code, has_cached_kernels

        if not has_cached_kernels():
            once = " for the first time: some seconds, once"
            self.tell(f"Compiling the engine{once if can_keep_code() else ': some seconds'}")


DEFAULT_RUNNER = Runner()
"""All processors, and no progress."""
