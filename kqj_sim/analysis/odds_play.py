"""What each card that may be played is worth: every one played on in the same hidden hands.

Hidden hands agree with what the plays tell (who could not follow, beat or trump) and with the
Return; of those, only such count in which the players would have called as they did.  That they
would also have *played* so is not asked.  Where few distributions are left, all of them are gone
through and weighed by the number of ways in which they can have come about; else distributions are
drawn, each equally likely, and those left out that do not agree with the calls.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import sequences
from kqj_sim.analysis.intervals import CONFIDENCE, Estimate, mean_of_sums, share
from kqj_sim.analysis.round_so_far import RoundSoFar
from kqj_sim.analysis.turn_to_play import hidden_hands, seated, standing, with_all_worlds
from kqj_sim.core import outlook
from kqj_sim.core.hearing import PLACE, QUESTION
from kqj_sim.core.outlook import DRAWN, LISTED, OUTCOME, PICKED, Turn
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.scoring import FAILED, LITIGATION, MADE
from kqj_sim.encode import core_rules
from kqj_sim.notation import Card
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYER, player
from kqj_sim.rules import SEATS
from kqj_sim.simulation import default_threads

Numbers = NDArray[np.int64]
Outcomes = NDArray[np.int16]

CHUNK = 1024
"""Draws that a thread makes at a time."""

MOST_LISTED = 20_000
"""With so many distributions or fewer all of them are gone through."""

MOST_IN_VAIN = 400 * CHUNK
"""Draws after which it is given up that any agrees with the calls."""

_REPEATED = 2_000
"""So many plays at least show whether players choose at random."""


class OddsError(ValueError):
    """A question that has no answer; one line that says what would be right."""


class Measure(NamedTuple):
    """What is told of a card: a share of the distributions, or a mean over them."""

    name: str
    is_share: bool
    meaning: str


MEASURES = (
    Measure("win", True, "chance that the own side wins the round"),
    Measure("made", True, "chance that the contract is made"),
    Measure("litigation", True, "chance of a litigation"),
    Measure("difference", False, "own team's score less the best other's, mean"),
    Measure("total", False, "own team's card points and bonuses, mean"),
    Measure("capot", True, "chance that the own team wins all eight tricks"),
    Measure("kq", True, "chance that the own team gets a KQ"),
    Measure("kqj", True, "chance that the own team gets a KQJ"),
)
_NAMES = tuple(measure.name for measure in MEASURES)
BY = "difference"
"""The measure by which a card is best."""


@dataclass(frozen=True)
class CardOdds:
    """A card and what it is worth.

    Attributes:
        card: the card.
        measures: an estimate for each of MEASURES.
        to_best: the same for the difference to the best card, from the same distributions; of the
            best card itself None.
    """

    card: Card
    measures: dict[str, Estimate]
    to_best: dict[str, Estimate] | None


@dataclass(frozen=True)
class PlayOdds:
    """The answer.

    Attributes:
        so_far: the round.
        players: who was taken to sit at each seat.
        seed: seed of the draws; nothing depends on it if the answer is exact.
        deals: distributions that agree with all that is known, and were played on.
        drawn: distributions that were looked at; of these the others do not agree with the calls.
        distributions: how many agree with the plays, if that is known.
        exact: True if these were all gone through.
        calls_count: False if the calls were not known, or were to be left out.
        confidence: of the intervals.
        any_time: True if the intervals hold at every moment, since it was stopped by them.
        cards: best first.
        interrupted: True if Ctrl-C ended it early.
    """

    so_far: RoundSoFar
    players: tuple[str, ...]
    seed: int
    deals: int
    drawn: int
    distributions: int | None
    exact: bool
    calls_count: bool
    confidence: float
    any_time: bool
    cards: tuple[CardOdds, ...] = field(repr=False)
    interrupted: bool = False

    @property
    def agreeing(self) -> float:
        """Share of the distributions that agree with the calls."""
        return self.deals / self.drawn if self.drawn else math.nan

    @property
    def how(self) -> str:
        """In words: `exact: all 1,234 distributions`, `sampled: 10,000 of them`."""
        if self.exact:
            return f"exact: all {self.distributions:,} distributions"
        of = "" if self.distributions is None else f" of {self.distributions:,}"
        return f"sampled: {self.deals:,} distributions{of}"


class _Sums:
    """Exact sums over distributions: of each measure for each card, and products of two cards."""

    def __init__(self, cards: int) -> None:
        self.deals = 0
        self.totals = np.zeros((len(MEASURES), cards), dtype=np.int64)
        self.products = np.zeros((len(MEASURES), cards, cards), dtype=np.int64)

    def add(self, values: Numbers) -> None:
        """Take in (n, cards, measures) numbers."""
        self.deals += len(values)
        each = values.transpose(2, 0, 1)
        self.totals += each.sum(axis=1)
        self.products += each.transpose(0, 2, 1) @ each

    def best(self) -> int:
        """Number of the card that is best so far, of equal ones the first."""
        return int(np.argmax(self.totals[_NAMES.index(BY)]))

    def moments(self, measure: int, card: int, other: int | None) -> tuple[int, int]:
        """Sum and sum of squares of a card's measure, or of what it is ahead of another's."""
        total, squares = self.totals[measure], self.products[measure]
        if other is None:
            return int(total[card]), int(squares[card, card])
        ahead = squares[card, card] - 2 * squares[card, other] + squares[other, other]
        return int(total[card] - total[other]), int(ahead)


def measured(outcomes: Outcomes, contracting: bool) -> Numbers:
    """The measures of outcomes.

    Args:
        outcomes: int16 (..., OUTCOME).
        contracting: whether the asking player is of the contracting team.

    Returns:
        int64 (..., len(MEASURES)).
    """
    each = np.moveaxis(outcomes.astype(np.int64), -1, 0)
    result = each[outlook.RESULT]
    values = {
        "win": result == (MADE if contracting else FAILED),
        "made": result == MADE,
        "litigation": result == LITIGATION,
        "difference": each[outlook.OWN_SCORE] - each[outlook.OTHER_SCORE],
        "total": each[outlook.OWN_TOTAL],
        "capot": each[outlook.OWN_TRICKS] == 8,
        "kq": each[outlook.OWN_KQ] > 0,
        "kqj": each[outlook.OWN_KQJ] > 0,
    }
    return np.stack([values[name].astype(np.int64) for name in _NAMES], axis=-1)


class _Chunk(NamedTuple):
    """What came of a chunk of draws: `numbers` are those of the draws that agree."""

    outcomes: Outcomes
    numbers: Numbers
    agreed: Numbers


@dataclass(frozen=True)
class _Trial:
    """Draws for a turn, in threads."""

    turn: Turn
    rules: Rules
    table: Table
    threads: int

    @property
    def cards(self) -> int:
        """How many cards may be played."""
        return len(self.turn.cards)

    def chunk(self, mode: int, first: int, count: int, seed: int) -> _Chunk:
        """Draws, in this thread; raises PolicyError and OddsError."""
        outcomes = np.zeros((count * self.cards, OUTCOME), dtype=np.int16)
        numbers = np.zeros(count, dtype=np.int64)
        agreed = np.zeros(len(self.turn.questions) // QUESTION, dtype=np.int64)
        kept = outlook.try_cards(
            self.turn, mode, first, count, seed, self.rules, self.table, outcomes, numbers, agreed
        )
        if kept == outlook.NO_HANDS:
            raise OddsError(NO_HANDS)
        outcomes = outcomes.reshape(count, self.cards, OUTCOME)[: max(kept, 0)]
        if kept == outlook.WRONG_CALL or (outcomes[:, :, outlook.RESULT] == outlook.WRONG).any():
            raise PolicyError("a policy chose what is not allowed while the round was played on")
        return _Chunk(outcomes, numbers[:kept], agreed)

    def chunks(self, mode: int, end: int | None, seed: int) -> Iterator[tuple[int, _Chunk]]:
        """Chunks in order, up to a number of draws or without end; how many draws, and they."""
        waiting: deque[tuple[int, Future[_Chunk]]] = deque()
        first = 0
        pool = ThreadPoolExecutor(self.threads)
        try:
            while True:
                while len(waiting) < 2 * self.threads and (end is None or first < end):
                    count = CHUNK if end is None else min(CHUNK, end - first)
                    waiting.append((count, pool.submit(self.chunk, mode, first, count, seed)))
                    first += count
                if not waiting:
                    return
                count, future = waiting.popleft()
                yield count, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def ways(self, seed: int) -> Numbers:
        """In how many ways each of the listed distributions agrees with the calls."""
        hands = hidden_hands(self.turn)
        asked = {int(place) for place in self.turn.questions[PLACE::QUESTION]}
        ways = np.ones(len(hands), dtype=np.int64)
        agreed = np.zeros(len(self.turn.questions) // QUESTION, dtype=np.int64)
        for place in sorted(asked):
            different, which = np.unique(hands[:, place], return_inverse=True)
            counts = np.zeros(len(different), dtype=np.int64)
            outlook.count_ways(
                self.turn, place, different, seed, self.rules, self.table, agreed, counts
            )
            ways *= counts[which]
        return ways

    def all_outcomes(self, seed: int) -> Outcomes:
        """Every card in every listed distribution: (n, cards, OUTCOME)."""
        count = len(hidden_hands(self.turn))
        return np.concatenate([chunk.outcomes for _, chunk in self.chunks(LISTED, count, seed)])


NO_HANDS = (
    "no distribution of the hidden cards agrees with the plays: somebody played what he could not "
    "have played, or a card is wrong"
)


def odds_of_cards(
    so_far: RoundSoFar,
    players: Sequence[str] | None = None,
    deals: int = 10_000,
    seed: int = 1,
    *,
    until: float | None = None,
    seconds: float | None = None,
    ignore_calls: bool = False,
    threads: int | None = None,
    confidence: float = CONFIDENCE,
    most_listed: int = MOST_LISTED,
    progress: Callable[[PlayOdds], None] | None = None,
) -> PlayOdds:
    """What each card is worth that may be played now.

    Args:
        so_far: the round.
        players: a specification for each seat; the round's own, else the default player.
        deals: distributions that are played on, unless all are gone through.
        seed: seed of the draws; the same seed gives the same numbers, whatever the threads.
        until: stop when the interval of the best card's chance to win reaches no further than this
            to either side, or when it is certain which card is best; `deals` is the most then.
        seconds: stop after this time.
        ignore_calls: take the hidden hands to be any that agree with the plays.
        threads: threads, all processors by default.
        confidence: of the intervals.
        most_listed: with no more distributions than this all are gone through.
        progress: called with the answer so far, in this thread, now and then.

    Raises:
        OddsError: no hidden hands agree with the plays, or with the calls.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    names = tuple(players or so_far.players or (DEFAULT_PLAYER,) * SEATS)
    chosen = [player(name) for name in names]
    table = seated(so_far.rules, chosen)
    turn = with_all_worlds(standing(so_far, table, ignore_calls), most_listed)
    number = default_threads() if threads is None else threads
    trial = _Trial(turn, core_rules(so_far.rules), table, number)
    asking = _Asking(
        so_far, tuple(each.text for each in chosen), seed, until, seconds, confidence, deals,
        progress, not ignore_calls and so_far.calls is not None,
    )  # fmt: skip
    listed = len(hidden_hands(turn))
    if listed:
        exact = _go_through(trial, asking)
        if exact is not None:
            return exact
    return _sample(trial, asking, listed or None)


@dataclass(frozen=True)
class _Asking:
    """What was asked."""

    so_far: RoundSoFar
    players: tuple[str, ...]
    seed: int
    until: float | None
    seconds: float | None
    confidence: float
    deals: int
    progress: Callable[[PlayOdds], None] | None
    calls_count: bool

    @property
    def contracting(self) -> bool:
        """Whether who asks is of the contracting team."""
        teams = self.so_far.teams
        return teams[self.so_far.seat] == teams[self.so_far.called.sender]

    def answer(
        self,
        deals: int,
        drawn: int,
        distributions: int | None,
        exact: bool,
        best: int,
        estimate: Callable[[int, int, int | None], Estimate],
        interrupted: bool = False,
    ) -> PlayOdds:
        """The answer; `estimate(measure, card, other)` is of a card, or of how far it is ahead."""

        def of(card: int, other: int | None) -> dict[str, Estimate]:
            return {name: estimate(number, card, other) for number, name in enumerate(_NAMES)}

        cards = [
            CardOdds(card, of(number, None), None if number == best else of(number, best))
            for number, card in enumerate(self.so_far.legal)
        ]
        cards.sort(key=lambda each: (each.to_best is not None, -each.measures[BY].value))
        return PlayOdds(
            self.so_far, self.players, self.seed, deals, drawn, distributions, exact,
            self.calls_count, self.confidence, self.until is not None and not exact, tuple(cards),
            interrupted,
        )  # fmt: skip


def _go_through(trial: _Trial, asking: _Asking) -> PlayOdds | None:
    """The exact answer; None if somebody chooses at random."""
    hands = hidden_hands(trial.turn)
    ways = trial.ways(asking.seed)
    outcomes = trial.all_outcomes(asking.seed)
    for again in range(1, 1 + max(1, _REPEATED // len(hands))):
        seed = (asking.seed + again) % 2**63
        if not np.array_equal(trial.all_outcomes(seed), outcomes):
            return None
        if not np.array_equal(trial.ways(seed), ways):
            return None
    if not ways.any():
        raise OddsError(_never_said(asking, len(hands), "all"))
    values = measured(outcomes, asking.contracting)
    totals = np.tensordot(ways, values, axes=1)
    best = int(np.argmax(totals[:, _NAMES.index(BY)]))

    def estimate(measure: int, card: int, other: int | None) -> Estimate:
        total = totals[card, measure] - (0 if other is None else totals[other, measure])
        value = float(total / ways.sum())
        return Estimate(value, value, value, len(hands))

    agreeing = int(np.count_nonzero(ways))
    return asking.answer(agreeing, len(hands), len(hands), True, best, estimate)


def _sample(trial: _Trial, asking: _Asking, listed: int | None) -> PlayOdds:
    """The answer from draws."""
    sums, drawn = _Sums(trial.cards), 0
    agreed = np.zeros(len(trial.turn.questions) // QUESTION, dtype=np.int64)
    started = time.monotonic()

    def answer(interrupted: bool = False) -> PlayOdds:
        def estimate(measure: int, card: int, other: int | None) -> Estimate:
            return _estimate(sums, measure, card, other, asking)

        best = sums.best()
        return asking.answer(sums.deals, drawn, listed, False, best, estimate, interrupted)

    chunks = trial.chunks(DRAWN if listed is None else PICKED, None, asking.seed)
    try:
        for count, chunk in chunks:
            kept = min(len(chunk.outcomes), asking.deals - sums.deals)
            sums.add(measured(chunk.outcomes[:kept], asking.contracting))
            enough = sums.deals == asking.deals
            drawn += int(chunk.numbers[kept - 1]) + 1 - drawn if enough else count
            agreed += chunk.agreed
            if sums.deals == 0:
                if drawn >= MOST_IN_VAIN:
                    raise OddsError(_never_said(asking, drawn, f"{drawn:,}"))
                continue
            timed_out = asking.seconds is not None and time.monotonic() - started > asking.seconds
            if enough or timed_out or _is_sure(sums, asking):
                break
            if asking.progress is not None:
                asking.progress(answer())
    except KeyboardInterrupt:
        if sums.deals == 0:
            raise
        return answer(interrupted=True)
    finally:
        chunks.close()  # type: ignore[attr-defined]
    return answer()


def _estimate(sums: _Sums, measure: int, card: int, other: int | None, asking: _Asking) -> Estimate:
    """An estimate from draws, by an interval that goes with how it is stopped."""
    total, squares = sums.moments(measure, card, other)
    if asking.until is not None:
        return sequences.mean(sums.deals, total, squares, asking.confidence)
    if other is None and MEASURES[measure].is_share:
        return share(total, sums.deals, asking.confidence)
    return mean_of_sums(sums.deals, total, squares, asking.confidence)


def _is_sure(sums: _Sums, asking: _Asking) -> bool:
    """Whether enough is known to stop."""
    if asking.until is None or sums.deals < sequences.FIRST_LOOK:
        return False
    best, by = sums.best(), _NAMES.index(BY)
    chance = _estimate(sums, _NAMES.index("win"), best, None, asking)
    if chance.high - chance.value <= asking.until:
        return True
    others = [card for card in range(sums.totals.shape[1]) if card != best]
    return all(_estimate(sums, by, card, best, asking).high < 0 for card in others)


def _never_said(asking: _Asking, drawn: int, counted: str) -> str:
    """Why no distribution agrees with the calls."""
    who = ", ".join(dict.fromkeys(asking.players))
    many = f"{counted} {drawn:,}" if counted == "all" else counted
    return (
        f"in none of {many} distributions of the hidden cards {who} would have called as heard: "
        "name other --players, or leave the calls out with --ignore-calls"
    )
