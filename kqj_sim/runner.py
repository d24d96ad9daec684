"""The way in which a run is carried out: its workers, its progress, and its end by Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

from kqj_sim.arguments import Count, parse_argument, parse_count, parse_text
from kqj_sim.errors import InputError
from kqj_sim.messages import represent
from kqj_sim.plain import to_plain
from kqj_sim.progress import InterruptHandler, ProgressLike, open_progress, open_workers

if TYPE_CHECKING:
    from kqj_sim.progress import ProgressLine
    from kqj_sim.simulation.cluster import DaskCluster
    from kqj_sim.simulation.workers import Workers


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
        self._threads = threads
        self._cluster = cluster
        self._progress = progress
        self._tell = tell
        self._tell_error = tell_error
        self._line: ProgressLine | None = None
        self._interruption: InterruptHandler | None = None
        self._polls = True
        self._stack: ExitStack | None = None
        self._depth = 0
        self._load: Callable[[], object] | None = None
        self._began = time.monotonic()
        self.workers: Workers = parse_count("threads", threads, 1, "2")
        self.made_by = parse_argument("made_by", parse_text, made_by)
        self.config = config

    def __repr__(self) -> str:
        given = {"threads": self._threads, "cluster": self._cluster}
        words = (f"{name}={represent(value)}" for name, value in given.items() if value is not None)
        return f"Runner({', '.join(words)})"

    def for_call(self, made_by: str, load: Callable[[], object]) -> Runner:
        """Return the same for one call.

        Args:
            made_by: names the call, unless a command does.
            load: called before the work, to load what its end needs.
        """
        runner = Runner(
            self._threads, self._cluster, self._progress, self._tell,
            self.made_by or made_by, self.config, self._tell_error,
        )  # fmt: skip
        runner._load = load
        return runner

    def __reduce__(self) -> tuple[Any, ...]:
        # A cluster by its address, as a connection can be neither pickled nor copied.
        return Runner, (self._threads, getattr(self._cluster, "address", self._cluster))

    def __enter__(self) -> Self:
        if self._stack is None:
            self._announce_compiling()
            with ExitStack() as stack:
                opened = open_workers(self._threads, self._cluster, self._tell)
                self.workers = stack.enter_context(opened)
                self._stack = stack.pop_all()
        self._depth += 1
        return self

    def __exit__(self, *details: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._stack is not None:
            self._stack.__exit__(*details)
            self._stack = None

    @contextmanager
    def start(self, unit: str, total: int, polls: bool = True) -> Iterator[Self]:
        """Show the progress of work, and let Ctrl-C end it.

        The workers are open meanwhile.  `with runner:` keeps them open for several pieces of work.

        Args:
            unit: plural of what is counted, such as deals.
            total: number of all units.
            polls: True for work that looks at `interrupted`; in other work `advance` raises
                KeyboardInterrupt: raised anywhere, it would break the locks of threads.

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
            self._line = stack.enter_context(open_progress(self._progress, unit, total))
            yield self

    def tell(self, text: str, timed: bool = False) -> None:
        """Tell people something, with the seconds since the start if `timed`."""
        if self._tell is None:
            return
        if timed:
            text = f"{time.monotonic() - self._began:7.0f} s  {text}"
        if self._line is None or not self._line.print_above(text):
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
        if self._line is not None:
            self._line.advance(count, answer)
        if self.interrupted and not self._polls:
            raise KeyboardInterrupt

    def resume(self, count: int) -> None:
        """Add units that an earlier run finished; they do not count for the rate."""
        if self._line is not None:
            self._line.resume(count)

    def expect(self, total: int) -> None:
        """Change the number of all units."""
        if self._line is not None:
            self._line.expect(total)

    @property
    def has_cluster(self) -> bool:
        """True if a cluster does the work in place of threads."""
        return self._cluster is not None

    @property
    def interrupted(self) -> bool:
        """True once Ctrl-C asked for the end."""
        return self._interruption is not None and self._interruption.stop_requested

    def _announce_compiling(self) -> None:
        from kqj_sim.core.code_cache import can_keep_code, has_cached_kernels

        if not has_cached_kernels():
            when = (
                " for the first time: some seconds, once" if can_keep_code() else ": some seconds"
            )
            self.tell(f"Compiling the engine{when}")


DEFAULT_RUNNER = Runner()
"""All processors, and no progress."""
