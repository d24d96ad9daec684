"""Hidden hands of a round of KQJ, drawn or listed, in which every legal card is played on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, prod

import numpy as np

from kqj_sim.analysis.odds import OddsError
from kqj_sim.analysis.search import Search, SearchEnded
from kqj_sim.analysis.tries import NO_HANDS, NOT_ALLOWED, Chunk, Numbers, Tries
from kqj_sim.analysis.turn_to_play import hidden_hands
from kqj_sim.core import outlook
from kqj_sim.core.odds import ASKED_PLACE, OUTCOME, QUESTION, RESULT, STOPPED
from kqj_sim.core.outlook import Turn
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import SENDER
from kqj_sim.policies.errors import PolicyError
from kqj_sim.rules import SEATS

_MOST_HANDS = 1 << 23
"""Hands that are tried at most before the first deal is found: drawing one takes a microsecond."""

CHUNK = 1024
"""Draws that a thread makes at a time."""


@dataclass(frozen=True)
class Trial(Tries):
    """Draws for a turn, in threads."""

    step = CHUNK

    turn: Turn
    rules: Rules
    table: Table
    threads: int

    @property
    def listed(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        return len(hidden_hands(self.turn))

    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> Chunk:
        """Draws, in this thread; raises PolicyError, OddsError and SearchEnded."""
        outcomes = np.zeros((count * self.cards, OUTCOME), dtype=np.int16)
        weights = np.zeros(count)
        hands = np.zeros((count, SEATS), dtype=np.int64)
        counts, signal = search.new_run()
        kept = outlook.try_cards(
            self.turn, mode, first, count, seed, self.rules, self.table, outcomes, weights,
            hands, counts.reshape(-1), signal,
        )  # fmt: skip
        if kept == STOPPED:
            raise SearchEnded(by_time=False)
        if kept == outlook.NO_HANDS:
            raise OddsError(NO_HANDS)
        outcomes = outcomes.reshape(count, self.cards, OUTCOME)[: max(kept, 0)]
        if kept == outlook.WRONG_CALL or (outcomes[:, :, RESULT] == outlook.WRONG).any():
            raise PolicyError(NOT_ALLOWED)
        return Chunk(weights[:kept], outcomes, hands[:kept], counts)

    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return the state of a search for hidden hands; arguments as of `Search`."""
        return Search(len(self.turn.questions) // QUESTION, seconds, progress, _MOST_HANDS)

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
        counts = np.zeros(2 * len(self.turn.questions) // QUESTION, dtype=np.int64)
        right = outlook.count_ways(
            self.turn, first, last, hands, seed, self.rules, self.table, ways, counts
        )
        if not right:
            raise PolicyError(NOT_ALLOWED)
        return ways
