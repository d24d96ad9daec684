"""The end of a comparison of policies, and the intervals that hold at it.

Without a number of deals a comparison goes on until the lead is known to a fifth of itself or the
policies are equal within the indifference.  Its intervals are then confidence sequences, which hold
however often one looks, so that stopping by what they say takes nothing from their confidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.output.sentences import say
from kqj_sim.plan import Plan, check_range
from kqj_sim.questions.compare.match import MatchTally
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import Estimate

LOOK_GROWTH = 1.1
"""Ratio of the deals at one look to those at the look before: at most 10% are played in vain."""

DEFAULT_MAX_DEALS = 1_000_000
"""Deals at which an inconclusive comparison ends."""

DEALS_A_GAME = 10

RELATIVE_PRECISION = 0.2
"""Half-width of the interval at which a comparison ends, as a share of the lead."""


@dataclass(frozen=True)
class ComparisonPlan(Plan):
    """The deals of a comparison, and its intervals, which hold jointly.

    Attributes:
        indifference: difference, in points, within which two policies count as equal.
        max_deals: largest number of deals if `deals` is None.
        games: True to play whole games; leads are then in games won, widths in per cent of them.
    """

    indifference: float = 0.5
    max_deals: int = DEFAULT_MAX_DEALS
    seats: int = KqjRules.seats
    games: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.deals is not None and self.precision is not None:
            raise InputError("a number of deals and a width to reach: give one of them")
        check_range("max_deals", self.max_deals, 1)
        if not 0 < self.indifference < math.inf:
            raise InputError(
                f"indifference is {self.indifference:g}: it should be above 0, such as 0.5"
            )

    @classmethod
    def make(
        cls,
        rules: GameRules,
        games: int | Literal["auto"] | None = None,
        deals: int | None = None,
        indifference: float | None = None,
        max_deals: int | None = None,
        **others: Any,
    ) -> ComparisonPlan:
        """Return the plan with the defaults of a game.

        Args:
            games: number of whole games instead of deals; "auto": as many as it takes.
            deals, indifference, max_deals, others: as the attributes; None for the default.
        """
        if indifference is None:
            # Per cent of the games matter as much whatever is played.
            indifference = cls.indifference
            if games is None:
                indifference = find_game(rules.game).indifference
        default = DEFAULT_MAX_DEALS if games is None else DEFAULT_MAX_DEALS // DEALS_A_GAME
        return cls(
            deals=games if isinstance(games, int) else deals,
            indifference=indifference,
            max_deals=max_deals or default,
            seats=rules.seats,
            games=games is not None,
            **others,
        )

    @property
    def deal_limit(self) -> int:
        """Largest number of deals that may be played."""
        return self.max_deals if self.deals is None else self.deals

    @property
    def is_sequential(self) -> bool:
        """True if the intervals decide when to stop, so that they must hold at every moment."""
        return self.deals is None and self.precision is None

    def get_target_width(self, lead: float) -> float:
        """Return the half-width of the interval at which a comparison with this lead stops.

        Both policies are equal if the whole interval lies within the indifference.
        """
        if self.deals is not None:
            return 0.0
        if self.precision is not None:
            return self.precision
        return max(RELATIVE_PRECISION * abs(lead), self.indifference - abs(lead))

    def list_shortfalls(self, half_width: float, played: str) -> list[str]:
        """Return a sentence if the precision asked for was not reached by what was played."""
        if self.precision is None or half_width <= self.precision:
            return []
        return [say(__name__, "shortfall", self.precision, played)]

    @property
    def interval_method(self) -> str:
        """A description of the intervals for people."""
        if self.is_sequential:
            return (
                "asymptotic confidence sequence (Waudby-Smith et al. 2024), "
                "valid at any stopping time"
            )
        if self.precision is not None:
            return "Student's interval of a fixed width (Chow and Robbins 1965)"
        return "Student's interval of a fixed number of deals"

    def iterate_looks(self) -> Iterator[int]:
        """Yield the numbers of deals at which to decide whether to go on, the last one included.

        They are multiples of the number of seats, so that all seats deal equally often.
        """
        if self.deals is not None:
            yield self.deals
            return
        look = float(sequences.FIRST_LOOK)
        while look < self.max_deals:
            if look + self.seats < self.max_deals:
                yield math.ceil(look / self.seats) * self.seats
            else:
                yield self.max_deals
            look *= LOOK_GROWTH
        yield self.max_deals

    def estimate_mean(self, tally: MatchTally, name: str, divisor: float) -> Estimate:
        """Estimate the mean of a quantity per deal, divided by `divisor`."""
        estimate = (
            sequences.estimate_mean_sequentially
            if self.is_sequential
            else intervals.estimate_mean_from_sums
        )
        return estimate(*tally.summarize(name), self.confidence).scaled(1 / divisor)

    def estimate_share(self, tally: MatchTally, name: str, max_per_deal: int) -> Estimate:
        """Estimate a quantity as a share of `max_per_deal`, the most that a deal can have."""
        summary = tally.summarize(name)
        if self.is_sequential:
            found = sequences.estimate_mean_sequentially(
                *summary, self.confidence, bound=max_per_deal
            )
        elif max_per_deal == 1:
            return intervals.estimate_share(summary[1], summary[0], self.confidence)
        else:
            found = intervals.estimate_mean_from_sums(*summary, self.confidence, (0, max_per_deal))
        return intervals.clip_estimate(found, (0, max_per_deal)).scaled(1 / max_per_deal)

    def estimate_ratio(
        self, tally: MatchTally, one: str, other: str, max_per_deal: int | None = None
    ) -> Estimate:
        """Estimate the ratio of one quantity to another.

        With `max_per_deal`, the most that a deal can have of the other quantity, it is a share.
        """
        summary = tally.summarize_pair(other, one)
        if not self.is_sequential:
            return intervals.estimate_ratio_from_sums(
                *summary, self.confidence, max_per_deal is not None
            )
        found = sequences.estimate_ratio_sequentially(
            *summary, self.confidence, bound=max_per_deal or 0
        )
        return intervals.clip_estimate(found, None if max_per_deal is None else (0, 1))
