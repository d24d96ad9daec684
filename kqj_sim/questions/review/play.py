"""Rounds reviewed one after another: their grades, the parts of their results, the limit of time.

Luck and skill: the result of a round is a sum of parts.  Along a round the value of the position
(`hindsight`) goes from that of the deal to the result; only decisions that the reference player
would have made otherwise change it.  So the result is what the place gets on average, plus the
value of the deal minus that average (luck), plus all changes.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from time import monotonic

import numpy as np

from kqj_sim.arguments import list_items, parse_argument
from kqj_sim.core.types import Float64Array
from kqj_sim.errors import InputError, RecordError
from kqj_sim.imposed import ImposedContract
from kqj_sim.messages import quote, represent, shorten, visible
from kqj_sim.notation.sections import is_policy
from kqj_sim.places import fold_name
from kqj_sim.policies.players import PlayerLike, parse_player
from kqj_sim.positions.measures import GameMeasure
from kqj_sim.positions.sampling import ActualHands, Sampler
from kqj_sim.positions.search import Deadline, SearchEnded
from kqj_sim.questions.review import hindsight
from kqj_sim.questions.review.cross_fitting import Mean, add_means, make_mean
from kqj_sim.questions.review.decisions import Decision, RecordedRound, UnreadRound
from kqj_sim.questions.review.grading import (
    GAMES,
    Grade,
    GradePlan,
    Hindsight,
    derive_seed,
    grade_decisions,
)
from kqj_sim.record import Record
from kqj_sim.rules import KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.workers import count_processors
from kqj_sim.stats.equity import (
    GAME_DEALS,
    EquityTable,
    load_rounds,
    play_rounds,
    require_table_rules,
)
from kqj_sim.stats.intervals import make_exact

_ROUNDS_AHEAD = 100
"""Lines that are read ahead to share the time where the number of rounds is not known."""

_MOST_DEALS = 1000
"""Deals of a decision, at most, by which searches with all cards open are limited."""

_STEPS = 100
"""Steps of the progress in a round."""


@dataclass(frozen=True)
class Parts:
    """The result of a round for a seat or a team, as a sum; the JSON has the same names.

    Attributes:
        seat: the seat; None for a whole team.
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
    def adjusted(self) -> float:
        """The result without luck and others' decisions: the average plus own decisions."""
        return self.average.value + self.own_decisions.value


MIN_DECISIONS = 10
"""Decisions, at least, of which an accuracy is given."""


def compute_accuracy(loss: Mean, random_loss: float, decisions: int) -> float | None:
    """Return 1 minus a loss as a share of that of random choices, kept within 0 and 1.

    None for few decisions, and where the loss is not known by more than all that was at stake:
    otherwise somebody without a mistake might get 0%.
    """
    reach = 0.0 if loss.is_exact else loss.value - loss.low
    if decisions < MIN_DECISIONS or reach >= random_loss:
        return None
    return min(1.0, max(0.0, 1 - loss.value / random_loss))


@dataclass(frozen=True)
class Total:
    """The decisions of a seat or a team in a round, together; the JSON has the same names.

    Attributes:
        seat: the seat; None for a whole team.
        hindsight_loss_points: what they lost given the actual hands; None if these are not known.
        accuracy: see `compute_accuracy`.
    """

    seat: int | None
    team: int
    decisions: int
    mistakes: int
    loss_points: Mean
    loss_win_share: Mean
    hindsight_loss_points: float | None
    accuracy: float | None


@dataclass
class RoundReview:
    """A reviewed round.

    Attributes:
        all_grades: the grades of all decisions, in order.
        average: see `estimate_average`; None if the actual hands are not known.
        start: the value of the deal by team; None if the actual hands are not known.
        result: the score difference by team; None if the round is not finished.
        seats: the seats to report.
        confidence: that of the intervals.
        ungraded: decisions that could not be graded in time.
        open_hands: the round with all cards open; None if it was not solved.
    """

    played: RecordedRound
    all_grades: list[Grade]
    average: Float64Array | None
    start: Float64Array | None
    result: Float64Array | None
    seats: tuple[int, ...]
    confidence: float
    ungraded: Sequence[Decision] = ()
    open_hands: hindsight.OpenHands | None = None
    totals: list[Total] = field(init=False)
    team_totals: list[Total] = field(init=False)
    parts: list[Parts] | None = field(init=False)
    team_parts: list[Parts] | None = field(init=False)

    def __post_init__(self) -> None:
        teams = self.played.teams
        players = [([seat], seat, team) for seat, team in enumerate(teams)]
        sides = [
            ([seat for seat, own in enumerate(teams) if own == team], None, team)
            for team in range(self.played.rules.team_count)
        ]
        self.totals = [self._add_up(*player) for player in players]
        self.team_totals = [self._add_up(*side) for side in sides]
        self.parts = self.team_parts = None
        known = self.start is not None and self.average is not None and self.result is not None
        if known and len(self.seats) == len(players):
            self.parts = [self._split(*player) for player in players]
            self.team_parts = [self._split(*side) for side in sides]

    @property
    def grades(self) -> list[Grade]:
        """The grades of the decisions that count (`Grade.counts`)."""
        return [grade for grade in self.all_grades if grade.counts]

    @property
    def uncounted(self) -> list[Grade]:
        """The grades of the other decisions."""
        return [grade for grade in self.all_grades if not grade.counts]

    def compute_random_loss(self, *seats: int) -> float:
        """Return what random choices in these seats would lose."""
        grades = (grade for grade in self.grades if grade.decision.seat in seats)
        return math.fsum(grade.random_loss for grade in grades)

    def _add_up(self, seats: Sequence[int], seat: int | None, team: int) -> Total:
        grades = [grade for grade in self.grades if grade.decision.seat in seats]
        known = [grade.hindsight.loss for grade in grades if grade.hindsight is not None]
        points = add_means((grade.loss.points for grade in grades), self.confidence)
        return Total(
            seat,
            team,
            len(grades),
            sum(grade.mistake for grade in grades),
            points,
            add_means((grade.loss.wins for grade in grades), self.confidence),
            math.fsum(known) if len(known) == len(grades) else None,
            compute_accuracy(points, self.compute_random_loss(*seats), len(grades)),
        )

    def _split(self, seats: Sequence[int], seat: int | None, team: int) -> Parts:
        assert self.average is not None and self.start is not None and self.result is not None
        places = [self.played.place_of(own) for own in seats]
        (means, errors), deals = self.average[:, places], hindsight.AVERAGE_DEALS
        average = make_mean(
            float(means.mean()), float(errors.max()), deals - 1, deals, self.confidence
        )
        if not errors.any():
            average = Mean(*make_exact(average.value, deals))
        own, others = 0.0, 0.0
        for grade in self.all_grades:
            assert grade.hindsight is not None
            change = float(grade.hindsight.change[team])
            if grade.decision.seat in seats:
                own += change
            else:
                others += change
        fair = add_means(
            (grade.effect for grade in self.grades if grade.decision.seat in seats),
            self.confidence,
        )
        start, result = float(self.start[team]), float(self.result[team])
        return Parts(
            seat, team, result, average, start - average.value, fair, own - fair.value, others,
            result - start - own - others,
        )  # fmt: skip


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
        seconds: share of the time for this round.
        seats: seats whose decisions are graded; None for all.
        advance: called with the share of the work that a step did.
    """
    chosen = tuple(range(played.rules.seats)) if seats is None else tuple(seats)
    decisions = [decision for decision in played.decisions if decision.seat in chosen]
    seed = derive_seed(plan.seed, played.line)
    average = start = result = None
    if decisions and hindsight.find_actual_hands(played, seed, False) is not None:
        # First, since grading takes whatever time is left.
        average = _find_average(played, plan)
    graded = grade_decisions(decisions, plan, seconds, advance)
    grades = [grade for grade, _ in graded]
    numbers = {grade.decision.number for grade in grades}
    ungraded = [decision for decision in decisions if decision.number not in numbers]
    is_random = any(len(grade.reference) > 1 for grade in grades)
    # The values along a round need every decision of it.
    actual = open_hands = None
    if not ungraded:
        actual = hindsight.find_actual_hands(played, seed, is_random)
        cards = (grade.decision for grade in grades if plan.unit is not GAMES)
        turns = {len(card.knowledge.plays) for card in cards if not card.is_call}
        open_hands = hindsight.solve_backwards(played, turns, min(plan.deals, _MOST_DEALS))
    if actual is not None:
        values = open_hands.values if open_hands else {}
        looks_back = [_look_back(*pair, actual, plan.games, values) for pair in graded]
        _chain_counters(grades, looks_back)
        for grade, look_back in zip(grades, looks_back, strict=True):
            grade.hindsight = look_back
        start = looks_back[0].before if looks_back else None
        if isinstance(played.source, Record):
            scores = np.array(played.source.scores, dtype=np.float64)
            waits = np.array(played.source.pending_after > 0)
            result = hindsight.value_sides(scores, waits, played.rules, plan.games)
    return RoundReview(
        played, grades, average, start, result, chosen, plan.confidence, ungraded, open_hands
    )


def _look_back(
    grade: Grade, sampler: Sampler, actual: ActualHands, games: Sequence[GameMeasure],
    exact: Mapping[int, Mapping[str, float]],
) -> Hindsight:  # fmt: skip
    decision, played = grade.decision, grade.decision.played
    values = hindsight.value_sides(*sampler.score(actual), played.rules, games).mean(axis=1)
    choice, team = grade.names.index(decision.choice), played.teams[decision.seat]
    found = None if decision.is_call else exact.get(len(decision.knowledge.plays))
    own = None if found is None else np.array([found[name] for name in grade.names])
    return Hindsight(values, _weigh_reference(grade, values), choice, team, own)


def _weigh_reference(grade: Grade, values: Float64Array) -> Float64Array:
    """Return the value by team if the reference player decides."""
    chances = grade.reference.items()
    return np.asarray(sum(chance * values[grade.names.index(name)] for name, chance in chances))


def _chain_counters(grades: Sequence[Grade], looks_back: list[Hindsight]) -> None:
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
        values = looks_back[number].values.copy()
        values[looks_back[number].choice] = looks_back[number + 1].before
        before = _weigh_reference(grade, values)
        looks_back[number] = replace(looks_back[number], values=values, before=before)


def _measure_games(
    played: RecordedRound, find_table: Callable[[KqjRules], EquityTable]
) -> tuple[GameMeasure, ...]:
    """Return the chance of each team to win the game of a round.

    Raises:
        InputError: the scores before the round are not known, or the rules have no such chance.
    """
    table = find_table(require_table_rules(played.rules))
    scores = played.scores_before
    if scores is None:
        raise InputError(
            "the chance to win the game needs the scores before the round: `score_before` in a "
            "record, `Round` and `Scores before` in notes"
        )
    dealer, pending = played.record.dealer, played.record.pending_before
    return tuple(
        GameMeasure(table.solve(team, scores, pending), scores, dealer)
        for team in range(played.rules.team_count)
    )


def _find_table(rules: KqjRules, reference: PlayerLike | None, runner: Runner) -> EquityTable:
    """Return the chances to win a game of the reference player, who may have to play deals."""
    experiment = Experiment(rules, parse_player(reference, rules.game), GAME_DEALS)

    def advance(count: int) -> None:
        if runner.interrupted:
            raise KeyboardInterrupt
        runner.advance(0, "deals that show what wins games")

    counted = load_rounds(experiment) or play_rounds(experiment, runner.workers, advance)[0]
    return EquityTable(experiment, counted)


def _find_average(played: RecordedRound, plan: GradePlan) -> Float64Array | None:
    record, imposed = played.record, None
    if plan.games:
        teams = [played.teams[played.seat_of(place)] for place in range(played.rules.seats)]
        before = [GAMES.scale * plan.games[team].before for team in teams]
        return np.array([before, [0.0] * len(before)])
    if record.imposed:
        assert record.sender is not None and record.contract is not None
        imposed = ImposedContract(played.place_of(record.sender), record.contract, record.amount)
    limit = plan.deadline.within(plan.deadline.seconds_left / 2)
    reference = parse_player(plan.reference, played.rules.game)
    return hindsight.estimate_average(
        played.rules, reference, record.pending_before, imposed, limit
    )


# Rounds one after another, until the time is over.


class NothingReviewedError(RecordError):
    """An error of the first of records none of which can be reviewed."""


@dataclass(frozen=True)
class ReviewedRounds:
    """Reviewed rounds.

    Attributes:
        errors: line and text of what could not be reviewed.
        without_player: number of rounds left out, since no player asked for sat at their table.
        out_of_time: True if the time was over before the last round.
        left: the number of rounds then; None if it is not known.
    """

    reviews: Sequence[RoundReview]
    errors: Sequence[tuple[int, str]] = ()
    without_player: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    left: int | None = None


class _Queue:
    """The rounds to review, until Ctrl-C or the end of the time, with the progress.

    Where their number is not known, but the time is limited, some are read ahead to share it.

    Attributes:
        finished: number of rounds that need no more time.
        is_over: True if the time is over, even if a clock says something else.
    """

    def __init__(
        self, rounds: Iterable[UnreadRound], count: int | None, deadline: Deadline, runner: Runner
    ) -> None:
        self.finished = 0
        self.interrupted = self.out_of_time = self.is_over = False
        self._rounds, self._count = iter(rounds), count
        self._deadline, self._runner = deadline, runner
        self._ahead: deque[UnreadRound] = deque()
        is_limited = math.isfinite(deadline.seconds_left)
        self._most_ahead = _ROUNDS_AHEAD if count is None and is_limited else 1
        self._share = 0.0

    def __iter__(self) -> Iterator[UnreadRound]:
        while not self._runner.interrupted:
            self._read_ahead()
            if self.left == 0:
                return
            if self.is_over or self._deadline.has_passed:
                self.end()
                return
            if self._count is None:
                self._runner.expect((self.finished + len(self._ahead)) * _STEPS, may_grow=True)
            self._share = 0.0
            yield self._ahead.popleft()
            self.advance(1.0)
            self.finished += 1
        self.interrupted = True

    def end(self) -> None:
        """Note why rounds are left out."""
        self.interrupted = self._runner.interrupted
        self.out_of_time = not self.interrupted

    def _read_ahead(self) -> None:
        while len(self._ahead) < self._most_ahead and not self._deadline.has_passed:
            following = next(self._rounds, None)
            if following is None:
                self._count = self.finished + len(self._ahead)
                break
            self._ahead.append(following)

    @property
    def left(self) -> int | None:
        """The number of rounds that are not finished; None if it is not known."""
        return None if self._count is None else self._count - self.finished

    @property
    def seconds(self) -> float:
        """The time for the round that was taken last: all that wait share what is left."""
        return self._deadline.seconds_left / (self.left or 1 + len(self._ahead))

    def advance(self, share: float) -> None:
        """Add a share of a round to the progress."""
        before = int(self._share * _STEPS)
        self._share = min(1.0, self._share + share)
        total = "" if self._count is None else f" of {self._count}"
        steps = int(self._share * _STEPS) - before
        self._runner.advance(steps, f"round {self.finished + 1}{total}")


def review_rounds(
    rounds: Iterable[UnreadRound],
    count: int | None,
    plan: GradePlan,
    seats: int | str | Sequence[int | str] | None,
    runner: Runner,
    clock: Callable[[], float] = monotonic,
) -> ReviewedRounds:
    """Review rounds one after another; read none when the time is over.

    Args:
        count: their number; None if it is not known.
        plan: how decisions are graded; its time is that of all rounds.
        seats: the players whose decisions are graded, by name, place or number of the seat; None
            for all.
        runner: the threads and the progress; told of each round that cannot be reviewed.

    Raises:
        InputError: the reference player cannot be used; a seat does not exist.
        NothingReviewedError: no round can be reviewed.
    """
    wanted = None if seats is None else _split_seats(seats)
    deadline = Deadline(clock=clock, is_stopped=lambda: runner.interrupted)
    reviews: list[RoundReview] = []
    errors: list[tuple[int, str]] = []
    told: list[str] = []
    unknown: list[InputError] = []
    without_player = 0
    spellings: dict[str, list[str]] = {}

    def fail(unread: UnreadRound, text: str) -> None:
        errors.append((unread.line, text))
        file = "stdin" if unread.file == "-" else visible(unread.file)
        told.append(f"{file}:{unread.line}: {text}")
        runner.tell_error(told[-1])

    with runner.start("steps", (count or 1) * _STEPS):
        parse_reference = cache(partial(parse_player, plan.reference))
        deadline = deadline.within(math.inf if plan.time is None else plan.time)
        find_table = cache(partial(_find_table, reference=plan.reference, runner=runner))
        threads = runner.workers if isinstance(runner.workers, int) else count_processors()
        queue = _Queue(rounds, count, deadline, runner)
        for unread in queue:
            played = unread.read()
            if isinstance(played, str):
                fail(unread, played)
                continue
            played.file, played.number = unread.file, unread.number
            chosen = None if wanted is None else _find_seats(wanted, played, unknown)
            if chosen == ():
                without_player += 1
                continue
            _unify_names(played, spellings, runner)
            reference = parse_reference(played.rules.game)
            own_plan = replace(plan, reference=reference, threads=threads, deadline=deadline)
            try:
                if plan.unit is GAMES:
                    own_plan = replace(own_plan, games=_measure_games(played, find_table))
                review = review_round(
                    played, own_plan, seconds=queue.seconds, seats=chosen, advance=queue.advance
                )
            except (InputError, SearchEnded) as error:
                fail(unread, str(error) or "no hidden hands agree with the calls")
                continue
            queue.is_over = bool(review.ungraded)
            if queue.is_over and (reviews or not review.grades or runner.interrupted):
                queue.end()
                # Among others, half a round would look like one in which little was lost.
                break
            reviews.append(review)
    if not reviews and not queue.interrupted and not queue.out_of_time:
        for text in told:
            raise NothingReviewedError(text)
        if unknown:
            raise unknown[-1]
    return ReviewedRounds(
        reviews, errors, without_player, queue.interrupted, queue.out_of_time, queue.left
    )


def _unify_names(played: RecordedRound, spellings: dict[str, list[str]], runner: Runner) -> None:
    """Name people whose names differ in case alone as they were named first, and say so once.

    `spellings` holds those that were read, by `fold_name`.
    """
    names = []
    for name in played.names:
        known = spellings.setdefault(fold_name(name), [name])
        if name not in known and is_policy(name, played.rules.game):
            known = [name]
        elif name not in known:
            known.append(name)
            runner.tell(f"{quote(name)} and {quote(known[0])} are counted as one player")
        names.append(known[0])
    played.names = tuple(names)


def _split_seats(seats: int | str | Sequence[int | str]) -> list[int | str]:
    """Return what names the seats, one by one; names may hold blanks, but no commas."""
    parts = [seats] if isinstance(seats, int) else parse_argument("seat", list_items, seats)
    names: list[int | str] = []
    for part in parts:
        text = represent(part, str).strip()
        names += [part] if isinstance(part, int) else re.split(r"\s*,\s*", text)
    if not names:
        raise InputError("`seat`: name a player or a place, such as opener")
    return names


def _find_seats(
    wanted: Iterable[int | str], played: RecordedRound, unknown: list[InputError]
) -> tuple[int, ...]:
    """Return the seats of the players at a round's table; add what is wrong with others.

    Raise InputError for a number that is no seat.
    """
    names, seats = played.seat_names, []
    for player in wanted:
        if isinstance(player, int):
            if not 0 <= player < names.seats:
                raise InputError(f"`seat` {shorten(player)}: the seats are 0 to {names.seats - 1}")
            seats.append(player)
        elif (seat := names.find(player)) is not None:
            seats.append(seat)
        else:
            unknown.append(InputError(f"`seat`: {names.explain_unknown(player)}"))
    return tuple(dict.fromkeys(seats))
