"""Limits of the search for hidden hands with which the others would have called as they did.

The limit of hands decides by what was looked at, in order, so that a seed gives the same answer
whatever the threads.  The limit of time is for policies that take milliseconds for a call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.odds.auction_state import ObservedCall
from kqj_sim.core.observed_calls import SEARCHING, STOP
from kqj_sim.workers import TICK_SECONDS

Numbers: TypeAlias = NDArray[np.int64]

MOST_HANDS = 1 << 26
"""Hands that are tried at most before the first deal is found."""

PER_DEAL = 1 << 10
"""For each deal that was found, one part in so many of `MOST_HANDS` may be tried beyond them."""

SECONDS = 60.0
"""Seconds that may pass between two deals found, unless a limit of time is given."""

FEW_DEALS = 100
"""With fewer effective deals, a search that reached its limit has no answer."""


class SearchEnded(Exception):
    """A search that reached a limit; `by_time` tells which."""

    def __init__(self, by_time: bool) -> None:
        super().__init__()
        self.by_time = by_time


class Run(NamedTuple):
    """What a chunk shares with the search while a thread works on it.

    counts: int64 (questions, 2), hands that were asked and that agreed.
    signal: int64 (2,), set to STOP by the search, and to SEARCHING by the kernel (`core.odds`).
    """

    counts: Numbers
    signal: Numbers


class Search:
    """The state of a search for hidden hands, shared by the threads.

    Attributes:
        counts: int64 (questions, 2), hands that were asked and that agreed, of finished chunks.
        seconds: seconds of search that may pass between two deals found.

    The argument `most_hands` replaces `MOST_HANDS` where a hand takes longer to draw.
    """

    def __init__(
        self,
        questions: int,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
        most_hands: int = MOST_HANDS,
    ) -> None:
        self.counts = np.zeros((questions, 2), dtype=np.int64)
        self.seconds = SECONDS if seconds is None else seconds
        self._progress = progress
        self._most = most_hands
        self._running: list[Run] = []
        self._ended = False
        self._deals = 0
        self._searched = 0.0
        self._waited_at = time.monotonic()

    def new_run(self) -> Run:
        """Return what a chunk shares with the search; called in its thread."""
        run = Run(np.zeros_like(self.counts), np.zeros(2, dtype=np.int64))
        self._running.append(run)
        if self._ended:
            run.signal[STOP] = 1
        return run

    @property
    def all_counts(self) -> Numbers:
        """The counts, those of unfinished chunks included; they depend on the threads."""
        return self.counts + sum(run.counts for run in self._running)

    def finish(self, counts: Numbers, deals: int) -> None:
        """Add the counts of the next chunk and the deals it found.

        Raises:
            SearchEnded: the limit of hands is reached.
        """
        self._running = [run for run in self._running if run.counts is not counts]
        self.counts += counts
        self._deals += deals
        if deals > 0:
            self._searched = 0.0
        if self.counts[:, 0].sum() >= self._most + self._most // PER_DEAL * self._deals:
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
        if any(run.signal[SEARCHING] for run in self._running):
            self._searched += now - max(self._waited_at, now - 2 * TICK_SECONDS)
        self._waited_at = now
        if self._searched > self.seconds:
            raise SearchEnded(by_time=True)

    def end(self) -> None:
        """Make the kernels return."""
        self._ended = True
        for run in self._running:
            run.signal[STOP] = 1


def rarest_question(counts: Numbers) -> int:
    """Return the number of the question that the fewest hands answered as heard.

    Args:
        counts: int64 (questions, 2), hands that were asked and that agreed.
    """
    # One more that agreed, so that none of three is not rarer than one of a million.
    return int(np.argmin((counts[:, 1] + 1) / (counts[:, 0] + 1)))


def name_implausible_call(
    asked: Sequence[ObservedCall],
    counts: Numbers,
    who: Callable[[int], tuple[str, str]],
    other: str,
    seconds: float | None = None,
) -> str:
    """Return a line that names the least plausible call and says what to do.

    Args:
        asked: the calls, as questions that others answered.
        counts: int64 (questions, 2), hands that were asked and that agreed.
        who: returns how errors call a place, and its assumed player.
        other: an example of players that call more freely.
        seconds: the limit of time that ended the search; None if it was the limit of hands.
    """
    number = rarest_question(counts)
    tried, agreed = counts[number].tolist()
    text = asked[number].text
    call = f"bid of {text}" if text[0].isdigit() else f"call {text!r}"
    place, name = who(asked[number].place)
    line = f"{place}'s {call} occurs in {agreed or 'none':{',' if agreed else ''}} of {tried:,} "
    line += f"hands of the assumed player {name}"
    if seconds is not None:
        line += f" that were tried in {seconds:g} s; allow more with --time"
    return f"{line}; choose other players with --players, such as {other}, or give --ignore-calls"
