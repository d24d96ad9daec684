"""Who does work that comes in ranges of numbers: threads of this process, or workers elsewhere.

What comes of a range depends on the range alone, and is given in the order of the ranges: who did
it, how many they were and how large the ranges were cannot be seen in it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeAlias, TypeVar

R = TypeVar("R")


class Executor(Protocol):
    """Workers elsewhere; `kqj_sim.dask_cluster.DaskCluster` is one."""

    @property
    def size(self) -> int:
        """How many ranges they do at a time."""

    def run(
        self,
        function: Callable[[int, int], R],
        first: int,
        end: int,
        min_size: int,
        max_size: int | None = None,
    ) -> Generator[R]:
        """What `function(first, count)` gives for ranges that make up `first` to `end`, in order.

        Args:
            function: called elsewhere, several times at once, and again for a range that was lost;
                it and what it gives are pickled.
            first, end: the first number, and the one behind the last.
            min_size: numbers of a range to begin with, and at least; others are worth the way.
            max_size: numbers of a range at most.
        """


Workers: TypeAlias = int | Executor | None
"""How many threads of this process work, None for all processors; or workers elsewhere."""


UNBOUNDED = 1 << 60
"""In place of the number behind the last, for work that goes on until nobody takes what comes."""


def count_processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_workers(workers: Workers) -> int:
    """How many ranges are done at a time."""
    if workers is None:
        return count_processors()
    return workers if isinstance(workers, int) else workers.size


def split_range(first: int, end: int, range_size: int) -> Iterator[tuple[int, int]]:
    """First number and count of the ranges of a size, the last one smaller, from `first` to `end`.

    `end` is the number behind the last.
    """
    for start in range(first, end, range_size):
        yield start, min(range_size, end - start)


class Watch(Protocol):
    """What is called while threads work."""

    def wait(self) -> None:
        """Called ten times a second while a range is awaited; what it raises ends the work."""

    def end(self) -> None:
        """Called when nothing more is wanted: ranges that are worked on may be left unfinished."""


TICK = 0.1
"""Seconds between two calls of `Watch.wait`."""


def map_in_threads(
    functions: Sequence[Callable[[int, int], R]],
    first: int,
    end: int,
    range_size: int,
    watch: Watch | None = None,
) -> Generator[R]:
    """What comes of ranges of a size, in order; each of `functions` works in one thread at a
    time."""
    idle = deque(functions)

    def work(first: int, count: int) -> R:
        hand = idle.pop()
        try:
            return hand(first, count)
        finally:
            idle.append(hand)

    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(len(functions))
    try:
        for piece in split_range(first, end, range_size):
            waiting.append(pool.submit(work, *piece))
            if len(waiting) > 2 * len(functions):
                yield _result(waiting.popleft(), watch)
        while waiting:
            yield _result(waiting.popleft(), watch)
    finally:
        if watch is not None:
            watch.end()
        pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[R], watch: Watch | None) -> R:
    """Wait for a result, and let `watch` know of the waiting."""
    while watch is not None and not wait([future], TICK).done:
        watch.wait()
    return future.result()
