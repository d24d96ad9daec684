"""Play blocks of an experiment's deals, or of its games, in one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kqj_sim.columns import SENDER_HAND
from kqj_sim.core import round as core_games
from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.jit import address_of
from kqj_sim.core.round import play_deals
from kqj_sim.core.types import Seating
from kqj_sim.engines import get_engine
from kqj_sim.simulation.experiment import Experiment, make_endless_game_error
from kqj_sim.simulation.policy_errors import FailedRound, find_failed_round
from kqj_sim.simulation.rows import GameRows, Rows

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
        kernel_arguments: the result of `Experiment.compile_seating`, which threads share.
        chunk: most single deals at a time.
        with_fingerprints: whether the rows have `fingerprints`; for single deals only.
        columns: names of the columns to fill, the Sender's hand only if it is one of them; None
            for all others.
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
        self.game = get_engine(experiment.rules)
        self.rules, self.seating = kernel_arguments
        if with_fingerprints:
            self.seating = self.seating._replace(keeps_history=1)
        # With `taken` rows know their nulls; rounds without any column are not described, which
        # takes a tenth less time.
        filled = self._filled = columns | {"taken"} if columns else columns
        if filled is not None:
            numbers = [
                number for number, column in enumerate(self.game.columns) if column.name in filled
            ]
            self.seating = self.seating._replace(wanted=np.array(numbers, np.int64))
        room = chunk if experiment.games is None else CHUNK_ROWS
        with_cards = columns is not None and SENDER_HAND in columns
        self.sender_cards = np.empty(room if with_cards else 0, dtype=np.int64)
        self.fingerprints = np.empty(room if with_fingerprints else 0, dtype=np.int64)
        self.state = allocate_block()
        self.deal = np.empty(room, dtype=np.int64)
        self.values = np.empty(len(self.game.columns) * room, dtype=np.int16)

    def play(self, first: int, count: int) -> Iterator[Rows]:
        """Yield the rows of a range of deals, or of games; each chunk overwrites the one before."""
        if self.experiment.games is None:
            yield self._play_single_deals(first, count)
        else:
            yield from self._play_games(first, count)

    def _play_single_deals(self, first: int, count: int) -> Rows:
        columns = self.game.columns
        deal, values = self.deal[:count], self.values[: len(columns) * count]
        sender_cards, fingerprints = self.sender_cards[:count], self.fingerprints[:count]
        failed = play_deals(
            self.state, first, count, self.experiment.seed, self.rules, self.seating, deal, values,
            sender_cards, fingerprints,
        )  # fmt: skip
        if failed >= 0:
            raise IllegalChoice(self.experiment, find_failed_round(self.state, failed))
        return Rows(
            deal,
            values.reshape(len(columns), count),
            sender_cards=sender_cards if len(sender_cards) else None,
            fingerprints=fingerprints if len(fingerprints) else None,
            game_name=self.game.rules.game,
            filled_columns=self._filled,
        )

    def _play_games(self, first: int, count: int) -> Iterator[Rows]:
        rules, seed = self.experiment.rules, self.experiment.seed
        lanes = min(count, LANES)
        # The games in progress, and those that ended in a chunk.
        slots, ended = core_games.new_slots(LANES), core_games.new_slots(count)
        core_games.start_games(slots, lanes, first, seed, self.rules)
        following, last = first + lanes, first + count
        advance = address_of(self.game.advance, core_games.ADVANCE_SIGNATURE)
        while lanes > 0:
            lanes, following, rows, over, error, deal = core_games.play_games(
                self.state, slots, lanes, following, last, seed, self.rules, self.seating,
                advance, self.deal, self.values, self.sender_cards, ended,
            )  # fmt: skip
            if error == core_games.ILLEGAL_CHOICE:
                raise IllegalChoice(self.experiment, find_failed_round(self.state, deal))
            if error == core_games.TOO_LONG:
                raise make_endless_game_error(seed, deal)
            deals = self.deal[:rows]
            values = self.values.reshape(len(self.game.columns), -1)[:, :rows]
            # `np.divmod` takes eight times as long.
            game = deals // core_games.MAX_ROUNDS
            number = deals - game * core_games.MAX_ROUNDS
            yield Rows(
                deals,
                values,
                game,
                number,
                GameRows.from_slots(rules, ended[:over]),
                sender_cards=self.sender_cards[:rows] if len(self.sender_cards) else None,
                game_name=self.game.rules.game,
                filled_columns=self._filled,
            )


@contextmanager
def report_illegal_choices() -> Iterator[None]:
    """Convert IllegalChoice to the InputError that explains it."""
    try:
        yield
    except IllegalChoice as error:
        raise error.experiment.explain_illegal_choice(error.round) from None
