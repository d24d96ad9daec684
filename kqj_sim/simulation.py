"""An experiment becomes rows: chunks of deals, threads, seeds, progress.

A chunk is a range of deals (or of games).  What it gives depends on the seed and the range alone,
and results are put together in the order of the chunks, so neither the number of threads nor the
size of the chunks can be seen in them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import COLUMNS
from kqj_sim.core import games as core_games
from kqj_sim.core.round import play_again, play_deals
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import LANES, new_state
from kqj_sim.encode import FirstCall, Imposed, core_rules, core_table
from kqj_sim.mistakes import Round, round_of, wrong_choice
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYER, Player, player
from kqj_sim.rows import GameRows, Rows, copied, in_order
from kqj_sim.rules import SEATS, KqjRules

__all__ = [
    "Experiment",
    "ExperimentError",
    "FirstCall",
    "Folded",
    "GameError",
    "Imposed",
    "Replay",
    "Summary",
    "default_threads",
    "fold",
    "play_together",
    "row_chunks",
    "simulate",
]

CHUNK = 1 << 14
"""Rows that are made at a time by a thread: small enough to stay in the processor's cache."""
GAMES_CHUNK = 1 << 10
MAX_DEAL = 1 << 60


class ExperimentError(ValueError):
    """An experiment that cannot be run; one line that says what would be right."""


class GameError(RuntimeError):
    """A game that does not end."""


class WrongChoice(Exception):
    """A policy chose what is not allowed, or raised an exception, in a round."""

    def __init__(self, experiment: Experiment, which: Round) -> None:
        super().__init__(which)
        self.experiment = experiment
        self.round = which


def endless_game(seed: int, deal: int) -> GameError:
    """The error for a game that is not over after the greatest number of rounds."""
    return GameError(
        f"game {deal // core_games.ROUNDS} of seed {seed} is not over after {core_games.ROUNDS} "
        "rounds; let the policies take more often, or lower the target"
    )


@dataclass(frozen=True)
class Experiment:
    """What is simulated.

    Attributes:
        rules: the rules of the table.
        policies: a specification for each of the six seats (`kqj_sim.policies`).
        deals: number of single rounds; not looked at with `games`.
        seed: 0 to 2**63 - 1; a deal is found again from (seed, deal).
        first: number of the first deal, or of the first game.
        games: number of games to the target; None for single rounds.
        imposed: a Sender and contract, or the opener's first call, that are given.

    Raises:
        ExperimentError: a number out of range, an imposed contract that the rules do not know.
        PolicyError: a specification that names no policy.
    """

    rules: KqjRules = field(default_factory=KqjRules)
    policies: tuple[str, ...] = (DEFAULT_PLAYER,) * SEATS
    deals: int = 100_000
    seed: int = 1
    first: int = 0
    games: int | None = None
    imposed: Imposed | FirstCall | None = None

    def __post_init__(self) -> None:
        if len(self.policies) != SEATS:
            raise ExperimentError(f"{len(self.policies)} policies: there should be one a seat, six")
        for name, value, least, most in (
            ("deals", self.deals, 1, MAX_DEAL),
            ("seed", self.seed, 0, 2**63 - 1),
            ("first", self.first, 0, MAX_DEAL),
            ("games", 1 if self.games is None else self.games, 1, MAX_DEAL // core_games.ROUNDS),
        ):
            if not least <= value <= most:
                raise ExperimentError(f"{name} is {value}: it should be {least} to {most}")
        if isinstance(self.imposed, Imposed):
            self._check_imposed(self.imposed)
        elif self.imposed is not None and self.rules.bidding != "take":
            raise ExperimentError("with auctions nobody takes: leave the first call free")
        assert self.players

    def _check_imposed(self, imposed: Imposed) -> None:
        if not 0 <= imposed.place < SEATS:
            raise ExperimentError(
                f"imposed place {imposed.place}: it should be 0 (the opener) to 5 (the dealer)"
            )
        if imposed.contract not in self.rules.contracts:
            raise ExperimentError(
                f"imposed contract {imposed.contract!r}: it should be one of "
                f"{', '.join(self.rules.contracts)}"
            )
        if self.rules.bidding == "take":
            if imposed.amount is not None:
                raise ExperimentError("an imposed amount belongs to auctions: leave it out")
            return
        low, high = self.rules.minimum_bid, self.rules.max_amount
        if imposed.amount is None or not low <= imposed.amount <= high or imposed.amount % 10:
            raise ExperimentError(
                f"imposed amount {imposed.amount}: with auctions it should be a multiple of ten "
                f"from {low} to {high}"
            )

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """Who calls and who plays at each seat."""
        return tuple(player(text) for text in self.policies)

    def table(self) -> tuple[Rules, Table]:
        """The experiment as the kernels take it; policies are compiled if need be."""
        return core_rules(self.rules), core_table(self.rules, self.players, self.imposed)

    def wrong_choice(self, which: Round) -> PolicyError:
        """The error for a round in which a policy chose what is not allowed."""
        return wrong_choice(self.rules, self.players, self.imposed, which)


class _Worker:
    """One thread's block of deals, and room for the rows that come of it."""

    def __init__(
        self, experiment: Experiment, table: tuple[Rules, Table], chunk: int, marked: bool
    ) -> None:
        self.experiment = experiment
        self.rules, self.table = table
        if marked:
            self.table = self.table._replace(memory=1)
        room = chunk if experiment.games is None else CHUNK
        self.marks = np.empty(room if marked else 0, dtype=np.int64)
        self.state = new_state()
        self.deal = np.empty(room, dtype=np.int64)
        self.values = np.empty(len(COLUMNS) * room, dtype=np.int16)
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
        deal, values = self.deal[:count], self.values[: len(COLUMNS) * count]
        seed, marks = self.experiment.seed, self.marks[:count]
        wrong = play_deals(
            self.state, first, count, seed, self.rules, self.table, deal, values, marks
        )
        if wrong >= 0:
            raise WrongChoice(self.experiment, round_of(self.state, seed, wrong))
        values = values.reshape(len(COLUMNS), count)
        return Rows(deal, values, marks=marks if len(marks) else None)

    def again(self, numbers: NDArray[np.int64], dealers: NDArray[np.int64]) -> Rows:
        """The rows of any single deals, (n,) up to the chunk; overwritten by the next."""
        count = len(numbers)
        deal, values = self.deal[:count], self.values[: len(COLUMNS) * count]
        seed = self.experiment.seed
        wrong = play_again(
            self.state, numbers, dealers, seed, self.rules, self.table, deal, values
        )  # fmt: skip
        if wrong >= 0:
            raise WrongChoice(self.experiment, round_of(self.state, seed, wrong))
        return Rows(deal, values.reshape(len(COLUMNS), count))

    def _games(self, first: int, count: int) -> Iterator[Rows]:
        rules, seed = self.experiment.rules, self.experiment.seed
        room = len(self.deal)
        lanes = min(count, LANES)
        for slot in range(lanes):
            core_games.start_game(self.slots, slot, first + slot, seed)
        following, last = first + lanes, first + count
        while lanes > 0:
            lanes, following, rows, over, error, deal = core_games.play_games(
                self.state, self.slots, lanes, following, last, seed, self.rules, rules.target,
                self.table, self.deal, self.values, self.games,
            )  # fmt: skip
            if error == core_games.ILLEGAL_CHOICE:
                raise WrongChoice(self.experiment, round_of(self.state, seed, deal))
            if error == core_games.ENDLESS:
                raise endless_game(seed, deal)
            deals = self.deal[:rows]
            values = self.values.reshape(len(COLUMNS), room)[:, :rows]
            game, number = np.divmod(deals, core_games.ROUNDS)
            yield Rows(deals, values, game, number, GameRows.of(rules, self.games[:over]))


class Replay:
    """Plays any of an experiment's single deals, in the thread that asks for them.

    Raises PolicyError for a policy that cannot be used.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._worker = _Worker(experiment, experiment.table(), CHUNK, marked=False)

    def play(self, first: int, count: int) -> Rows:
        """The rows of a range of deals, in order of deal.

        Raises PolicyError for a choice that is not allowed.
        """
        end = first + count
        try:
            parts = [
                copied(self._worker.deals(start, min(CHUNK, end - start)))
                for start in range(first, end, CHUNK)
            ]
        except WrongChoice as wrong:
            raise wrong.experiment.wrong_choice(wrong.round) from None
        return in_order(parts)

    def again(self, rows: Rows) -> Rows:
        """The deals of rows, no two the same, once more in their order and with their dealers.

        Nothing is pending.  Raises PolicyError for a choice that is not allowed.
        """
        dealers = rows.column("dealer").astype(np.int64)
        try:
            parts = [
                copied(self._worker.again(rows.deal[part], dealers[part]))
                for part in (slice(at, at + CHUNK) for at in range(0, len(rows), CHUNK))
            ]
        except WrongChoice as wrong:
            raise wrong.experiment.wrong_choice(wrong.round) from None
        deals = np.concatenate([part.deal for part in parts])
        order = np.empty(len(rows), np.int64)
        order[np.argsort(rows.deal)] = np.argsort(deals)
        return Rows(deals[order], np.concatenate([part.values for part in parts], axis=1)[:, order])


class Summary(Protocol):
    """What rows are reduced to; merging must not depend on the order."""

    def add(self, rows: Rows) -> None:
        """Take in the rows of a chunk, in a worker's thread."""

    def add_games(self, games: GameRows) -> None:
        """Take in finished games, in a worker's thread."""

    def merge(self, other: Any) -> None:
        """Take in what another summary took in."""


S = TypeVar("S", bound=Summary)
R = TypeVar("R")


@dataclass(frozen=True)
class Folded(Generic[S]):
    """A reduced experiment.

    Attributes:
        result: what the rows were reduced to.
        deals: finished rounds that it holds.
        interrupted: True if Ctrl-C ended it early.
    """

    result: S
    deals: int
    interrupted: bool


def default_threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Crew(Generic[R]):
    """Threads that play the chunks of experiments, each with a worker of its own for each.

    The experiments have the same deals.  `work(workers, number of the thread, first, count)` runs
    in the threads; iterating gives what it returns, in the order of the chunks.
    """

    def __init__(
        self,
        experiments: Sequence[Experiment],
        threads: int | None,
        chunk: int | None,
        work: Callable[[tuple[_Worker, ...], int, int, int], R],
        marked: bool = False,
    ) -> None:
        experiment = experiments[0]
        self.threads = default_threads() if threads is None else threads
        in_games = experiment.games is not None
        self.chunk = (GAMES_CHUNK if in_games else CHUNK) if chunk is None else chunk
        for name, value in (("threads", self.threads), ("chunk", self.chunk)):
            if value < 1:
                raise ExperimentError(f"{name} is {value}: it should be 1 or more")
        self.first = experiment.first
        self.end = self.first + (experiment.games or experiment.deals)
        self.work = work
        tables = [(each, each.table()) for each in experiments]
        self.idle = deque(
            (tuple(_Worker(each, table, self.chunk, marked) for each, table in tables), number)
            for number in range(self.threads)
        )

    def _run(self, first: int, count: int) -> R:
        workers, number = self.idle.pop()
        try:
            return self.work(workers, number, first, count)
        finally:
            self.idle.append((workers, number))

    def __iter__(self) -> Iterator[R]:
        waiting: deque[Future[R]] = deque()
        pool = ThreadPoolExecutor(self.threads)
        try:
            for first in range(self.first, self.end, self.chunk):
                count = min(self.chunk, self.end - first)
                waiting.append(pool.submit(self._run, first, count))
                if len(waiting) > 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except WrongChoice as wrong:
            raise wrong.experiment.wrong_choice(wrong.round) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def fold(
    experiment: Experiment,
    start: Callable[[], S],
    threads: int | None = None,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Folded[S]:
    """Play an experiment and reduce its rows as they come; memory does not grow with the deals.

    Args:
        experiment: what to play.
        start: makes an empty summary, one for each thread.
        threads: threads, all processors by default.
        chunk: deals (or games) a thread plays at a time.
        progress: called with numbers of deals (or games) as they are finished, in this thread.

    Raises:
        ExperimentError: threads or chunk below 1.
        PolicyError: a policy cannot be used, or makes a choice that is not allowed.
        GameError: a game does not end.
    """

    def work(workers: tuple[_Worker, ...], number: int, first: int, count: int) -> int:
        (worker,), summary = workers, summaries[number]
        for rows in worker.play(first, count):
            summary.add(rows)
            if rows.ended is not None:
                summary.add_games(rows.ended)
            deals[number] += len(rows)
        return count

    crew = _Crew([experiment], threads, chunk, work)
    summaries = [start() for _ in range(crew.threads)]
    deals = [0] * crew.threads
    interrupted = False
    chunks = iter(crew)
    try:
        for count in chunks:
            if progress is not None:
                progress(count)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        chunks.close()  # type: ignore[attr-defined]
    result = start()
    for summary in summaries:
        result.merge(summary)
    return Folded(result, sum(deals), interrupted)


def row_chunks(
    experiment: Experiment, threads: int | None = None, chunk: int | None = None
) -> Iterator[Rows]:
    """The rows of an experiment in order of deal, a chunk at a time; arguments as in `fold`."""
    yield from play_together([experiment], lambda played: played[0], threads, chunk)


def play_together(
    experiments: Sequence[Experiment],
    work: Callable[[tuple[Rows, ...]], R],
    threads: int | None = None,
    chunk: int | None = None,
    marked: bool = False,
) -> Iterator[R]:
    """Play several experiments on the same deals, and give what `work` makes of each chunk.

    Args:
        experiments: one or more with the same seed and range of deals, or of games.
        work: called in a worker's thread with the rows of each experiment, all in order of deal.
        threads, chunk: as for `fold`; what is given comes in the order of the chunks.
        marked: whether the rows have `marks`; for single deals only.

    Raises:
        ExperimentError: the experiments have other deals; and as `fold`.
    """
    if len({(each.seed, each.first, each.deals, each.games) for each in experiments}) != 1:
        raise ExperimentError("experiments that are played together have the same deals")

    def play(workers: tuple[_Worker, ...], number: int, first: int, count: int) -> R:
        return work(
            tuple(
                in_order([copied(rows) for rows in worker.play(first, count)]) for worker in workers
            )
        )

    yield from _Crew(experiments, threads, chunk, play, marked)


def simulate(experiment: Experiment, threads: int | None = None) -> Rows:
    """Play an experiment and keep all its rows, in order of deal; raises as `fold`."""
    return in_order(list(row_chunks(experiment, threads)))
