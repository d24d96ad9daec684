"""Estimates of every card that may be played: each played out in the same hidden hands.

Hidden hands agree with the plays (who could not follow, beat or trump) and with the upcard; of
those, only such count in which the players would have called as they did.  Whether they would also
have *played* so is not asked.  Few distributions are all listed and weighted by the number of ways
in which they can have come about; else distributions are drawn, each equally likely, and those
left out that do not agree with the calls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kqj_sim.errors import InputError
from kqj_sim.policies.players import Player, PlayerLike, parse_recorded_player, seat_players
from kqj_sim.positions.estimator import (
    EstimatePlan,
    Odds,
    estimate_options,
)
from kqj_sim.positions.kqj_cards import KqjCardSampler
from kqj_sim.positions.kwajongen import KwajongenCardSampler
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import CardSampler, Playouts
from kqj_sim.rules import KwajongenRules
from kqj_sim.stats.intervals import Estimate

MAX_LISTED_LAYOUTS = 20_000
"""With no more distributions than this all are listed."""

_DECIMALS = 9
"""Decimals of estimates with weights that are not whole."""

_MIN_REPEATED_PLAYOUTS = 2_000
"""Number of playouts, at least, that show whether players choose at random."""


@dataclass(eq=False, kw_only=True)
class CardOdds(Odds):
    """Estimates of the cards that may be played; its options are the legal cards.

    Attributes:
        partial_round: the round.
        layout_count: number of distributions that agree with the plays; 0 if that is unknown.
        is_exact: whether these are all played out: then nothing has an interval.
        max_ways: in how many ways a distribution can have come about.
        uses_plays: whether distributions are weighed by the chances of the plays.
    """

    partial_round: Position
    layout_count: int = 0
    is_exact: bool = False
    max_ways: int = 1
    uses_plays: bool = False

    @property
    def uses_calls(self) -> bool:
        """True if the calls are known and hidden hands have to agree with them."""
        return not self.ignore_calls and self.partial_round.calls is not None

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
        found = self._estimate_unrounded(name, option, baseline)
        if not self.uses_plays:
            return found
        # Weights are not whole: without rounding, cards that are equally good would differ.
        value, low, high = (round(each, _DECIMALS) for each in found[:3])
        return found._replace(value=value, low=low, high=high)

    def _estimate_unrounded(self, name: str, option: int, baseline: int | None) -> Estimate:
        """Estimate as `estimate`, with rounding errors."""
        if not self.is_exact:
            return super().estimate(name, option, baseline)
        moments = self.sums.moments[self.measures.indices[name]]
        total = moments.total(1 + option)
        if baseline is not None:
            total -= moments.total(1 + baseline)
        return Estimate(total / self.sums.weights, math.nan, math.nan, self.deals)


def estimate_cards(
    partial_round: Position,
    policies: PlayerLike | Sequence[PlayerLike] | None = None,
    *,
    max_layouts: int = MAX_LISTED_LAYOUTS,
    **settings: Any,
) -> CardOdds:
    """Estimate the outcome of each card that may be played now, in either game.

    Args:
        partial_round: the round.
        policies: one player for every seat, or one for each seat; those of the round, else the
            default player, unless given.
        max_layouts: with no more distributions than this all are listed.
        settings: see `EstimatePlan`; nothing depends on the seed if the answer is exact.

    Raises:
        InputError: no hidden hands agree with the plays, or hardly any with the calls; a policy
            cannot be used, or chooses what is not allowed.
    """
    asked, rules = EstimatePlan(**settings), partial_round.rules
    if policies is None:
        policies = [parse_recorded_player(text, rules.game) for text in partial_round.players or ()]
    seated = seat_players(policies, rules)
    kind = KwajongenCardSampler if isinstance(rules, KwajongenRules) else KqjCardSampler
    sampler = kind(partial_round, seated, asked, max_layouts)
    return estimate_with_sampler(sampler, partial_round, seated, asked)


def estimate_with_sampler(
    sampler: CardSampler,
    partial_round: Position,
    players: tuple[Player, ...],
    plan: EstimatePlan,
) -> CardOdds:
    """Estimate the outcome of each card with a sampler of a game; raises as `estimate_cards`."""

    def make_odds() -> CardOdds:
        return CardOdds(
            measures=sampler.measures,
            rules=partial_round.rules,
            players=players,
            seed=plan.seed,
            ignore_calls=plan.ignore_calls,
            options=partial_round.legal_cards,
            option_count=sampler.card_count,
            question_count=sampler.question_count,
            sequential=plan.precision is not None,
            confidence=plan.confidence,
            partial_round=partial_round,
            layout_count=sampler.layout_count,
            max_ways=sampler.max_ways,
            uses_plays=sampler.uses_plays,
        )

    odds = make_odds()
    # Players who remember finished tricks play hands out themselves, in worlds drawn at random.
    if sampler.layout_count and not sampler.keeps_history and _add_layouts(sampler, odds):
        return odds
    return estimate_options(sampler, odds, plan, (sampler, make_odds()))


def _add_layouts(sampler: CardSampler, odds: CardOdds) -> bool:
    """Add all listed distributions; return False if somebody chooses at random.

    Raises:
        InputError: the players would have called as they did with none of them.
    """
    count = sampler.layout_count
    ways, outcomes = sampler.count_ways(odds.seed), sampler.play_all_listed(odds.seed)
    for again in range(1, 1 + max(1, _MIN_REPEATED_PLAYOUTS // count)):
        seed = (odds.seed + again) % 2**63
        if not np.array_equal(sampler.play_all_listed(seed), outcomes):
            return False
        if not np.array_equal(sampler.count_ways(seed), ways):
            return False
    if not ways.any():
        raise InputError(
            f"{', '.join(dict.fromkeys(player.text for player in odds.players))} would have called "
            f"as they did with none of the {count:,} distributions that are left: name other "
            "--policy, or leave the calls out with --ignore-calls"
        )
    odds.is_exact, odds.sequential = True, False
    call_weights = ways.astype(np.float64)
    weights = call_weights * sampler.weigh_listed_by_plays()
    hands = np.zeros((0, count), dtype=np.int64)
    counts = np.zeros_like(odds.question_counts)
    odds.add(Playouts(count, weights, outcomes, hands, counts, call_weights))
    # Nothing is estimated here: the same distributions may choose and value.
    odds.order = odds.sums.ranking(odds.objective)
    return True
