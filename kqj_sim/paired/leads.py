"""The same deals, played until enough is known, and the leads of those who played them.

Without a number of deals a comparison goes on until the lead is known to a fifth of itself or the
policies are equal within the indifference.  Its intervals are then confidence sequences, which hold
however often one looks, so that stopping by what they say takes nothing from their confidence.
When they are looked at depends on the number of deals alone, never on the workers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.paired.match import LeadTally, Match
from kqj_sim.plan import Plan, check_range
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.workers import Workers, count_workers
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import Estimate

FIRST_CHUNK_DEALS, MIN_FIRST_CHUNK_DEALS = 64, 8
FIRST_CHUNK_ROUNDS = 1024
"""Deals of a chunk, and rounds at most, while the time of a deal is unknown."""

MAX_CHUNK_ROUNDS = 1 << 18
"""Most rounds of a chunk: their rows take some 40 MB."""

CHUNK_SECONDS = 0.3
"""Approximate duration of a chunk, and so the delay of an interruption."""

BATCH_SECONDS = 1.0
"""Time for which deals are played together at least, once the pace is known."""


class SameDeals(Protocol):
    """Experiments on the same deals, and the results of those played so far."""

    @property
    def deals(self) -> int:
        """Number of deals played."""

    @property
    def rounds(self) -> int:
        """Number of rounds in which each deal is played."""

    def play(self, done: int, count: int, workers: Workers, chunk: int) -> Iterator[int]:
        """Play and add `count` deals after the first `done`; yield the number of each chunk."""

    def look(self) -> bool:
        """Return whether it is enough, after a number of deals at which to ask."""


def play_until_enough(
    same_deals: SameDeals,
    looks: Iterable[int],
    runner: Runner,
    advance: Callable[[int], object],
) -> bool:
    """Play until enough is known, or to the last look; return False if interrupted.

    Args:
        looks: rising numbers of deals at which to ask whether it is enough.
        advance: called with numbers of deals as they are finished.
    """
    workers = count_workers(runner.workers)
    least = min(FIRST_CHUNK_DEALS, FIRST_CHUNK_ROUNDS // same_deals.rounds)
    least = max(MIN_FIRST_CHUNK_DEALS, least)
    most = max(1, min(CHUNK_ROWS, MAX_CHUNK_ROUNDS // same_deals.rounds))
    pace = 0.0
    for look in looks:
        while (done := same_deals.deals) < look:
            # The deals a second are measured again whenever their number has doubled, as the first
            # ones wait for compilers.  No result depends on them.
            count = min(look - done, max(least * workers, done, int(BATCH_SECONDS * pace)))
            size = min(most, int(CHUNK_SECONDS * pace / workers), -(-count // workers))
            chunk = max(1, size) if pace > 0 else least
            began = time.perf_counter()
            for deals in same_deals.play(done, count, runner.workers, chunk):
                advance(deals)
                if runner.interrupted:
                    return False
            pace = count / (time.perf_counter() - began)
        if same_deals.look():
            break
    return True


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
        while look + self.seats < self.max_deals:
            yield math.ceil(look / self.seats) * self.seats
            look *= LOOK_GROWTH
        yield self.max_deals


Verdict = Literal["better", "worse", "equal", "open"]


@dataclass
class Leads:
    """The leads of players on the same deals, and what else they did there; they are `SameDeals`.

    Leads are in points a round, those of games in per cent of the games won.

    Attributes:
        history: of a pair, the number of deals, the sum of the leads and of their squares at each
            look.
    """

    match: Match
    plan: ComparisonPlan
    history: list[tuple[int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tally: LeadTally = self.match.make_tally()

    @property
    def deals(self) -> int:
        """Number of deals, or games."""
        return self.tally.deals

    @property
    def rounds(self) -> int:
        """Number of rounds, or games, in which each deal is played."""
        return len(self.tally.singles.sums)

    def play(self, done: int, count: int, workers: Workers, chunk: int) -> Iterator[int]:
        """Play and add deals as `SameDeals.play`; raises as `reduce_rows`."""
        for part in self.match.play(self.plan.first + done, count, workers, chunk):
            self.tally.add(part)
            yield part.deals

    def look(self) -> bool:
        """Return whether every lead that was asked for is known as precisely as the plan asks."""
        if self.match.is_pair:
            self.history.append(self._summarize(0, 1))
        return self.plan.deals is None and all(
            self.compute_half_width(*sides) <= self.plan.get_target_width(self.estimate(*sides)[0])
            for sides in self._list_sides()
        )

    def _list_sides(self) -> list[tuple[int, int | None]]:
        """Return the players whose lead was asked for, each with the other; None: opponents."""
        if self.match.is_pair:
            return [(0, 1)]
        return [(player, None) for player in range(len(self.match.players))]

    def _summarize(self, one: int, other: int | None) -> tuple[int, int, int]:
        """Return the number of deals, the sum of the leads and that of their squares."""
        if other is None or self.match.opponents is None:
            return self.tally.leads.summarize(one)
        return self.tally.leads.summarize_difference(one, other)

    def get_bound(self, other: int | None) -> int:
        """Return the largest lead of a deal, times the divisor."""
        of_round = 1 if self.match.games else self.match.rules.max_points
        # Against opponents the lead over another player is the difference of two leads.
        is_difference = other is not None and self.match.opponents is not None
        return of_round * (1 + is_difference) * self.match.lead_divisor

    @property
    def points_per_lead(self) -> float:
        """The number shown for a lead of 1: won games are shown in per cent."""
        return 100.0 if self.match.games else 1.0

    def estimate(self, one: int, other: int | None = None) -> Estimate:
        """Estimate the lead of a player over the opponents, or over another player."""
        return self._estimate_lead(self._summarize(one, other), self.get_bound(other))

    def _estimate_lead(self, summary: tuple[int, int, int], bound: int) -> Estimate:
        confidence = self.plan.confidence
        if self.plan.is_sequential:
            lead = sequences.estimate_mean_sequentially(*summary, confidence, bound=bound)
        else:
            lead = intervals.estimate_mean_from_sums(*summary, confidence, (-bound, bound))
        return lead * (self.points_per_lead / self.match.lead_divisor)

    def compute_half_width(self, one: int = 0, other: int | None = 1) -> float:
        """Return the half-width by which to stop, of a pair or of the lead of other players."""
        if self.plan.precision is None:
            lead = self.estimate(one, other)
            return (lead.high - lead.low) / 2
        # Rare differences are seen late: a few unseen deals are added.
        deals, total, squares = self._summarize(one, other)
        squares += sequences.UNSEEN_OBSERVATIONS * self.get_bound(other) ** 2
        lead = intervals.estimate_mean_from_sums(deals, total, squares, self.plan.confidence)
        scale = self.points_per_lead / self.match.lead_divisor
        return (lead.high - lead.low) / 2 * scale

    # A pair of players, of whom the first leads the second.

    @property
    def lead(self) -> Estimate:
        """The lead of the first of a pair over the second."""
        return self.estimate(0, 1)

    def list_leads(self) -> list[Estimate]:
        """Return the lead of the first of a pair over the second at each look."""
        return [self._estimate_lead(summary, self.get_bound(1)) for summary in self.history]

    @property
    def verdict(self) -> Verdict:
        """The conclusion on the first: better, worse, equal within indifference, or open."""
        lead, width = self.lead, self.plan.indifference
        if lead.low > 0:
            return "better"
        if lead.high < 0:
            return "worse"
        return "equal" if lead.low >= -width and lead.high <= width else "open"

    @property
    def target_width(self) -> float:
        """The half-width at which to stop, as far as is known; 0 if the deals are given."""
        return self.plan.get_target_width(self.lead.value)

    @property
    def expected_deals(self) -> int:
        """The number of deals that it will take, estimated from those played."""
        limit = self.plan.deal_limit
        if self.plan.deals is not None or self.deals < sequences.FIRST_LOOK:
            return limit
        needed = self.deals * (self.compute_half_width() / self.target_width) ** 2
        return min(limit, max(self.deals, math.ceil(needed)))

    @property
    def differing_share(self) -> Estimate:
        """The share of the deals in which the two did anything different."""
        differing = self.tally.differing
        return self._estimate_share((self.deals, differing, differing), 1)

    @property
    def lead_in_differing(self) -> Estimate:
        """The lead over the deals in which the two did anything different, or games won a game."""
        _, total, squares = self._summarize(0, 1)
        # In the others there is none.
        products = self.tally.differing, total, squares
        lead = self._estimate_ratio((self.deals, self.tally.differing, total, products))
        return lead * (1 / self.match.lead_divisor)

    @property
    def relative_efficiency(self) -> float:
        """The number of independent deals, one for each experiment, that are as precise as one.

        It is the variance of a lead on deals of its own divided by that of a paired lead; NaN if
        nothing varies.
        """
        if self.deals < 2:
            return math.nan
        singles = [self.tally.singles[number].summarize(0) for number in range(self.rounds)]
        sides = 1 if self.match.opponents is None else 2
        single = _compute_mean_variance(singles) * sides
        arrangements = len(self.match.arrangements)
        whole = _compute_mean_variance([self._summarize(0, 1)]) / arrangements**2
        return single / whole if whole > 0 else math.nan

    # What players did besides.

    def estimate_mean(self, player: int, measure: str, divisor: float) -> Estimate:
        """Estimate the mean of a measure per deal, divided by `divisor`."""
        estimate = (
            sequences.estimate_mean_sequentially
            if self.plan.is_sequential
            else intervals.estimate_mean_from_sums
        )
        summary = self.tally.measures[player].summarize(self.match.measures.index(measure))
        return estimate(*summary, self.plan.confidence) * (1 / divisor)

    def estimate_share(self, player: int, measure: str) -> Estimate:
        """Estimate the share of the rounds, or games won, that a measure counts."""
        summary = self.tally.measures[player].summarize(self.match.measures.index(measure))
        # Games won are shared by the seats of a side.
        most = self.match.lead_divisor if self.match.games else len(self.match.arrangements)
        return self._estimate_share(summary, most)

    def estimate_ratio(self, player: int, one: str, other: str) -> Estimate:
        """Estimate the share of the rounds counted by a measure that another counts, too."""
        moments, index = self.tally.measures[player], self.match.measures.index
        summary = moments.summarize_pair(index(other), index(one))
        return self._estimate_ratio(summary, len(self.match.arrangements))

    def _estimate_share(self, summary: tuple[int, int, int], most: int) -> Estimate:
        """Estimate a quantity as a share of `most`, the most that a deal can have."""
        confidence = self.plan.confidence
        if self.plan.is_sequential:
            share = sequences.estimate_mean_sequentially(*summary, confidence, bound=most)
        elif most == 1:
            return intervals.estimate_share(summary[1], summary[0], confidence)
        else:
            share = intervals.estimate_mean_from_sums(*summary, confidence, (0, most))
        return intervals.clip_estimate(share, (0, most)) * (1 / most)

    def _estimate_ratio(
        self, summary: tuple[int, int, int, tuple[int, int, int]], most: int | None = None
    ) -> Estimate:
        """Estimate a ratio; with `most`, the most that a deal can have of both, it is a share."""
        is_share, confidence = most is not None, self.plan.confidence
        if not self.plan.is_sequential:
            return intervals.estimate_ratio_from_sums(*summary, confidence, is_share)
        ratio = sequences.estimate_ratio_sequentially(*summary, confidence, bound=most or 0)
        return intervals.clip_estimate(ratio, (0, 1) if is_share else None)


def _compute_mean_variance(summaries: Sequence[tuple[int, int, int]]) -> float:
    """Return the mean of the variances of quantities of the same deals, two or more."""
    deals = summaries[0][0]
    spreads = [deals * squares - total**2 for _, total, squares in summaries]
    return sum(spreads) / (deals * (deals - 1)) / len(summaries)
