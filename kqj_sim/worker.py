"""What one thread plays: blocks of deals, or of games, and the rows that come of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import games as core_games
from kqj_sim.core.rules import Table
from kqj_sim.core.state import LANES, new_state
from kqj_sim.crew import pieces
from kqj_sim.experiment import Experiment, endless_game
from kqj_sim.games import game_of
from kqj_sim.mistakes import Round, round_of
from kqj_sim.rows import GameRows, Rows, copied, in_order

CHUNK = 1 << 14
"""Rows that are made at a time by a thread: small enough to stay in the processor's cache."""


class WrongChoice(Exception):
    """A policy chose what is not allowed, or raised an exception, in a round."""

    def __init__(self, experiment: Experiment, which: Round) -> None:
        super().__init__(experiment, which)
        self.experiment = experiment
        self.round = which


class Worker:
    """One thread's block of deals, and room for the rows that come of it.

    Args:
        experiment: what is played.
        table: its `Experiment.table()`.
        chunk: single deals at a time, at most.
        marked: whether the rows have `marks`; for single deals only.
    """

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
def wrong_choices_told() -> Iterator[None]:
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
        self._worker = Worker(experiment, experiment.table(), CHUNK, marked=False)

    def play(self, first: int, count: int) -> Rows:
        """The rows of a range of deals, in order of deal.

        Raises PolicyError for a choice that is not allowed.
        """
        with wrong_choices_told():
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
        with wrong_choices_told():
            parts = [
                copied(self._worker.again(rows.deal[part], dealers[part]))
                for part in (slice(at, at + CHUNK) for at in range(0, len(rows), CHUNK))
            ]
        deals = np.concatenate([part.deal for part in parts])
        order = np.empty(len(rows), np.int64)
        order[np.argsort(rows.deal)] = np.argsort(deals)
        values = np.concatenate([part.values for part in parts], axis=1)
        return Rows(deals[order], values[:, order], of_game=rows.of_game)
