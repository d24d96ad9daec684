"""The run of a review: records from a file or from a policy, graded one after another."""

from __future__ import annotations

import itertools
import math
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from kqj_sim.arguments import ArgumentError
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.progress import (
    InterruptHandler,
    ProgressLike,
    ProgressLine,
    open_progress,
)
from kqj_sim.workers import count_processors

if TYPE_CHECKING:
    from kqj_sim.analysis.review.decisions import RecordedRound
    from kqj_sim.analysis.review.reading import UnreadRound
    from kqj_sim.analysis.review.rounds import RoundReview
    from kqj_sim.experiment import Experiment
    from kqj_sim.reporting.review import ReviewRun
    from kqj_sim.rules import GameRules

DEFAULT_SAMPLES = 1000
"""Deals that grade a decision on average, unless asked otherwise."""

MAX_SAMPLES = 1 << 16
"""The same where only the time is limited."""

_ROUNDS_AHEAD = 100
"""Lines that are read ahead to share the time where the number of rounds is not known."""

_STEPS = 100
"""Steps of the progress in a round."""


class ReviewOptions(NamedTuple):
    """The options of a review.

    Attributes:
        reference: the player who plays every round on; None for the game's default.
        samples: deals that grade a decision, on average; None for the default.
        time: limit of time in seconds, for all rounds.
        seed: seed of the sampled deals.
        confidence: confidence of the intervals, and of mistakes over all decisions of a round.
        threads: number of threads; None for all processors.
        ignore_calls: True for hidden cards that need not agree with the calls.
        ignore_plays: True for hidden cards that are not weighed by the cards played.
        seats: the players whose decisions are graded, by name, place or number of the seat; None
            for all.
    """

    reference: str | None = None
    samples: int | None = None
    time: float | None = None
    seed: int = 1
    confidence: float = 0.95
    threads: int | None = None
    ignore_calls: bool = False
    ignore_plays: bool = False
    seats: tuple[int | str, ...] | None = None

    @property
    def max_samples(self) -> int:
        """Deals that grade a decision on average, at most."""
        if self.samples is not None:
            return self.samples
        return DEFAULT_SAMPLES if self.time is None else MAX_SAMPLES


@dataclass
class ReviewedRounds:
    """Reviewed rounds.

    Attributes:
        reviews: the rounds, in order.
        errors: line and text of what could not be reviewed.
        interrupted: True if Ctrl-C ended the review early.
        out_of_time: True if the time was over before the last round.
        left: the number of rounds then; None if it is not known.
        without_player: number of rounds left out, since no player asked for sat at their table.
    """

    reviews: list[RoundReview] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    interrupted: bool = False
    out_of_time: bool = False
    left: int | None = None
    without_player: int = 0

    def describe_end(self) -> str | None:
        """Return a line on how far the review came; None if it came to the end."""
        if not self.interrupted and not self.out_of_time:
            return None
        done = len(self.reviews)
        reason = "Interrupted" if self.interrupted else "Out of time"
        if self.out_of_time and self.left is not None:
            return f"{reason}: {done:,} of {done + self.left:,} rounds reviewed"
        return f"{reason}: {done:,} round{'s' * (done != 1)} reviewed"


class _RoundSteps:
    """The progress within a round."""

    def __init__(self, display: ProgressLine, text: str) -> None:
        self._display, self._text = display, text
        self._shown, self._done = 0, 0.0

    def advance(self, share: float) -> None:
        """Add the share of the round that a step did."""
        self._done += share
        step = min(_STEPS, int(self._done * _STEPS))
        self._display.advance(step - self._shown, self._text)
        self._shown = step

    def finish(self) -> None:
        """Add what is left."""
        self._display.advance(_STEPS - self._shown, self._text)


def run_review(
    rounds: Iterable[UnreadRound],
    count: int | None,
    options: ReviewOptions,
    progress: ProgressLike | None,
    tell_error: Callable[[int, str], object] | None = None,
    clock: Callable[[], float] = monotonic,
) -> ReviewedRounds:
    """Review rounds one after another; read none when the time is over.

    Args:
        rounds: the rounds.
        count: their number; None if it is not known.
        options: the options.
        progress: the display.
        tell_error: called with the line and the text of an error as soon as it is found.
        clock: returns the time in seconds.

    Raises:
        PolicyError: the reference player cannot be used.
        ArgumentError: a seat does not exist.
    """
    from kqj_sim.analysis.odds.estimator import OddsError
    from kqj_sim.analysis.odds.sampling import Deadline, SearchEnded
    from kqj_sim.analysis.review.grading import GradeSettings
    from kqj_sim.analysis.review.rounds import review_round

    if options.time is not None and not 0 < options.time < math.inf:
        raise ArgumentError(f"the time is {options.time} seconds: it should be more than none")
    if options.seats == ():
        raise ArgumentError("--seat: name a player or a place, such as opener")
    unknown: ArgumentError | None = None
    found = ReviewedRounds()
    end = Deadline(clock=clock).within(math.inf if options.time is None else options.time)
    ahead: deque[UnreadRound] = deque()
    most_ahead = _ROUNDS_AHEAD if count is None and options.time is not None else 1
    source = iter(rounds)
    is_incomplete = False
    settings: dict[str, GradeSettings] = {}

    def fail(line: int, text: str) -> None:
        found.errors.append((line, text))
        if tell_error is not None:
            tell_error(line, text)

    with (
        open_progress(progress, "steps", (count or 1) * _STEPS) as display,
        InterruptHandler() as interruption,
    ):
        for number in itertools.count():
            if interruption.stop_requested:
                found.interrupted = True
                break
            while len(ahead) < most_ahead and not end.has_passed:
                following = next(source, None)
                if following is None:
                    count = number + len(ahead)
                    break
                ahead.append(following)
            if number == count:
                break
            if end.has_passed or is_incomplete:
                found.out_of_time = True
                break
            left = len(ahead) if count is None else count - number
            if count is None:
                display.expect((number + left) * _STEPS)
            line, read = ahead.popleft()
            played = read()
            if isinstance(played, str):
                fail(line, played)
                display.advance(_STEPS)
                continue
            game = played.rules.game
            seats: tuple[int, ...] | None = None
            if options.seats is not None:
                seats, wrong = _find_seats(options.seats, played)
                unknown = wrong or unknown
                if not seats:
                    found.without_player += 1
                    display.advance(_STEPS)
                    continue
            if game not in settings:
                reference = parse_player(options.reference or DEFAULT_PLAYERS[game], game)
                settings[game] = GradeSettings(
                    reference, options.max_samples, options.seed, options.confidence,
                    options.threads or count_processors(), options.ignore_calls,
                    options.ignore_plays, deadline=end,
                )  # fmt: skip
            of = "" if count is None else f" of {count}"
            steps = _RoundSteps(display, f"round {number + 1}{of}")
            try:
                review = review_round(
                    played,
                    settings[game],
                    seconds=end.seconds_left / left,
                    seats=seats,
                    advance=steps.advance,
                )
            except (OddsError, SearchEnded) as error:
                fail(line, str(error) or "no hidden hands agree with the calls")
                continue
            is_incomplete = bool(review.ungraded)
            if is_incomplete and (found.reviews or not review.grades):
                # Among others, half a round would look like one in which little was lost.
                found.out_of_time = True
                break
            found.reviews.append(review)
            steps.finish()
    if found.out_of_time and count is not None:
        found.left = count - number
    if unknown is not None and not found.reviews and not found.errors and not found.interrupted:
        raise unknown
    return found


def _find_seats(
    wanted: Iterable[int | str], played: RecordedRound
) -> tuple[tuple[int, ...], ArgumentError | None]:
    """Return the seats of the players who sat at a round's table, and what is wrong with others.

    Raises:
        ArgumentError: a number is no seat.
    """
    names, seats, wrong = played.seat_names, [], None
    for each in wanted:
        if isinstance(each, int):
            if not 0 <= each < names.seats:
                raise ArgumentError(f"--seat {each}: the seats are 0 to {names.seats - 1}")
            seats.append(each)
        elif (seat := names.find(each)) is not None:
            seats.append(seat)
        else:
            wrong = ArgumentError(f"--seat: {names.explain_unknown(each)}")
    return tuple(dict.fromkeys(seats)), wrong


def make_run(
    found: ReviewedRounds,
    options: ReviewOptions,
    source: str,
    by: Sequence[str],
    played: bool = False,
) -> ReviewRun:
    """Return the description of a review for its report."""
    from kqj_sim.reporting.review import ReviewRun, choose_rules

    rules, mixed = choose_rules(found.reviews)
    return ReviewRun(
        command="review", rules=rules, policies=(), seed=options.seed, first=0,
        deals=len(found.reviews), confidence=options.confidence, by=tuple(by),
        interrupted=found.interrupted or found.out_of_time, source=source,
        reference=options.reference or DEFAULT_PLAYERS[rules.game], samples=options.max_samples,
        time=options.time, ignore_calls=options.ignore_calls, ignore_plays=options.ignore_plays,
        skipped=len(found.errors),
        is_mixed=mixed, played=played,
    )  # fmt: skip


def make_records_command(experiment: Experiment) -> str:
    """Return the command that writes one of an experiment's records; `{first}` is its number."""
    words = ["kqj-sim", "records", "--deals", "1", "--first", "{first}"]
    if experiment.games is not None:
        words[2:4] = ["--games", "1"]
    policies = experiment.policies
    if len(set(policies)) == 1:
        words += ["--policy", policies[0]]
    else:
        for seat, policy in enumerate(policies):
            words += ["--policy", f"seat{seat}={policy}"]
    words += ["--seed", str(experiment.seed)]
    if experiment.imposed_text is not None:
        words += ["--impose", experiment.imposed_text]
    return " ".join(
        word if word == "{first}" else shlex.quote(word)
        for word in (*words, *list_rule_options(experiment.rules))
    )


def list_rule_options(rules: GameRules) -> list[str]:
    """Return the options of the rules that differ from the default."""
    words = [] if rules.game == "kqj" else ["--game", rules.game]
    for rule in fields(rules):
        value = getattr(rules, rule.name)
        if value != rule.default:
            option = f"--{rule.name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words
