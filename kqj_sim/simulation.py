"""An experiment becomes rows: chunks of deals, threads, seeds, progress.

A chunk is a range of deals (or of games).  What it gives depends on the seed and the range alone,
and results are put together in the order of the chunks, so neither the number of threads nor the
size of the chunks can be seen in them.

What the rows of an experiment are reduced to.

What one thread plays: blocks of deals, or of games, and the rows that come of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import games as core_games
from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.rules import Seating
from kqj_sim.experiment import Experiment, ExperimentError, make_endless_game_error
from kqj_sim.games import game_of
from kqj_sim.policy_errors import FailedRound, find_failed_round
from kqj_sim.rows import GameRows, Rows, concatenate_rows, copy_rows
from kqj_sim.workers import Executor, Workers, count_workers, map_in_threads, split_range


class Reducer(Protocol):
    """What rows are reduced to; merging must not depend on the order."""

    @property
    def columns(self) -> frozenset[str] | None:
        """The columns of the rows that it looks at, the others are not made; None: all."""

    def add(self, rows: Rows) -> None:
        """Take in the rows of a chunk, in a worker's thread."""

    def add_games(self, games: GameRows) -> None:
        """Take in finished games, in a worker's thread."""

    def merge(self, other: Any) -> None:
        """Take in what another summary took in."""


@runtime_checkable
class SerializableReducer(Protocol):
    """A summary whose counts can be sent, and kept."""

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""

    def add_numbers(self, numbers: dict[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of such a summary gave."""


S = TypeVar("S", bound=Reducer)


@dataclass(frozen=True)
class ReducedResult(Generic[S]):
    """A reduced experiment.

    Attributes:
        result: what the rows were reduced to.
        deals: finished rounds that it holds.
        interrupted: True if Ctrl-C ended it early.
    """

    result: S
    deals: int
    interrupted: bool


@dataclass(frozen=True)
class ReducedRange:
    """What came of a range of deals (or games) that was played elsewhere.

    Attributes:
        count: how many they are.
        deals: rounds that were played.
        numbers: what the summary counted.
    """

    count: int
    deals: int
    numbers: dict[str, NDArray[np.int64]]


class RangeCollector(Generic[S]):
    """What a crew has played, added up."""

    def __init__(self, summary: S) -> None:
        self.summary = summary
        self.deals = 0

    def take(self, parts: Iterable[ReducedRange]) -> Generator[int]:
        """Add up parts; the numbers of deals, or games."""
        # Ctrl-C, which reaches the main thread, must not end an addition half-way.
        with ThreadPoolExecutor(1) as pool:
            for part in parts:
                yield pool.submit(self._add, part).result()

    def _add(self, part: ReducedRange) -> int:
        assert isinstance(self.summary, SerializableReducer)
        self.summary.add_numbers(part.numbers)
        self.deals += part.deals
        return part.count


CHUNK_ROWS = 1 << 14
"""Rows that are made at a time by a thread: small enough to stay in the processor's cache."""


class IllegalChoice(Exception):
    """A policy chose what is not allowed, or raised an exception, in a round."""

    def __init__(self, experiment: Experiment, failed_round: FailedRound) -> None:
        super().__init__(experiment, failed_round)
        self.experiment = experiment
        self.round = failed_round


class Worker:
    """One thread's block of deals, and room for the rows that come of it.

    Args:
        experiment: what is played.
        table: its `Experiment.table()`.
        chunk: single deals at a time, at most.
        marked: whether the rows have `fingerprints`; for single deals only.
        wanted: the columns that the rows are to have; None: all.
    """

    def __init__(
        self,
        experiment: Experiment,
        kernel_arguments: tuple[Any, Seating],
        chunk: int,
        with_fingerprints: bool = False,
        columns: frozenset[str] | None = None,
    ) -> None:
        self.experiment = experiment
        self.game = game_of(experiment.rules)
        self.rules, self.table = kernel_arguments
        if with_fingerprints:
            self.table = self.table._replace(keeps_history=1)
        self._filled = columns
        if columns is not None:
            numbers = [
                number for number, column in enumerate(self.game.columns) if column.name in columns
            ]
            self.table = self.table._replace(wanted=np.array(numbers, np.int64))
        room = chunk if experiment.games is None else CHUNK_ROWS
        self.fingerprints = np.empty(room if with_fingerprints else 0, dtype=np.int64)
        self.state = allocate_block()
        self.deal = np.empty(room, dtype=np.int64)
        self.values = np.empty(len(self.game.columns) * room, dtype=np.int16)
        self.slots = core_games.new_slots(LANES)
        self.games = core_games.new_slots(room)

    def play(self, first: int, count: int) -> Iterator[Rows]:
        """The rows of a range of deals, or of games; each is overwritten by the next."""
        if self.experiment.games is None:
            yield self.deals(first, count)
        else:
            yield from self._games(first, count)

    def deals(self, first: int, count: int) -> Rows:
        """The rows of a range of single deals; overwritten by the next."""
        columns = len(self.game.columns)
        deal, values = self.deal[:count], self.values[: columns * count]
        seed, marks = self.experiment.seed, self.fingerprints[:count]
        wrong = self.game.play_deals(
            self.state, first, count, seed, self.rules, self.table, deal, values, marks
        )
        if wrong >= 0:
            raise IllegalChoice(self.experiment, find_failed_round(self.state, seed, wrong))
        return Rows(
            deal,
            values.reshape(columns, count),
            fingerprints=marks if len(marks) else None,
            game_name=self.game.name,
            filled_columns=self._filled,
        )

    def replay(self, numbers: NDArray[np.int64], dealers: NDArray[np.int64]) -> Rows:
        """The rows of any single deals, (n,) up to the chunk; overwritten by the next."""
        count, columns = len(numbers), len(self.game.columns)
        deal, values = self.deal[:count], self.values[: columns * count]
        seed = self.experiment.seed
        wrong = self.game.replay_deals(
            self.state, numbers, dealers, seed, self.rules, self.table, deal, values
        )
        if wrong >= 0:
            raise IllegalChoice(self.experiment, find_failed_round(self.state, seed, wrong))
        return Rows(
            deal,
            values.reshape(columns, count),
            game_name=self.game.name,
            filled_columns=self._filled,
        )

    def _games(self, first: int, count: int) -> Iterator[Rows]:
        rules, seed = self.experiment.rules, self.experiment.seed
        room, target = len(self.deal), self.game.target(rules)
        lanes = min(count, LANES)
        for slot in range(lanes):
            self.game.start_game(self.slots, slot, first + slot, seed)
        following, last = first + lanes, first + count
        while lanes > 0:
            lanes, following, rows, over, error, deal = self.game.play_games(
                self.state, self.slots, lanes, following, last, seed, self.rules, target,
                self.table, self.deal, self.values, self.games,
            )  # fmt: skip
            if error == core_games.ILLEGAL_CHOICE:
                raise IllegalChoice(self.experiment, find_failed_round(self.state, seed, deal))
            if error == core_games.TOO_LONG:
                raise make_endless_game_error(seed, deal)
            deals = self.deal[:rows]
            values = self.values.reshape(len(self.game.columns), room)[:, :rows]
            game, number = np.divmod(deals, core_games.MAX_ROUNDS)
            ended = GameRows.of(rules, self.games[:over])
            yield Rows(
                deals,
                values,
                game,
                number,
                ended,
                game_name=self.game.name,
                filled_columns=self._filled,
            )


@contextmanager
def report_illegal_choices() -> Iterator[None]:
    """Say of a wrong choice what is wrong with it."""
    try:
        yield
    except IllegalChoice as wrong:
        raise wrong.experiment.explain_illegal_choice(wrong.round) from None


class DealReplayer:
    """Plays any of an experiment's single deals, in the thread that asks for them.

    Raises PolicyError for a policy that cannot be used.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._worker = Worker(experiment, experiment.table(), CHUNK_ROWS)

    def play(self, first: int, count: int) -> Rows:
        """The rows of a range of deals, in order of deal.

        Raises PolicyError for a choice that is not allowed.
        """
        with report_illegal_choices():
            return concatenate_rows(
                [
                    copy_rows(self._worker.deals(*piece))
                    for piece in split_range(first, first + count, CHUNK_ROWS)
                ]
            )

    def replay(self, rows: Rows) -> Rows:
        """The deals of rows, no two the same, once more in their order and with their dealers.

        Nothing is pending.  Raises PolicyError for a choice that is not allowed.
        """
        dealers = rows.column("dealer").astype(np.int64)
        with report_illegal_choices():
            parts = [
                copy_rows(self._worker.replay(rows.deal[part], dealers[part]))
                for part in (slice(at, at + CHUNK_ROWS) for at in range(0, len(rows), CHUNK_ROWS))
            ]
        deals = np.concatenate([part.deal for part in parts])
        order = np.empty(len(rows), np.int64)
        order[np.argsort(rows.deal)] = np.argsort(deals)
        values = np.concatenate([part.values for part in parts], axis=1)
        return Rows(deals[order], values[:, order], game_name=rows.game_name)


CHUNK_GAMES = 1 << 10
MIN_CHUNKS_PER_THREAD = 8
"""Chunks that each thread has at least, so that all end at about the same time."""
FIRST_RANGE_DEALS, FIRST_RANGE_GAMES = LANES, LANES // 8
"""What a crew begins with: how long deals take is not known yet."""
MAX_ROWS_PER_RANGE = 8 * CHUNK_ROWS
"""Rows that a crew sends together, at most: some megabytes."""

R = TypeVar("R")


class _ReducingWorker(Generic[S]):
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
class _ReductionJob(Generic[S]):
    """What is reduced, and to what."""

    experiment: Experiment
    start: Callable[[], S]
    chunk: int

    def make_workers(self, number: int) -> list[_ReducingWorker[S]]:
        """For so many threads."""
        table = self.experiment.table()
        summaries = [self.start() for _ in range(number)]
        return [
            _ReducingWorker(
                Worker(self.experiment, table, self.chunk, columns=summary.columns), summary
            )
            for summary in summaries
        ]

    def part(self, first: int, count: int) -> ReducedRange:
        """Play a range in this thread."""
        (folding,) = self.make_workers(1)
        for piece in split_range(first, first + count, self.chunk):
            folding.play(*piece)
        summary = folding.summary
        if not isinstance(summary, SerializableReducer):
            raise TypeError(f"{type(summary).__name__} has no numbers that could be sent")
        return ReducedRange(count, folding.deals, summary.numbers())


def _get_deal_range(experiment: Experiment) -> tuple[int, int]:
    """The number of the first deal, or game, and the one behind the last."""
    return experiment.first, experiment.first + (experiment.games or experiment.deals)


MOST_THREADS = 1 << 10
"""Each has its own arrays, so that many more would take all memory."""


def _choose_chunk_size(experiment: Experiment, threads: Workers) -> int:
    """Rows that a thread makes at a time: less than CHUNK_ROWS where one thread would end long
    last."""
    if experiment.games is not None:
        return CHUNK_GAMES
    share = -(-experiment.deals // (MIN_CHUNKS_PER_THREAD * max(count_workers(threads), 1)))
    return min(CHUNK_ROWS, -(-share // LANES) * LANES)


def _check_chunk_size(experiment: Experiment, threads: Workers, chunk: int | None) -> int:
    """How many deals, or games, are played at a time; raises ExperimentError."""
    size = _choose_chunk_size(experiment, threads) if chunk is None else chunk
    for name, value in (("threads", threads), ("chunk", size)):
        if isinstance(value, int) and value < 1:
            raise ExperimentError(f"{name} is {value}: it should be 1 or more")
    if isinstance(threads, int) and threads > MOST_THREADS:
        raise ExperimentError(f"threads is {threads:,}: it should be 1 to {MOST_THREADS:,}")
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
        experiment: what to play.
        make_reducer: makes an empty summary, one for each thread.
        threads: threads, all processors by default; or a crew, such as
            `kqj_sim.dask_cluster.DaskCluster`, for a summary that is `SerializableReducer`.
        chunk: deals (or games) a thread plays at a time.
        progress: called with numbers of deals (or games) as they are finished, in this thread.

    Raises:
        ExperimentError: threads or chunk below 1.
        PolicyError: a policy cannot be used, or makes a choice that is not allowed.
        GameError: a game does not end.
    """
    found: list[_ReducingWorker[S] | RangeCollector[S]]
    if threads is None or isinstance(threads, int):
        job = _ReductionJob(experiment, make_reducer, _check_chunk_size(experiment, threads, chunk))
        foldings = job.make_workers(count_workers(threads))
        counts = map_in_threads(
            [each.play for each in foldings], *_get_deal_range(experiment), job.chunk
        )
        found = [*foldings]
    else:
        received = RangeCollector(make_reducer())
        counts = received.take(reduce_ranges(experiment, make_reducer, threads, chunk))
        found = [received]
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
    for each in found:
        result.merge(each.summary)
    return ReducedResult(result, sum(each.deals for each in found), interrupted)


def reduce_ranges(
    experiment: Experiment,
    make_reducer: Callable[[], Reducer],
    executor: Executor,
    chunk: int | None = None,
) -> Generator[ReducedRange]:
    """What a crew makes of an experiment, range by range in order; else as `reduce_rows`."""
    job = _ReductionJob(experiment, make_reducer, _check_chunk_size(experiment, executor, chunk))
    least = min(job.chunk, FIRST_RANGE_DEALS if experiment.games is None else FIRST_RANGE_GAMES)
    with report_illegal_choices():
        yield from executor.run(job.part, *_get_deal_range(experiment), least)


def iterate_row_chunks(
    experiment: Experiment, threads: Workers = None, chunk: int | None = None
) -> Iterator[Rows]:
    """The rows of an experiment in order of deal, a chunk at a time; arguments as in
    `reduce_rows`."""
    yield from play_same_deals(
        [experiment], _get_only_rows, threads, chunk, max_deals_per_message=MAX_ROWS_PER_RANGE
    )


def _get_only_rows(played: tuple[Rows, ...]) -> Rows:
    return played[0]


@dataclass(frozen=True)
class _SameDealsJob(Generic[R]):
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
                concatenate_rows([copy_rows(rows) for rows in worker.play(first, count)])
                for worker in workers
            )
        )

    def part(self, first: int, count: int) -> list[R]:
        """Play a range in this thread: what came of each chunk, or all of it added up."""
        (hand,) = self.hands(1)
        found: list[R] = []
        for piece in split_range(first, first + count, self.chunk):
            made = hand(*piece)
            if self.add is None or not found:
                found.append(made)
            else:
                self.add(found[0], made)
        return found


def play_same_deals(
    experiments: Sequence[Experiment],
    function: Callable[[tuple[Rows, ...]], R],
    threads: Workers = None,
    chunk: int | None = None,
    with_fingerprints: bool = False,
    combine: Callable[[R, R], object] | None = None,
    max_deals_per_message: int | None = None,
) -> Iterator[R]:
    """Play several experiments on the same deals, and give what `function` makes of each chunk.

    Args:
        experiments: one or more with the same seed and range of deals, or of games.
        function: called in a worker's thread with the rows of each experiment, all in order of
            deal.
        threads, chunk: as for `reduce_rows`; what is given comes in the order of the chunks.
        with_fingerprints: whether the rows have `marks`; for single deals only.
        combine: adds what comes of a chunk to what came of the ones before, so that a crew has less
            to send; None: what comes of each chunk is sent.
        max_deals_per_message: deals (games) whose outcome a crew sends together, at most; None: no
            limit.

    Raises:
        ExperimentError: the experiments have other deals; and as `reduce_rows`.
    """
    if len({(each.seed, each.first, each.deals, each.games) for each in experiments}) != 1:
        raise ExperimentError("experiments that are played together have the same deals")
    experiment = experiments[0]
    size = _check_chunk_size(experiment, threads, chunk)
    job = _SameDealsJob(experiments, function, combine, size, with_fingerprints)
    with report_illegal_choices():
        if threads is None or isinstance(threads, int):
            yield from map_in_threads(
                job.hands(count_workers(threads)), *_get_deal_range(experiment), size
            )
            return
        least = min(size, FIRST_RANGE_DEALS if experiment.games is None else FIRST_RANGE_GAMES)
        for found in threads.run(
            job.part, *_get_deal_range(experiment), least, max_deals_per_message
        ):
            yield from found


def simulate(experiment: Experiment, threads: Workers = None) -> Rows:
    """Play an experiment and keep all its rows, in order of deal; raises as `reduce_rows`."""
    return concatenate_rows(list(iterate_row_chunks(experiment, threads)))
