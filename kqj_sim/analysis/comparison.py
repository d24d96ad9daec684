"""Which of some policies is better, by how much, and how sure: played until it is known.

Every pair is a contest of its own (`kqj_sim.analysis.contest`) on the same deals.  It is played for
a number of deals, until an interval is narrow enough, or until one is shown better or both are
shown equal; what has been looked at, and how often, depends on the deals alone and never on the
threads.  With several pairs the intervals hold for all of them together (Bonferroni).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

from kqj_sim.analysis import intervals, sequences
from kqj_sim.analysis.contest import Contest, Sums
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.crew import Threads, at_once
from kqj_sim.policies.specification import DEFAULT_PLAYERS, player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.worker import CHUNK

__all__ = ["Comparison", "ComparisonError", "Pair", "Plan", "compare"]

FEW = 64
"""Deals of the first chunk."""

SECONDS = 0.3
"""What a chunk takes, about: so long one waits after an interruption."""

GROWTH = 1.1
"""One look to the next: so much more is played in vain at most."""

INDIFFERENCE = {"kqj": 0.5, "kwajongen": 0.01}
"""Points a round, by the game, that do not matter; of games, per cent, as in KQJ."""
CAP = 1_000_000
"""Deals at which a comparison that shows nothing ends; games count for ten."""

Part = Literal["both", "calling", "playing"]
Verdict = Literal["better", "worse", "equal", "open"]


class ComparisonError(ValueError):
    """What cannot be compared; one line that says what would be right."""


@dataclass(frozen=True)
class Plan:
    """How much is played, and what intervals are made of it.

    Attributes:
        deals: a number of deals; None: as many as it takes.
        until: half-width of the interval at which to stop, in points; None: until one is shown
            better, or both equal.
        indifference: points within which two policies count as equal.
        cap: the most deals, where `deals` does not say how many.
        confidence: of every interval that is shown, all pairs together.
        seats: of the table.
    """

    deals: int | None = None
    until: float | None = None
    indifference: float = INDIFFERENCE["kqj"]
    cap: int = CAP
    confidence: float = intervals.CONFIDENCE
    seats: int = KqjRules.seats

    def __post_init__(self) -> None:
        if self.deals is not None and self.until is not None:
            raise ComparisonError("a number of deals and a width to reach: give one of them")
        for name, value in (("deals", self.deals), ("cap", self.cap)):
            if value is not None and value < 1:
                raise ComparisonError(f"{name} is {value}: it should be 1 or more")
        for name, width in (("until", self.until), ("indifference", self.indifference)):
            if width is not None and not (width > 0 and math.isfinite(width)):
                raise ComparisonError(f"{name} is {width:g}: it should be above 0, such as 0.5")
        if not 0 < self.confidence < 1:
            raise ComparisonError(
                f"confidence is {self.confidence:g}: it lies between 0 and 1, such as 0.95"
            )

    @property
    def most(self) -> int:
        """The most deals that are played."""
        return self.cap if self.deals is None else self.deals

    @property
    def watched(self) -> bool:
        """Whether the intervals must hold at every moment: what they show decides when to stop."""
        return self.deals is None and self.until is None

    @property
    def method(self) -> str:
        """The intervals in words."""
        if self.watched:
            return (
                "asymptotic confidence sequence (Waudby-Smith et al. 2024), "
                "which holds whenever one stops"
            )
        if self.until is not None:
            return "Student's interval at a width set beforehand (Chow and Robbins 1965)"
        return "Student's interval at a number set beforehand"

    def looks(self) -> Iterator[int]:
        """The numbers of deals at which it is decided whether to go on, the last one included.

        Multiples of the seats, so that each seat has dealt as often as the others.
        """
        if self.deals is not None:
            yield self.deals
            return
        look = float(sequences.FIRST_LOOK)
        while look < self.cap:
            seats = self.seats
            yield math.ceil(look / seats) * seats if look + seats < self.cap else self.cap
            look *= GROWTH
        yield self.cap

    def mean(self, sums: Sums, name: str, divisor: float) -> Estimate:
        """The mean a deal of what was counted."""
        moments = (sums.deals, sums.sum(name), sums.product(name, name))
        made = sequences.mean if self.watched else intervals.mean_of_sums
        return made(*moments, self.confidence).scaled(1 / divisor)

    def share(self, sums: Sums, name: str, most: int) -> Estimate:
        """The share of what was counted, of which a deal has `most` at most."""
        moments = (sums.deals, sums.sum(name), sums.product(name, name))
        if self.watched:
            found = sequences.mean(*moments, self.confidence, bound=most)
        elif most == 1:
            return intervals.share(sums.sum(name), sums.deals, self.confidence)
        else:
            found = intervals.mean_of_sums(*moments, self.confidence, (0, most))
        return intervals.within(found, (0, most)).scaled(1 / most)

    def ratio(self, sums: Sums, one: str, other: str, most: int | None = None) -> Estimate:
        """How much of one thing there is for each of another.

        With `most` it is a share of the other thing, of which a deal has so many at most.
        """
        moments = (sums.deals, sums.sum(other), sums.sum(one))
        products = (
            sums.product(other, other), sums.product(other, one), sums.product(one, one),
        )  # fmt: skip
        if not self.watched:
            return intervals.ratio_of_sums(*moments, products, self.confidence, most is not None)
        found = sequences.ratio(*moments, products, self.confidence, bound=most or 0)
        return intervals.within(found, None if most is None else (0, 1))


@dataclass(frozen=True)
class Pair:
    """Two of the policies, and what was found.

    Attributes:
        one, other: their numbers in the order given.
        contest: what was played.
        plan: how much, and the intervals.
        sums: what was counted.
        course: deals, sum of the leads and of their squares, at each look.
    """

    one: int
    other: int
    contest: Contest
    plan: Plan
    sums: Sums
    course: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def lead(self) -> Estimate:
        """By how many points a round (per cent of the games) `one` leads `other`."""
        return self._lead(self.sums.deals, self.sums.sum("lead"), self.sums.product("lead", "lead"))

    def _lead(self, deals: int, total: int, squares: int) -> Estimate:
        scale = self.contest.scale
        bound = self.contest.largest_lead * scale
        if self.plan.watched:
            found = sequences.mean(deals, total, squares, self.plan.confidence, bound=bound)
        else:
            found = intervals.mean_of_sums(
                deals, total, squares, self.plan.confidence, (-bound, bound)
            )
        return found.scaled(self.points / scale)

    @property
    def leads(self) -> list[Estimate]:
        """The lead at each look."""
        return [self._lead(*moments) for moments in self.course]

    @property
    def points(self) -> float:
        """What a whole lead is shown as: wins of games in per cent."""
        return 100.0 if self.contest.games else 1.0

    @property
    def verdict(self) -> Verdict:
        """What the interval shows of `one`: better, worse, equal within indifference, or open."""
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
    def done(self) -> bool:
        """Whether no more need be played."""
        plan = self.plan
        if self.sums.deals >= plan.most:
            return True
        if plan.deals is not None:
            return False
        if plan.until is None:
            return self.verdict != "open"
        # The spread of what differs rarely is seen late: some unseen deals are counted along.
        bound = self.contest.largest_lead * self.contest.scale
        squares = self.sums.product("lead", "lead") + sequences.UNSEEN * bound**2
        moments = (self.sums.deals, self.sums.sum("lead"), squares)
        found = intervals.mean_of_sums(*moments, plan.confidence)
        half = (found.high - found.low) / 2 * self.points / self.contest.scale
        return half <= plan.until

    @property
    def singles(self) -> list[str]:
        """The leads of the experiments."""
        return [name for name in self.sums.names if name.startswith("single")]

    @property
    def factor(self) -> float:
        """How many independent deals, each played once by each, one of these is worth.

        The variance of a lead on a deal of its own, divided by that of a deal's lead here; NaN if
        nothing varies.
        """
        each = self.sums.variance(self.singles) * (1 if self.contest.field is None else 2)
        seatings = len(self.contest.seatings)
        whole = self.sums.variance(["lead"]) / seatings**2
        return each / whole if whole > 0 else math.nan

    def play(
        self,
        threads: Threads,
        chunk: int | None,
        progress: Callable[[int], None] | None,
        interrupted: Callable[[], bool] | None,
    ) -> bool:
        """Play until it is done; False if it was interrupted before."""
        hands = at_once(threads)
        pace = 0.0
        for look in self.plan.looks():
            while self.sums.deals < look:
                # How long deals take is measured each time that their number has doubled, as the
                # first wait for compilers.  No result depends on it.
                count = min(look - self.sums.deals, max(FEW * hands, self.sums.deals))
                size = FEW if pace == 0 else min(CHUNK, int(SECONDS / pace), -(-count // hands))
                began = time.perf_counter()
                first = self.contest.first + self.sums.deals
                for part in self.contest.play(first, count, threads, chunk or max(1, size)):
                    self.sums.add(part)
                    if progress is not None:
                        progress(part.deals)
                    if interrupted is not None and interrupted():
                        return False
                pace = (time.perf_counter() - began) * hands / count
            self.course.append((look, self.sums.sum("lead"), self.sums.product("lead", "lead")))
            if self.done:
                break
        return True


@dataclass(frozen=True)
class Comparison:
    """What came of a comparison.

    Attributes:
        names: the policies as they were named; a name given twice has a number.
        players: the players of the sides, as specifications.
        rules, field, seed, first, games, part: what was played.
        plan: how much, and the confidence of all pairs together.
        pairs: each two of them, in order.
        interrupted: whether it was ended early.
    """

    names: tuple[str, ...]
    players: tuple[str, ...]
    rules: GameRules
    field: str | None
    seed: int
    first: int
    games: bool
    part: Part
    plan: Plan
    pairs: list[Pair]
    interrupted: bool = False

    @property
    def deals(self) -> int:
        """Deals, or games, that were played: of the pair that took most."""
        return max(pair.sums.deals for pair in self.pairs)

    def lead(self, one: int, other: int) -> Estimate:
        """By how many points a round (per cent of the games) one policy leads another."""
        for pair in self.pairs:
            if (pair.one, pair.other) == (one, other):
                return pair.lead
            if (pair.one, pair.other) == (other, one):
                value, low, high, deals = pair.lead
                # Subtracted: a lead of 0 has no sign.
                return Estimate(0 - value, 0 - high, 0 - low, deals)
        raise KeyError((one, other))

    def mean_lead(self, policy: int) -> Estimate:
        """Its lead over the others on average; the pairs' intervals hold together."""
        leads = [self.lead(policy, each) for each in self._others(policy)]
        value, low, high = (sum(lead[k] for lead in leads) / len(leads) for k in range(3))
        return Estimate(value, low, high, sum(lead.observations for lead in leads))

    def _others(self, policy: int) -> list[int]:
        return [each for each in range(len(self.names)) if each != policy]

    def better(self, policy: int) -> int:
        """How many of the others are shown better."""
        return sum(self.lead(policy, each).high < 0 for each in self._others(policy))

    @property
    def ranking(self) -> list[int]:
        """The policies: whom fewest are shown better than comes first, then the best mean lead."""
        policies = range(len(self.names))
        leads = [self.mean_lead(policy).value for policy in policies]
        return sorted(policies, key=lambda policy: (self.better(policy), -leads[policy]))


def compare(
    *policies: str,
    rules: GameRules | None = None,
    field: str | None = None,
    part: Part = "both",
    other_part: str | None = None,
    games: bool = False,
    deals: int | None = None,
    until: float | None = None,
    indifference: float | None = None,
    cap: int | None = None,
    confidence: float = intervals.CONFIDENCE,
    seed: int = 1,
    first: int = 0,
    threads: Threads = None,
    chunk: int | None = None,
    progress: Callable[[int], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> Comparison:
    """Compare policies on the same deals; `kqj-sim compare` says it all.

    Args:
        policies: two specifications or more.
        rules: the rules of the table; None: the default ones.
        field: who plays against each of them; None: they play each other, sides exchanged.
        part: "calling" compares them as those who call, with the same who play, "playing" as
            those who play.
        other_part: the specification of who does the other part; None: the default player.
        games: play whole games; a lead is that in games won, in per cent.
        deals: number of deals (games) of each pair; None: as many as it takes.
        until: half-width at which to stop, in points (per cent of the games); None: until one is
            shown better, or both equal within `indifference`.
        indifference: difference that does not matter; None: `INDIFFERENCE`.
        cap: the most deals (games) of a pair; None: 1,000,000 deals or 100,000 games.
        confidence: of the intervals, of all pairs together.
        seed, first: which deals.
        threads, chunk: as for `kqj_sim.simulation.fold`; they cannot be seen in the result.
        progress: called with numbers of deals as they are finished.
        interrupted: asked now and then whether to stop.

    Raises:
        ComparisonError: fewer than two policies, or numbers that make no sense.
        kqj_sim.policies.PolicyError: a policy cannot be used, or a wrong choice.
        kqj_sim.experiment.ExperimentError: a number out of range.
        kqj_sim.experiment.GameError: a game does not end.
    """
    if len(policies) < 2:
        raise ComparisonError("a comparison needs two policies or more, such as standard greedy")
    rules = rules or KqjRules()
    cap = cap if cap is not None else CAP // 10 if games else CAP
    game = rules.game
    if indifference is None:
        indifference = INDIFFERENCE["kqj" if games else game]
    plan = Plan(deals, until, indifference, cap, confidence, rules.seats)
    rest = other_part or DEFAULT_PLAYERS[game]
    players = tuple(_player(each, part, rest, game) for each in policies)
    numbered = list(combinations(range(len(players)), 2))
    together = replace(plan, confidence=1 - (1 - confidence) / len(numbered))
    pairs = []
    for one, other in numbered:
        contest = Contest(rules, (players[one], players[other]), field, seed, first, games)
        contest.experiments(first, 1)  # What is wrong is told before anything is played.
        pairs.append(Pair(one, other, contest, together, Sums.none(contest.names)))
    names = _distinct([player(each, game).name for each in policies])
    result = Comparison(names, players, rules, field, seed, first, games, part, plan, pairs)
    for number, pair in enumerate(pairs):
        if not pair.play(threads, chunk, progress, interrupted):
            played = [each for each in pairs[: number + 1] if each.sums.deals > 0]
            return replace(result, pairs=played, interrupted=True)
    return result


def _player(specification: str, part: Part, other_part: str, game: str) -> str:
    """Who sits down for a policy."""
    if part == "both":
        return specification
    if "+" in specification:
        raise ComparisonError(
            f"{specification} says who calls and who plays: with only one of them compared, "
            f"write {specification.partition('+')[0 if part == 'calling' else 2]}"
        )
    rest = player(other_part, game)
    if part == "calling":
        return f"{specification}+{rest.playing.text}"
    return f"{rest.calling.text}+{specification}"


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with numbers where one is there twice."""
    found: list[str] = []
    for name in names:
        again = names[: len(found)].count(name)
        found.append(f"{name} ({again + 1})" if again else name)
    return tuple(found)
