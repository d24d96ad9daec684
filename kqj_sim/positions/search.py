"""The search for hidden hands with which the others would have called as they did: its limits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from kqj_sim.core.observed_calls import LISTED, LISTED_CALLERS, SEARCHING, SIGNAL_SIZE, STOP
from kqj_sim.core.types import Int64Array
from kqj_sim.positions.auction_state import ObservedCall
from kqj_sim.simulation.workers import TICK_SECONDS

MAX_HANDS = 1 << 26
"""Hands that are tried before the first deal is found, at most."""

DEALS_PER_SEARCH = 1 << 10
"""Each deal found allows this part of the maximum of hands to be tried beyond it."""

MAX_SEARCH_SECONDS = 60.0
"""Seconds of search between two deals found, unless the user limits the time."""

MIN_REFUSALS = 64
"""So many hands, none of which makes a call, show that the search ends there: if one hand in twenty
made it, some of these would with a chance of 96%."""


class SearchEnded(Exception):
    """A search for hidden hands reached a limit: of time (`by_time`), or of hands."""

    def __init__(self, by_time: bool) -> None:
        super().__init__()
        self.by_time = by_time


class Search:
    """A search for hidden hands with which the others would have called as they did.

    The threads share it.  The limit of hands depends on the hands looked at, in order, so that a
    seed gives the same answer whatever the threads.  The limit of time is for policies that take
    milliseconds for a call.

    Attributes:
        counts: int64 (questions, 2), hands that were asked and that agreed, of finished chunks.
        seconds: seconds of search allowed between two deals found.
    """

    def __init__(
        self,
        questions: int,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
        max_hands: int | None = None,
        hands_per_deal: int | None = None,
        shares_lists: bool = False,
    ) -> None:
        """Start a search.

        Args:
            questions: number of calls that hands have to agree with.
            seconds: replaces `MAX_SEARCH_SECONDS`.
            max_hands: replaces `MAX_HANDS`.
            shares_lists: whether deals may share lists of hands, which makes them depend on each
                other.
        """
        self.counts = np.zeros((questions, 2), dtype=np.int64)
        self.seconds = MAX_SEARCH_SECONDS if seconds is None else seconds
        self.deadline = Deadline()
        self._progress = progress
        self._max_hands = MAX_HANDS if max_hands is None else max_hands
        self._listed_callers = LISTED_CALLERS if shares_lists else 0
        self._hands_per_deal = hands_per_deal or self._max_hands // DEALS_PER_SEARCH
        self._running: list[tuple[Int64Array, Int64Array]] = []
        self._ended = False
        self._deals = 0
        self._searched = 0.0
        self._waited_at = time.monotonic()

    def start_chunk(self) -> tuple[Int64Array, Int64Array]:
        """Return what a chunk shares with the search; called in its thread.

        Returns:
            counts: int64 (questions, 2), hands that were asked and that agreed.
            signal: int64 (SIGNAL_SIZE,), set to STOP by the search, and by the kernel to the rest
                (`core.observed_calls`).
        """
        counts, signal = np.zeros_like(self.counts), np.zeros(SIGNAL_SIZE, dtype=np.int64)
        signal[LISTED] = self._listed_callers
        self._running.append((counts, signal))
        if self._ended:
            signal[STOP] = 1
        return counts, signal

    @property
    def all_counts(self) -> Int64Array:
        """The counts, those of unfinished chunks included; they depend on the threads."""
        return self.counts + sum(counts for counts, _ in self._running)

    def finish_chunk(self, counts: Int64Array, deals: int) -> None:
        """Add the counts and deals of the next chunk; raise SearchEnded at a limit."""
        self._running = [chunk for chunk in self._running if chunk[0] is not counts]
        self.counts += counts
        self._deals += deals
        if deals > 0:
            self._searched = 0.0
        if self.counts[:, 0].sum() >= self._max_hands + self._hands_per_deal * self._deals:
            raise SearchEnded(by_time=False)
        if deals == 0 and len(self.counts):
            # Chunks may take less than a tick, so that nobody waits for them.
            self._spend(is_searching=True)

    def wait(self) -> None:
        """Report progress while a chunk is awaited; raise SearchEnded at the limit of time."""
        if len(self.counts) == 0:
            return
        # Only search counts: compiling and playing on may take long where hands are found at once.
        self._spend(any(signal[SEARCHING] for _, signal in self._running))

    def _spend(self, is_searching: bool) -> None:
        """Report progress, and count the time since the last call if it went to the search."""
        if self._progress is not None:
            self._progress(int(self.all_counts[:, 0].sum()))
        now = time.monotonic()
        if is_searching:
            self._searched += now - max(self._waited_at, now - 2 * TICK_SECONDS)
        self._waited_at = now
        if self._searched > self.seconds or self.deadline.has_passed:
            raise SearchEnded(by_time=True)

    def end(self) -> None:
        """Make the kernels return."""
        self._ended = True
        for _, signal in self._running:
            signal[STOP] = 1


class Deadline:
    """A moment at which all searches of several threads end; a watch of these threads."""

    def __init__(
        self,
        moment: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Set the moment; it has come, too, once `is_stopped` says so, as after Ctrl-C."""
        self._moment = moment
        self._clock = clock
        self._is_stopped = is_stopped
        self._searches: list[Search] = []

    @property
    def seconds_left(self) -> float:
        """Seconds until that moment, 0 or less from it on."""
        return 0.0 if self._is_stopped() else self._moment - self._clock()

    @property
    def has_passed(self) -> bool:
        """True from that moment on."""
        return self.seconds_left <= 0

    def within(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds from now, or at this moment if that is earlier."""
        moment = min(self._moment, self._clock() + seconds)
        return Deadline(moment, self._clock, self._is_stopped)

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
    """Return the index of the question at which the search ended.

    That is the one that none of `MIN_REFUSALS` hands or more answered as observed, where every deal
    ends, however rare the calls are that some hands made; else the one that the fewest did.
    """
    tries, agreed = counts.T
    # One more that agreed, so that none of three is not rarer than one of a million.
    shares = (agreed + 1) / (tries + 1)
    return int(np.argmin(shares - ((agreed == 0) & (tries >= MIN_REFUSALS))))


def explain_rare_calls(
    what: str, counts: Sequence[int], of: str, seconds: float | None, other: str
) -> str:
    """Return a line that says how rare calls are, and what to do.

    Args:
        what: who calls what, such as "the assumed player always calls 'pass' as the opener with".
        counts: how many hands or deals were tried, and how many agreed.
        of: what was tried, such as "hands".
        seconds: the limit of time that ended the search; None if it was the limit of hands.
        other: an example of players that call more freely.
    """
    tried, agreed = counts
    line = f"{what} {f'{agreed:,}' if agreed else 'none'} of {tried:,} {of}"
    if seconds is not None:
        line += f" that were tried in {seconds:g} s; allow more with `time`"
    return f"{line}; choose other players with `policy`, such as {other}, or give `ignore_calls`"


def explain_rarest_call(
    observed_calls: Sequence[ObservedCall],
    counts: Int64Array,
    describe: Callable[[int], tuple[str, str]],
    seconds: float | None,
    other: str,
) -> str:
    """Return a line that names the least plausible call and says what to do.

    Args:
        describe: returns the noun for a place, and the name of its assumed player.
        seconds, other: as for `explain_rare_calls`.
    """
    number = find_rarest_question(counts)
    text = observed_calls[number].text
    call = f"bids {text}" if text[0].isdigit() else f"calls {text!r}"
    place, player = describe(observed_calls[number].place)
    what = f"the assumed player {player} {call} as {place} with"
    return explain_rare_calls(what, counts[number].tolist(), "hands", seconds, other)
