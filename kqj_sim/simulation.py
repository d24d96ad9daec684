"""An experiment becomes rows: chunks of deals, threads, seeds, progress.

A chunk is a range of deals (or of games).  What it gives depends on the seed and the range alone,
and results are put together in the order of the chunks, so neither the number of threads nor the
size of the chunks can be seen in them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from kqj_sim.core.state import LANES
from kqj_sim.crew import Crew, Threads, at_once, in_threads, pieces
from kqj_sim.experiment import Experiment, ExperimentError
from kqj_sim.rows import Rows, copied, in_order
from kqj_sim.summary import Folded, Part, Received, S, Sendable, Summary
from kqj_sim.worker import CHUNK, Worker, wrong_choices_told

GAMES_CHUNK = 1 << 10
SHARES = 8
"""Chunks that each thread has at least, so that all end at about the same time."""
FEW, FEW_GAMES = LANES, LANES // 8
"""What a crew begins with: how long deals take is not known yet."""
MOST_ROWS = 8 * CHUNK
"""Rows that a crew sends together, at most: some megabytes."""

R = TypeVar("R")


class _Folding(Generic[S]):
    """One thread's worker, and the summary that it adds to."""

    def __init__(self, worker: Worker, summary: S) -> None:
        self.worker = worker
        self.summary = summary
        self.deals = 0

    def play(self, first: int, count: int) -> int:
        for rows in self.worker.play(first, count):
            self.summary.add(rows)
            if rows.ended is not None:
                self.summary.add_games(rows.ended)
            self.deals += len(rows)
        return count


@dataclass(frozen=True)
class _Fold(Generic[S]):
    """What is reduced, and to what."""

    experiment: Experiment
    start: Callable[[], S]
    chunk: int

    def foldings(self, number: int) -> list[_Folding[S]]:
        """For so many threads."""
        table = self.experiment.table()
        summaries = [self.start() for _ in range(number)]
        return [
            _Folding(Worker(self.experiment, table, self.chunk, wanted=summary.columns), summary)
            for summary in summaries
        ]

    def part(self, first: int, count: int) -> Part:
        """Play a range in this thread."""
        (folding,) = self.foldings(1)
        for piece in pieces(first, first + count, self.chunk):
            folding.play(*piece)
        summary = folding.summary
        if not isinstance(summary, Sendable):
            raise TypeError(f"{type(summary).__name__} has no numbers that could be sent")
        return Part(count, folding.deals, summary.numbers())


def _extent(experiment: Experiment) -> tuple[int, int]:
    """The number of the first deal, or game, and the one behind the last."""
    return experiment.first, experiment.first + (experiment.games or experiment.deals)


MOST_THREADS = 1 << 10
"""Each has its own arrays, so that many more would take all memory."""


def _chunk_size(experiment: Experiment, threads: Threads) -> int:
    """Rows that a thread makes at a time: less than CHUNK where one thread would end long last."""
    if experiment.games is not None:
        return GAMES_CHUNK
    share = -(-experiment.deals // (SHARES * max(at_once(threads), 1)))
    return min(CHUNK, -(-share // LANES) * LANES)


def _checked(experiment: Experiment, threads: Threads, chunk: int | None) -> int:
    """How many deals, or games, are played at a time; raises ExperimentError."""
    size = _chunk_size(experiment, threads) if chunk is None else chunk
    for name, value in (("threads", threads), ("chunk", size)):
        if isinstance(value, int) and value < 1:
            raise ExperimentError(f"{name} is {value}: it should be 1 or more")
    if isinstance(threads, int) and threads > MOST_THREADS:
        raise ExperimentError(f"threads is {threads:,}: it should be 1 to {MOST_THREADS:,}")
    return size


def fold(
    experiment: Experiment,
    start: Callable[[], S],
    threads: Threads = None,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Folded[S]:
    """Play an experiment and reduce its rows as they come; memory does not grow with the deals.

    Args:
        experiment: what to play.
        start: makes an empty summary, one for each thread.
        threads: threads, all processors by default; or a crew, such as
            `kqj_sim.cluster.Cluster`, for a summary that is `Sendable`.
        chunk: deals (or games) a thread plays at a time.
        progress: called with numbers of deals (or games) as they are finished, in this thread.

    Raises:
        ExperimentError: threads or chunk below 1.
        PolicyError: a policy cannot be used, or makes a choice that is not allowed.
        GameError: a game does not end.
    """
    found: list[_Folding[S] | Received[S]]
    if threads is None or isinstance(threads, int):
        job = _Fold(experiment, start, _checked(experiment, threads, chunk))
        foldings = job.foldings(at_once(threads))
        counts = in_threads([each.play for each in foldings], *_extent(experiment), job.chunk)
        found = [*foldings]
    else:
        received = Received(start())
        counts = received.take(folded_parts(experiment, start, threads, chunk))
        found = [received]
    interrupted = False
    try:
        with wrong_choices_told():
            for count in counts:
                if progress is not None:
                    progress(count)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        counts.close()
    result = start()
    for each in found:
        result.merge(each.summary)
    return Folded(result, sum(each.deals for each in found), interrupted)


def folded_parts(
    experiment: Experiment, start: Callable[[], Summary], crew: Crew, chunk: int | None = None
) -> Generator[Part]:
    """What a crew makes of an experiment, range by range in order; else as `fold`."""
    job = _Fold(experiment, start, _checked(experiment, crew, chunk))
    least = min(job.chunk, FEW if experiment.games is None else FEW_GAMES)
    with wrong_choices_told():
        yield from crew.run(job.part, *_extent(experiment), least)


def row_chunks(
    experiment: Experiment, threads: Threads = None, chunk: int | None = None
) -> Iterator[Rows]:
    """The rows of an experiment in order of deal, a chunk at a time; arguments as in `fold`."""
    yield from play_together([experiment], _only, threads, chunk, most=MOST_ROWS)


def _only(played: tuple[Rows, ...]) -> Rows:
    return played[0]


@dataclass(frozen=True)
class _Together(Generic[R]):
    """What is played together, and what is made of the rows."""

    experiments: Sequence[Experiment]
    work: Callable[[tuple[Rows, ...]], R]
    add: Callable[[R, R], object] | None
    chunk: int
    marked: bool

    def hands(self, number: int) -> list[Callable[[int, int], R]]:
        """For so many threads, what plays a chunk."""
        tables = [(each, each.table()) for each in self.experiments]
        return [
            partial(
                self._play,
                [Worker(each, table, self.chunk, self.marked) for each, table in tables],
            )
            for _ in range(number)
        ]

    def _play(self, workers: Sequence[Worker], first: int, count: int) -> R:
        return self.work(
            tuple(
                in_order([copied(rows) for rows in worker.play(first, count)]) for worker in workers
            )
        )

    def part(self, first: int, count: int) -> list[R]:
        """Play a range in this thread: what came of each chunk, or all of it added up."""
        (hand,) = self.hands(1)
        found: list[R] = []
        for piece in pieces(first, first + count, self.chunk):
            made = hand(*piece)
            if self.add is None or not found:
                found.append(made)
            else:
                self.add(found[0], made)
        return found


def play_together(
    experiments: Sequence[Experiment],
    work: Callable[[tuple[Rows, ...]], R],
    threads: Threads = None,
    chunk: int | None = None,
    marked: bool = False,
    add: Callable[[R, R], object] | None = None,
    most: int | None = None,
) -> Iterator[R]:
    """Play several experiments on the same deals, and give what `work` makes of each chunk.

    Args:
        experiments: one or more with the same seed and range of deals, or of games.
        work: called in a worker's thread with the rows of each experiment, all in order of deal.
        threads, chunk: as for `fold`; what is given comes in the order of the chunks.
        marked: whether the rows have `marks`; for single deals only.
        add: adds what comes of a chunk to what came of the ones before, so that a crew has less to
            send; None: what comes of each chunk is sent.
        most: deals (games) whose outcome a crew sends together, at most; None: no limit.

    Raises:
        ExperimentError: the experiments have other deals; and as `fold`.
    """
    if len({(each.seed, each.first, each.deals, each.games) for each in experiments}) != 1:
        raise ExperimentError("experiments that are played together have the same deals")
    experiment = experiments[0]
    size = _checked(experiment, threads, chunk)
    job = _Together(experiments, work, add, size, marked)
    with wrong_choices_told():
        if threads is None or isinstance(threads, int):
            yield from in_threads(job.hands(at_once(threads)), *_extent(experiment), size)
            return
        least = min(size, FEW if experiment.games is None else FEW_GAMES)
        for found in threads.run(job.part, *_extent(experiment), least, most):
            yield from found


def simulate(experiment: Experiment, threads: Threads = None) -> Rows:
    """Play an experiment and keep all its rows, in order of deal; raises as `fold`."""
    return in_order(list(row_chunks(experiment, threads)))
