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
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from kqj_sim.analysis.card_trial import Trial
from kqj_sim.analysis.choosing import FIRST_CHOOSING, choose, limits
from kqj_sim.analysis.intervals import CONFIDENCE, Estimate
from kqj_sim.analysis.odds import OddsError, default_player
from kqj_sim.analysis.odds_answer import agreeing_estimate
from kqj_sim.analysis.round_so_far import RoundSoFar
from kqj_sim.analysis.sampled import other_players
from kqj_sim.analysis.search import FEW_DEALS, SearchEnded, name_implausible_call
from kqj_sim.analysis.so_far import SoFar
from kqj_sim.analysis.table import Unit
from kqj_sim.analysis.tries import Chunk, Numbers, Outcomes, Tries
from kqj_sim.analysis.turn_to_play import asked, seated, standing, with_all_worlds
from kqj_sim.analysis.weighted import Objective, WeightedSums
from kqj_sim.core import odds as core
from kqj_sim.core.odds import RESULT
from kqj_sim.core.outlook import DRAWN
from kqj_sim.core.rules import Table
from kqj_sim.core.scoring import LITIGATION, MADE
from kqj_sim.crew import default_threads
from kqj_sim.encode import core_rules
from kqj_sim.notation import Card
from kqj_sim.policies.specification import Player, player
from kqj_sim.rules import SEATS

_LEAST_CHUNK = 64
"""So many hidden hands are drawn at a time, even if fewer are asked for."""

MOST_LISTED = 20_000
"""With so many distributions or fewer all of them are gone through."""

_REPEATED = 2_000
"""So many plays at least show whether players choose at random."""


class Measure(NamedTuple):
    """What is told of a card: a share of the distributions, or a mean over them."""

    name: str
    unit: Unit
    text: str
    """What people read."""
    meaning: str

    @property
    def is_share(self) -> bool:
        """Whether it is a share."""
        return self.unit == "share"


MEASURES = (
    Measure("wins", "share", "wins the round", "the own team scores more than every other"),
    Measure("difference", "points", "score difference", "own team's score less the best other's"),
    Measure("made", "share", "contract made", "the contract is made"),
    Measure("litigation", "share", "litigation", "a litigation"),
    Measure("total", "points", "own total", "own team's card points and bonuses"),
    Measure("capot", "share", "Capot", "the own team wins all eight tricks"),
    Measure("kq", "share", "KQ", "the own team gets a KQ"),
    Measure("kqj", "share", "KQJ", "the own team gets a KQJ"),
)
BY = "difference"
"""The measure by which a card is best; every game has it, and `wins`."""


@dataclass(frozen=True)
class Telling:
    """What is told of a card in a game.

    Attributes:
        measures: the measures.
        measured: the measures, int64 (..., measures), of outcomes, int16 (..., OUTCOME).
        note: what is said under the table.
    """

    measures: tuple[Measure, ...]
    measured: Callable[[Outcomes], Numbers]
    note: str

    def number(self, name: str) -> int:
        """The number of a measure."""
        return [measure.name for measure in self.measures].index(name)

    @property
    def worth(self) -> Unit:
        """The unit of what a card is best by."""
        return self.measures[self.number(BY)].unit


@dataclass(frozen=True)
class CardOdds:
    """A card and what it is worth.

    Attributes:
        card: the card.
        measures: an estimate for each measure by its name.
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
        deals: distributions that were played on.
        effective: the effective number of these, since some count for more than others.
        agreed: share of the distributions that agree with the plays in which the others would
            have called as they did; with an interval, unless the answer is exact.
        distributions: how many agree with the plays, if that is known.
        exact: True if these were all gone through.
        calls_count: False if the calls were not known, or were to be left out.
        confidence: of the intervals.
        any_time: True if the intervals hold at every moment, since it was stopped by them.
        cards: in the order that other distributions chose, the best first (`analysis.choosing`);
            neighbours may be worth the other way round.
        telling: what is told of cards in this game.
        choosing_deals: how many other distributions chose the order of the cards; 0 if the answer
            is exact, or there is one card.
        interrupted: True if Ctrl-C ended it early.
        stopped: which call made the search for hidden hands end early; "" if it did not.
    """

    so_far: SoFar
    players: tuple[str, ...]
    seed: int
    deals: int
    effective: float
    agreed: Estimate
    distributions: int | None
    exact: bool
    calls_count: bool
    confidence: float
    any_time: bool
    cards: tuple[CardOdds, ...] = field(repr=False)
    telling: Telling = field(repr=False)
    choosing_deals: int = 0
    interrupted: bool = False
    stopped: str = ""

    @property
    def agreeing(self) -> float:
        """The share `agreed`."""
        return self.agreed.value

    @property
    def how(self) -> str:
        """In words: `exact: all 1,234 distributions`, `sampled: 10,000 of them`."""
        if self.exact and self.distributions == 1:
            return "exact: the only distribution"
        if self.exact:
            return f"exact: all {self.distributions:,} distributions"
        of = "" if self.distributions is None else f" of {self.distributions:,}"
        return f"sampled: {self.deals:,} distributions{of}"


def measured(outcomes: Outcomes) -> Numbers:
    """The measures, int64 (..., len(MEASURES)), of outcomes, int16 (..., OUTCOME)."""
    each = np.moveaxis(outcomes.astype(np.int64), -1, 0)
    result = each[RESULT]
    values = {
        "wins": each[core.OWN_SCORE] > each[core.OTHER_SCORE],
        "made": result == MADE,
        "litigation": result == LITIGATION,
        "difference": each[core.OWN_SCORE] - each[core.OTHER_SCORE],
        "total": each[core.OWN_TOTAL],
        "capot": each[core.OWN_TRICKS] == 8,
        "kq": each[core.OWN_KQ] > 0,
        "kqj": each[core.OWN_KQJ] > 0,
    }
    return np.stack([values[each.name].astype(np.int64) for each in MEASURES], axis=-1)


_TELLING = Telling(
    MEASURES, measured, "Score difference: the own team's score less that of the best other one."
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
    searching: Callable[[int], None] | None = None,
) -> PlayOdds:
    """What each card is worth that may be played now.

    Args:
        so_far: the round.
        players: a specification for each seat; the round's own, else the default player.
        deals: distributions that value each card, unless all are gone through; half as many
            others at most, fewer where one card is clearly the best, choose the one named.
        seed: seed of the draws; the same seed gives the same numbers, whatever the threads.
        until: stop when the interval of the best card's chance to win reaches no further than this
            to either side, or when it is certain which card is best; `deals` is the most then.
        seconds: stop after this time, of which a third at most is for choosing.
        ignore_calls: take the hidden hands to be any that agree with the plays.
        threads: threads, all processors by default.
        confidence: of the intervals.
        most_listed: with no more distributions than this all are gone through.
        progress: called with the answer so far, in this thread, now and then: first by the
            distributions that choose, with `choosing_deals` 0, then by those that value.
        searching: called with the number of hands tried so far, while hidden hands are looked for.

    Raises:
        OddsError: no hidden hands agree with the plays, or hardly any with the calls.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    names = tuple(players or so_far.players or (default_player(so_far.rules),) * SEATS)
    chosen = [player(name) for name in names]
    table = seated(so_far.rules, chosen)
    turn = with_all_worlds(standing(so_far, table, ignore_calls), most_listed)
    number = default_threads() if threads is None else threads
    trial = Trial(turn, core_rules(so_far.rules), table, number)
    asking = Asking(
        so_far, tuple(each.text for each in chosen), seed, until, seconds, confidence, deals,
        progress, searching, not ignore_calls and so_far.calls is not None, _TELLING,
        partial(_never_said, so_far, chosen),
    )  # fmt: skip
    return find(trial, asking, table)


def find(trial: Tries, asking: Asking, table: Table) -> PlayOdds:
    """The answer for a game's trial, at a table; raises OddsError, PolicyError."""
    # Who remembers finished tricks plays hands out himself, in worlds drawn at random.
    if trial.listed and not table.memory:
        exact = _go_through(trial, asking)
        if exact is not None:
            return exact
    return _sample(trial, asking)


@dataclass(frozen=True)
class Asking:
    """What was asked; the first attributes are as of `PlayOdds` and `odds_of_cards`.

    Attributes:
        telling: what is told of cards in this game.
        never_said: names the least plausible call, by the counts of the search and, if that ended
            it, the limit of time.
    """

    so_far: SoFar
    players: tuple[str, ...]
    seed: int
    until: float | None
    seconds: float | None
    confidence: float
    deals: int
    progress: Callable[[PlayOdds], None] | None
    searching: Callable[[int], None] | None
    calls_count: bool
    telling: Telling
    never_said: Callable[[Numbers, float | None], str]

    def answer(
        self,
        deals: int,
        effective: float,
        agreed: Estimate,
        distributions: int | None,
        exact: bool,
        order: Sequence[int],
        estimate: Callable[[int, int, int | None], Estimate],
    ) -> PlayOdds:
        """The answer; `estimate(measure, card, other)` is of a card, or of how far it is ahead.

        `order` has the numbers of the cards, the best first.
        """
        best, legal = order[0], self.so_far.legal

        def of(card: int, other: int | None) -> dict[str, Estimate]:
            return {
                measure.name: estimate(number, card, other)
                for number, measure in enumerate(self.telling.measures)
            }

        cards = [
            CardOdds(legal[card], of(card, None), None if card == best else of(card, best))
            for card in order
        ]
        return PlayOdds(
            self.so_far, self.players, self.seed, deals, effective, agreed, distributions, exact,
            self.calls_count, self.confidence, self.until is not None and not exact, tuple(cards),
            self.telling,
        )  # fmt: skip


def _go_through(trial: Tries, asking: Asking) -> PlayOdds | None:
    """The exact answer; None if somebody chooses at random."""
    count, telling = trial.listed, asking.telling
    ways = trial.ways(asking.seed)
    outcomes = trial.all_outcomes(asking.seed)
    for again in range(1, 1 + max(1, _REPEATED // count)):
        seed = (asking.seed + again) % 2**63
        if not np.array_equal(trial.all_outcomes(seed), outcomes):
            return None
        if not np.array_equal(trial.ways(seed), ways):
            return None
    if not ways.any():
        raise OddsError(
            f"{', '.join(dict.fromkeys(asking.players))} would have called as heard with none of "
            f"the {count:,} distributions that are left: name other --players, or leave the "
            "calls out with --ignore-calls"
        )
    values = telling.measured(outcomes)
    totals = np.tensordot(ways, values, axes=1)
    # Nothing is estimated here: the same distributions may choose and value.
    order = np.argsort(-totals[:, telling.number(BY)], kind="stable").tolist()

    def estimate(measure: int, card: int, other: int | None) -> Estimate:
        total = totals[card, measure] - (0 if other is None else totals[other, measure])
        value = float(total / ways.sum())
        return Estimate(value, value, value, count)

    share = float(ways.sum() / (count * trial.most_ways()))
    agreed = Estimate(share, math.nan, math.nan, count)
    return asking.answer(count, count, agreed, count, True, order, estimate)


class _Draws:
    """Draws that were taken in, and what they say.

    Attributes:
        sums: the measures of the draws by card.
    """

    def __init__(
        self, trial: Tries, asking: Asking, most: int, order: tuple[int, ...] = (),
        choosing_deals: int = 0,
    ) -> None:  # fmt: skip
        """Take no draw yet.

        Args:
            trial, asking: who draws, and what was asked.
            most: so many draws are taken in.
            order: the cards as other draws put them, the best first; as these do, if empty.
            choosing_deals: how many draws put them so.
        """
        self.sums = WeightedSums()
        self._trial, self._asking, self._most = trial, asking, most
        self._order, self._choosing_deals = order, choosing_deals
        self._weights = self._squares = 0.0
        self._search = trial.new_search(asking.seconds, asking.searching)

    @property
    def objective(self) -> Objective:
        """What makes a card the best."""
        telling = self._asking.telling
        most_points = self._asking.so_far.rules.most_points
        return Objective(telling.number(BY), telling.number("wins"), self._trial.cards, most_points)

    def chunks(self, first: int) -> Generator[Chunk]:
        """Chunks of draws from a number on; raises SearchEnded."""
        most = max(_LEAST_CHUNK, self._most)
        return self._trial.chunks(DRAWN, first, None, self._asking.seed, self._search, most)

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk; raises SearchEnded if the search reached its limit of hands."""
        kept = min(len(chunk.weights), self._most - self.sums.deals)
        values = self._asking.telling.measured(chunk.outcomes[:kept])
        self.sums.add(kept, chunk.weights[:kept], values.transpose(2, 1, 0).astype(np.float64))
        self._weights += float(chunk.weights.sum())
        self._squares += float((chunk.weights**2).sum())
        if self.sums.deals < self._most:
            self._search.finish(chunk.counts, kept)
        else:
            self._search.counts += chunk.counts

    def name_implausible_call(self, end: SearchEnded) -> str:
        """Name the least plausible call, in a line, after the search reached a limit."""
        search = self._search
        counts = search.all_counts if end.by_time else search.counts
        return self._asking.never_said(counts, search.seconds if end.by_time else None)

    def decided(self) -> bool:
        """Whether it may be stopped before all draws are taken in."""
        asking, by = self._asking, self.objective
        if asking.until is None:
            return False
        best = (self._order or self.sums.ranking(by))[0]
        return self.sums.decided(best, by, asking.until, asking.confidence)

    def answer(self, interrupted: bool = False, stopped: str = "") -> PlayOdds:
        """The answer by the draws so far."""
        asking, sums, counts = self._asking, self.sums, self._search.counts
        agreed = agreeing_estimate(
            int(counts[0, 0]) if len(counts) else 0, self._weights, self._squares,
            asking.confidence, asking.until is not None,
        )  # fmt: skip
        order = self._order or sums.ranking(self.objective)
        found = asking.answer(
            sums.deals, sums.effective, agreed, self._trial.listed or None, False, order,
            self._estimate,
        )  # fmt: skip
        return replace(
            found, choosing_deals=self._choosing_deals, interrupted=interrupted, stopped=stopped
        )

    def _estimate(self, measure: int, card: int, other: int | None) -> Estimate:
        """An estimate by an interval that goes with how it is stopped."""
        asking = self._asking
        is_share = asking.telling.measures[measure].is_share
        return self.sums.mean(
            measure, card, asking.confidence, less=other, sequential=asking.until is not None,
            is_share=is_share and other is None,
            bound=1.0 if is_share else asking.so_far.rules.most_points,
        )  # fmt: skip


def _sample(trial: Tries, asking: Asking) -> PlayOdds:
    """The answer from draws, of which some choose the best card and others value all."""
    started = time.monotonic()
    order: tuple[int, ...] = (0,)
    choosing_deals = 0
    if trial.cards > 1:
        ends = limits(asking.deals, asking.until, asking.seconds, started)
        look = _Draws(trial, asking, ends.deals)

        def add(chunk: Chunk) -> None:
            look.add(chunk)
            if asking.progress is not None and look.sums.deals > 0:
                asking.progress(look.answer())

        try:
            order = choose(look.chunks(FIRST_CHOOSING), add, look.sums, look.objective, ends)
        except SearchEnded as end:
            # The search for hidden hands reached its limit: rank by those that were found.
            if look.sums.deals == 0:
                raise OddsError(look.name_implausible_call(end)) from None
            order = look.sums.ranking(look.objective)
        choosing_deals = look.sums.deals
    draws = _Draws(trial, asking, asking.deals, order, choosing_deals)
    chunks = draws.chunks(0)
    try:
        for chunk in chunks:
            draws.add(chunk)
            if draws.sums.deals == asking.deals:
                break
            if draws.sums.deals == 0:
                continue
            timed_out = asking.seconds is not None and time.monotonic() - started > asking.seconds
            if timed_out or draws.decided():
                break
            if asking.progress is not None:
                asking.progress(draws.answer())
    except SearchEnded as end:
        line = draws.name_implausible_call(end)
        wanted_time = end.by_time and asking.seconds is not None
        if draws.sums.deals == 0 or (draws.sums.effective < FEW_DEALS and not wanted_time):
            raise OddsError(line) from None
        return draws.answer(stopped=line)
    except KeyboardInterrupt:
        if draws.sums.deals == 0:
            raise
        return draws.answer(interrupted=True)
    finally:
        chunks.close()
    return draws.answer()


def _never_said(
    so_far: RoundSoFar, players: Sequence[Player], counts: Numbers, seconds: float | None
) -> str:
    """Name the least plausible call in one line; arguments as of `Asking.never_said`."""

    def who(place: int) -> tuple[str, str]:
        seat = (so_far.opener + place) % SEATS
        return f"{so_far.seat_is_called} {seat}", players[seat].name

    other = other_players(so_far.rules, players)
    return name_implausible_call(asked(so_far), counts, who, other, seconds)
