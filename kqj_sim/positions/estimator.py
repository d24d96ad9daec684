"""The estimator of calls and cards: draw hidden cards until enough is known of every option.

The largest of several estimates is too large, the more so the closer the options are: reading the
best option and its value off the same deals reports luck as value.  So every answer rests on two
kinds of deals.  Some choose: they rank the options, and nothing else is read off them.  The others,
which had no say in that, give every number shown, so that the interval of the best option is as
good as that of any option named beforehand, and so is that of its lead over the next one.

Splitting is preferred to cross-fitting, in which each half chooses for the other one and the two
values are averaged: the halves may choose different options, and with equal options their two
values are correlated (0.3 with two of them), which Student's interval does not know of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kqj_sim.errors import InputError
from kqj_sim.places import SeatNames
from kqj_sim.plan import Plan, check_range
from kqj_sim.policies.players import Player
from kqj_sim.positions.measures import RANKING_MEASURE, MeasureTable
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import Playouts, Sampler, SearchEnded
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import MAX_DEAL
from kqj_sim.simulation.workers import count_processors
from kqj_sim.stats import sequences
from kqj_sim.stats.intervals import (
    DEFAULT_CONFIDENCE,
    Estimate,
    clip_estimate,
    estimate_weighted_share,
)
from kqj_sim.stats.moments import ROUNDING_ERROR, Objective, WeightedMoments

DEFAULT_DEALS = 10_000
"""Deals that value each option, unless asked otherwise."""

MAX_DEALS = 1_000_000
"""Deals after which a search for certainty ends."""

FIRST_CHOOSING = 1 << 58
"""The deals from this number on choose the best option; those from 0 on value all of them."""

CERTAIN = 0.999
"""The confidence that an option is the best with which the choice ends early.  It does not depend
on the confidence of the results, which changes no choice."""

_CHOOSING_TIME_SHARE = 1 / 3
"""Share of a limit of time that the choice may take: about that of the deals."""

MIN_EFFECTIVE_DEALS = 100
"""With fewer effective deals, a search that reached its limit has no answer."""


class ImpossibleBiddingError(InputError):
    """A call that the assumed player would hardly ever make; `by_time`: the time was over."""

    def __init__(self, line: str, by_time: bool = False) -> None:
        super().__init__(line)
        self.by_time = by_time


class Limits(NamedTuple):
    """The end of a series of deals, unless one option is certain to be the best before.

    Attributes:
        deals: number of deals.
        width: half-width of the best option's chance to win that is small enough; 0 to stop only
            when the best option is certain, None to do neither.
        deadline: moment of the monotonic clock; infinity for never.
        confidence: confidence of that width, and of that certainty.
    """

    deals: int
    width: float | None = None
    deadline: float = math.inf
    confidence: float = DEFAULT_CONFIDENCE


def count_choosing_deals(deals: int) -> int:
    """Return how many deals choose the best option, at most, where `deals` value all of them."""
    return math.ceil(deals / 2)


@dataclass(frozen=True, kw_only=True)
class EstimatePlan(Plan):
    """The precision of an answer, and the means to find it.

    Deals value each option, rounded up to whole blocks of 256 for calls; half as many others at
    most, fewer where one option is clearly the best, choose the best.  By default they are
    `DEFAULT_DEALS`, with a precision `MAX_DEALS`.  The precision is that of the best option's
    chance to win, or it is enough that the best option is certain; intervals then hold at every
    moment.  A third of the time at most is for choosing.  The same seed gives the same numbers,
    whatever the threads.

    Attributes:
        ignore_calls: True for hidden cards that need not agree with the calls.
        ignore_plays: True for hidden cards that are not weighed by the chances of the plays.
        threads: number of threads; None for all processors.
        progress: called now and then with the answer so far: first by the deals that choose, with
            `choosing_deals` 0, then by those that value.
        searching: called with the number of hands tried so far, while hidden cards are searched.
    """

    ignore_calls: bool = False
    ignore_plays: bool = False
    threads: int | None = None
    progress: Callable[[Any], None] | None = None
    searching: Callable[[int], None] | None = None
    start_time: float = field(default_factory=monotonic, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("deals", self.max_deals, 1, MAX_DEAL >> 2)
        check_range("threads", self.thread_count, 1, 1 << 10)
        if self.precision is not None and self.precision >= 1:
            raise InputError(
                f"precision is {self.precision}: it lies between 0 and 1, such as 0.005"
            )

    @property
    def max_deals(self) -> int:
        """The number of deals that value each option, at most."""
        if self.deals is not None:
            return self.deals
        return DEFAULT_DEALS if self.precision is None else MAX_DEALS

    @property
    def thread_count(self) -> int:
        """The number of threads."""
        return count_processors() if self.threads is None else self.threads

    @property
    def choosing_limits(self) -> Limits:
        """The end of the choice: at twice the width, it has about half as many deals."""
        deadline = self._get_deadline(_CHOOSING_TIME_SHARE)
        deals = count_choosing_deals(self.max_deals)
        return Limits(deals, 2 * (self.precision or 0.0), deadline, CERTAIN)

    @property
    def valuing_limits(self) -> Limits:
        """The end of the deals that value every option."""
        return Limits(self.max_deals, self.precision, self._get_deadline(1), self.confidence)

    def _get_deadline(self, share: float) -> float:
        return math.inf if self.time is None else self.start_time + share * self.time


@dataclass(eq=False, kw_only=True)
class Odds:
    """Estimates of every measure of every option, over weighted deals.

    Attributes:
        measures: the measures.
        rules: the rules.
        players: the assumed players.
        people: names of the people at the table of a record; None if nobody is named.
        seed: seed of the deals.
        ignore_calls: whether hidden cards need not agree with the calls.
        options: what was played out: the calls, or the cards.
        option_count: number of options to choose from, the first ones.
        question_count: number of calls that hidden hands agree with.
        sequential: whether intervals hold at every moment.
        confidence: confidence of the intervals.
        stop_reason: "deals", "until", "time", "search" (for hidden cards) or "interrupted".
        stop_text: a line that names the call that made the search for hidden cards end, or "".
        order: the options as other deals ranked them, the best first; empty while these deals are
            choosing themselves.
        choosing_deals: number of those deals.
        sums: sums of the measures by option.
        question_counts: int64 (questions, 2), hands that were asked, and that agreed.
        agreeing_weight, agreeing_squares: sums of the weights of all draws by the calls, and of
            their squares.
    """

    measures: MeasureTable
    rules: GameRules
    players: tuple[Player, ...]
    people: SeatNames | None = None
    seed: int
    ignore_calls: bool = False
    options: Sequence[Any]
    option_count: int
    question_count: int = 0
    sequential: bool = False
    confidence: float = DEFAULT_CONFIDENCE
    stop_reason: str = "deals"
    stop_text: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    sums: WeightedMoments = field(default_factory=WeightedMoments)
    agreeing_weight: float = 0.0
    agreeing_squares: float = 0.0

    def __post_init__(self) -> None:
        self.question_counts = np.zeros((self.question_count, 2), dtype=np.int64)

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        """Add a chunk, or as many draws as make up `max_deals`; return how many have a weight."""
        weights, outcomes, drawn = playouts.weights, playouts.outcomes, playouts.drawn
        self.question_counts += playouts.counts
        call_weights = weights if playouts.call_weights is None else playouts.call_weights
        self.agreeing_weight += float(call_weights.sum())
        self.agreeing_squares += float((call_weights**2).sum())
        if max_deals is not None and len(weights) > max_deals - self.deals:
            drawn = max_deals - self.deals
            weights, outcomes = weights[:drawn], outcomes[:, :drawn]
        values = self.measures.compute(outcomes)
        self.sums.add(drawn, weights, values)
        return len(weights)

    @property
    def deals(self) -> int:
        """The number of deals."""
        return self.sums.deals

    @property
    def max_points(self) -> int:
        """The most points that a round is worth to a side."""
        return self.rules.max_points

    @property
    def effective_sample_size(self) -> float:
        """The number of equally weighted deals that would be as precise."""
        return self.sums.effective_sample_size

    @property
    def bidding_probability(self) -> float:
        """The share of random deals in which the others would have called as they did."""
        return self.estimate_bidding_probability().value

    def estimate_bidding_probability(self) -> Estimate:
        """Estimate the share of random deals in which the others would have called so."""
        return estimate_bidding_probability(
            int(self.question_counts[0, 0]) if self.question_count else 0,
            self.agreeing_weight,
            self.agreeing_squares,
            self.confidence,
            self.sequential,
        )

    def estimate(self, name: str, option: int, baseline: int | None = None) -> Estimate:
        """Estimate a measure of an option, or with `baseline` its lead over that option."""
        is_share = self.measures[name].is_share
        return self.sums.mean(
            self.measures.indices[name],
            option,
            self.confidence,
            baseline=baseline,
            sequential=self.sequential,
            is_share=is_share and baseline is None,
            bound=1.0 if is_share else self.max_points,
        )

    @property
    def objective(self) -> Objective:
        """The measures by which an option is the best."""
        value, share = self.measures.indices[RANKING_MEASURE], self.measures.indices["win_share"]
        return Objective(value, share, self.option_count, self.max_points)

    @property
    def ranking(self) -> list[int]:
        """The options to choose from, the best first in the deals that chose.

        Their values (`estimate`) are those of other deals, so neighbours may have them in another
        order.
        """
        return list(self.order or self.sums.ranking(self.objective))

    @property
    def best(self) -> int:
        """The option that is the best in the deals that chose."""
        return self.ranking[0]

    def rank_by(self, candidates: Odds) -> None:
        """Rank the options by other deals."""
        self.order = candidates.sums.ranking(candidates.objective)
        self.choosing_deals = candidates.deals

    def estimate_leads(self) -> dict[int, Estimate]:
        """Estimate by how much the best option leads each of the others, the next one first."""
        best, *others = self.ranking
        return {other: self.estimate(RANKING_MEASURE, best, other) for other in others}

    def get_text(self, option: int) -> str:
        """Return the text of an option."""
        return str(self.options[option])

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Return whether the best option, or its chance to win to `width`, is certain."""
        return self.sums.is_conclusive(self.best, self.objective, width, confidence)


@dataclass(eq=False, kw_only=True)
class CallOdds(Odds):
    """Estimates of the calls that a player may make.

    Attributes:
        situation: what the player knows.
    """

    situation: Position

    def get_text(self, option: int) -> str:
        """Return the text of a call."""
        text: str = self.options[option].text
        return text


AnyOdds = TypeVar("AnyOdds", bound=Odds)


def estimate_options(
    sampler: Sampler, odds: AnyOdds, plan: EstimatePlan, choosing: tuple[Sampler, AnyOdds]
) -> AnyOdds:
    """Rank the options by some deals and value them by others.

    Args:
        sampler: plays out all options.
        odds: estimates without deals, which are filled and returned.
        plan: precision and means.
        choosing: a sampler and estimates of the options to choose from alone.

    Raises:
        ImpossibleBiddingError: the players would hardly ever have called so.
        InputError: no hidden hands agree with the plays; a policy cannot be used, or chooses what
            is not allowed.
    """
    odds.order = (0,)
    if odds.option_count > 1:
        chooser, candidates = choosing
        try:
            add_draws(chooser, candidates, FIRST_CHOOSING, plan.choosing_limits, plan)
        except ImpossibleBiddingError:
            # The search for hidden cards reached its limit: rank by those that were found.
            if candidates.sums.weights == 0:
                raise
        odds.rank_by(candidates)
    try:
        odds.stop_reason = add_draws(sampler, odds, 0, plan.valuing_limits, plan)
    except ImpossibleBiddingError as error:
        wanted_time = error.by_time and plan.time is not None
        few = odds.effective_sample_size < MIN_EFFECTIVE_DEALS and not wanted_time
        if odds.sums.weights == 0 or few:
            raise
        odds.stop_reason = "time" if error.by_time else "search"
        odds.stop_text = str(error)
    except KeyboardInterrupt:
        if odds.sums.weights == 0:
            raise
        odds.stop_reason = "interrupted"
    return odds


def add_draws(sampler: Sampler, odds: Odds, first: int, limits: Limits, plan: EstimatePlan) -> str:
    """Add draws from the number `first` on until a limit is reached; return which.

    Raises:
        ImpossibleBiddingError: the search for hidden cards reached its limit, or found none.
        InputError: as for `estimate_options`.
    """
    search = sampler.start_search(plan.time, plan.searching)
    search.deadline = plan.valuing_limits.deadline
    chunks = sampler.iterate_chunks(first, limits.deals, search)
    every = 1 if first == FIRST_CHOOSING else sampler.chunks_per_check
    max_deals = None if sampler.counts_rejected else limits.deals
    try:
        for number, chunk in enumerate(chunks, start=1):
            found = odds.add(chunk, max_deals)
            if odds.deals < limits.deals:
                search.finish_chunk(chunk.counts, found)
            if odds.sums.weights == 0:
                continue
            if odds.deals >= limits.deals:
                return "deals"
            if number % every:
                continue
            if plan.progress is not None:
                plan.progress(odds)
            if limits.width is not None and odds.is_conclusive(limits.width, limits.confidence):
                return "until"
            if monotonic() > limits.deadline:
                return "time"
        raise SearchEnded(by_time=False)
    except SearchEnded as end:
        if end.by_time and odds.sums.weights > 0 and monotonic() > search.deadline:
            return "time"
        counts = search.all_counts if end.by_time else odds.question_counts
        line = sampler.explain_impossible_bidding(counts, search.seconds if end.by_time else None)
        raise ImpossibleBiddingError(line, end.by_time) from None
    finally:
        chunks.close()


def estimate_bidding_probability(
    hands_examined: int,
    weight: float,
    squares: float,
    confidence: float = DEFAULT_CONFIDENCE,
    sequential: bool = False,
) -> Estimate:
    """Estimate the share of hidden hands with which the others would have called as they did.

    Each hand that is looked at for the first player who spoke either does not agree with their
    calls, or is that of a draw, whose weight is the share of the others' hands that agree.  So the
    share is the mean of a number per hand, 0 or the weight of its draw.  That varies no more than
    hands of which each agrees or not: the interval is that of a share of as many of these as would
    be as precise, or holds at every moment (`sequential`).

    Args:
        hands_examined: number of those hands; 0 if nobody spoke, which is certain.
        weight, squares: sums of the weights of all draws and of their squares.
        confidence: confidence of the interval.
        sequential: whether it is to hold at every moment.
    """
    if hands_examined == 0:
        return Estimate(1.0, math.nan, math.nan, 0)
    if sequential:
        found = sequences.estimate_mean_sequentially(
            hands_examined, weight, squares, confidence, bound=1.0
        )
        return clip_estimate(found, (0.0, 1.0))
    value = min(1.0, weight / hands_examined)
    variance = squares / hands_examined - value**2
    alike = value * (1 - value) / variance if variance > ROUNDING_ERROR else 1.0
    return estimate_weighted_share(value, alike * hands_examined, hands_examined, confidence)
