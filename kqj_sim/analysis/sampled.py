"""Deals that agree with what a player knows, by the block: sampled, and played on after each call.

A deal is a function of the seed and its number, so neither threads nor how many deals are asked for
at a time can be seen in what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.heard import Situation
from kqj_sim.analysis.search import Search, SearchEnded, name_implausible_call
from kqj_sim.analysis.standing import Asked, Option, Standing, answered
from kqj_sim.core import odds as core
from kqj_sim.core.rules import Table
from kqj_sim.core.state import ABOUT, LANES, SEATS, new_state
from kqj_sim.crew import in_threads
from kqj_sim.encode import card_bits, core_rules, core_table
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYER, Player, player
from kqj_sim.rules import KqjRules

Numbers = NDArray[np.int64]


class NeverSaid(ValueError):
    """A call that the assumed player would hardly ever make; `by_time`: the time was over."""

    def __init__(self, line: str, by_time: bool = False) -> None:
        super().__init__(line)
        self.by_time = by_time


class Block(NamedTuple):
    """Deals of a block, and what comes of each call in them.

    Attributes:
        deals: how many were drawn; those without a weight are left out of the others.
        weights: float64 (n,), see `core.odds`.
        outcomes: int16 (options, n, OUTCOME), see `core.odds`.
        counts: int64 (questions, 2), hands that were asked, and that answered as heard.
    """

    deals: int
    weights: NDArray[np.float64]
    outcomes: NDArray[np.int16]
    counts: Numbers


class Worker:
    """The arrays of a thread."""

    def __init__(self) -> None:
        self.state = new_state()
        self.hands = np.zeros(2 * SEATS * LANES, dtype=np.int64)
        self.keys = np.zeros(LANES, dtype=np.int64)
        self.weights = np.zeros(LANES)
        self.work = np.zeros(5 * LANES, dtype=np.int64)


@dataclass
class Sampler:
    """Draws deals for a player and plays them on.

    Attributes:
        situation: what he knows.
        players: who calls and plays at each place, himself included.
        seed: seed of the deals.
        pending: litigation gratuity that waits.
        ignore_calls: True for deals that need not agree with what was said.
    """

    situation: Situation
    players: Sequence[Player]
    seed: int
    pending: int = 0
    ignore_calls: bool = False

    def __post_init__(self) -> None:
        situation = self.situation
        asked, standing = answered(situation)
        self.standing: Standing = standing
        self.asked: list[Asked] = [] if self.ignore_calls else rarest_first(asked)
        self._rules = core_rules(situation.rules)
        self._table, self._known = self._seated(self.players)
        numbers = [asked.numbers() for asked in self.asked]
        self._questions = np.array(numbers, dtype=np.int64).reshape(-1)

    def _seated(self, players: Sequence[Player]) -> tuple[Table, Numbers]:
        """A table of players, and what is known (`core.odds.KNOWN`) with them at it."""
        situation = self.situation
        distinct = list(dict.fromkeys(players))
        seated = sum(
            (team | distinct.index(player) << 2) << ABOUT * place
            for place, (team, player) in enumerate(zip(situation.teams, players, strict=True))
        )
        turned = () if situation.turned is None else (situation.turned,)
        known = np.array(
            [situation.place, card_bits(situation.hand), card_bits(turned), seated, self.pending],
            dtype=np.int64,
        )
        return core_table(situation.rules, players, None, nested=True), known

    def block(self, worker: Worker, options: Numbers, search: Search, first: int) -> Block:
        """The deals from `first` on, a block of them; options are (n, OPTION) numbers."""
        live, counts = self._draw(worker, search, first)
        outcomes = self._play(worker, live, options, first)
        return Block(LANES, worker.weights[:live].copy(), outcomes, counts)

    def _draw(self, worker: Worker, search: Search, first: int) -> tuple[int, Numbers]:
        """Draw a block of deals; how many have a weight, and what was asked and answered."""
        counts, signal = search.new_run()
        live = core.sample_deals(
            worker.state, first, LANES, self.seed, self._rules, self._table, self._known,
            self._questions, worker.hands, worker.keys, worker.weights, counts.reshape(-1),
            worker.work, signal,
        )  # fmt: skip
        if live == core.STOPPED:
            raise SearchEnded(by_time=False)
        if live < 0:
            raise PolicyError(self._not_allowed(first))
        return live, counts

    def _play(self, worker: Worker, live: int, options: Numbers, first: int) -> NDArray[np.int16]:
        """What comes of each call in the deals that were drawn, int16 (options, live, OUTCOME)."""
        outcomes = np.zeros((len(options), live, core.OUTCOME), dtype=np.int16)
        if not core.play_calls(
            worker.state, live, self._rules, self._table, self._known, options, worker.hands,
            worker.keys, outcomes,
        ):  # fmt: skip
            raise PolicyError(self._not_allowed(first))
        return outcomes

    def _not_allowed(self, first: int) -> str:
        return f"a policy chose what is not allowed in the deals from {first} of seed {self.seed}"

    def blocks(
        self, options: Sequence[Option], threads: int, first: int, count: int,
        seconds: float | None = None, searching: Callable[[int], None] | None = None,
    ) -> Generator[Block]:  # fmt: skip
        """Blocks of deals from a number on, `count` of them, in order.

        Args:
            options: the calls that are tried out.
            threads: threads that work.
            first, count: the number of the first deal, and how many blocks.
            seconds: limit of time in place of `search.SECONDS`.
            searching: called with the number of hands that were tried, while a block is awaited.

        Raises:
            NeverSaid: no deal agrees with what was heard, or the search reached a limit.
            PolicyError: a policy chose what is not allowed.
        """
        numbers: Any = np.array([option.numbers() for option in options], dtype=np.int64)
        search = Search(len(self.asked), seconds, searching)

        def play(worker: Worker, first: int, count: int) -> Block:
            return self.block(worker, numbers, search, first)

        hands = [partial(play, Worker()) for _ in range(threads)]
        found = False
        empty: list[Block] = []
        try:
            with closing(in_threads(hands, first, first + count * LANES, LANES, search)) as source:
                for block in source:
                    found |= len(block.weights) > 0
                    empty.append(block)
                    if found:
                        yield from empty
                        empty = []
                    search.finish(block.counts, len(block.weights))
        except SearchEnded as end:
            raise NeverSaid(self._never_said(search, end.by_time), end.by_time) from None
        if not found:
            raise NeverSaid(self._never_said(search, False))

    def _never_said(self, search: Search, by_time: bool) -> str:
        """Name the least plausible call in one line."""

        def who(place: int) -> tuple[str, str]:
            return f"place {place}", self.players[place].name

        return name_implausible_call(
            self.asked, search.all_counts if by_time else search.counts, who,
            other_players(self.situation.rules, self.players),
            search.seconds if by_time else None,
        )  # fmt: skip


def other_players(rules: KqjRules, assumed: Sequence[Player]) -> str:
    """Return an example of players to assume in place of others."""
    likely, free = _OTHERS[rules.bidding]
    return free if player(likely) in assumed else likely


_OTHERS = {
    "take": ("points:take=45,lap2=38+network", "random:take=0.3+network"),
    "auction": (DEFAULT_PLAYER, "random:bid=0.3+network"),
}
"""Players whose calls are plausible, and players who call everything."""


def rarest_first(asked: list[Asked]) -> list[Asked]:
    """Questions by player: first who bid or countered, since few hands will do for that."""
    spoke: dict[int, int] = {}
    for each in asked:
        silent = each.text in ("pass", "no counter", "no overcounter")
        spoke[each.place] = spoke.get(each.place, 0) + (0 if silent else 1)
    return sorted(asked, key=lambda each: (-spoke[each.place], each.place))
