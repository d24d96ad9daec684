"""Comparison of policies: which is better, by how much, and with what certainty.

Each pair of policies plays a match of its own (`match`) on the same deals: for a number of deals,
or until its interval is narrow enough (`plan`).  When the intervals are looked at depends on the
number of deals alone, never on the threads.  With several pairs the intervals hold jointly
(Bonferroni).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.policies.players import Player, split_parts
from kqj_sim.questions.compare.match import MatchTally, PairedMatch, explain_same_player
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.workers import count_workers
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import Estimate

FIRST_BATCH_DEALS = 64

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

    def play(self, runner: Runner, watch: Callable[[PolicyPair, int], None]) -> bool:
        """Play until done; return False if interrupted.  `watch` gets the deals played."""
        workers = count_workers(runner.workers)
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
                for part in self.match.play(first, count, runner.workers, max(1, size)):
                    self.tally.add(part)
                    watch(self, part.deals)
                    if runner.interrupted:
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
        names: the policies by name, numbered where two files have the same name.
        opponents, part: as for `play_pairs`.
        plan: the deals, and the confidence of all pairs jointly.
    """

    policies: tuple[Player, ...]
    names: tuple[str, ...]
    players: tuple[Player, ...]
    rules: GameRules
    opponents: Player | None
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


def play_pairs(
    policies: Sequence[Player],
    rules: GameRules,
    plan: ComparisonPlan,
    runner: Runner,
    opponents: Player | None = None,
    part: PolicyPart = "both",
    other_part: Player | None = None,
) -> Comparison:
    """Compare policies on the same deals.

    Args:
        policies: two or more, at most `MAX_POLICIES`.
        plan: the deals; the confidence is that of all pairs jointly.
        opponents: the player against whom each of them plays; None: they play each other, with
            sides exchanged.
        part: "calling" compares the policies as callers, with the same player of the cards;
            "playing" as players of the cards.
        other_part: the player of the other part, for a part alone.

    Raises:
        InputError: too few or too many policies, two that are the same player, one that makes an
            illegal choice, or a number out of range.
        RunError: a game does not end.
        KeyboardInterrupt: the run was interrupted before anything was finished.
    """
    players = compose_players(policies, rules, part, other_part)
    count = math.comb(len(policies), 2)
    together = replace(plan, confidence=1 - (1 - plan.confidence) / count)
    pairs = []
    for one, other in combinations(range(len(players)), 2):
        sides = players[one], players[other]
        match = PairedMatch(rules, sides, opponents, plan.seed, plan.first, plan.games)
        match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
        pairs.append(PolicyPair(one, other, match, together, MatchTally.empty(match.names)))
    names = _number_duplicates([each.name for each in policies])
    result = Comparison(tuple(policies), names, players, rules, opponents, part, plan, pairs)
    unit = "games" if plan.games else "deals"
    with runner.start(unit, count * plan.deal_limit):
        watch = _make_watch(pairs, runner)
        for number, pair in enumerate(pairs):
            if not pair.play(runner, watch):
                played = [each for each in pairs[: number + 1] if each.tally.deals > 0]
                if not played:
                    raise KeyboardInterrupt
                return replace(result, pairs=played, interrupted=True)
    return result


def _make_watch(pairs: Sequence[PolicyPair], runner: Runner) -> Callable[[PolicyPair, int], None]:
    """Return the function that shows how far a pair is, and how far all are."""

    def watch(pair: PolicyPair, count: int) -> None:
        number = next(at for at, each in enumerate(pairs, 1) if each is pair)
        before = sum(each.tally.deals for each in pairs[: number - 1])
        runner.expect(before + (len(pairs) - number + 1) * pair.expected_deals)
        text = describe_progress(pair)
        several = f"pair {number} of {len(pairs)}: " if text and len(pairs) > 1 else ""
        runner.advance(count, several + text)

    return watch


def describe_progress(pair: PolicyPair) -> str:
    """Return the lead so far and the width to reach: `+10.8 ±2.4, going on to ±2.2`."""
    if pair.tally.deals < sequences.FIRST_LOOK or math.isnan(pair.half_width):
        return ""
    decimals = 1 if pair.plan.games else find_game(pair.match.rules.game).point_decimals
    unit = "%" if pair.plan.games else ""
    text = f"{pair.lead.value:+.{decimals}f}{unit} ±{pair.half_width:.{decimals}f}"
    if pair.plan.deals is not None:
        return text
    return f"{text}, going on to ±{pair.target_width:.{decimals}f}"


def compose_players(
    policies: Sequence[Player],
    rules: GameRules,
    part: PolicyPart = "both",
    other_part: Player | None = None,
) -> tuple[Player, ...]:
    """Return the players that stand for policies in a comparison.

    Arguments are those of `play_pairs`.

    Raises:
        InputError: too few or too many policies, or two that are the same player.
    """
    if len(policies) < 2:
        raise InputError("a comparison needs two policies or more, such as standard greedy")
    if len(policies) > MAX_POLICIES:
        raise InputError(
            f"{len(policies):,} policies make {math.comb(len(policies), 2):,} pairs: compare at "
            f"most {MAX_POLICIES} policies ({math.comb(MAX_POLICIES, 2)} pairs)"
        )
    players = tuple(_compose_player(each, part, other_part) for each in policies)
    told = explain_same_player(policies, players, rules)
    if told:
        raise InputError(told)
    return players


def _compose_player(policy: Player, part: PolicyPart, other_part: Player | None) -> Player:
    if part == "both":
        return policy
    assert other_part is not None
    parts = split_parts(policy.given)
    if len(parts) > 1:
        raise InputError(
            f"{policy.given} says who calls and who plays: with only one of them compared, "
            f"write {parts[0 if part == 'calling' else 1]}"
        )
    if part == "calling":
        rest = other_part.playing
        return Player(policy.calling, rest, f"{policy.given}+{rest.text}")
    return Player(other_part.calling, policy.playing, f"{other_part.calling.text}+{policy.given}")


def _number_duplicates(names: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        again = names[: len(found)].count(name)
        found.append(f"{name} ({again + 1})" if again else name)
    return tuple(found)
