"""Comparison of policies: which is better, by how much, and with what certainty.

Each pair of policies plays a match of its own (`kqj_sim.analysis.match`) on the same deals: for a
number of deals, or until its interval is narrow enough (`kqj_sim.analysis.comparison_plan`).  When
the intervals are looked at depends on the number of deals alone, never on the threads.  With
several pairs the intervals hold jointly (Bonferroni).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

from kqj_sim.analysis import intervals, sequences
from kqj_sim.analysis.comparison_plan import (
    DEFAULT_MAX_DEALS,
    ComparisonError,
    ComparisonPlan,
)
from kqj_sim.analysis.games import KQJ, get_analyzed_game
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.match import MatchTally, PairedMatch
from kqj_sim.block_player import CHUNK_ROWS
from kqj_sim.policies.same_player import explain_same_player
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.run_scope import run_scope
from kqj_sim.workers import Workers, count_workers

FIRST_BATCH_DEALS = 64
"""Deals of the first chunk."""

TARGET_CHUNK_SECONDS = 0.3
"""Approximate duration of a chunk, and so the delay of an interruption."""

MAX_POLICIES = 25
"""Largest number of policies: they make 300 pairs, all of which are played before a result."""

PolicyPart = Literal["both", "calling", "playing"]
Verdict = Literal["better", "worse", "equal", "open"]


@dataclass(frozen=True)
class PolicyPair:
    """Two of the policies compared, and the result.

    Attributes:
        one, other: their numbers, in the order given.
        match: the match they play.
        plan: the number of deals, and the intervals.
        tally: the tally of the deals played.
        look_history: deals, sum of the leads and of their squares, at each look.
    """

    one: int
    other: int
    match: PairedMatch
    plan: ComparisonPlan
    tally: MatchTally
    look_history: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def lead(self) -> Estimate:
        """The lead of `one` over `other`, in points a round, or in per cent of the games."""
        return self._estimate_lead(*self.tally.summarize("lead"))

    def _estimate_lead(self, deals: int, total: int, squares: int) -> Estimate:
        divisor = self.match.lead_divisor
        bound = self.match.max_lead * divisor
        if self.plan.is_sequential:
            found = sequences.estimate_mean_sequentially(
                deals, total, squares, self.plan.confidence, bound=bound
            )
        else:
            found = intervals.estimate_mean_from_sums(
                deals, total, squares, self.plan.confidence, (-bound, bound)
            )
        return found.scaled(self.points_per_lead / divisor)

    def list_leads(self) -> list[Estimate]:
        """Return the lead at each look."""
        return [self._estimate_lead(*summary) for summary in self.look_history]

    @property
    def points_per_lead(self) -> float:
        """The number shown for a lead of 1: won games are shown in per cent."""
        return 100.0 if self.match.games else 1.0

    @property
    def verdict(self) -> Verdict:
        """The conclusion on `one`: better, worse, equal within indifference, or open."""
        lead = self.lead
        if lead.low > 0:
            return "better"
        if lead.high < 0:
            return "worse"
        width = self.plan.indifference
        if lead.low >= -width and lead.high <= width:
            return "equal"
        return "open"

    @property
    def half_width(self) -> float:
        """The half-width of the interval by which to stop, in the unit of the lead."""
        plan, scale = self.plan, self.points_per_lead / self.match.lead_divisor
        if plan.precision is None:
            return (self.lead.high - self.lead.low) / 2
        # Rare differences are seen late: a few unseen deals are added.
        deals, total, squares = self.tally.summarize("lead")
        bound = self.match.max_lead * self.match.lead_divisor
        squares += sequences.UNSEEN_OBSERVATIONS * bound**2
        found = intervals.estimate_mean_from_sums(deals, total, squares, plan.confidence)
        return (found.high - found.low) / 2 * scale

    @property
    def target_width(self) -> float:
        """The half-width at which to stop, as far as is known; 0 if the deals are given."""
        return self.plan.get_target_width(self.lead.value)

    @property
    def is_done(self) -> bool:
        """True if no more deals need be played."""
        if self.tally.deals >= self.plan.deal_limit:
            return True
        return self.plan.deals is None and self.half_width <= self.target_width

    @property
    def expected_deals(self) -> int:
        """The number of deals that it will take, estimated from those played."""
        target, limit = self.target_width, self.plan.deal_limit
        if self.plan.deals is not None or self.tally.deals < sequences.FIRST_LOOK:
            return limit
        needed = self.tally.deals * (self.half_width / target) ** 2
        return min(limit, max(self.tally.deals, math.ceil(needed)))

    @property
    def relative_efficiency(self) -> float:
        """The number of independent deals, one for each experiment, that are as precise as one.

        It is the variance of a lead on deals of its own divided by that of a paired lead; NaN if
        nothing varies.
        """
        singles = [name for name in self.tally.names if name.startswith("single")]
        sides = 1 if self.match.opponents is None else 2
        single = self.tally.compute_mean_variance(singles) * sides
        seatings = len(self.match.arrangements)
        whole = self.tally.compute_mean_variance(["lead"]) / seatings**2
        return single / whole if whole > 0 else math.nan

    def play(
        self,
        threads: Workers,
        chunk: int | None,
        progress: Callable[[int], None] | None,
        interrupted: Callable[[], bool] | None,
        watch: Callable[[PolicyPair], None] | None = None,
    ) -> bool:
        """Play until it is done, and return False if it was interrupted before.

        Arguments are those of `compare`.
        """
        workers = count_workers(threads)
        seconds_per_deal = 0.0
        for look in self.plan.iterate_looks():
            while self.tally.deals < look:
                # The pace is measured whenever the number of deals has doubled, as the first deals
                # wait for compilers.  No result depends on it.
                done = self.tally.deals
                count = min(look - done, max(FIRST_BATCH_DEALS * workers, done))
                size = (
                    FIRST_BATCH_DEALS
                    if seconds_per_deal == 0
                    else min(
                        CHUNK_ROWS,
                        int(TARGET_CHUNK_SECONDS / seconds_per_deal),
                        -(-count // workers),
                    )
                )
                began = time.perf_counter()
                first = self.match.first + done
                for part in self.match.play(first, count, threads, chunk or max(1, size)):
                    self.tally.add(part)
                    if progress is not None:
                        progress(part.deals)
                    if watch is not None:
                        watch(self)
                    if interrupted is not None and interrupted():
                        return False
                seconds_per_deal = (time.perf_counter() - began) * workers / count
            _, total, squares = self.tally.summarize("lead")
            self.look_history.append((look, total, squares))
            if self.is_done:
                break
        return True


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes:
        names_given: the policies as they were given.
        names: the policies by name, numbered where two files have the same name.
        players: the players of the sides, as specifications.
        rules, opponents, seed, first, games, part: as for `compare`.
        plan: the number of deals, and the confidence of all pairs jointly.
        pairs: the pairs of policies, in order.
        interrupted: True if it was stopped early.
    """

    names_given: tuple[str, ...]
    names: tuple[str, ...]
    players: tuple[str, ...]
    rules: GameRules
    opponents: str | None
    seed: int
    first: int
    games: bool
    part: PolicyPart
    plan: ComparisonPlan
    pairs: list[PolicyPair]
    interrupted: bool = False

    @property
    def deals(self) -> int:
        """Number of deals, or games, of the pair that played most."""
        return max(pair.tally.deals for pair in self.pairs)

    def lead(self, one: int, other: int) -> Estimate:
        """Return the lead of one policy over another, in points a round (per cent of the games)."""
        for pair in self.pairs:
            if (pair.one, pair.other) == (one, other):
                return pair.lead
            if (pair.one, pair.other) == (other, one):
                value, low, high, deals = pair.lead
                # Subtraction keeps a lead of 0 without a sign.
                return Estimate(0 - value, 0 - high, 0 - low, deals)
        raise KeyError((one, other))

    def estimate_mean_lead(self, policy: int) -> Estimate:
        """Return the mean lead of a policy over the others; the pairs' intervals hold jointly."""
        leads = [self.lead(policy, each) for each in self._list_others(policy)]
        value, low, high = (sum(lead[k] for lead in leads) / len(leads) for k in range(3))
        return Estimate(value, low, high, sum(lead.observations for lead in leads))

    def _list_others(self, policy: int) -> list[int]:
        return [each for each in range(len(self.names)) if each != policy]

    def count_better(self, policy: int) -> int:
        """Return the number of policies that are significantly better than this one."""
        return sum(self.lead(policy, each).high < 0 for each in self._list_others(policy))

    @property
    def ranking(self) -> list[int]:
        """The policies, by the number of significantly better ones, then by mean lead."""
        policies = range(len(self.names))
        leads = [self.estimate_mean_lead(policy).value for policy in policies]
        return sorted(policies, key=lambda policy: (self.count_better(policy), -leads[policy]))


@run_scope()
def compare(
    *policies: str,
    rules: GameRules | None = None,
    opponents: str | None = None,
    part: PolicyPart = "both",
    other_part: str | None = None,
    games: int | Literal["auto"] | None = None,
    deals: int | None = None,
    precision: float | None = None,
    indifference: float | None = None,
    max_deals: int | None = None,
    confidence: float = intervals.DEFAULT_CONFIDENCE,
    seed: int = 1,
    first: int = 0,
    threads: Workers = None,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
    watch: Callable[[PolicyPair], None] | None = None,
) -> Comparison:
    """Compare policies on the same deals, as `kqj-sim compare` does.

    Args:
        policies: two specifications or more, at most `MAX_POLICIES`.
        rules: the rules of the table; None: the default ones.
        opponents: the player against whom each of them plays; None: they play each other, with
            sides exchanged.
        part: "calling" compares the policies as callers, with the same player of the cards;
            "playing" as players of the cards.
        other_part: specification of the policy for the other part; None: the default player.
        games: number of whole games of each pair, instead of deals; "auto": as many as it takes.
            Leads are then in games won, in per cent.
        deals: number of deals of each pair; None: as many as it takes.
        precision: half-width at which to stop, in points (per cent of the games); None: a fifth of
            the lead, or what shows that both are equal.
        indifference: difference that does not matter; None: the game's default.
        max_deals: largest number of deals (games) of a pair; None: 1,000,000 deals, 100,000 games.
        confidence: of the intervals of all pairs jointly.
        seed, first: the deals.
        threads, chunk: as for `kqj_sim.simulation.reduce_rows`; they do not change the result.
        progress: called with numbers of deals as they are finished.
        interrupted: called now and then; returns True to stop.
        watch: called with the pair that plays, whenever it has played some more deals.

    Raises:
        ComparisonError: too few or too many policies, two that are the same player, or a number out
            of range.
        kqj_sim.policies.PolicyError: a policy cannot be used, or makes an illegal choice.
        kqj_sim.experiment.ExperimentError: a number out of range.
        kqj_sim.experiment.EndlessGameError: a game does not end.
    """
    rules = rules or KqjRules()
    in_games = games is not None
    if in_games and deals is not None:
        raise ComparisonError("deals and games: give one of them")
    if in_games and games != "auto":
        deals = games
    if max_deals is None:
        max_deals = DEFAULT_MAX_DEALS // 10 if in_games else DEFAULT_MAX_DEALS
    game = rules.game
    if indifference is None:
        # Per cent of the games matter as much in every game.
        indifference = KQJ.indifference if in_games else get_analyzed_game(game).indifference
    plan = ComparisonPlan(deals, precision, indifference, max_deals, confidence, rules.seats)
    players = compose_players(policies, rules, part, other_part)
    together = replace(plan, confidence=1 - (1 - confidence) / math.comb(len(policies), 2))
    pairs = []
    for one, other in combinations(range(len(players)), 2):
        match = PairedMatch(rules, (players[one], players[other]), opponents, seed, first, in_games)
        match.make_experiments(first, 1)  # Raises errors before anything is played.
        pairs.append(PolicyPair(one, other, match, together, MatchTally.empty(match.names)))
    names = _number_duplicates([parse_player(each, game).name for each in policies])
    result = Comparison(
        policies, names, players, rules, opponents, seed, first, in_games, part, plan, pairs
    )
    for number, pair in enumerate(pairs):
        if not pair.play(threads, chunk, progress, interrupted, watch):
            played = [each for each in pairs[: number + 1] if each.tally.deals > 0]
            return replace(result, pairs=played, interrupted=True)
    return result


def compose_players(
    policies: Sequence[str],
    rules: GameRules,
    part: PolicyPart = "both",
    other_part: str | None = None,
) -> tuple[str, ...]:
    """Return the specifications of the players that stand for policies in a comparison.

    Arguments are those of `compare`.

    Raises:
        ComparisonError: too few or too many policies, or two that are the same player.
        kqj_sim.policies.PolicyError: a specification is wrong.
    """
    if len(policies) < 2:
        raise ComparisonError("a comparison needs two policies or more, such as standard greedy")
    if len(policies) > MAX_POLICIES:
        raise ComparisonError(
            f"{len(policies):,} policies make {math.comb(len(policies), 2):,} pairs: compare at "
            f"most {MAX_POLICIES} policies ({math.comb(MAX_POLICIES, 2)} pairs)"
        )
    rest = other_part or DEFAULT_PLAYERS[rules.game]
    players = tuple(_compose_player(each, part, rest, rules.game) for each in policies)
    told = explain_same_player(policies, rules, players)
    if told:
        raise ComparisonError(told)
    return players


def _compose_player(specification: str, part: PolicyPart, other_part: str, game: str) -> str:
    """Return the player who stands for a policy in the comparison, as a specification."""
    if part == "both":
        return specification
    if "+" in specification:
        raise ComparisonError(
            f"{specification} says who calls and who plays: with only one of them compared, "
            f"write {specification.partition('+')[0 if part == 'calling' else 2]}"
        )
    rest = parse_player(other_part, game)
    if part == "calling":
        return f"{specification}+{rest.playing.text}"
    return f"{rest.calling.text}+{specification}"


def _number_duplicates(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, numbered where one occurs twice."""
    found: list[str] = []
    for name in names:
        again = names[: len(found)].count(name)
        found.append(f"{name} ({again + 1})" if again else name)
    return tuple(found)
