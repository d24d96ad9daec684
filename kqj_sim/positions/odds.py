"""Estimates of the options of a player, over weighted deals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kqj_sim.core.observed_calls import ERROR_CHANCE, ERROR_SIZE
from kqj_sim.core.types import Float64Array, Int16Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.places import SeatNames
from kqj_sim.policies.players import Player
from kqj_sim.positions.hidden_cards import HiddenCards
from kqj_sim.positions.measures import GAME_MEASURE, RANKING_MEASURE, MeasureTable
from kqj_sim.rules import GameRules
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.stats.moments import NO_LISTS, ROUNDING_ERROR, Objective, WeightedMoments, multiply
from kqj_sim.stats.quantities import Unit, find_quantity

_DECIMALS = 9
"""Decimals of estimates with weights that are not whole."""


class Playouts(NamedTuple):
    """Outcomes of every option in a chunk of draws.

    Attributes:
        drawn: number of draws, those without a weight included; the others are left out below.
        weights: float64 (n,), weights of the draws.
        outcomes: int16 (options, n, OUTCOME), see `write_outcome` of the game's kernels.
        hands: int64 (places, n), the hidden hands, natural coding.
        counts: int64 (questions, 2), hands that were asked, and that answered as observed.
        call_weights: float64 (m,), the weights of all draws by the calls alone, summed by lists if
            they share these; None if they are `weights`.
        lists: int64 (n,), ascending, the numbers of the lists of hands of each draw; empty if no
            draws share any.
        list_count: number of different lists of a caller.
        shares: float64 (callers, m), as `call_weights`, by the calls of the callers up to each;
            None if the shares of each caller are not asked for.
    """

    drawn: int
    weights: Float64Array
    outcomes: Int16Array
    hands: Int64Array
    counts: Int64Array
    call_weights: Float64Array | None = None
    lists: Int64Array = NO_LISTS
    list_count: int = 0
    shares: Float64Array | None = None


@dataclass(eq=False, kw_only=True)
class Odds:
    """Estimates of every measure of every option, over weighted deals.

    Attributes:
        people: names of the people at the table of a record; None if nobody is named.
        ignore_calls: whether hidden cards need not agree with the calls.
        error_rate: chance that a call or card heard was an error of the assumed player.
        hidden_cards: where the hidden cards are in these deals; None if that is not counted.
        error_chances: float64 (questions, ERROR_SIZE), see `core.observed_calls.ERROR_CHANCE`; no
            rows if nobody errs.
        weigh_errors: of hidden hands, int64 (n, places), and their weights returns, for each card
            played, the weight of those with which it was an error; None if cards are not weighed.
        card_errors: float64 (plays,), the sums of these weights; empty if cards are not weighed.
        options: what was played out: the calls, or the cards.
        option_count: number of options to choose from, the first ones.
        observed_calls: the calls that hidden hands agree with, in the order in which hands are
            drawn, of the games whose samplers list hands.
        question_count: number of calls that hidden hands agree with.
        sequential: whether intervals hold at every moment.
        stop_reason: "deals", "until", "time", "search" (for hidden cards) or "interrupted".
        stop_text: a line that names the call that made the search for hidden cards end, or "".
        order: the options as other deals ranked them, the best first; empty while these deals are
            choosing themselves.
        choosing_deals: number of those deals.
        kept: the options that are still played out, by number; at first all.
        early: the moments of all options from before some were dropped; None if none was.
        is_exact: whether every distribution of the hidden cards was played out: then nothing has an
            interval.
        uses_plays: whether distributions are weighed by the chances of the cards played.
        kind: what the options are, "call" or "card".
        question_counts: int64 (questions, 2), hands that were asked, and that agreed.
        agreeing_weight, agreeing_squares: sums of the weights of all draws by the calls, and of
            their squares; of draws that share lists the squares of their sums.
        list_count: number of lists that draws shared.
        shares, share_products: float64 (callers,) and (callers, callers), sums of `Playouts.shares`
            and of their products.
        share_count: number of these, by caller.
    """

    measures: MeasureTable
    rules: GameRules
    players: tuple[Player, ...]
    people: SeatNames | None = None
    seed: int
    ignore_calls: bool = False
    error_rate: float = 0.0
    error_chances: Float64Array = field(default_factory=lambda: np.zeros((0, ERROR_SIZE)))
    position: Any = None
    options: Sequence[Any]
    option_count: int
    observed_calls: Sequence[Any] = ()
    question_count: int = 0
    sequential: bool = False
    confidence: float = DEFAULT_CONFIDENCE
    stop_reason: str = "deals"
    stop_text: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    is_exact: bool = False
    uses_plays: bool = False
    kind: ClassVar[str] = "call"
    sums: WeightedMoments = field(init=False)
    kept: list[int] = field(init=False)
    early: WeightedMoments | None = None
    agreeing_weight: float = 0.0
    agreeing_squares: float = 0.0
    list_count: int = 0
    share_count: int = 0
    hidden_cards: HiddenCards | None = None
    weigh_errors: Callable[[Int64Array, Float64Array], Float64Array] | None = None
    card_errors: Float64Array = field(init=False)

    def __post_init__(self) -> None:
        self.card_errors = np.zeros(len(self.position.plays) if self.weigh_errors else 0)
        self.question_counts = np.zeros((self.question_count, 2), dtype=np.int64)
        self.sums = WeightedMoments.zeros(len(self.measures.functions), len(self.options))
        self.kept = [*range(len(self.options))]
        callers = len({call.place for call in self.observed_calls})
        self.shares, self.share_products = np.zeros(callers), np.zeros((callers, callers))

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        """Add a chunk, or as many draws as make up `max_deals`; return how many have a weight."""
        weights, outcomes, drawn = playouts.weights, playouts.outcomes, playouts.drawn
        self.question_counts += playouts.counts
        call_weights = weights if playouts.call_weights is None else playouts.call_weights
        self.agreeing_weight += float(call_weights.sum())
        self.agreeing_squares += float((call_weights**2).sum())
        lists, shares = playouts.lists, playouts.shares
        if shares is not None:
            self.shares += shares.sum(axis=1)
            self.share_products += multiply(shares, shares.T)
            self.share_count += shares.shape[1]
        self.list_count += playouts.list_count
        if max_deals is not None and len(weights) > max_deals - self.deals:
            drawn = max_deals - self.deals
            weights, outcomes, lists = weights[:drawn], outcomes[:, :drawn], lists[:drawn]
        if self.hidden_cards is not None:
            hands = playouts.hands[:, : len(weights)]
            self.hidden_cards.add(hands, weights, lists)
            if self.weigh_errors is not None and len(weights) > 0:
                self.card_errors += self.weigh_errors(hands.T, weights)
        values = self.measures.compute(outcomes)
        self.sums.add(drawn, weights, values, lists)
        return len(weights)

    def list_hopeful(self) -> list[int]:
        """Return the options that may be the best, or the best in points, and the best two."""
        hopeful = {*self.ranking[:2]}
        for name in {self.measures.ranking_measure, RANKING_MEASURE}:
            by = self.objective._replace(value=self.measures.indices[name])
            possible = self.sums.find_possible(self.sums.best(by), by)
            hopeful |= {self.kept[at] for at in np.flatnonzero(possible)}
        return sorted(hopeful)

    def keep(self, numbers: Sequence[int]) -> Sequence[int]:
        """Have only some options played out from now on; return their numbers.

        The moments of the others remain those of the deals so far.
        """
        self.early, self.kept, self.sums = self.sums, [*numbers], self.sums.select(numbers)
        return numbers

    def find_moments(self, *options: int) -> tuple[WeightedMoments, list[int]]:
        """Return the moments that have all of some options, and their numbers among these."""
        if self.early is None or {*options} <= {*self.kept}:
            return self.sums, [self.kept.index(option) for option in options]
        return self.early, [*options]

    @property
    def contract_options(self) -> Sequence[int]:
        """The options that are contracts as played, which only calls of auctions have."""
        return range(self.option_count, len(self.options))

    @property
    def likely_errors(self) -> list[Any]:
        """The observed calls that were errors more likely than not."""
        chances = self.error_chances[:, ERROR_CHANCE]
        return [self.observed_calls[int(number)] for number in np.flatnonzero(chances > 0.5)]

    @property
    def likely_card_errors(self) -> list[int]:
        """The numbers of the cards played, from 0, that were errors more likely than not."""
        return [*map(int, np.flatnonzero(self.card_errors > self.sums.weights / 2))]

    @property
    def deals(self) -> int:
        """The number of deals."""
        return self.sums.deals

    def has_effective(self, least: float) -> bool:
        """Return whether there are so many effective deals, and one at least."""
        return self.sums.weights > 0 and self.sums.effective_sample_size >= least

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
            self.first_asked,
            self.agreeing_weight,
            self._compute_agreeing_squares(),
            self.confidence,
            self.sequential,
        )

    def _compute_agreeing_squares(self) -> float:
        """Return the sum of squares of weights that would vary as much without shared lists."""
        if self.list_count == 0:
            return self.agreeing_squares
        between = self.agreeing_squares - self.agreeing_weight**2 / self.list_count
        return between + self.agreeing_weight**2 / max(self.first_agreed, 1)

    @property
    def first_asked(self) -> int:
        """The number of hands of the first caller that were asked."""
        return int(self.question_counts[0, 0]) if self.question_count else 0

    @property
    def first_agreed(self) -> int:
        """The number of hands with which the first caller calls as observed."""
        places = [call.place for call in self.observed_calls]
        return int(self.question_counts[places.count(places[0]) - 1, 1])

    def estimate_agreeing_share(self, caller: int) -> Estimate:
        """Estimate in which share of the hands left a caller, as drawn, would have called so."""
        if caller == 0:
            share = float(self.shares[0]) / self.first_asked
            return intervals.estimate_weighted_share(
                share, self.first_asked, self.first_asked, self.confidence
            )
        before, products = caller - 1, self.share_products.tolist()
        return intervals.estimate_ratio_from_sums(
            self.share_count, float(self.shares[before]), float(self.shares[caller]),
            (products[before][before], products[before][caller], products[caller][caller]),
            self.confidence, is_share=True,
        )  # fmt: skip

    def get_unit(self, name: str) -> Unit:
        """Return the unit of a measure."""
        return find_quantity(name, self.rules.game).unit

    def estimate(self, name: str, option: int, baseline: int | None = None) -> Estimate:
        """Estimate a measure of an option, or with `baseline` its lead over that option."""
        # Rounds are won or not; a game is won by a chance.
        is_share = self.get_unit(name) == "share" and name != GAME_MEASURE
        asked = [option] if baseline is None else [option, baseline]
        moments, (of, *than) = self.find_moments(*asked)
        return moments.estimate_mean(
            self.measures.indices[name],
            of,
            self.confidence,
            baseline=than[0] if than else None,
            sequential=self.sequential,
            is_share=is_share and baseline is None,
            bound=1.0 if self.get_unit(name) == "share" else self.max_points,
        )

    def estimate_holding(self, group: int, holding: int) -> Estimate:
        """Estimate the chance that a group of places has a holding, by numbers in `HiddenCards`."""
        assert self.hidden_cards is not None
        total, crossed, squares = self.hidden_cards.sums[:, group, holding].tolist()
        if self.is_exact:
            share = min(total / self.sums.weights, 1.0)
            return Estimate(share, math.nan, math.nan, self.deals)
        return self.sums.estimate_share(total, crossed, squares, self.confidence, self.sequential)

    @property
    def objective(self) -> Objective:
        """The measures by which one of the options that are kept is the best."""
        ranking = self.measures.ranking_measure
        value, share = self.measures.indices[ranking], self.measures.indices["win_share"]
        bound = 1.0 if ranking == GAME_MEASURE else self.max_points
        count = sum(number < self.option_count for number in self.kept)
        return Objective(value, share, count, bound)

    @property
    def ranking(self) -> list[int]:
        """The options to choose from, the best first in the deals that chose.

        Their values (`estimate`) are those of other deals, so neighbours may have them in another
        order.
        """
        if self.order:
            return list(self.order)
        kept = [self.kept[at] for at in self.sums.ranking(self.objective)]
        if self.early is None:
            return kept
        every = self.early.ranking(self.objective._replace(options=self.option_count)).tolist()
        return [*kept, *(number for number in every if number not in kept)]

    @property
    def rows(self) -> list[int]:
        """The options as tables list them: the best first, then by what these deals rank."""
        best, *others = self.ranking
        measure = self.measures.ranking_measure
        values = {other: self.estimate(measure, other).value for other in others}
        return [best, *sorted(others, key=values.__getitem__, reverse=True)]

    @property
    def best(self) -> int:
        """The option that is the best in the deals that chose."""
        return self.ranking[0]

    def rank_by(self, candidates: Odds) -> None:
        """Rank the options by other deals."""
        self.order = tuple(candidates.ranking)
        self.choosing_deals = candidates.deals

    def estimate_leads(self, measure: str = RANKING_MEASURE) -> dict[int, Estimate]:
        """Estimate by how much the best option leads each of the others, the next one first."""
        best, *others = self.ranking
        return {other: self.estimate(measure, best, other) for other in others}

    def get_text(self, option: int) -> str:
        """Return the text of an option."""
        return str(self.options[option])

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Return whether the best option, or its chance to win to `width`, is certain."""
        best = self.kept.index(self.best)
        return self.sums.is_conclusive(best, self.objective, width, confidence)


@dataclass(eq=False, kw_only=True)
class CardOdds(Odds):
    """Estimates of the cards that may be played; its options are the legal cards.

    Attributes:
        layout_count: number of distributions that agree with the plays; 0 if that is unknown.
        max_ways: in how many ways a distribution can have come about.
    """

    kind: ClassVar[str] = "card"
    layout_count: int = 0
    max_ways: int = 1

    def add_all(self, playouts: Playouts) -> None:
        """Add the outcomes in all distributions; raise InputError if none agrees with the calls."""
        if playouts.call_weights is not None and not playouts.call_weights.any():
            raise InputError(
                f"{', '.join(dict.fromkeys(player.text for player in self.players))} would have "
                f"called as they did with none of the {playouts.drawn:,} distributions that are "
                "left: name another `policy`, or leave the calls out with `ignore_calls`"
            )
        self.is_exact, self.sequential = True, False
        self.add(playouts)
        # The same distributions may choose and value.
        self.order = tuple(self.ranking)

    @property
    def uses_calls(self) -> bool:
        """True if the calls are known and hidden hands have to agree with them."""
        return not self.ignore_calls and self.position.calls is not None

    @property
    def effective_number(self) -> float:
        """The number of equally weighted deals, or distributions, that would tell as much."""
        return self.sums.effective_sample_size

    @property
    def effective_sample_size(self) -> float:
        """As of `Odds`; if it is exact, the number of distributions."""
        return self.deals if self.is_exact else self.sums.effective_sample_size

    def estimate_bidding_probability(self) -> Estimate:
        """Estimate in which share of the distributions the others would have called as they did."""
        if not self.is_exact:
            return super().estimate_bidding_probability()
        share = self.agreeing_weight / (self.deals * self.max_ways)
        return Estimate(share, math.nan, math.nan, self.deals)

    def estimate(self, name: str, option: int, baseline: int | None = None) -> Estimate:
        """Estimate a measure of a card, or with `baseline` its lead over that card."""
        estimate = self._estimate_unrounded(name, option, baseline)
        if not self.uses_plays:
            return estimate
        # Weights are not whole: without rounding, cards that are equally good would differ.
        value, low, high = (round(each, _DECIMALS) for each in estimate[:3])
        return estimate._replace(value=value, low=low, high=high)

    def _estimate_unrounded(self, name: str, option: int, baseline: int | None) -> Estimate:
        if not self.is_exact:
            return super().estimate(name, option, baseline)
        sums = self.sums.sums[self.measures.indices[name]]
        total = float(sums[1 + option] - (0 if baseline is None else sums[1 + baseline]))
        return Estimate(total / self.sums.weights, math.nan, math.nan, self.deals)


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
    share is the mean of a number per hand, 0 or the weight of its draw.  The interval is that of a
    share of as many hands, of which each agrees or not, as would be as precise, or holds at every
    moment (`sequential`).

    Args:
        hands_examined: number of those hands; 0 if nobody spoke, which is certain.
        weight, squares: sums of the weights of all draws and of their squares.
    """
    if hands_examined == 0:
        return Estimate(1.0, math.nan, math.nan, 0)
    if sequential:
        estimate = sequences.estimate_mean_sequentially(
            hands_examined, weight, squares, confidence, bound=1.0
        )
        return intervals.clip_estimate(estimate, (0.0, 1.0))
    value = min(1.0, weight / hands_examined)
    mean_square = squares / hands_examined
    variance = mean_square - value**2
    alike = value * (1 - value) / variance if variance > ROUNDING_ERROR * mean_square else 1.0
    return intervals.estimate_weighted_share(
        value, alike * hands_examined, hands_examined, confidence
    )
