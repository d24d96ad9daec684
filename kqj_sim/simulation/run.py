"""Play experiments: keep their rows, reduce them, or play several on the same deals.

A chunk is a range of deals (or of games).  Its rows depend on the seed and the range alone, and
results are combined in the order of the chunks: they are the same whatever the number of threads,
the size of the chunks, or the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.block import LANES
from kqj_sim.errors import InputError
from kqj_sim.simulation.blocks import CHUNK_ROWS, BlockPlayer, report_illegal_choices
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import GameRows, Rows, concatenate_rows, copy_rows
from kqj_sim.simulation.workers import (
    MIN_RANGES_PER_THREAD,
    Executor,
    Workers,
    count_workers,
    map_in_threads,
    split_range,
)


class Reducer(Protocol):
    """An aggregation of rows; merging must not depend on the order."""

    @property
    def columns(self) -> frozenset[str] | None:
        """Names of the columns that it reads; the others are not filled.  None for all."""

    def add(self, rows: Rows) -> None:
        """Add the rows of a chunk, in a worker's thread."""

    def add_games(self, games: GameRows) -> None:
        """Add finished games, in a worker's thread."""

    def merge(self, other: Any) -> None:
        """Add everything that another reducer of the same kind holds."""


@runtime_checkable
class SerializableReducer(Protocol):
    """A reducer whose counts can be sent to another process and stored."""

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Return all counts, as arrays by name."""

    def add_numbers(self, numbers: dict[str, NDArray[np.int64]]) -> None:
        """Add the counts that `numbers` of another reducer returned."""


S = TypeVar("S", bound=Reducer)


@dataclass(frozen=True)
class ReducedResult(Generic[S]):
    """A reducer with all rows of an experiment; `interrupted` if Ctrl-C ended the run early."""

    result: S
    deals: int
    interrupted: bool


ReducedRange: TypeAlias = tuple[int, int, dict[str, NDArray[np.int64]]]
"""A number of deals (or games), that of the rounds played in them, and the counts of a reducer."""


class _RangeCollector(Generic[S]):
    def __init__(self, reducer: S) -> None:
        self.reducer = reducer
        self.deals = 0

    def collect(self, ranges: Iterable[ReducedRange]) -> Generator[int]:
        """Add ranges as they arrive; yield the number of deals (or games) of each."""
        # Ctrl-C reaches the main thread: it must not stop an addition half-way.
        with ThreadPoolExecutor(1) as pool:
            for reduced in ranges:
                yield pool.submit(self._add, *reduced).result()

    def _add(self, count: int, deals: int, numbers: dict[str, NDArray[np.int64]]) -> int:
        assert isinstance(self.reducer, SerializableReducer)
        self.reducer.add_numbers(numbers)
        self.deals += deals
        return count


CHUNK_GAMES = 1 << 10
"""Games that a thread plays at a time."""
MIN_RANGE_SECONDS = 0.005
"""Shortest time, about, that a thread plays on its own in a long run."""
MAX_ROWS_PER_RANGE = 8 * CHUNK_ROWS
"""Most rows that an executor sends together: some megabytes."""

R = TypeVar("R")


class _ReducingWorker(Generic[S]):
    """A reducer, and what plays for it in one thread."""

    def __init__(
        self, experiment: Experiment, seating: Any, make_reducer: Callable[[], S], chunk: int
    ) -> None:
        self.reducer = make_reducer()
        self.deals = 0
        self._player = BlockPlayer(experiment, seating, chunk, columns=self.reducer.columns)
        self._chunk = chunk

    def play(self, first: int, count: int) -> int:
        for piece in split_range(first, first + count, self._chunk):
            for rows in self._player.play(*piece):
                self.reducer.add(rows)
                if rows.finished_games is not None:
                    self.reducer.add_games(rows.finished_games)
                self.deals += len(rows)
        return count


def _reduce_range(
    experiment: Experiment, make_reducer: Callable[[], Reducer], chunk: int, first: int, count: int
) -> ReducedRange:
    """Play a range in this thread, of an executor that got the other arguments pickled."""
    worker = _ReducingWorker(experiment, experiment.compile_seating(), make_reducer, chunk)
    worker.play(first, count)
    if not isinstance(worker.reducer, SerializableReducer):
        raise TypeError(f"{type(worker.reducer).__name__} has no numbers that could be sent")
    return count, worker.deals, worker.reducer.numbers()


def _get_bounds(
    experiment: Experiment, deal_range: tuple[int, int] | None = None
) -> tuple[int, int]:
    """Return the numbers of the first deal (or game) and of the one after the last.

    `deal_range`, the first and the number of deals, stands in place of the experiment's.
    """
    first, count = deal_range or (experiment.first, experiment.games or experiment.deals)
    return first, first + count


def _choose_first_range(experiment: Experiment, chunk: int) -> int:
    """Return the size of an executor's first ranges, while the time of a deal is unknown."""
    return min(chunk, LANES if experiment.games is None else LANES // 8)


MAX_THREADS = 1 << 10
"""Each thread has its own arrays: many more would take all memory."""


def _choose_chunk_size(experiment: Experiment, threads: Workers) -> int:
    """Return the deals (or games) of a chunk: fewer for a short run, to keep all threads busy."""
    if experiment.games is not None:
        return CHUNK_GAMES
    share = -(-experiment.deals // (MIN_RANGES_PER_THREAD * max(count_workers(threads), 1)))
    return min(CHUNK_ROWS, -(-share // LANES) * LANES)


def _check_chunk_size(experiment: Experiment, threads: Workers, chunk: int | None) -> int:
    size = _choose_chunk_size(experiment, threads) if chunk is None else chunk
    for name, value in (("threads", threads), ("chunk", size)):
        if isinstance(value, int) and value < 1:
            raise InputError(f"{name} is {value}: it should be 1 or more")
    if isinstance(threads, int) and threads > MAX_THREADS:
        raise InputError(f"threads is {threads:,}: it should be 1 to {MAX_THREADS:,}")
    return size


def reduce_rows(
    experiment: Experiment,
    make_reducer: Callable[[], S],
    threads: Workers = None,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> ReducedResult[S]:
    """Play an experiment and reduce its rows as they come; memory does not grow with the deals.

    Args:
        make_reducer: returns an empty reducer; called once for each thread and once more.
        threads: number of threads, by default one for each processor; or an executor, such as
            `kqj_sim.simulation.cluster.DaskCluster`, with a `SerializableReducer`.
        chunk: deals (or games) that a thread plays at a time.
        progress: called in this thread with the number of deals (or games) just finished.

    Raises:
        InputError: threads or chunk is below 1; a policy cannot be used, or makes an illegal
            choice.
        RunError: a game does not end.
    """
    parts: list[_ReducingWorker[S] | _RangeCollector[S]]
    if threads is None or isinstance(threads, int):
        size = _check_chunk_size(experiment, threads, chunk)
        seating = experiment.compile_seating()
        workers = [
            _ReducingWorker(experiment, seating, make_reducer, size)
            for _ in range(count_workers(threads))
        ]
        counts = map_in_threads(
            [worker.play for worker in workers], *_get_bounds(experiment), size,
            min_seconds=MIN_RANGE_SECONDS,
        )  # fmt: skip
        parts = [*workers]
    else:
        collector = _RangeCollector(make_reducer())
        counts = collector.collect(reduce_ranges(experiment, make_reducer, threads, chunk))
        parts = [collector]
    interrupted = False
    try:
        with report_illegal_choices():
            for count in counts:
                if progress is not None:
                    progress(count)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        counts.close()
    result = make_reducer()
    for part in parts:
        result.merge(part.reducer)
    return ReducedResult(result, sum(part.deals for part in parts), interrupted)


def reduce_ranges(
    experiment: Experiment,
    make_reducer: Callable[[], Reducer],
    executor: Executor,
    chunk: int | None = None,
) -> Generator[ReducedRange]:
    """Yield the reduced ranges of an experiment in order; arguments as in `reduce_rows`."""
    size = _check_chunk_size(experiment, executor, chunk)
    play = partial(_reduce_range, experiment, make_reducer, size)
    least = _choose_first_range(experiment, size)
    with report_illegal_choices():
        yield from executor.map_ranges(play, *_get_bounds(experiment), least)


def iterate_row_chunks(
    experiment: Experiment,
    threads: Workers = None,
    chunk: int | None = None,
    columns: frozenset[str] | None = None,
) -> Iterator[Rows]:
    """Yield the rows of an experiment in order of deal, chunk by chunk, as `reduce_rows`."""
    yield from play_same_deals(
        [experiment], itemgetter(0), threads, chunk, max_deals_per_message=MAX_ROWS_PER_RANGE,
        columns=columns,
    )  # fmt: skip


@dataclass(frozen=True)
class _SameDealsJob(Generic[R]):
    """Experiments on the same deals and a function of their rows; an executor receives it
    pickled."""

    experiments: Sequence[Experiment]
    function: Callable[[tuple[Rows, ...]], R]
    combine: Callable[[R, R], object] | None
    chunk: int
    with_fingerprints: bool
    columns: frozenset[str] | None

    def make_workers(self, thread_count: int) -> list[Callable[[int, int], R]]:
        """Return for each thread a function of a chunk's first deal and count."""
        seatings = [(experiment, experiment.compile_seating()) for experiment in self.experiments]
        return [partial(self._play, seatings)] * thread_count

    def _play(self, seatings: Sequence[tuple[Experiment, Any]], first: int, count: int) -> R:
        played = []
        for experiment, seating in seatings:
            # A player for each chunk costs 20 microseconds; one for each of 400 settings to vary,
            # kept in every thread, half a gigabyte.
            player = BlockPlayer(experiment, seating, count, self.with_fingerprints, self.columns)
            parts = player.play(first, count)
            if experiment.games is not None:
                # Chunks of games overwrite each other.
                parts = map(copy_rows, parts)
            played.append(concatenate_rows([*parts]))
        return self.function(tuple(played))

    def play_range(self, first: int, count: int) -> list[R]:
        """Play a range in this thread; return the result of each chunk, or all combined."""
        (play_chunk,) = self.make_workers(1)
        results: list[R] = []
        for piece in split_range(first, first + count, self.chunk):
            result = play_chunk(*piece)
            if self.combine is None or not results:
                results.append(result)
            else:
                self.combine(results[0], result)
        return results


def play_same_deals(
    experiments: Sequence[Experiment],
    function: Callable[[tuple[Rows, ...]], R],
    threads: Workers = None,
    chunk: int | None = None,
    with_fingerprints: bool = False,
    combine: Callable[[R, R], object] | None = None,
    max_deals_per_message: int | None = None,
    columns: frozenset[str] | None = None,
    deal_range: tuple[int, int] | None = None,
) -> Iterator[R]:
    """Play several experiments on the same deals; yield `function` of the rows of each chunk.

    Args:
        experiments: one or more with the same seed and range of deals, or of games.
        function: called in a worker's thread with the rows of each experiment, in order of deal.
        threads, chunk: as in `reduce_rows`; results come in the order of the chunks.
        with_fingerprints, columns: as in `BlockPlayer`.
        combine: adds the result of a chunk, its second argument, to its first in place, so that
            an executor sends less; None to send the result of each chunk.
        max_deals_per_message: most deals (or games) whose results an executor sends together;
            None for no limit.
        deal_range: the first deal (or game) and the number of deals, in place of those of the
            experiments.

    Raises:
        InputError: the experiments have different deals; and as `reduce_rows`.
    """
    if len({(other.seed, other.first, other.deals, other.games) for other in experiments}) != 1:
        raise InputError("experiments that are played together have the same deals")
    experiment = experiments[0]
    bounds, size = (
        _get_bounds(experiment, deal_range),
        _check_chunk_size(experiment, threads, chunk),
    )
    job = _SameDealsJob(experiments, function, combine, size, with_fingerprints, columns)
    with report_illegal_choices():
        if threads is None or isinstance(threads, int):
            yield from map_in_threads(job.make_workers(count_workers(threads)), *bounds, size)
            return
        least = _choose_first_range(experiment, size)
        for results in threads.map_ranges(job.play_range, *bounds, least, max_deals_per_message):
            yield from results


def simulate(experiment: Experiment, threads: Workers = None) -> Rows:
    """Play an experiment and return all its rows, in order of deal; raise as `reduce_rows`."""
    return concatenate_rows(list(iterate_row_chunks(experiment, threads)))
