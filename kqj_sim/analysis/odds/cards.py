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

from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.analysis.odds.calls import (
    OddsError,
    choose_assumed_player,
    estimate_bidding_probability,
)
from kqj_sim.analysis.odds.choosing import FIRST_CHOOSING, choose, limits
from kqj_sim.analysis.odds.kqj_position import KqjPartialRound
from kqj_sim.analysis.odds.playouts import (
    CardPlayouts,
    CardSampler,
    Int64Array,
    KqjCardSampler,
    OutcomeArray,
    add_all_layouts,
    list_observed_calls,
    make_seating,
    make_turn,
)
from kqj_sim.analysis.odds.position import PartialRound
from kqj_sim.analysis.odds.sampling import other_players
from kqj_sim.analysis.odds.search import FEW_DEALS, SearchEnded, name_implausible_call
from kqj_sim.analysis.tables import Unit
from kqj_sim.analysis.weighted_means import Objective, WeightedMoments
from kqj_sim.cards import Card
from kqj_sim.core import call_odds as core
from kqj_sim.core.call_odds import RESULT
from kqj_sim.core.card_odds import SAMPLED
from kqj_sim.core.rules import Seating
from kqj_sim.core.scoring import LITIGATION, MADE
from kqj_sim.encode import encode_rules
from kqj_sim.policies.spec import Player, parse_player
from kqj_sim.rules import SEATS
from kqj_sim.workers import count_processors

_LEAST_CHUNK = 64
"""So many hidden hands are drawn at a time, even if fewer are asked for."""

MAX_LISTED_LAYOUTS = 20_000
"""With so many distributions or fewer all of them are gone through."""

_MIN_REPEATED_PLAYOUTS = 2_000
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
RANKING_MEASURE = "difference"
"""The measure by which a card is best; every game has it, and `wins`."""


@dataclass(frozen=True)
class CardMeasures:
    """What is told of a card in a game.

    Attributes:
        measures: the measures.
        compute_values: the measures, int64 (..., measures), of outcomes, int16 (..., OUTCOME).
        note: what is said under the table.
    """

    measures: tuple[Measure, ...]
    compute_values: Callable[[OutcomeArray], Int64Array]
    note: str

    def number(self, name: str) -> int:
        """The number of a measure."""
        return [measure.name for measure in self.measures].index(name)

    @property
    def ranking_unit(self) -> Unit:
        """The unit of what a card is best by."""
        return self.measures[self.number(RANKING_MEASURE)].unit


@dataclass(frozen=True)
class CardEstimates:
    """A card and what it is worth.

    Attributes:
        card: the card.
        measures: an estimate for each measure by its name.
        versus_best: the same for the difference to the best card, from the same distributions; of
            the best card itself None.
    """

    card: Card
    measures: dict[str, Estimate]
    versus_best: dict[str, Estimate] | None


@dataclass(frozen=True)
class CardOdds:
    """The answer.

    Attributes:
        partial_round: the round.
        players: who was taken to sit at each seat.
        seed: seed of the draws; nothing depends on it if the answer is exact.
        deals: distributions that were played on.
        effective_sample_size: the effective number of these, since some count for more than others.
        bidding_probability_estimate: share of the distributions that agree with the plays in which
            the others would have called as they did; with an interval, unless the answer is exact.
        layout_count: how many agree with the plays, if that is known.
        is_exact: True if these were all gone through.
        uses_calls: False if the calls were not known, or were to be left out.
        confidence: of the intervals.
        sequential: True if the intervals hold at every moment, since it was stopped by them.
        cards: in the order that other distributions chose, the best first (`analysis.choosing`);
            neighbours may be worth the other way round.
        card_measures: what is told of cards in this game.
        choosing_deals: how many other distributions chose the order of the cards; 0 if the answer
            is exact, or there is one card.
        interrupted: True if Ctrl-C ended it early.
        stopped: which call made the search for hidden hands end early; "" if it did not.
    """

    partial_round: PartialRound
    players: tuple[str, ...]
    seed: int
    deals: int
    effective_sample_size: float
    bidding_probability_estimate: Estimate
    layout_count: int | None
    is_exact: bool
    uses_calls: bool
    confidence: float
    sequential: bool
    cards: tuple[CardEstimates, ...] = field(repr=False)
    card_measures: CardMeasures = field(repr=False)
    choosing_deals: int = 0
    interrupted: bool = False
    stopped: str = ""

    @property
    def bidding_probability(self) -> float:
        """The share `agreed`."""
        return self.bidding_probability_estimate.value

    @property
    def method_text(self) -> str:
        """In words: `exact: all 1,234 distributions`, `sampled: 10,000 of them`."""
        if self.is_exact and self.layout_count == 1:
            return "exact: the only distribution"
        if self.is_exact:
            return f"exact: all {self.layout_count:,} distributions"
        of = "" if self.layout_count is None else f" of {self.layout_count:,}"
        return f"sampled: {self.deals:,} distributions{of}"


def compute_measures(outcomes: OutcomeArray) -> Int64Array:
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


_KQJ_CARD_MEASURES = CardMeasures(
    MEASURES,
    compute_measures,
    "Score difference: the own team's score less that of the best other one.",
)


def estimate_cards(
    partial_round: KqjPartialRound,
    players: Sequence[str] | None = None,
    deals: int = 10_000,
    seed: int = 1,
    *,
    until: float | None = None,
    seconds: float | None = None,
    ignore_calls: bool = False,
    threads: int | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    max_layouts: int = MAX_LISTED_LAYOUTS,
    progress: Callable[[CardOdds], None] | None = None,
    searching: Callable[[int], None] | None = None,
) -> CardOdds:
    """What each card is worth that may be played now.

    Args:
        partial_round: the round.
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
        max_layouts: with no more distributions than this all are gone through.
        progress: called with the answer so far, in this thread, now and then: first by the
            distributions that choose, with `choosing_deals` 0, then by those that value.
        searching: called with the number of hands tried so far, while hidden hands are looked for.

    Raises:
        OddsError: no hidden hands agree with the plays, or hardly any with the calls.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    names = tuple(
        players or partial_round.players or (choose_assumed_player(partial_round.rules),) * SEATS
    )
    chosen = [parse_player(name) for name in names]
    table = make_seating(partial_round.rules, chosen)
    turn = add_all_layouts(make_turn(partial_round, table, ignore_calls), max_layouts)
    number = count_processors() if threads is None else threads
    trial = KqjCardSampler(turn, encode_rules(partial_round.rules), table, number)
    asking = CardOddsRequest(
        partial_round,
        tuple(each.text for each in chosen),
        seed,
        until,
        seconds,
        confidence,
        deals,
        progress,
        searching,
        not ignore_calls and partial_round.calls is not None,
        _KQJ_CARD_MEASURES,
        partial(_explain_impossible_bidding, partial_round, chosen),
    )
    return estimate_with_sampler(trial, asking, table)


def estimate_with_sampler(
    sampler: CardSampler, request: CardOddsRequest, seating: Seating
) -> CardOdds:
    """The answer for a game's trial, at a table; raises OddsError, PolicyError."""
    # Who remembers finished tricks plays hands out himself, in worlds drawn at random.
    if sampler.layout_count and not seating.keeps_history:
        exact = _enumerate_layouts(sampler, request)
        if exact is not None:
            return exact
    return _sample_layouts(sampler, request)


@dataclass(frozen=True)
class CardOddsRequest:
    """What was asked; the first attributes are as of `CardOdds` and `estimate_cards`.

    Attributes:
        card_measures: what is told of cards in this game.
        explain_impossible_bidding: names the least plausible call, by the counts of the search and,
            if that ended it, the limit of time.
    """

    partial_round: PartialRound
    players: tuple[str, ...]
    seed: int
    until: float | None
    seconds: float | None
    confidence: float
    deals: int
    progress: Callable[[CardOdds], None] | None
    searching: Callable[[int], None] | None
    uses_calls: bool
    card_measures: CardMeasures
    explain_impossible_bidding: Callable[[Int64Array, float | None], str]

    def answer(
        self,
        deals: int,
        effective_sample_size: float,
        bidding_probability_estimate: Estimate,
        layout_count: int | None,
        is_exact: bool,
        order: Sequence[int],
        estimate: Callable[[int, int, int | None], Estimate],
    ) -> CardOdds:
        """The answer; `estimate(measure, card, other)` is of a card, or of how far it is ahead.

        `order` has the numbers of the cards, the best first.
        """
        best, legal = order[0], self.partial_round.legal

        def of(card: int, other: int | None) -> dict[str, Estimate]:
            return {
                measure.name: estimate(number, card, other)
                for number, measure in enumerate(self.card_measures.measures)
            }

        cards = [
            CardEstimates(legal[card], of(card, None), None if card == best else of(card, best))
            for card in order
        ]
        return CardOdds(
            self.partial_round,
            self.players,
            self.seed,
            deals,
            effective_sample_size,
            bidding_probability_estimate,
            layout_count,
            is_exact,
            self.uses_calls,
            self.confidence,
            self.until is not None and not is_exact,
            tuple(cards),
            self.card_measures,
        )


def _enumerate_layouts(sampler: CardSampler, request: CardOddsRequest) -> CardOdds | None:
    """The exact answer; None if somebody chooses at random."""
    count, telling = sampler.layout_count, request.card_measures
    ways = sampler.count_ways(request.seed)
    outcomes = sampler.play_all_layouts(request.seed)
    for again in range(1, 1 + max(1, _MIN_REPEATED_PLAYOUTS // count)):
        seed = (request.seed + again) % 2**63
        if not np.array_equal(sampler.play_all_layouts(seed), outcomes):
            return None
        if not np.array_equal(sampler.count_ways(seed), ways):
            return None
    if not ways.any():
        raise OddsError(
            f"{', '.join(dict.fromkeys(request.players))} would have called as heard with none of "
            f"the {count:,} distributions that are left: name other --players, or leave the "
            "calls out with --ignore-calls"
        )
    values = telling.compute_values(outcomes)
    totals = np.tensordot(ways, values, axes=1)
    # Nothing is estimated here: the same distributions may choose and value.
    order = np.argsort(-totals[:, telling.number(RANKING_MEASURE)], kind="stable").tolist()

    def estimate(measure: int, card: int, other: int | None) -> Estimate:
        total = totals[card, measure] - (0 if other is None else totals[other, measure])
        value = float(total / ways.sum())
        return Estimate(value, value, value, count)

    share = float(ways.sum() / (count * sampler.count_max_ways()))
    agreed = Estimate(share, math.nan, math.nan, count)
    return request.answer(count, count, agreed, count, True, order, estimate)


class _Draws:
    """Draws that were taken in, and what they say.

    Attributes:
        sums: the measures of the draws by card.
    """

    def __init__(
        self, trial: CardSampler, asking: CardOddsRequest, most: int, order: tuple[int, ...] = (),
        choosing_deals: int = 0,
    ) -> None:  # fmt: skip
        """Take no draw yet.

        Args:
            trial, asking: who draws, and what was asked.
            most: so many draws are taken in.
            order: the cards as other draws put them, the best first; as these do, if empty.
            choosing_deals: how many draws put them so.
        """
        self.sums = WeightedMoments()
        self._trial, self._asking, self._most = trial, asking, most
        self._order, self._choosing_deals = order, choosing_deals
        self._weights = self._squares = 0.0
        self._search = trial.new_search(asking.seconds, asking.searching)

    @property
    def objective(self) -> Objective:
        """What makes a card the best."""
        telling = self._asking.card_measures
        most_points = self._asking.partial_round.rules.max_points
        return Objective(
            telling.number(RANKING_MEASURE), telling.number("wins"), self._trial.cards, most_points
        )

    def iterate_chunks(self, first: int) -> Generator[CardPlayouts]:
        """Chunks of draws from a number on; raises SearchEnded."""
        most = max(_LEAST_CHUNK, self._most)
        return self._trial.iterate_chunks(
            SAMPLED, first, None, self._asking.seed, self._search, most
        )

    def add(self, chunk: CardPlayouts) -> None:
        """Take in a chunk; raises SearchEnded if the search reached its limit of hands."""
        kept = min(len(chunk.weights), self._most - self.sums.deals)
        values = self._asking.card_measures.compute_values(chunk.outcomes[:kept])
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
        return self._asking.explain_impossible_bidding(
            counts, search.seconds if end.by_time else None
        )

    def is_conclusive(self) -> bool:
        """Whether it may be stopped before all draws are taken in."""
        asking, by = self._asking, self.objective
        if asking.until is None:
            return False
        best = (self._order or self.sums.ranking(by))[0]
        return self.sums.is_conclusive(best, by, asking.until, asking.confidence)

    def answer(self, interrupted: bool = False, stopped: str = "") -> CardOdds:
        """The answer by the draws so far."""
        asking, sums, counts = self._asking, self.sums, self._search.counts
        agreed = estimate_bidding_probability(
            int(counts[0, 0]) if len(counts) else 0, self._weights, self._squares,
            asking.confidence, asking.until is not None,
        )  # fmt: skip
        order = self._order or sums.ranking(self.objective)
        found = asking.answer(
            sums.deals,
            sums.effective_sample_size,
            agreed,
            self._trial.layout_count or None,
            False,
            order,
            self._estimate,
        )
        return replace(
            found, choosing_deals=self._choosing_deals, interrupted=interrupted, stopped=stopped
        )

    def _estimate(self, measure: int, card: int, other: int | None) -> Estimate:
        """An estimate by an interval that goes with how it is stopped."""
        asking = self._asking
        is_share = asking.card_measures.measures[measure].is_share
        return self.sums.mean(
            measure, card, asking.confidence, baseline=other, sequential=asking.until is not None,
            is_share=is_share and other is None,
            bound=1.0 if is_share else asking.partial_round.rules.max_points,
        )  # fmt: skip


def _sample_layouts(sampler: CardSampler, request: CardOddsRequest) -> CardOdds:
    """The answer from draws, of which some choose the best card and others value all."""
    started = time.monotonic()
    order: tuple[int, ...] = (0,)
    choosing_deals = 0
    if sampler.cards > 1:
        ends = limits(request.deals, request.until, request.seconds, started)
        look = _Draws(sampler, request, ends.deals)

        def add(chunk: CardPlayouts) -> None:
            look.add(chunk)
            if request.progress is not None and look.sums.deals > 0:
                request.progress(look.answer())

        try:
            order = choose(
                look.iterate_chunks(FIRST_CHOOSING), add, look.sums, look.objective, ends
            )
        except SearchEnded as end:
            # The search for hidden hands reached its limit: rank by those that were found.
            if look.sums.deals == 0:
                raise OddsError(look.name_implausible_call(end)) from None
            order = look.sums.ranking(look.objective)
        choosing_deals = look.sums.deals
    draws = _Draws(sampler, request, request.deals, order, choosing_deals)
    chunks = draws.iterate_chunks(0)
    try:
        for chunk in chunks:
            draws.add(chunk)
            if draws.sums.deals == request.deals:
                break
            if draws.sums.deals == 0:
                continue
            timed_out = request.seconds is not None and time.monotonic() - started > request.seconds
            if timed_out or draws.is_conclusive():
                break
            if request.progress is not None:
                request.progress(draws.answer())
    except SearchEnded as end:
        line = draws.name_implausible_call(end)
        wanted_time = end.by_time and request.seconds is not None
        if draws.sums.deals == 0 or (
            draws.sums.effective_sample_size < FEW_DEALS and not wanted_time
        ):
            raise OddsError(line) from None
        return draws.answer(stopped=line)
    except KeyboardInterrupt:
        if draws.sums.deals == 0:
            raise
        return draws.answer(interrupted=True)
    finally:
        chunks.close()
    return draws.answer()


def _explain_impossible_bidding(
    partial_round: KqjPartialRound,
    players: Sequence[Player],
    counts: Int64Array,
    seconds: float | None,
) -> str:
    """Name the least plausible call in one line; arguments as of `CardOddsRequest.never_said`."""

    def who(place: int) -> tuple[str, str]:
        seat = (partial_round.opener + place) % SEATS
        return f"{partial_round.seat_term} {seat}", players[seat].name

    other = other_players(partial_round.rules, players)
    return name_implausible_call(list_observed_calls(partial_round), counts, who, other, seconds)
