"""Hidden hands that are drawn or listed, and what comes of every legal card in each, in threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.search import Search
from kqj_sim.core.outlook import LISTED
from kqj_sim.crew import NO_END, in_threads

Numbers = NDArray[np.int64]
Outcomes = NDArray[np.int16]

NOT_ALLOWED = "a policy chose what is not allowed while the round was played on"

NO_HANDS = (
    "no distribution of the hidden cards agrees with the plays: somebody played what he could not "
    "have played, or a card is wrong"
)


class Chunk(NamedTuple):
    """What came of a chunk of draws.

    Attributes:
        weights: float64 (n,), of the draws that have one; the others are left out.
        outcomes: int16 (n, cards, OUTCOME).
        hands: int64 (n, seats), the hidden hands by place, natural coding.
        counts: int64 (questions, 2), hands that were asked, and that answered as heard.
    """

    weights: NDArray[np.float64]
    outcomes: Outcomes
    hands: Numbers
    counts: Numbers


class Tries(ABC):
    """Hidden hands in which every legal card is played on, in threads; a game says how.

    Attributes:
        turn: the turn as the engine takes it; has the `cards` that may be played.
        threads: threads that play.
        step: draws that a thread makes at a time.
    """

    turn: Any
    threads: int
    step: ClassVar[int]

    @property
    def cards(self) -> int:
        """How many cards may be played."""
        return len(self.turn.cards)

    @property
    @abstractmethod
    def listed(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""

    @abstractmethod
    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return the state of a search for hidden hands; arguments as of `Search`."""

    @abstractmethod
    def ways(self, seed: int) -> Numbers:
        """In how many ways each of the listed distributions agrees with the calls."""

    @abstractmethod
    def most_ways(self) -> int:
        """In how many ways a distribution can have come about, if all calls agree."""

    @abstractmethod
    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> Chunk:
        """Draws, in this thread; raises PolicyError, OddsError and SearchEnded."""

    def chunks(
        self,
        mode: int,
        first: int,
        end: int | None,
        seed: int,
        search: Search,
        most: int | None = None,
    ) -> Generator[Chunk]:
        """Chunks of `step` draws, or `most`, in order, from one number of draws on up to another.

        Without `end` they do not end.
        """
        hands = [partial(self.chunk, mode, search, seed=seed)] * self.threads
        step = self.step if most is None else min(self.step, most)
        yield from in_threads(hands, first, NO_END if end is None else end, step, search)

    def all_outcomes(self, seed: int) -> Outcomes:
        """Every card in every listed distribution: (n, cards, OUTCOME)."""
        chunks = self.chunks(LISTED, 0, self.listed, seed, Search(0))
        return np.concatenate([chunk.outcomes for chunk in chunks])
