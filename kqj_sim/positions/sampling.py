"""Draws of hidden cards in which every option is played out, and limits of the search for them."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from kqj_sim.core.observed_calls import SEARCHING, STOP
from kqj_sim.core.types import Float64Array, Int16Array, Int64Array
from kqj_sim.positions.auction_state import ObservedCall
from kqj_sim.positions.measures import MeasureTable
from kqj_sim.simulation.workers import TICK_SECONDS, UNBOUNDED, map_in_threads

MAX_HANDS = 1 << 26
"""Hands that are tried before the first deal is found, at most."""

DEALS_PER_SEARCH = 1 << 10
"""Each deal found allows this part of the maximum of hands to be tried beyond it."""

MAX_SEARCH_SECONDS = 60.0
"""Seconds of search between two deals found, unless the user limits the time."""


class SearchEnded(Exception):
    """A search for hidden hands reached a limit: of time (`by_time`), or of hands."""

    def __init__(self, by_time: bool) -> None:
        super().__init__()
        self.by_time = by_time


class ChunkSearch(NamedTuple):
    """Arrays that the search shares with the thread that works on a chunk.

    Attributes:
        counts: int64 (questions, 2), hands that were asked and that agreed.
        signal: int64 (2,), set to STOP by the search, and to SEARCHING by the kernel
            (`core.observed_calls`).
    """

    counts: Int64Array
    signal: Int64Array


class Search:
    """A search for hidden hands with which the others would have called as they did.

    The threads share it.  The limit of hands depends on the hands looked at, in order, so that a
    seed gives the same answer whatever the threads.  The limit of time is for policies that take
    milliseconds for a call.

    Attributes:
        counts: int64 (questions, 2), hands that were asked and that agreed, of finished chunks.
        seconds: seconds of search allowed between two deals found.
        deadline: moment of the monotonic clock at which it ends.
    """

    deadline = math.inf

    def __init__(
        self,
        questions: int,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
        max_hands: int | None = None,
        hands_per_deal: int | None = None,
    ) -> None:
        """Start a search.

        Args:
            questions: number of calls that hands have to agree with.
            seconds: replaces `MAX_SEARCH_SECONDS`.
            progress: called with the number of hands tried so far.
            max_hands: replaces `MAX_HANDS`.
            hands_per_deal: hands that each deal found allows beyond them.
        """
        self.counts = np.zeros((questions, 2), dtype=np.int64)
        self.seconds = MAX_SEARCH_SECONDS if seconds is None else seconds
        self._progress = progress
        self._max_hands = MAX_HANDS if max_hands is None else max_hands
        self._hands_per_deal = hands_per_deal or self._max_hands // DEALS_PER_SEARCH
        self._running: list[ChunkSearch] = []
        self._ended = False
        self._deals = 0
        self._searched = 0.0
        self._waited_at = time.monotonic()

    def start_chunk(self) -> ChunkSearch:
        """Return what a chunk shares with the search; called in its thread."""
        chunk = ChunkSearch(np.zeros_like(self.counts), np.zeros(2, dtype=np.int64))
        self._running.append(chunk)
        if self._ended:
            chunk.signal[STOP] = 1
        return chunk

    @property
    def all_counts(self) -> Int64Array:
        """The counts, those of unfinished chunks included; they depend on the threads."""
        return self.counts + sum(chunk.counts for chunk in self._running)

    def finish_chunk(self, counts: Int64Array, deals: int) -> None:
        """Add the counts of the next chunk and the deals it found.

        Raises:
            SearchEnded: the limit of hands is reached.
        """
        self._running = [chunk for chunk in self._running if chunk.counts is not counts]
        self.counts += counts
        self._deals += deals
        if deals > 0:
            self._searched = 0.0
        if self.counts[:, 0].sum() >= self._max_hands + self._hands_per_deal * self._deals:
            raise SearchEnded(by_time=False)

    def wait(self) -> None:
        """Report progress while a chunk is awaited.

        Raises:
            SearchEnded: the limit of time is reached.
        """
        if len(self.counts) == 0:
            return
        if self._progress is not None:
            self._progress(int(self.all_counts[:, 0].sum()))
        # Only search counts: compiling and playing on may take long where hands are found at once.
        now = time.monotonic()
        if any(chunk.signal[SEARCHING] for chunk in self._running):
            self._searched += now - max(self._waited_at, now - 2 * TICK_SECONDS)
        self._waited_at = now
        if self._searched > self.seconds or now > self.deadline:
            raise SearchEnded(by_time=True)

    def end(self) -> None:
        """Make the kernels return."""
        self._ended = True
        for chunk in self._running:
            chunk.signal[STOP] = 1


class Deadline:
    """A moment at which all searches of several threads end; a watch of these threads.

    Args:
        moment: of the clock.
        clock: returns the time in seconds.
    """

    def __init__(
        self, moment: float = math.inf, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._moment = moment
        self._clock = clock
        self._searches: list[Search] = []

    @property
    def seconds_left(self) -> float:
        """Seconds until that moment, below 0 after it."""
        return self._moment - self._clock()

    @property
    def has_passed(self) -> bool:
        """True from that moment on."""
        return self.seconds_left <= 0

    def within(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds from now, or at this moment if that is earlier."""
        return Deadline(min(self._moment, self._clock() + seconds), self._clock)

    def limit(self, search: Search) -> Search:
        """Let a search end at the deadline; return it."""
        if len(search.counts):
            self._searches.append(search)
            if self.has_passed:
                search.end()
        return search

    def release(self, search: Search) -> None:
        """Forget a search that is over."""
        if search in self._searches:
            self._searches.remove(search)

    def wait(self) -> None:
        """End the searches once the moment has come."""
        if self.has_passed:
            self.end()

    def end(self) -> None:
        """End all searches."""
        for search in [*self._searches]:
            search.end()


def find_rarest_question(counts: Int64Array) -> int:
    """Return the index of the question that the fewest hands answered as observed.

    Args:
        counts: int64 (questions, 2), hands that were asked and that agreed.
    """
    # One more that agreed, so that none of three is not rarer than one of a million.
    return int(np.argmin((counts[:, 1] + 1) / (counts[:, 0] + 1)))


def explain_rare_calls(
    what: str, counts: Sequence[int], of: str, seconds: float | None, other: str
) -> str:
    """Return a line that says how rare calls are, and what to do.

    Args:
        what: the calls with their verb, "the call 'pass' of the opener occurs".
        counts: how many hands or deals were tried, and how many agreed.
        of: what was tried, "hands of the assumed player always".
        seconds: the limit of time that ended the search; None if it was the limit of hands.
        other: an example of players that call more freely.
    """
    tried, agreed = counts
    line = f"{what} in {f'{agreed:,}' if agreed else 'none'} of {tried:,} {of}"
    if seconds is not None:
        line += f" that were tried in {seconds:g} s; allow more with --time"
    return f"{line}; choose other players with --policy, such as {other}, or give --ignore-calls"


def explain_rarest_call(
    observed_calls: Sequence[ObservedCall],
    counts: Int64Array,
    describe: Callable[[int], tuple[str, str]],
    seconds: float | None,
    other: str,
) -> str:
    """Return a line that names the least plausible call and says what to do.

    Args:
        observed_calls: the calls, as questions that others answered.
        counts: int64 (questions, 2), hands that were asked and that agreed.
        describe: returns the noun for a place, and the name of its assumed player.
        seconds, other: as for `explain_rare_calls`.
    """
    number = find_rarest_question(counts)
    text = observed_calls[number].text
    call = f"bid of {text}" if text[0].isdigit() else f"call {text!r}"
    place, player = describe(observed_calls[number].place)
    return explain_rare_calls(
        f"the {call} of {place} occurs",
        counts[number].tolist(),
        f"hands of the assumed player {player}",
        seconds,
        other,
    )


class Playouts(NamedTuple):
    """Outcomes of every option in a chunk of draws.

    Attributes:
        drawn: number of draws, those without a weight included; the others are left out below.
        weights: float64 (n,), weights of the draws.
        outcomes: int16 (options, n, OUTCOME), see `write_outcome` of the game's kernels.
        hands: int64 (places, n), the hidden hands, natural coding.
        counts: int64 (questions, 2), hands that were asked, and that answered as observed.
        call_weights: float64 (m,), the weights of all draws by the calls alone; None if these are
            `weights`.
    """

    drawn: int
    weights: Float64Array
    outcomes: Int16Array
    hands: Int64Array
    counts: Int64Array
    call_weights: Float64Array | None = None


class Sampler(ABC):
    """Draws of hidden cards in which every option is played out, chunk by chunk in threads.

    A draw is a function of the seed and its number: neither threads nor the size of chunks can be
    seen in the results.

    Attributes:
        chunk_size: number of draws in a chunk, unless fewer are wanted.
        min_chunk_size: number of draws in a chunk, at least.
        chunks_per_check: chunks between two checks whether enough is known.
        counts_rejected: whether draws without a weight count as deals.
        measures: the measures of the outcomes.
        question_count: number of calls that hidden hands agree with.
        threads: number of threads.
    """

    chunk_size: ClassVar[int]
    min_chunk_size: ClassVar[int]
    chunks_per_check: ClassVar[int]
    counts_rejected: ClassVar[bool]
    measures: MeasureTable
    question_count: int
    threads: int

    @abstractmethod
    def start_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return a search for hidden hands; arguments as of `Search`."""

    @abstractmethod
    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        """Play out every option in `count` draws from the number `first` on, in this thread.

        Raises:
            InputError: no hidden hands agree with the plays; a policy chose what is not allowed.
            SearchEnded: the search was told to stop.
        """

    @abstractmethod
    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        """Return a line that names the least plausible call; arguments as `explain_rarest_call`."""

    def iterate_chunks(self, first: int, deals: int, search: Search) -> Generator[Playouts]:
        """Yield chunks of draws in order, from the number `first` on.

        Args:
            first: number of the first draw.
            deals: how many deals are wanted; where rejected draws do not count, there is no end.
            search: the search for hidden hands.
        """
        size = min(self.chunk_size, max(self.min_chunk_size, deals))
        end = first + math.ceil(deals / size) * size if self.counts_rejected else UNBOUNDED
        functions = [partial(self.play_chunk, search)] * self.threads
        yield from map_in_threads(functions, first, end, size, search)


class CardSampler(Sampler):
    """A sampler of a round in progress; its options are the legal cards.

    Where few distributions of the hidden cards agree with the plays they are listed, and each can
    be played out.

    Attributes:
        card_count: number of legal cards.
        layout_count: number of listed distributions: all that agree with the plays, or 0.
        keeps_history: whether a player looks back at finished tricks.
        uses_plays: whether distributions are weighed by the chances of the plays.
        max_ways: in how many ways a distribution can have come about, if all calls agree.
    """

    card_count: int
    layout_count: int
    keeps_history: bool
    uses_plays: bool = False
    max_ways: int
    chunks_per_check = 1
    counts_rejected = False

    @abstractmethod
    def count_ways(self, seed: int) -> Int64Array:
        """Return in how many ways each of the listed distributions agrees with the calls."""

    def weigh_listed_by_plays(self) -> Float64Array:
        """Return the weights of the listed distributions by the chances of the plays."""
        return np.ones(self.layout_count)

    @abstractmethod
    def play_listed(self, seed: int, first: int, count: int) -> Int16Array:
        """Play out every card in some listed distributions: int16 (cards, count, OUTCOME).

        Raises:
            InputError: a policy chose what is not allowed.
        """

    def play_all_listed(self, seed: int) -> Int16Array:
        """Play out every card in every listed distribution: int16 (cards, n, OUTCOME)."""
        functions = [partial(self.play_listed, seed)] * self.threads
        chunks = map_in_threads(functions, 0, self.layout_count, self.chunk_size)
        return np.concatenate(list(chunks), axis=1)
