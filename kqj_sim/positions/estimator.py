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
from contextlib import closing
from dataclasses import replace
from typing import Any, Protocol

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.policies.players import Player, PlayerLike, seat_players
from kqj_sim.positions.hidden_cards import HiddenCards
from kqj_sim.positions.measures import GAME_MEASURE, Measure
from kqj_sim.positions.odds import CardOdds, Odds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan, Limits, Sampler
from kqj_sim.positions.search import Search, SearchEnded
from kqj_sim.simulation.workers import UNBOUNDED

FIRST_CHOOSING = 1 << 58
"""The deals from this number on choose the best option; those from 0 on value all of them."""

MIN_EFFECTIVE_DEALS = 100
"""With fewer effective deals, a search that reached its limit has no answer."""

EARLY_DRAWS = 1_024
"""Draws of which a multiple plays out all options: whole chunks."""

_MIN_REPEATED_PLAYOUTS = 2_000
"""Number of playouts, at least, that show whether players choose at random."""


class ImpossibleBiddingError(InputError):
    """A call that the assumed player would hardly ever make; `by_time`: the time was over."""

    def __init__(self, line: str, by_time: bool = False) -> None:
        super().__init__(line)
        self.by_time = by_time


class Collector(Protocol):
    """Collector of the deals that a sampler draws, such as `Odds`."""

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        """Add a chunk, or as many draws as make up `max_deals`; return how many have a weight."""

    @property
    def deals(self) -> int:
        """The number of deals."""

    def has_effective(self, least: float) -> bool:
        """Return whether there are so many effective deals, and one at least."""

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Return whether the best option, or its chance to win to `width`, is certain."""


def estimate_options(sampler: Sampler, plan: EstimatePlan) -> Odds:
    """Rank the options of a sampler by some deals and value them by others.

    If all distributions of the hidden cards can be played out, they are.  Where too few hidden
    hands are found, draws assume more errors of the others.

    Raises:
        ImpossibleBiddingError: the players would hardly ever have called so.
        InputError: no hidden hands agree with the plays; a policy cannot be used, or chooses what
            is not allowed.
    """
    while True:
        try:
            return _estimate_options(sampler, plan)
        except ImpossibleBiddingError as error:
            wider = None if error.by_time else sampler.assume_more_errors()
            if wider is None:
                raise
            sampler = wider


def _estimate_options(sampler: Sampler, plan: EstimatePlan) -> Odds:
    everything = sampler.play_all(_MIN_REPEATED_PLAYOUTS, plan.thread_count)
    if everything is not None:
        exact = sampler.make_odds(plan)
        assert isinstance(exact, CardOdds)
        exact.hidden_cards = HiddenCards(sampler.position)
        exact.add_all(everything)
        return exact
    sampler, chooser = sampler.choose_options(plan)
    odds = sampler.make_odds(plan)
    odds.hidden_cards = HiddenCards(sampler.position)
    odds.order = (0,)
    candidates = chooser.make_odds(plan)
    if odds.option_count > 1:
        try:
            search_and_add(
                chooser, candidates, FIRST_CHOOSING, plan.choosing_limits, plan, candidates
            )
        except ImpossibleBiddingError:
            # The search for hidden cards reached its limit: rank by those that were found.
            if candidates.sums.weights == 0:
                raise
        odds.rank_by(candidates)
    try:
        odds.stop_reason = search_and_add(sampler, odds, 0, plan.valuing_limits, plan, candidates)
    except ImpossibleBiddingError as error:
        wanted_time = error.by_time and plan.time is not None
        if not odds.has_effective(0.0 if wanted_time else MIN_EFFECTIVE_DEALS):
            raise
        odds.stop_reason = "time" if error.by_time else "search"
        odds.stop_text = str(error)
    except KeyboardInterrupt:
        if odds.sums.weights == 0:
            raise
        odds.stop_reason = "interrupted"
    return odds


def count_early_deals(deals: int) -> int:
    """Return how many of so many deals play out all options, at least.

    The others play out those that may be the best.  They are a fifth: options that are clearly
    worse need no narrow interval.
    """
    return math.ceil(deals / (5 * EARLY_DRAWS)) * EARLY_DRAWS


def _count_more_draws(missing: int, deals: int, drawn: int) -> int:
    """Return how many draws are as many deals as are missing, if as often as those so far."""
    draws = missing * max(drawn, 1) / max(deals, 1)
    return math.ceil(draws / EARLY_DRAWS) * EARLY_DRAWS


def search_and_add(
    sampler: Sampler, odds: Odds, first: int, limits: Limits, plan: EstimatePlan,
    candidates: Odds | None = None,
) -> str:  # fmt: skip
    """Add draws as `add_draws`, in threads; raise ImpossibleBiddingError if too few are found.

    With `candidates`, options that by their deals cannot be the best are played out in the first
    deals only, unless these are worth too few.
    """
    search = sampler.start_search(plan.time, plan.searching)
    search.deadline = plan.valuing_limits.deadline
    settings = search, plan.thread_count, plan.progress
    begin, early = first, count_early_deals(limits.deals)
    try:
        if candidates is not None and odds.option_count > 2 and early < limits.deals:
            while odds.deals < early:
                more = _count_more_draws(early - odds.deals, odds.deals, begin - first)
                step = limits._replace(end=begin + more)
                ended = add_draws(sampler, odds, begin, step, *settings)
                if ended != "draws":
                    return ended
                begin = step.end
            hopeful = candidates.list_hopeful()
            if len(hopeful) < odds.option_count and odds.has_effective(MIN_EFFECTIVE_DEALS):
                sampler = sampler.with_numbers(odds.keep(hopeful))
        return add_draws(sampler, odds, begin, limits, *settings)
    except SearchEnded as end:
        if end.by_time and odds.sums.weights > 0 and search.deadline.has_passed:
            return "time"
        counts = search.all_counts if end.by_time else odds.question_counts
        line = sampler.explain_impossible_bidding(counts, search.seconds if end.by_time else None)
        raise ImpossibleBiddingError(line, end.by_time) from None


def add_draws(
    sampler: Sampler,
    collector: Collector,
    first: int,
    limits: Limits,
    search: Search,
    threads: int = 0,
    progress: Callable[[Any], None] | None = None,
) -> str:
    """Add draws from the number `first` on until a limit is reached.

    Args:
        threads: number of threads; 0 for this one.
        progress: called with `collector` now and then.

    Returns:
        The limit: "deals", "until" or "time"; "draws" if their end was.

    Raises:
        SearchEnded: the search reached its limit, or found none.
        InputError: as for `estimate_options`.
    """
    chunks = sampler.iterate_chunks(first, limits, search, threads)
    every = 1 if first >= FIRST_CHOOSING or threads == 0 else sampler.chunks_per_check
    max_deals = None if sampler.counts_rejected else limits.deals
    with closing(chunks):
        for number, chunk in enumerate(chunks, start=1):
            weighted = collector.add(chunk, max_deals)
            if collector.deals >= limits.deals and collector.has_effective(limits.effective_deals):
                return "deals"
            search.finish_chunk(chunk.counts, weighted)
            if not collector.has_effective(0.0):
                continue
            if number % every:
                continue
            if progress is not None:
                progress(collector)
            width, confidence = limits.width, limits.confidence
            if width is not None and collector.is_conclusive(width, confidence):
                return "until"
            if limits.deadline.has_passed:
                return "time"
    if limits.end < UNBOUNDED:
        return "draws"
    raise SearchEnded(by_time=False)


# The sampler of a position, and the estimate of its options: calls or cards, in either game.

MAX_LISTED_LAYOUTS = 20_000
"""With no more distributions of the hidden cards than this all are played out."""


def make_sampler(
    position: Position,
    players: Sequence[Player],
    plan: EstimatePlan,
    max_layouts: int = MAX_LISTED_LAYOUTS,
) -> Sampler:
    """Return the sampler of what a player knows.

    Args:
        players: the assumed player of each seat or, for a call, of each place.
        plan: seed, and whether hidden cards agree with calls and plays.
        max_layouts: during the play distributions of the hidden cards are listed if they are no
            more than this.

    Raises:
        InputError: a policy's function does not compile.
    """
    game = find_game(position.rules.game)
    sampler: Sampler
    if position.question == "card":
        sampler = game.make_card_sampler(position, players, plan, max_layouts)
    else:
        sampler = game.make_call_sampler(position.rotate_to_places(), players, plan)
    if plan.game is not None:
        functions: dict[str, Measure] = {GAME_MEASURE: plan.game, **sampler.measures.functions}
        sampler.measures = replace(sampler.measures, functions=functions)
    return sampler


def estimate_position(
    position: Position,
    policies: PlayerLike | Sequence[PlayerLike] | None = None,
    max_layouts: int = MAX_LISTED_LAYOUTS,
    **settings: Any,
) -> Odds:
    """Estimate the outcome of each option of a player; raises as `estimate_options`.

    Args:
        policies: one player for everybody, or one for each seat or, for a call, each place; the
            default player unless given.
        settings: see `EstimatePlan`; nothing depends on the seed if the answer is exact.
    """
    plan = EstimatePlan(**settings)
    players = seat_players(policies, position.rules)
    return estimate_options(make_sampler(position, players, plan, max_layouts), plan)
