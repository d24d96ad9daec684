"""Hidden hands that are drawn or listed, and what comes of every legal card in each, in threads.

How a round so far stands, as the kernels take it.

Hidden hands of a round of KQJ, drawn or listed, in which every legal card is played on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import comb, prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from msgspec.structs import replace as replace_struct
from numpy.typing import NDArray

from kqj_sim.analysis.odds.auction_state import ObservedCall, replay_calls
from kqj_sim.analysis.odds.calls import OddsError
from kqj_sim.analysis.odds.kqj_position import KqjPartialRound
from kqj_sim.analysis.odds.sampling import order_rarest_first
from kqj_sim.analysis.odds.search import Search, SearchEnded
from kqj_sim.analysis.odds.situation import BiddingSituation
from kqj_sim.cards import Card
from kqj_sim.core import block as core_state
from kqj_sim.core import card_odds
from kqj_sim.core.block import DEALT, PLAYER_BITS, SENDER, STRIDE, allocate_block
from kqj_sim.core.call_odds import OUTCOME_SIZE, RESULT
from kqj_sim.core.card_odds import ENUMERATED, CardTurn, list_layouts, replay_plays
from kqj_sim.core.cards import PACK
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE
from kqj_sim.core.observed_calls import CALLER_PLACE, OBSERVED_CALL_SIZE, STOPPED
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.encode import CONTRACTS, encode_seating, format_cards, split_cards
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import Player
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.workers import UNBOUNDED, map_in_threads

Int64Array = NDArray[np.int64]
OutcomeArray = NDArray[np.int16]

ILLEGAL_CHOICE_MESSAGE = "a policy chose what is not allowed while the round was played on"

NO_LAYOUTS_MESSAGE = (
    "no distribution of the hidden cards agrees with the plays: somebody played what he could not "
    "have played, or a card is wrong"
)


class CardPlayouts(NamedTuple):
    """What came of a chunk of draws.

    Attributes:
        weights: float64 (n,), of the draws that have one; the others are left out.
        outcomes: int16 (n, cards, OUTCOME).
        hands: int64 (n, seats), the hidden hands by place, natural coding.
        counts: int64 (questions, 2), hands that were asked, and that answered as heard.
    """

    weights: NDArray[np.float64]
    outcomes: OutcomeArray
    hands: Int64Array
    counts: Int64Array


class CardSampler(ABC):
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
    def layout_count(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""

    @abstractmethod
    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return the state of a search for hidden hands; arguments as of `Search`."""

    @abstractmethod
    def count_ways(self, seed: int) -> Int64Array:
        """In how many ways each of the listed distributions agrees with the calls."""

    @abstractmethod
    def count_max_ways(self) -> int:
        """In how many ways a distribution can have come about, if all calls agree."""

    @abstractmethod
    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> CardPlayouts:
        """Draws, in this thread; raises PolicyError, OddsError and SearchEnded."""

    def iterate_chunks(
        self,
        mode: int,
        first: int,
        stop: int | None,
        seed: int,
        search: Search,
        most: int | None = None,
    ) -> Generator[CardPlayouts]:
        """Chunks of `step` draws, or `most`, in order, from one number of draws on up to another.

        Without `stop` they do not end.
        """
        hands = [partial(self.chunk, mode, search, seed=seed)] * self.threads
        step = self.step if most is None else min(self.step, most)
        yield from map_in_threads(hands, first, UNBOUNDED if stop is None else stop, step, search)

    def play_all_layouts(self, seed: int) -> OutcomeArray:
        """Every card in every listed distribution: (n, cards, OUTCOME)."""
        chunks = self.iterate_chunks(ENUMERATED, 0, self.layout_count, seed, Search(0))
        return np.concatenate([chunk.outcomes for chunk in chunks])


@cache
def _get_card_bits(contract: int | None) -> dict[str, int]:
    """Each card's bit, in natural coding or by strength for a contract."""
    return {format_cards(1 << bit, contract)[0]: 1 << bit for bit in split_cards(PACK)}


def convert_cards_to_bits(cards: Iterable[Card], contract: int | None = None) -> int:
    """Cards as a set of bits, in natural coding or by strength for a contract (0 to 5)."""
    return sum(_get_card_bits(contract)[str(card)] for card in cards)


def make_seating(rules: KqjRules, players: Sequence[Player]) -> Seating:
    """The table at which players call and play on; they sit by seat."""
    return encode_seating(rules, players, None, for_rollouts=True)


def make_turn(
    partial_round: KqjPartialRound, seating: Seating, ignore_calls: bool = False
) -> CardTurn:
    """A round so far; without a list of hidden hands.

    Args:
        partial_round: the round.
        seating: who plays on.
        ignore_calls: leave out what was said.
    """
    called, opener = partial_round.final_contract, partial_round.opener
    contract = CONTRACTS.index(called.contract)
    sender, own = partial_round.place_of(called.sender), partial_round.place_of(partial_round.seat)
    state = allocate_block()
    for row, value in (
        ("DEALER", partial_round.dealer),
        ("PENDING", partial_round.pending),
        ("SENDER", sender),
        ("CONTRACT", contract),
        ("LAP", 1),
        ("AMOUNT", called.amount or 0),
        ("CAPOT", int(called.capot)),
        ("STAKE", called.stake),
        (
            "UPCARD",
            0 if partial_round.turned is None else convert_cards_to_bits([partial_round.turned]),
        ),
    ):
        state[getattr(core_state, row)] = value
    shown = np.zeros(SEATS, dtype=np.int64)
    for place in range(SEATS):
        seat = (opener + place) % SEATS
        policy = (seating.seats >> 4 * seat) & 7
        about = partial_round.teams[seat] | policy << 2
        state[core_state.PLAYERS] |= about << PLAYER_BITS * place
        cards = set(partial_round.played_by(seat))
        cards |= partial_round.hand if place == own else set()
        shown[place] = convert_cards_to_bits(cards)
        state[DEALT + place * STRIDE] = shown[place]
    known = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    plays = [convert_cards_to_bits([card], contract) for card in partial_round.plays]
    replay_plays(state, np.array(plays, dtype=np.int64), seating._replace(keeps_history=1), known)
    numbers = (
        [] if ignore_calls else [each.numbers() for each in list_observed_calls(partial_round)]
    )
    heard = np.array(numbers, dtype=np.int64).reshape(-1)
    trick, position = divmod(len(partial_round.plays), SEATS)
    cards_now = [convert_cards_to_bits([card], contract) for card in partial_round.legal]
    return CardTurn(
        state, trick, position, known, shown, heard, np.zeros(0, dtype=np.int64),
        np.array(cards_now, dtype=np.int64),
    )  # fmt: skip


def list_observed_calls(partial_round: KqjPartialRound) -> list[ObservedCall]:
    """What the others answered when the calls were made, in the order in which hands are drawn."""
    if partial_round.calls is None:
        return []
    seats = [(partial_round.opener + place) % SEATS for place in range(SEATS)]
    situation = BiddingSituation(
        partial_round.rules,
        (),
        partial_round.turned,
        partial_round.place_of(partial_round.seat),
        tuple(partial_round.teams[seat] for seat in seats),
        tuple(
            replace_struct(call, seat=partial_round.place_of(call.seat))
            for call in partial_round.calls
        ),
        "bid",
    )
    others, _ = replay_calls(situation)
    return order_rarest_first(others)


def add_all_layouts(turn: CardTurn, max_layouts: int) -> CardTurn:
    """The turn with a list of all hidden hands, if they are no more than `max_layouts`."""
    worlds = np.empty(SEATS * max_layouts, dtype=np.int64)
    found = list_layouts(turn.known.copy(), max_layouts, worlds)
    return turn if found < 0 else turn._replace(layouts=worlds[: SEATS * found].copy())


def get_layouts(turn: CardTurn) -> NDArray[np.int64]:
    """The listed hidden hands, (n, 6) by place, natural coding."""
    worlds: NDArray[np.int64] = turn.layouts.reshape(-1, SEATS)
    return worlds


_MOST_HANDS = 1 << 23
"""Hands that are tried at most before the first deal is found: drawing one takes a microsecond."""

DRAWS_PER_CHUNK = 1024
"""Draws that a thread makes at a time."""


@dataclass(frozen=True)
class KqjCardSampler(CardSampler):
    """Draws for a turn, in threads."""

    step = DRAWS_PER_CHUNK

    turn: CardTurn
    rules: Rules
    table: Seating
    threads: int

    @property
    def layout_count(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        return len(get_layouts(self.turn))

    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> CardPlayouts:
        """Draws, in this thread; raises PolicyError, OddsError and SearchEnded."""
        outcomes = np.zeros((count * self.cards, OUTCOME_SIZE), dtype=np.int16)
        weights = np.zeros(count)
        hands = np.zeros((count, SEATS), dtype=np.int64)
        counts, signal = search.new_run()
        kept = card_odds.play_out_cards(
            self.turn, mode, first, count, seed, self.rules, self.table, outcomes, weights,
            hands, counts.reshape(-1), signal,
        )  # fmt: skip
        if kept == STOPPED:
            raise SearchEnded(by_time=False)
        if kept == card_odds.NO_LAYOUT:
            raise OddsError(NO_LAYOUTS_MESSAGE)
        outcomes = outcomes.reshape(count, self.cards, OUTCOME_SIZE)[: max(kept, 0)]
        if (
            kept == card_odds.ILLEGAL_CALL
            or (outcomes[:, :, RESULT] == card_odds.ILLEGAL_RESULT).any()
        ):
            raise PolicyError(ILLEGAL_CHOICE_MESSAGE)
        return CardPlayouts(weights[:kept], outcomes, hands[:kept], counts)

    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return the state of a search for hidden hands; arguments as of `Search`."""
        return Search(
            len(self.turn.observed_calls) // OBSERVED_CALL_SIZE, seconds, progress, _MOST_HANDS
        )

    def group_questions_by_place(self) -> list[tuple[int, int, int]]:
        """Each place that was asked, with the range of its questions."""
        places = [
            int(place) for place in self.turn.observed_calls[CALLER_PLACE::OBSERVED_CALL_SIZE]
        ]
        return [
            (place, places.index(place), places.index(place) + places.count(place))
            for place in dict.fromkeys(places)
        ]

    def count_ways(self, seed: int) -> Int64Array:
        """In how many ways each of the listed distributions agrees with the calls."""
        hands = get_layouts(self.turn)
        ways = np.ones(len(hands), dtype=np.int64)
        for place, first, last in self.group_questions_by_place():
            different, which = np.unique(hands[:, place], return_inverse=True)
            ways *= self.count_hand_ways(first, last, different, seed)[which]
        return ways

    def count_max_ways(self) -> int:
        """In how many ways a distribution can have come about, if all calls agree."""
        if self.rules.auction:
            return 1
        sender = int(self.turn.state[SENDER])
        return prod(
            comb(7 if place == sender else 8, 5) for place, _, _ in self.group_questions_by_place()
        )

    def count_hand_ways(self, first: int, last: int, hands: Int64Array, seed: int) -> Int64Array:
        """In how many ways each hand of a player agrees with his questions; raises PolicyError."""
        ways = np.zeros(len(hands), dtype=np.int64)
        counts = np.zeros(2 * len(self.turn.observed_calls) // OBSERVED_CALL_SIZE, dtype=np.int64)
        right = card_odds.count_first_fives(
            self.turn, first, last, hands, seed, self.rules, self.table, ways, counts
        )
        if not right:
            raise PolicyError(ILLEGAL_CHOICE_MESSAGE)
        return ways
