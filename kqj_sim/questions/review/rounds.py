"""Reviewed rounds: the grades of the decisions, hindsight, and the parts of the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.sampling import ActualHands, Sampler
from kqj_sim.questions.review.cross_fitting import Mean
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import Grade, GradePlan, derive_seed, grade_decisions
from kqj_sim.questions.review.luck import (
    Average,
    compute_differences,
    estimate_average,
    find_actual_hands,
)
from kqj_sim.record import Record


def add_means(means: Iterable[Mean]) -> Mean:
    """Return the sum of independent means."""
    found = list(means)
    if not found:
        return Mean(0.0, exact=True)
    errors = [each.error for each in found if each.error > 0]
    freedom = min((each.freedom for each in found if each.error > 0), default=1)
    return Mean(
        math.fsum(each.value for each in found),
        math.hypot(*errors),
        freedom * len(errors) or 1,
        sum(each.observations for each in found),
        all(each.exact for each in found),
    )


@dataclass(frozen=True)
class Hindsight:
    """The options of a decision, given the actual hands.

    Attributes:
        values: float64 (options, teams), in the order of `Grade.names`: the score difference of
            each team if the reference player plays on.
        before: float64 (teams,), the same if the reference player decides.
        choice: number of the choice.
        team: team of the player.
    """

    values: Float64Array
    before: Float64Array
    choice: int
    team: int

    @property
    def change(self) -> Float64Array:
        """The change of each team's value by the decision, compared with the reference player's."""
        return np.asarray(self.values[self.choice] - self.before)

    @property
    def best(self) -> int:
        """The best option for the player's team; of equal ones the choice."""
        own = self.values[:, self.team]
        best = int(np.argmax(own))
        return self.choice if own[self.choice] >= own[best] else best

    @property
    def loss(self) -> float:
        """The value of the best option minus that of the choice."""
        return float(self.values[self.best, self.team] - self.values[self.choice, self.team])


@dataclass(frozen=True)
class Parts:
    """The result of a round for a seat or a team, as a sum.

    Attributes:
        seat: the seat; None for a whole team.
        team: the team.
        result: the score difference, the sum of the parts.
        average: what the place gets on average, an estimate.
        deal_luck: the value of the deal minus that.
        own_decisions: the value of own choices minus that of the reference player's, as far as the
            player could know.
        own_luck: what own choices brought with the actual hands, minus `own_decisions`.
        others_decisions: what all others' choices brought with the actual hands.
        remainder: what is left, by players who choose at random, or unknown cards.
    """

    seat: int | None
    team: int
    result: float
    average: Mean
    deal_luck: float
    own_decisions: Mean
    own_luck: float
    others_decisions: float
    remainder: float

    @property
    def adjusted(self) -> Mean:
        """The result without luck and others' decisions: the average plus own decisions."""
        return add_means([self.average, self.own_decisions])


def compute_accuracy(loss: float, random_loss: float) -> float | None:
    """Return 1 minus a loss as a share of that of random choices; None if these lose nothing.

    It is kept within 0 and 1, since an estimated loss may be below 0.
    """
    return min(1.0, max(0.0, 1 - loss / random_loss)) if random_loss > 0 else None


@dataclass(frozen=True)
class Total:
    """The decisions of a seat or a team in a round, together.

    Attributes:
        seat: the seat; None for a whole team.
        team: the team.
        decisions, mistakes: their number.
        points, wins: what they lost together.
        random_loss: what random choices would lose.
        hindsight_loss: what they lost given the actual hands; None if these are not known.
    """

    seat: int | None
    team: int
    decisions: int
    mistakes: int
    points: Mean
    wins: Mean
    random_loss: float
    hindsight_loss: float | None

    @property
    def accuracy(self) -> float | None:
        """Accuracy of the choices, 0 to 1 (`compute_accuracy`); None without decisions."""
        return compute_accuracy(self.points.value, self.random_loss)


@dataclass
class RoundReview:
    """A reviewed round.

    Attributes:
        played: the round.
        grades: the decisions that count, with their grades.
        hindsight: those with the actual hands; None where these are not known.
        uncounted: the other decisions (`Grade.counts`).
        ungraded: decisions that could not be graded in time.
        average: the average of each place; None if the actual hands are not known.
        start: the value of the deal by team; None if the actual hands are not known.
        result: the score difference by team; None if the round is not finished.
        seats: the seats to report; all unless the user names some.
    """

    played: RecordedRound
    grades: list[Grade]
    hindsight: list[Hindsight | None]
    average: Average | None
    start: Float64Array | None
    result: Float64Array | None
    seats: tuple[int, ...] = ()
    uncounted: Sequence[tuple[Grade, Hindsight | None]] = ()
    ungraded: Sequence[Decision] = ()
    totals: list[Total] = field(init=False)
    team_totals: list[Total] = field(init=False)
    parts: list[Parts] | None = field(init=False)
    team_parts: list[Parts] | None = field(init=False)

    def __post_init__(self) -> None:
        teams = range(self.played.rules.team_count)
        seats = range(self.played.rules.seats)
        self.totals = [self._add_up([seat], seat, self.played.teams[seat]) for seat in seats]
        self.team_totals = [self._add_up(self._members(team), None, team) for team in teams]
        self.parts = self.team_parts = None
        known = self.start is not None and self.average is not None and self.result is not None
        if known and len(self.seats) == len(seats):
            self.parts = [self._split([seat], seat, self.played.teams[seat]) for seat in seats]
            self.team_parts = [self._split(self._members(team), None, team) for team in teams]

    def _members(self, team: int) -> list[int]:
        return [seat for seat, each in enumerate(self.played.teams) if each == team]

    def _add_up(self, seats: Sequence[int], seat: int | None, team: int) -> Total:
        chosen = [
            (grade, hindsight)
            for grade, hindsight in zip(self.grades, self.hindsight, strict=True)
            if grade.decision.seat in seats
        ]
        grades = [grade for grade, _ in chosen]
        known = [hindsight for _, hindsight in chosen if hindsight is not None]
        return Total(
            seat,
            team,
            len(grades),
            sum(grade.mistake for grade in grades),
            add_means(grade.loss.points for grade in grades),
            add_means(grade.loss.wins for grade in grades),
            math.fsum(grade.random_loss for grade in grades),
            math.fsum(each.loss for each in known) if len(known) == len(grades) else None,
        )

    def _split(self, seats: Sequence[int], seat: int | None, team: int) -> Parts:
        assert self.average is not None and self.start is not None and self.result is not None
        places = [self.played.place_of(each) for each in self._members(team)]
        if seat is not None:
            places = [self.played.place_of(seat)]
        values = self.average.values[places]
        average = Mean(
            float(values.mean()),
            float(self.average.errors[places].max()),
            self.average.deals - 1,
            self.average.deals,
        )
        own, others = 0.0, 0.0
        effects = []
        for grade, hindsight in self.all_decisions:
            assert hindsight is not None
            change = float(hindsight.change[team])
            if grade.decision.seat in seats:
                own += change
                if grade.counts:
                    effects.append(grade.effect)
            else:
                others += change
        fair = add_means(effects)
        start, result = float(self.start[team]), float(self.result[team])
        return Parts(
            seat, team, result, average, start - average.value, fair, own - fair.value, others,
            result - start - own - others,
        )  # fmt: skip

    @property
    def all_decisions(self) -> list[tuple[Grade, Hindsight | None]]:
        """The decisions in order, those that do not count among them."""
        both = [*zip(self.grades, self.hindsight, strict=True), *self.uncounted]
        return sorted(both, key=lambda each: each[0].decision.number)


def review_round(
    played: RecordedRound,
    plan: GradePlan,
    *,
    seconds: float = math.inf,
    seats: Sequence[int] | None = None,
    advance: Callable[[float], None] | None = None,
) -> RoundReview:
    """Review a round; arguments and errors as of `grading.grade_decisions`.

    Args:
        played: the round.
        plan: how decisions are graded.
        seconds: share of the time for this round.
        seats: seats whose decisions are graded; None for all.
        advance: called with the share of the work that a step did.
    """
    rules = played.rules
    chosen = tuple(range(rules.seats)) if seats is None else tuple(seats)
    decisions = [each for each in played.decisions if each.seat in chosen]
    own_seed = derive_seed(plan.seed, played.line)
    average = start = result = None
    if decisions and find_actual_hands(played, own_seed, False) is not None:
        # First, since grading takes whatever time is left.
        average = _find_average(played, plan)
    graded = grade_decisions(decisions, plan, played.line, seconds, advance)
    grades = [grade for grade, _ in graded]
    numbers = {grade.decision.number for grade in grades}
    ungraded = [each for each in decisions if each.number not in numbers]
    random = any(len(grade.reference) > 1 for grade in grades)
    # The values along a round need every decision of it.
    actual = None if ungraded else find_actual_hands(played, own_seed, random)
    hindsight: list[Hindsight | None] = [None] * len(grades)
    if actual is not None:
        found = [_look_back(grade, sampler, played, actual) for grade, sampler in graded]
        _chain_counters(grades, found)
        hindsight = list(found)
        if found:
            start = found[0].before
        if isinstance(played.source, Record):
            scores = np.array(played.source.scores, dtype=np.float64)
            result = compute_differences(scores, rules)
    both = list(zip(grades, hindsight, strict=True))
    counted = [each for each in both if each[0].counts]
    return RoundReview(
        played,
        [grade for grade, _ in counted],
        [look for _, look in counted],
        average,
        start,
        result,
        chosen,
        [each for each in both if not each[0].counts],
        ungraded,
    )


def _look_back(
    grade: Grade, sampler: Sampler, played: RecordedRound, actual: ActualHands
) -> Hindsight:
    """Return the options of a decision, given the actual hands."""
    values = compute_differences(sampler.score(actual), played.rules).mean(axis=1)
    names = grade.names
    before = sum(chance * values[names.index(name)] for name, chance in grade.reference.items())
    decision = grade.decision
    choice, team = names.index(decision.choice), played.teams[decision.seat]
    return Hindsight(values, np.asarray(before), choice, team)


def _chain_counters(grades: Sequence[Grade], found: list[Hindsight]) -> None:
    """Let a player who does not counter leave the question to the next one asked.

    Where a counter is in question, the kernels take all others to decline.
    """
    for number in reversed(range(len(grades) - 1)):
        grade, following = grades[number], grades[number + 1]
        one, other = grade.decision.knowledge, following.decision.knowledge
        if grade.decision.kind == "play" or not following.decision.is_call:
            continue
        if (one.question, one.calls) != (other.question, other.calls):
            continue
        names, values = grade.names, found[number].values.copy()
        values[names.index(grade.decision.choice)] = found[number + 1].before
        before = sum(chance * values[names.index(name)] for name, chance in grade.reference.items())
        found[number] = replace(found[number], values=values, before=np.asarray(before))


def _find_average(played: RecordedRound, plan: GradePlan) -> Average | None:
    """Return the average of each place under the rules of a round; None if it takes too long."""
    record, imposed = played.record, None
    if record.imposed:
        assert record.sender is not None and record.contract is not None
        imposed = ImposedContract(played.place_of(record.sender), record.contract, record.amount)
    limit = plan.deadline.within(plan.deadline.seconds_left / 2)
    reference = parse_player(plan.reference, played.rules.game)
    return estimate_average(played.rules, reference, record.pending_before, imposed, limit)
