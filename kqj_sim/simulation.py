"""An experiment becomes rows: chunks of deals, threads, seeds, progress.

A chunk is a range of deals (or of games).  What it gives depends on the seed and the range alone,
and results are put together in the order of the chunks, so neither the number of threads nor the
size of the chunks can be seen in them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from threading import RLock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import games as core_games
from kqj_sim.core.rules import Table
from kqj_sim.core.state import LANES, new_state
from kqj_sim.crew import Crew, Threads, at_once, default_threads, in_threads, pieces
from kqj_sim.encode import FirstCall, Imposed, core_rules, core_table
from kqj_sim.games import game_of
from kqj_sim.mistakes import Round, round_of, wrong_choice
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYERS, Player, player
from kqj_sim.rows import GameRows, Rows, copied, in_order
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.summary import Folded, Part, Received, S, Sendable, Summary

__all__ = [
    "Experiment",
    "ExperimentError",
    "FirstCall",
    "Folded",
    "GameError",
    "Imposed",
    "Part",
    "Replay",
    "Sendable",
    "Summary",
    "default_threads",
    "fold",
    "folded_parts",
    "play_together",
    "row_chunks",
    "simulate",
]

CHUNK = 1 << 14
"""Rows that are made at a time by a thread: small enough to stay in the processor's cache."""
GAMES_CHUNK = 1 << 10
SHARES = 8
"""Chunks that each thread has at least, so that all end at about the same time."""
FEW, FEW_GAMES = LANES, LANES // 8
"""What a crew begins with: how long deals take is not known yet."""
MOST_ROWS = 8 * CHUNK
"""Rows that a crew sends together, at most: some megabytes."""
MAX_DEAL = 1 << 60

_COMPILING = RLock()
"""What is compiled is kept by its address: once, by one thread."""


class ExperimentError(ValueError):
    """An experiment that cannot be run; one line that says what would be right."""


class GameError(RuntimeError):
    """A game that does not end."""


class WrongChoice(Exception):
    """A policy chose what is not allowed, or raised an exception, in a round."""

    def __init__(self, experiment: Experiment, which: Round) -> None:
        super().__init__(experiment, which)
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
        policies: a specification for each seat (`kqj_sim.policies`); without any the game's
            default player sits at all of them.
        deals: number of single rounds; not looked at with `games`.
        seed: 0 to 2**63 - 1; a deal is found again from (seed, deal).
        first: number of the first deal, or of the first game.
        games: number of games to the target; None for single rounds.
        imposed: a Sender and contract, or the opener's first call, that are given (KQJ).

    Raises:
        ExperimentError: a number out of range, an imposed contract that the rules do not know.
        PolicyError: a specification that names no policy.
    """

    rules: GameRules = field(default_factory=KqjRules)
    policies: tuple[str, ...] = ()
    deals: int = 100_000
    seed: int = 1
    first: int = 0
    games: int | None = None
    imposed: Imposed | FirstCall | None = None

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if not self.policies:
            default = DEFAULT_PLAYERS[self.rules.game]
            object.__setattr__(self, "policies", (default,) * seats)
        if len(self.policies) != seats:
            count = {4: "four", 6: "six"}[seats]
            raise ExperimentError(
                f"{len(self.policies)} policies: there should be one a seat, {count}"
            )
        last_game = MAX_DEAL // core_games.ROUNDS
        for name, value, least, most in (
            ("deals", self.deals, 1, MAX_DEAL),
            ("seed", self.seed, 0, 2**63 - 1),
            ("first", self.first, 0, MAX_DEAL if self.games is None else last_game),
            ("games", 1 if self.games is None else self.games, 1, last_game),
        ):
            if not least <= value <= most:
                raise ExperimentError(f"{name} is {value}: it should be {least} to {most}")
        if self.imposed is not None:
            if not isinstance(self.rules, KqjRules):
                raise ExperimentError("a contract can be imposed in kqj only")
            self._check_imposed(self.rules, self.imposed)
        assert self.players

    @staticmethod
    def _check_imposed(rules: KqjRules, imposed: Imposed | FirstCall) -> None:
        if not isinstance(imposed, Imposed):
            if rules.bidding != "take":
                raise ExperimentError("with auctions nobody takes: leave the first call free")
            return
        if not 0 <= imposed.place < rules.seats:
            raise ExperimentError(
                f"imposed place {imposed.place}: it should be 0 (the opener) to 5 (the dealer)"
            )
        if imposed.contract not in rules.contracts:
            raise ExperimentError(
                f"imposed contract {imposed.contract!r}: it should be one of "
                f"{', '.join(rules.contracts)}"
            )
        if rules.bidding == "take":
            if imposed.amount is not None:
                raise ExperimentError("an imposed amount belongs to auctions: leave it out")
            return
        low, high = rules.minimum_bid, rules.max_amount
        if imposed.amount is None or not low <= imposed.amount <= high or imposed.amount % 10:
            raise ExperimentError(
                f"imposed amount {imposed.amount}: with auctions it should be a multiple of ten "
                f"from {low} to {high}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """The fields: elsewhere the players are read again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """Who calls and who plays at each seat."""
        return tuple(player(text, self.rules.game) for text in self.policies)

    def table(self) -> tuple[Any, Table]:
        """The experiment as the kernels take it; policies are compiled if need be."""
        with _COMPILING:
            return core_rules(self.rules), core_table(self.rules, self.players, self.imposed)

    def wrong_choice(self, which: Round) -> PolicyError:
        """The error for a round in which a policy chose what is not allowed."""
        return wrong_choice(self.rules, self.players, self.imposed, which)


class _Worker:
    """One thread's block of deals, and room for the rows that come of it."""

    def __init__(
        self, experiment: Experiment, table: tuple[Any, Table], chunk: int, marked: bool
    ) -> None:
        self.experiment = experiment
        self.game = game_of(experiment.rules)
        self.rules, self.table = table
        if marked:
            self.table = self.table._replace(memory=1)
        room = chunk if experiment.games is None else CHUNK
        self.marks = np.empty(room if marked else 0, dtype=np.int64)
        self.state = new_state()
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
        seed, marks = self.experiment.seed, self.marks[:count]
        wrong = self.game.play_deals(
            self.state, first, count, seed, self.rules, self.table, deal, values, marks
        )
        if wrong >= 0:
            raise WrongChoice(self.experiment, round_of(self.state, seed, wrong))
        return Rows(
            deal,
            values.reshape(columns, count),
            marks=marks if len(marks) else None,
            of_game=self.game.name,
        )

    def again(self, numbers: NDArray[np.int64], dealers: NDArray[np.int64]) -> Rows:
        """The rows of any single deals, (n,) up to the chunk; overwritten by the next."""
        count, columns = len(numbers), len(self.game.columns)
        deal, values = self.deal[:count], self.values[: columns * count]
        seed = self.experiment.seed
        wrong = self.game.play_again(
            self.state, numbers, dealers, seed, self.rules, self.table, deal, values
        )
        if wrong >= 0:
            raise WrongChoice(self.experiment, round_of(self.state, seed, wrong))
        return Rows(deal, values.reshape(columns, count), of_game=self.game.name)

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
                raise WrongChoice(self.experiment, round_of(self.state, seed, deal))
            if error == core_games.ENDLESS:
                raise endless_game(seed, deal)
            deals = self.deal[:rows]
            values = self.values.reshape(len(self.game.columns), room)[:, :rows]
            game, number = np.divmod(deals, core_games.ROUNDS)
            ended = GameRows.of(rules, self.games[:over])
            yield Rows(deals, values, game, number, ended, of_game=self.game.name)


@contextmanager
def _wrong_choices_told() -> Iterator[None]:
    """Say of a wrong choice what is wrong with it."""
    try:
        yield
    except WrongChoice as wrong:
        raise wrong.experiment.wrong_choice(wrong.round) from None


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
        with _wrong_choices_told():
            return in_order(
                [
                    copied(self._worker.deals(*piece))
                    for piece in pieces(first, first + count, CHUNK)
                ]
            )

    def again(self, rows: Rows) -> Rows:
        """The deals of rows, no two the same, once more in their order and with their dealers.

        Nothing is pending.  Raises PolicyError for a choice that is not allowed.
        """
        dealers = rows.column("dealer").astype(np.int64)
        with _wrong_choices_told():
            parts = [
                copied(self._worker.again(rows.deal[part], dealers[part]))
                for part in (slice(at, at + CHUNK) for at in range(0, len(rows), CHUNK))
            ]
        deals = np.concatenate([part.deal for part in parts])
        order = np.empty(len(rows), np.int64)
        order[np.argsort(rows.deal)] = np.argsort(deals)
        values = np.concatenate([part.values for part in parts], axis=1)
        return Rows(deals[order], values[:, order], of_game=rows.of_game)


R = TypeVar("R")


class _Folding(Generic[S]):
    """One thread's worker, and the summary that it adds to."""

    def __init__(self, worker: _Worker, summary: S) -> None:
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
        return [
            _Folding(_Worker(self.experiment, table, self.chunk, marked=False), self.start())
            for _ in range(number)
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
        with _wrong_choices_told():
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
    with _wrong_choices_told():
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
                [_Worker(each, table, self.chunk, self.marked) for each, table in tables],
            )
            for _ in range(number)
        ]

    def _play(self, workers: Sequence[_Worker], first: int, count: int) -> R:
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
    with _wrong_choices_told():
        if threads is None or isinstance(threads, int):
            yield from in_threads(job.hands(at_once(threads)), *_extent(experiment), size)
            return
        least = min(size, FEW if experiment.games is None else FEW_GAMES)
        for found in threads.run(job.part, *_extent(experiment), least, most):
            yield from found


def simulate(experiment: Experiment, threads: Threads = None) -> Rows:
    """Play an experiment and keep all its rows, in order of deal; raises as `fold`."""
    return in_order(list(row_chunks(experiment, threads)))
