"""Run functions over ranges of numbers, in threads of this process or by another executor.

The result of a range depends on the range alone, and results come in the order of the ranges.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeAlias, TypeVar

R = TypeVar("R")


class Executor(Protocol):
    """Workers outside this process, such as `kqj_sim.simulation.cluster.DaskCluster`."""

    @property
    def thread_count(self) -> int:
        """The number of ranges that run at the same time, at least 1."""

    def map_ranges(
        self,
        function: Callable[[int, int], R],
        first: int,
        end: int,
        min_size: int,
        max_size: int | None = None,
    ) -> Generator[R]:
        """Yield `function(first, count)` of consecutive ranges from `first` up to `end`, in order.

        Args:
            function: runs in other processes, several times at once, and again for a range that
                was lost.  It and its results are pickled.
            first, end: the first number, and the one after the last.
            min_size: size of the first ranges, and the smallest size; only the last may be less.
            max_size: largest size of a range; None for no limit.
        """


Workers: TypeAlias = int | Executor | None
"""A number of threads of this process, None for one on each processor, or an executor."""


UNBOUNDED = 1 << 60
"""The end of a range that goes on until its results are no longer consumed."""


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_workers(workers: Workers) -> int:
    """Return the number of ranges that run at the same time."""
    if workers is None:
        return count_processors()
    return workers if isinstance(workers, int) else workers.thread_count


def split_range(first: int, end: int, range_size: int) -> Iterator[tuple[int, int]]:
    """Yield first number and count of consecutive ranges before `end`; the last may be smaller."""
    for start in range(first, end, range_size):
        yield start, min(range_size, end - start)


class Watch(Protocol):
    """Callbacks while threads work."""

    def wait(self) -> None:
        """Act every `TICK_SECONDS` while a result is awaited; an exception ends the work."""

    def end(self) -> None:
        """Act when no more results are wanted; ranges in progress may be abandoned."""


TICK_SECONDS = 0.1
"""Seconds between two calls of `Watch.wait`."""


MIN_RANGES_PER_THREAD = 8
"""Fewest ranges for each thread, so that all threads end at about the same time."""


def map_in_threads(
    functions: Sequence[Callable[[int, int], R]],
    first: int,
    end: int,
    range_size: int,
    watch: Watch | None = None,
    min_seconds: float = 0.0,
) -> Generator[R]:
    """Yield the results of consecutive ranges, in order.

    There is a thread for each of `functions`, and each function runs in one thread at a time, so
    that it may use buffers of its own.

    Args:
        functions: called with the first number and the count of a range.
        range_size: size of the ranges; the last may be less.
        min_seconds: where ranges take less, as many follow together as take this long: to hand
            one to a thread and its result back takes some 20 microseconds.
    """
    idle = deque(functions)

    def work(first: int, count: int) -> tuple[R, float]:
        """Return the result, and how many ranges of `range_size` take `min_seconds`."""
        function = idle.pop()
        begun = time.perf_counter()
        try:
            result = function(first, count)
        finally:
            idle.append(function)
        # A clock may stand still for as long as a short range takes.
        seconds = max(time.perf_counter() - begun, 1e-9)
        return result, min_seconds * count / range_size / seconds

    waiting: deque[Future[tuple[R, float]]] = deque()
    pool = ThreadPoolExecutor(len(functions))
    together = 1.0
    try:
        while first < end or waiting:
            # Two ranges a thread wait, so that none is idle while this thread takes a result.
            if first < end and len(waiting) <= 2 * len(functions):
                most = (end - first) // (MIN_RANGES_PER_THREAD * len(functions) * range_size)
                count = min(range_size * max(1, min(int(together), most)), end - first)
                waiting.append(pool.submit(work, first, count))
                first += count
                continue
            result, together = _wait_for_result(waiting.popleft(), watch)
            yield result
    except BaseException:
        if watch is not None:
            watch.end()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _wait_for_result(future: Future[R], watch: Watch | None) -> R:
    while watch is not None and not wait([future], TICK_SECONDS).done:
        watch.wait()
    return future.result()
