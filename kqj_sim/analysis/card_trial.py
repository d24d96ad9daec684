"""Hidden hands that are drawn or listed, and what comes of every legal card in each, in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import comb, prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.controlled import FURTHER
from kqj_sim.analysis.odds import OddsError
from kqj_sim.analysis.turn_to_play import hidden_hands
from kqj_sim.core import outlook
from kqj_sim.core.odds import ASKED_PLACE, OUTCOME, QUESTION, RESULT
from kqj_sim.core.outlook import LISTED, Turn
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import SENDER
from kqj_sim.policies.errors import PolicyError
from kqj_sim.rules import SEATS

Numbers = NDArray[np.int64]
Outcomes = NDArray[np.int16]

CHUNK = 1024
"""Draws that a thread makes at a time."""

_OTHERS = 1 << 61
"""The draws from this number on are those that a control plays alone."""

NOT_ALLOWED = "a policy chose what is not allowed while the round was played on"

NO_HANDS = (
    "no distribution of the hidden cards agrees with the plays: somebody played what he could not "
    "have played, or a card is wrong"
)


class Controlled(NamedTuple):
    """What a control makes of the draws of a chunk, and of further ones that it alone plays.

    Attributes:
        outcomes: int16 (n, cards, OUTCOME), of the draws of the chunk.
        weights: float64 (m,), of the further ones.
        further: int16 (m, cards, OUTCOME).
    """

    outcomes: Outcomes
    weights: NDArray[np.float64]
    further: Outcomes


class Chunk(NamedTuple):
    """What came of a chunk of draws.

    Attributes:
        weights: float64 (n,), of the draws that have one; the others are left out.
        outcomes: int16 (n, cards, OUTCOME).
        hands: int64 (n, 6), the hidden hands by place, natural coding.
        counts: int64 (questions, 2), hands that were asked, and that answered as heard.
        controlled: what a control makes of them, if there is one.
    """

    weights: NDArray[np.float64]
    outcomes: Outcomes
    hands: Numbers
    counts: Numbers
    controlled: Controlled | None = None


class Tries:
    """Hidden hands in which every legal card is played on, in threads; a game says how.

    Attributes:
        threads: threads that play.
        control: what corrects the answer (`analysis.controlled`), or None.
        step: draws that a thread makes at a time.
    """

    threads: int
    control: Any
    step: ClassVar[int]

    @property
    def cards(self) -> int:
        """How many cards may be played."""
        raise NotImplementedError

    @property
    def listed(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        raise NotImplementedError

    def no_counts(self) -> Numbers:
        """Room for counts of what was asked, and answered as heard."""
        raise NotImplementedError

    def ways(self, seed: int) -> Numbers:
        """In how many ways each of the listed distributions agrees with the calls."""
        raise NotImplementedError

    def most_ways(self) -> int:
        """In how many ways a distribution can have come about, if all calls agree."""
        raise NotImplementedError

    def chunk(self, mode: int, first: int, count: int, seed: int) -> Chunk:
        """Draws, in this thread; raises PolicyError and OddsError."""
        raise NotImplementedError

    def chunks(self, mode: int, end: int | None, seed: int) -> Iterator[Chunk]:
        """Chunks in order, up to a number of draws or without end."""
        waiting: deque[Future[Chunk]] = deque()
        first = 0
        pool = ThreadPoolExecutor(self.threads)
        try:
            while True:
                while len(waiting) < 2 * self.threads and (end is None or first < end):
                    count = self.step if end is None else min(self.step, end - first)
                    waiting.append(pool.submit(self.chunk, mode, first, count, seed))
                    first += count
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def all_outcomes(self, seed: int) -> Outcomes:
        """Every card in every listed distribution: (n, cards, OUTCOME)."""
        return np.concatenate([chunk.outcomes for chunk in self.chunks(LISTED, self.listed, seed)])


@dataclass(frozen=True)
class Trial(Tries):
    """Draws for a turn, in threads; `control` is the turn and the table of a control."""

    step = CHUNK

    turn: Turn
    rules: Rules
    table: Table
    threads: int
    control: tuple[Turn, Table] | None = None

    @property
    def cards(self) -> int:
        """How many cards may be played."""
        return len(self.turn.cards)

    @property
    def listed(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        return len(hidden_hands(self.turn))

    def chunk(self, mode: int, first: int, count: int, seed: int) -> Chunk:
        """Draws, in this thread; raises PolicyError and OddsError."""
        found = self._draws(mode, first, count, seed, (self.turn, self.table))
        if mode == LISTED or self.control is None:
            return found
        again = self._draws(mode, first, count, seed, self.control)
        start = _OTHERS + FURTHER * first
        others = self._draws(mode, start, FURTHER * count, seed, self.control)
        controlled = Controlled(again.outcomes, others.weights, others.outcomes)
        return found._replace(controlled=controlled)

    def _draws(
        self, mode: int, first: int, count: int, seed: int, players: tuple[Turn, Table]
    ) -> Chunk:
        """Draws that are played on by some players."""
        outcomes = np.zeros((count * self.cards, OUTCOME), dtype=np.int16)
        weights = np.zeros(count)
        hands = np.zeros((count, SEATS), dtype=np.int64)
        counts = self.no_counts()
        kept = outlook.try_cards(
            self.turn, mode, first, count, seed, self.rules, self.table, *players, outcomes,
            weights, hands, counts,
        )  # fmt: skip
        if kept == outlook.NO_HANDS:
            raise OddsError(NO_HANDS)
        outcomes = outcomes.reshape(count, self.cards, OUTCOME)[: max(kept, 0)]
        if kept == outlook.WRONG_CALL or (outcomes[:, :, RESULT] == outlook.WRONG).any():
            raise PolicyError(NOT_ALLOWED)
        return Chunk(weights[:kept], outcomes, hands[:kept], counts.reshape(-1, 2))

    def no_counts(self) -> Numbers:
        """Room for counts of the questions."""
        return np.zeros(2 * len(self.turn.questions) // QUESTION, dtype=np.int64)

    def speakers(self) -> list[tuple[int, int, int]]:
        """Each place that was asked, with the range of its questions."""
        places = [int(place) for place in self.turn.questions[ASKED_PLACE::QUESTION]]
        return [
            (place, places.index(place), places.index(place) + places.count(place))
            for place in dict.fromkeys(places)
        ]

    def ways(self, seed: int) -> Numbers:
        """In how many ways each of the listed distributions agrees with the calls."""
        hands = hidden_hands(self.turn)
        ways = np.ones(len(hands), dtype=np.int64)
        for place, first, last in self.speakers():
            different, which = np.unique(hands[:, place], return_inverse=True)
            ways *= self.ways_of(first, last, different, seed)[which]
        return ways

    def most_ways(self) -> int:
        """In how many ways a distribution can have come about, if all calls agree."""
        if self.rules.auction:
            return 1
        sender = int(self.turn.state[SENDER])
        return prod(comb(7 if place == sender else 8, 5) for place, _, _ in self.speakers())

    def ways_of(self, first: int, last: int, hands: Numbers, seed: int) -> Numbers:
        """In how many ways each hand of a player agrees with his questions; raises PolicyError."""
        ways = np.zeros(len(hands), dtype=np.int64)
        right = outlook.count_ways(
            self.turn, first, last, hands, seed, self.rules, self.table, ways, self.no_counts()
        )
        if not right:
            raise PolicyError(NOT_ALLOWED)
        return ways
