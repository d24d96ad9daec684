"""Play blocks of an experiment's deals, or of its games, in one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import games as core_games
from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.rules import Seating
from kqj_sim.experiment import Experiment, make_endless_game_error
from kqj_sim.games import get_game
from kqj_sim.policy_errors import FailedRound, find_failed_round
from kqj_sim.rows import GameRows, Rows, concatenate_rows, copy_rows
from kqj_sim.workers import split_range

CHUNK_ROWS = 1 << 14
"""Most rows that a thread makes at a time: few enough to stay in the processor's cache."""


class IllegalChoice(Exception):
    """An illegal choice of a policy, or an exception that it raised, in a round."""

    def __init__(self, experiment: Experiment, failed_round: FailedRound) -> None:
        super().__init__(experiment, failed_round)
        self.experiment = experiment
        self.round = failed_round


class BlockPlayer:
    """The buffers of one thread that plays an experiment.

    Args:
        experiment: what to play.
        kernel_arguments: the result of `Experiment.compile_seating`, which threads share.
        chunk: most single deals at a time.
        with_fingerprints: whether the rows have `fingerprints`; for single deals only.
        columns: names of the columns to fill; None for all.
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
        self.game = get_game(experiment.rules)
        self.rules, self.seating = kernel_arguments
        if with_fingerprints:
            self.seating = self.seating._replace(keeps_history=1)
        self._filled = columns
        if columns is not None:
            numbers = [
                number for number, column in enumerate(self.game.columns) if column.name in columns
            ]
            self.seating = self.seating._replace(wanted=np.array(numbers, np.int64))
        room = chunk if experiment.games is None else CHUNK_ROWS
        self.fingerprints = np.empty(room if with_fingerprints else 0, dtype=np.int64)
        self.state = allocate_block()
        self.deal = np.empty(room, dtype=np.int64)
        self.values = np.empty(len(self.game.columns) * room, dtype=np.int16)

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """The games in progress, int64 (LANES, `core.games.SLOT_FIELDS`)."""
        return core_games.new_slots(LANES)

    @cached_property
    def finished_games(self) -> NDArray[np.int64]:
        """The games that ended in a chunk, int64 (CHUNK_ROWS, `core.games.SLOT_FIELDS`)."""
        return core_games.new_slots(CHUNK_ROWS)

    def play(self, first: int, count: int) -> Iterator[Rows]:
        """Yield the rows of a range of deals, or of games; each chunk overwrites the one before."""
        if self.experiment.games is None:
            yield self.play_single_deals(first, count)
        else:
            yield from self._play_games(first, count)

    def play_single_deals(self, first: int, count: int) -> Rows:
        """Return the rows of a range of single deals, valid until the next call."""
        deal, values = self._get_buffers(count)
        fingerprints = self.fingerprints[:count]
        failed = self.game.play_deals(
            self.state, first, count, self.experiment.seed, self.rules, self.seating, deal, values,
            fingerprints,
        )  # fmt: skip
        rows = self._make_rows(deal, values, failed)
        return replace(rows, fingerprints=fingerprints) if len(fingerprints) else rows

    def replay(self, numbers: NDArray[np.int64], dealers: NDArray[np.int64]) -> Rows:
        """Return the rows of any single deals, valid until the next call.

        Args:
            numbers: numbers of the deals, int64 (n,), n up to the chunk.
            dealers: the seat of the dealer in each, int64 (n,).
        """
        deal, values = self._get_buffers(len(numbers))
        failed = self.game.replay_deals(
            self.state, numbers, dealers, self.experiment.seed, self.rules, self.seating, deal,
            values,
        )  # fmt: skip
        return self._make_rows(deal, values, failed)

    def _get_buffers(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """Return the buffers for the numbers and, flat, the columns of `count` rows."""
        return self.deal[:count], self.values[: len(self.game.columns) * count]

    def _make_rows(self, deal: NDArray[np.int64], values: NDArray[np.int16], failed: int) -> Rows:
        """Return the rows of single deals; raise IllegalChoice if deal `failed` is not negative."""
        if failed >= 0:
            found = find_failed_round(self.state, self.experiment.seed, failed)
            raise IllegalChoice(self.experiment, found)
        return Rows(
            deal,
            values.reshape(len(self.game.columns), len(deal)),
            game_name=self.game.name,
            filled_columns=self._filled,
        )

    def _play_games(self, first: int, count: int) -> Iterator[Rows]:
        """Yield the rows of a range of games as the rounds are finished."""
        rules, seed = self.experiment.rules, self.experiment.seed
        room, target = len(self.deal), self.game.find_target(rules)
        lanes = min(count, LANES)
        for slot in range(lanes):
            self.game.start_game(self.slots, slot, first + slot, seed)
        following, last = first + lanes, first + count
        while lanes > 0:
            lanes, following, rows, over, error, deal = self.game.play_games(
                self.state, self.slots, lanes, following, last, seed, self.rules, target,
                self.seating, self.deal, self.values, self.finished_games,
            )  # fmt: skip
            if error == core_games.ILLEGAL_CHOICE:
                raise IllegalChoice(self.experiment, find_failed_round(self.state, seed, deal))
            if error == core_games.TOO_LONG:
                raise make_endless_game_error(seed, deal)
            deals = self.deal[:rows]
            values = self.values.reshape(len(self.game.columns), room)[:, :rows]
            game, number = np.divmod(deals, core_games.MAX_ROUNDS)
            finished_games = GameRows.from_slots(rules, self.finished_games[:over])
            yield Rows(
                deals,
                values,
                game,
                number,
                finished_games,
                game_name=self.game.name,
                filled_columns=self._filled,
            )


@contextmanager
def report_illegal_choices() -> Iterator[None]:
    """Convert IllegalChoice to the PolicyError that explains it."""
    try:
        yield
    except IllegalChoice as error:
        raise error.experiment.explain_illegal_choice(error.round) from None


class DealReplayer:
    """A player of any of an experiment's single deals, in the calling thread.

    Raises:
        PolicyError: a policy cannot be used.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._player = BlockPlayer(experiment, experiment.compile_seating(), CHUNK_ROWS)

    def play(self, first: int, count: int) -> Rows:
        """Return the rows of a range of deals, in order of deal.

        Raises:
            PolicyError: a policy makes an illegal choice.
        """
        with report_illegal_choices():
            return concatenate_rows(
                [
                    copy_rows(self._player.play_single_deals(*piece))
                    for piece in split_range(first, first + count, CHUNK_ROWS)
                ]
            )

    def replay(self, rows: Rows) -> Rows:
        """Play the deals of rows, all different, again with their dealers; return in their order.

        No gratuity is pending.

        Raises:
            PolicyError: a policy makes an illegal choice.
        """
        dealers = rows.column("dealer").astype(np.int64)
        with report_illegal_choices():
            parts = [
                copy_rows(self._player.replay(rows.deal[part], dealers[part]))
                for part in (slice(at, at + CHUNK_ROWS) for at in range(0, len(rows), CHUNK_ROWS))
            ]
        deals = np.concatenate([part.deal for part in parts])
        order = np.empty(len(rows), np.int64)
        order[np.argsort(rows.deal)] = np.argsort(deals)
        values = np.concatenate([part.values for part in parts], axis=1)
        return Rows(deals[order], values[:, order], game_name=rows.game_name)
