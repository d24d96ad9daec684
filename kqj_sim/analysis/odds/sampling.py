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

from kqj_sim.analysis.odds.auction_state import AuctionState, CallOption, ObservedCall, replay_calls
from kqj_sim.analysis.odds.search import Search, SearchEnded, name_implausible_call
from kqj_sim.analysis.odds.situation import BiddingSituation
from kqj_sim.core import call_odds as core
from kqj_sim.core.block import LANES, PLAYER_BITS, SEATS, allocate_block
from kqj_sim.core.observed_calls import STOPPED
from kqj_sim.core.rules import Seating
from kqj_sim.encode import encode_cards, encode_rules, encode_seating
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import DEFAULT_PLAYER, Player, parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.workers import map_in_threads

Int64Array = NDArray[np.int64]


class ImpossibleBiddingError(ValueError):
    """A call that the assumed player would hardly ever make; `by_time`: the time was over."""

    def __init__(self, line: str, by_time: bool = False) -> None:
        super().__init__(line)
        self.by_time = by_time


class CallPlayouts(NamedTuple):
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
    counts: Int64Array


class SampleBuffers:
    """The arrays of a thread."""

    def __init__(self) -> None:
        self.state = allocate_block()
        self.hands = np.zeros(2 * SEATS * LANES, dtype=np.int64)
        self.keys = np.zeros(LANES, dtype=np.int64)
        self.weights = np.zeros(LANES)


@dataclass
class CallSampler:
    """Draws deals for a player and plays them on.

    Attributes:
        situation: what he knows.
        players: who calls and plays at each place, himself included.
        seed: seed of the deals.
        pending: litigation gratuity that waits.
        ignore_calls: True for deals that need not agree with what was said.
    """

    situation: BiddingSituation
    players: Sequence[Player]
    seed: int
    pending: int = 0
    ignore_calls: bool = False

    def __post_init__(self) -> None:
        situation = self.situation
        asked, standing = replay_calls(situation)
        self.standing: AuctionState = standing
        self.asked: list[ObservedCall] = [] if self.ignore_calls else order_rarest_first(asked)
        self._rules = encode_rules(situation.rules)
        self._table, self._known = self._prepare_seating(self.players)
        numbers = [asked.numbers() for asked in self.asked]
        self._questions = np.array(numbers, dtype=np.int64).reshape(-1)

    def _prepare_seating(self, players: Sequence[Player]) -> tuple[Seating, Int64Array]:
        """A table of players, and what is known (`core.call_odds.OBSERVER_SIZE`) with them at
        it."""
        situation = self.situation
        distinct = list(dict.fromkeys(players))
        seated = sum(
            (team | distinct.index(player) << 2) << PLAYER_BITS * place
            for place, (team, player) in enumerate(zip(situation.teams, players, strict=True))
        )
        turned = () if situation.turned is None else (situation.turned,)
        known = np.array(
            [
                situation.place,
                encode_cards(situation.hand),
                encode_cards(turned),
                seated,
                self.pending,
            ],
            dtype=np.int64,
        )
        return encode_seating(situation.rules, players, None, for_rollouts=True), known

    def block(
        self, worker: SampleBuffers, options: Int64Array, search: Search, first: int
    ) -> CallPlayouts:
        """The deals from `first` on, a block of them; options are (n, OPTION) numbers."""
        live, counts = self._sample_block(worker, search, first)
        outcomes = self._play(worker, live, options, first)
        return CallPlayouts(LANES, worker.weights[:live].copy(), outcomes, counts)

    def _sample_block(
        self, worker: SampleBuffers, search: Search, first: int
    ) -> tuple[int, Int64Array]:
        """Draw a block of deals; how many have a weight, and what was asked and answered."""
        counts, signal = search.new_run()
        live = core.sample_deals(
            worker.state, first, LANES, self.seed, self._rules, self._table, self._known,
            self._questions, worker.hands, worker.keys, worker.weights, counts.reshape(-1),
            signal,
        )  # fmt: skip
        if live == STOPPED:
            raise SearchEnded(by_time=False)
        if live < 0:
            raise PolicyError(self._describe_illegal_choice(first))
        return live, counts

    def _play(
        self, worker: SampleBuffers, live: int, options: Int64Array, first: int
    ) -> NDArray[np.int16]:
        """What comes of each call in the deals that were drawn, int16 (options, live, OUTCOME)."""
        outcomes = np.zeros((len(options), live, core.OUTCOME_SIZE), dtype=np.int16)
        if not core.play_out_calls(
            worker.state, live, self._rules, self._table, self._known, options, worker.hands,
            worker.keys, outcomes,
        ):  # fmt: skip
            raise PolicyError(self._describe_illegal_choice(first))
        return outcomes

    def _describe_illegal_choice(self, first: int) -> str:
        return f"a policy chose what is not allowed in the deals from {first} of seed {self.seed}"

    def blocks(
        self, options: Sequence[CallOption], threads: int, first: int, count: int,
        seconds: float | None = None, searching: Callable[[int], None] | None = None,
    ) -> Generator[CallPlayouts]:  # fmt: skip
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

        def play(worker: SampleBuffers, first: int, count: int) -> CallPlayouts:
            return self.block(worker, numbers, search, first)

        hands = [partial(play, SampleBuffers()) for _ in range(threads)]
        found = False
        empty: list[CallPlayouts] = []
        try:
            with closing(
                map_in_threads(hands, first, first + count * LANES, LANES, search)
            ) as source:
                for block in source:
                    found |= len(block.weights) > 0
                    empty.append(block)
                    if found:
                        yield from empty
                        empty = []
                    search.finish(block.counts, len(block.weights))
        except SearchEnded as end:
            raise ImpossibleBiddingError(
                self._explain_impossible_bidding(search, end.by_time), end.by_time
            ) from None
        if not found:
            raise ImpossibleBiddingError(self._explain_impossible_bidding(search, False))

    def _explain_impossible_bidding(self, search: Search, by_time: bool) -> str:
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
    return free if parse_player(likely) in assumed else likely


_OTHERS = {
    "take": ("points:take=45,lap2=38+network", "random:take=0.3+network"),
    "auction": (DEFAULT_PLAYER, "random:bid=0.3+network"),
}
"""Players whose calls are plausible, and players who call everything."""


def order_rarest_first(observed_calls: list[ObservedCall]) -> list[ObservedCall]:
    """Questions by player: first who bid or countered, since few hands will do for that."""
    spoke: dict[int, int] = {}
    for each in observed_calls:
        silent = each.text in ("pass", "no counter", "no overcounter")
        spoke[each.place] = spoke.get(each.place, 0) + (0 if silent else 1)
    return sorted(observed_calls, key=lambda each: (-spoke[each.place], each.place))
