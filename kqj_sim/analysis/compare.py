"""Which of some policies is better, by how much, and how sure: played until it is known.

Every pair is a contest of its own (`kqj_sim.analysis.contest`) on the same deals.  It is played for
a number of deals, until an interval is narrow enough, or until one is shown better or both are
shown equal; what has been looked at, and how often, depends on the deals alone and never on the
threads.  With several pairs the intervals hold for all of them together (Bonferroni).

What things are called in each game where the analysis tells the same of all of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.match import MatchMoments, PairedMatch
from kqj_sim.block_player import CHUNK_ROWS
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.run_scope import run_scope
from kqj_sim.workers import Workers, count_workers

FIRST_BATCH_DEALS = 64
"""Deals of the first chunk."""

TARGET_CHUNK_SECONDS = 0.3
"""What a chunk takes, about: so long one waits after an interruption."""

LOOK_GROWTH = 1.1
"""One look to the next: so much more is played in vain at most."""

DEFAULT_INDIFFERENCE = {"kqj": 0.5, "kwajongen": 0.01}
"""Points a round, by the game, that do not matter; of games, per cent, as in KQJ."""
DEFAULT_CAP = 1_000_000
"""Deals at which a comparison that shows nothing ends; games count for ten."""

PolicyPart = Literal["both", "calling", "playing"]
Verdict = Literal["better", "worse", "equal", "open"]


class ComparisonError(ValueError):
    """What cannot be compared; one line that says what would be right."""


@dataclass(frozen=True)
class ComparisonPlan:
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
    indifference: float = DEFAULT_INDIFFERENCE["kqj"]
    cap: int = DEFAULT_CAP
    confidence: float = intervals.DEFAULT_CONFIDENCE
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
    def max_deals(self) -> int:
        """The most deals that are played."""
        return self.cap if self.deals is None else self.deals

    @property
    def is_sequential(self) -> bool:
        """Whether the intervals must hold at every moment: what they show decides when to stop."""
        return self.deals is None and self.until is None

    @property
    def interval_method(self) -> str:
        """The intervals in words."""
        if self.is_sequential:
            return (
                "asymptotic confidence sequence (Waudby-Smith et al. 2024), "
                "which holds whenever one stops"
            )
        if self.until is not None:
            return "Student's interval at a width set beforehand (Chow and Robbins 1965)"
        return "Student's interval at a number set beforehand"

    def iterate_looks(self) -> Iterator[int]:
        """The numbers of deals at which it is decided whether to go on, the last one included.

        Multiples of the seats, so that each seat has dealt as often as the others.
        """
        if self.deals is not None:
            yield self.deals
            return
        look = float(intervals.FIRST_LOOK)
        while look < self.cap:
            seats = self.seats
            yield math.ceil(look / seats) * seats if look + seats < self.cap else self.cap
            look *= LOOK_GROWTH
        yield self.cap

    def mean(self, sums: MatchMoments, name: str, divisor: float) -> Estimate:
        """The mean a deal of what was counted."""
        moments = (sums.deals, sums.sum(name), sums.product(name, name))
        made = (
            intervals.estimate_mean_sequentially
            if self.is_sequential
            else intervals.estimate_mean_from_sums
        )
        return made(*moments, self.confidence).scaled(1 / divisor)

    def share(self, sums: MatchMoments, name: str, max_per_deal: int) -> Estimate:
        """The share of what was counted, of which a deal has `max_per_deal` at most."""
        moments = (sums.deals, sums.sum(name), sums.product(name, name))
        if self.is_sequential:
            found = intervals.estimate_mean_sequentially(
                *moments, self.confidence, bound=max_per_deal
            )
        elif max_per_deal == 1:
            return intervals.estimate_share(sums.sum(name), sums.deals, self.confidence)
        else:
            found = intervals.estimate_mean_from_sums(*moments, self.confidence, (0, max_per_deal))
        return intervals.clip_estimate(found, (0, max_per_deal)).scaled(1 / max_per_deal)

    def ratio(
        self, sums: MatchMoments, one: str, other: str, max_per_deal: int | None = None
    ) -> Estimate:
        """How much of one thing there is for each of another.

        With `max_per_deal` it is a share of the other thing, of which a deal has so many at most.
        """
        moments = (sums.deals, sums.sum(other), sums.sum(one))
        products = (
            sums.product(other, other), sums.product(other, one), sums.product(one, one),
        )  # fmt: skip
        if not self.is_sequential:
            return intervals.estimate_ratio_from_sums(
                *moments, products, self.confidence, max_per_deal is not None
            )
        found = intervals.estimate_ratio_sequentially(
            *moments, products, self.confidence, bound=max_per_deal or 0
        )
        return intervals.clip_estimate(found, None if max_per_deal is None else (0, 1))


@dataclass(frozen=True)
class PolicyPair:
    """Two of the policies, and what was found.

    Attributes:
        one, other: their numbers in the order given.
        match: what was played.
        plan: how much, and the intervals.
        sums: what was counted.
        look_history: deals, sum of the leads and of their squares, at each look.
    """

    one: int
    other: int
    match: PairedMatch
    plan: ComparisonPlan
    sums: MatchMoments
    look_history: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def lead(self) -> Estimate:
        """By how many points a round (per cent of the games) `one` leads `other`."""
        return self._lead(self.sums.deals, self.sums.sum("lead"), self.sums.product("lead", "lead"))

    def _lead(self, deals: int, total: int, squares: int) -> Estimate:
        scale = self.match.scale
        bound = self.match.max_lead * scale
        if self.plan.is_sequential:
            found = intervals.estimate_mean_sequentially(
                deals, total, squares, self.plan.confidence, bound=bound
            )
        else:
            found = intervals.estimate_mean_from_sums(
                deals, total, squares, self.plan.confidence, (-bound, bound)
            )
        return found.scaled(self.points / scale)

    @property
    def leads(self) -> list[Estimate]:
        """The lead at each look."""
        return [self._lead(*moments) for moments in self.look_history]

    @property
    def points(self) -> float:
        """What a whole lead is shown as: wins of games in per cent."""
        return 100.0 if self.match.games else 1.0

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
        if self.sums.deals >= plan.max_deals:
            return True
        if plan.deals is not None:
            return False
        if plan.until is None:
            return self.verdict != "open"
        # The spread of what differs rarely is seen late: some unseen deals are counted along.
        bound = self.match.max_lead * self.match.scale
        squares = self.sums.product("lead", "lead") + intervals.UNSEEN_OBSERVATIONS * bound**2
        moments = (self.sums.deals, self.sums.sum("lead"), squares)
        found = intervals.estimate_mean_from_sums(*moments, plan.confidence)
        half = (found.high - found.low) / 2 * self.points / self.match.scale
        return half <= plan.until

    @property
    def singles(self) -> list[str]:
        """The leads of the experiments."""
        return [name for name in self.sums.names if name.startswith("single")]

    @property
    def relative_efficiency(self) -> float:
        """How many independent deals, each played once by each, one of these is worth.

        The variance of a lead on a deal of its own, divided by that of a deal's lead here; NaN if
        nothing varies.
        """
        each = self.sums.variance(self.singles) * (1 if self.match.field is None else 2)
        seatings = len(self.match.arrangements)
        whole = self.sums.variance(["lead"]) / seatings**2
        return each / whole if whole > 0 else math.nan

    def play(
        self,
        threads: Workers,
        chunk: int | None,
        progress: Callable[[int], None] | None,
        interrupted: Callable[[], bool] | None,
    ) -> bool:
        """Play until it is done; False if it was interrupted before."""
        hands = count_workers(threads)
        pace = 0.0
        for look in self.plan.iterate_looks():
            while self.sums.deals < look:
                # How long deals take is measured each time that their number has doubled, as the
                # first wait for compilers.  No result depends on it.
                count = min(look - self.sums.deals, max(FIRST_BATCH_DEALS * hands, self.sums.deals))
                size = (
                    FIRST_BATCH_DEALS
                    if pace == 0
                    else min(CHUNK_ROWS, int(TARGET_CHUNK_SECONDS / pace), -(-count // hands))
                )
                began = time.perf_counter()
                first = self.match.first + self.sums.deals
                for part in self.match.play(first, count, threads, chunk or max(1, size)):
                    self.sums.add(part)
                    if progress is not None:
                        progress(part.deals)
                    if interrupted is not None and interrupted():
                        return False
                pace = (time.perf_counter() - began) * hands / count
            self.look_history.append(
                (look, self.sums.sum("lead"), self.sums.product("lead", "lead"))
            )
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
    part: PolicyPart
    plan: ComparisonPlan
    pairs: list[PolicyPair]
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

    def estimate_mean_lead(self, policy: int) -> Estimate:
        """Its lead over the others on average; the pairs' intervals hold together."""
        leads = [self.lead(policy, each) for each in self._list_others(policy)]
        value, low, high = (sum(lead[k] for lead in leads) / len(leads) for k in range(3))
        return Estimate(value, low, high, sum(lead.observations for lead in leads))

    def _list_others(self, policy: int) -> list[int]:
        return [each for each in range(len(self.names)) if each != policy]

    def count_better(self, policy: int) -> int:
        """How many of the others are shown better."""
        return sum(self.lead(policy, each).high < 0 for each in self._list_others(policy))

    @property
    def ranking(self) -> list[int]:
        """The policies: whom fewest are shown better than comes first, then the best mean lead."""
        policies = range(len(self.names))
        leads = [self.estimate_mean_lead(policy).value for policy in policies]
        return sorted(policies, key=lambda policy: (self.count_better(policy), -leads[policy]))


@run_scope()
def compare(
    *policies: str,
    rules: GameRules | None = None,
    field: str | None = None,
    part: PolicyPart = "both",
    other_part: str | None = None,
    games: bool = False,
    deals: int | None = None,
    until: float | None = None,
    indifference: float | None = None,
    cap: int | None = None,
    confidence: float = intervals.DEFAULT_CONFIDENCE,
    seed: int = 1,
    first: int = 0,
    threads: Workers = None,
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
        indifference: difference that does not matter; None: `DEFAULT_INDIFFERENCE`.
        cap: the most deals (games) of a pair; None: 1,000,000 deals or 100,000 games.
        confidence: of the intervals, of all pairs together.
        seed, first: which deals.
        threads, chunk: as for `kqj_sim.simulation.reduce_rows`; they cannot be seen in the result.
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
    cap = cap if cap is not None else DEFAULT_CAP // 10 if games else DEFAULT_CAP
    game = rules.game
    if indifference is None:
        indifference = DEFAULT_INDIFFERENCE["kqj" if games else game]
    plan = ComparisonPlan(deals, until, indifference, cap, confidence, rules.seats)
    rest = other_part or DEFAULT_PLAYERS[game]
    players = tuple(_compose_player(each, part, rest, game) for each in policies)
    numbered = list(combinations(range(len(players)), 2))
    together = replace(plan, confidence=1 - (1 - confidence) / len(numbered))
    pairs = []
    for one, other in numbered:
        contest = PairedMatch(rules, (players[one], players[other]), field, seed, first, games)
        contest.experiments(first, 1)  # What is wrong is told before anything is played.
        pairs.append(PolicyPair(one, other, contest, together, MatchMoments.none(contest.names)))
    names = _number_duplicates([parse_player(each, game).name for each in policies])
    result = Comparison(names, players, rules, field, seed, first, games, part, plan, pairs)
    for number, pair in enumerate(pairs):
        if not pair.play(threads, chunk, progress, interrupted):
            played = [each for each in pairs[: number + 1] if each.sums.deals > 0]
            return replace(result, pairs=played, interrupted=True)
    return result


def _compose_player(specification: str, part: PolicyPart, other_part: str, game: str) -> str:
    """Who sits down for a policy."""
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
    """The names, with numbers where one is there twice."""
    found: list[str] = []
    for name in names:
        again = names[: len(found)].count(name)
        found.append(f"{name} ({again + 1})" if again else name)
    return tuple(found)


@dataclass(frozen=True)
class ComparisonTerms:
    """The words of a game.

    Attributes:
        takes: what somebody does who becomes Sender.
        made: what becomes of a contract at best.
        contracts: the rounds in which somebody is Sender.
        both: the two together, a heading.
        won, lost, defended: where points come from: contracts made, those that fail, and those of
            the others.
        bonuses: points beside those of the cards; empty if there are none.
        score: what a side scores in a round.
        note: what these are, in a sentence.
        decimals: of points a round, where their interval does not say how many.
    """

    takes: str
    made: str
    contracts: str
    both: str
    won: str
    lost: str
    defended: str
    bonuses: str
    score: str
    note: str
    decimals: int


COMPARISON_TERMS: Mapping[str, ComparisonTerms] = {
    "kqj": ComparisonTerms(
        takes="takes",
        made="made",
        contracts="contracts",
        both="Contracts taken and made",
        won="won by contracts made",
        lost="lost in failed contracts",
        defended="won in defence",
        bonuses="bonus points",
        score="score",
        note="Points won: what one's side leads by in contracts of its own that are made, and "
        "lost: is behind by in those that fail; in defence: leads by in the others' contracts.",
        decimals=1,
    ),
    "kwajongen": ComparisonTerms(
        takes="is caller",
        made="won",
        contracts="rounds as caller",
        both="Rounds as caller, and won",
        won="won as caller",
        lost="lost as caller",
        defended="won against callers",
        bonuses="",
        score="own score comes down by",
        note="Points won: by what the others' score changes more than one's own in rounds that "
        "one's side calls and wins, and lost: less in those that it calls and does not win; "
        "against callers: more in rounds that the others call.",
        decimals=3,
    ),
}
"""The words by the game's name."""
