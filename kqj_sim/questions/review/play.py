"""The run of a review: rounds graded one after another, within a limit of time."""

from __future__ import annotations

import itertools
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from kqj_sim import __version__
from kqj_sim.arguments import list_items, name_policy, parse_argument
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import find_game
from kqj_sim.messages import represent, shorten, visible
from kqj_sim.output.run import RANGE_SIGNS, Run
from kqj_sim.output.sentences import say
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.search import Deadline, SearchEnded
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import GradePlan
from kqj_sim.questions.review.reading import UnreadRound
from kqj_sim.questions.review.rounds import RoundReview, review_round
from kqj_sim.runner import Runner
from kqj_sim.simulation.workers import count_processors

_ROUNDS_AHEAD = 100
"""Lines that are read ahead to share the time where the number of rounds is not known."""

_STEPS = 100
"""Steps of the progress in a round."""


class NothingReviewedError(RecordError):
    """An error of the first of records none of which can be reviewed."""


@dataclass(frozen=True)
class ReviewRun(Run):
    """A review: `policies` are empty, since every record names its own.

    Attributes:
        source: name of the file, `-` for stdin; the policy's specification if it was played.
        plan: how decisions are graded; its time is that of all rounds.
        played: whether the rounds were played on the way; `source` is then the command that writes
            one, with `{first}` for its number.
    """

    source: str = ""
    plan: GradePlan = field(default_factory=lambda: GradePlan(deals=1))
    skipped: int = 0
    is_mixed: bool = False
    played: bool = False

    @property
    def reference_name(self) -> str:
        """The name of the reference player; empty for the default of each game."""
        reference = self.plan.reference
        return "" if reference is None else name_policy(reference)

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, by the keys of the JSON output."""
        return {
            "version": __version__,
            "command": self.command,
            "game": self.rules.game,
            "source": self.source,
            "reference": self.reference_name,
            "seed": self.seed,
            "samples": self.plan.deals,
            "time": self.plan.time,
            "ignore_calls": self.plan.ignore_calls,
            "ignore_plays": self.plan.ignore_plays,
            "confidence": self.confidence,
            "deals": self.deals,
            "skipped_lines": self.skipped,
            "by": list(self.by),
            "interrupted": self.interrupted,
        }

    def describe(self) -> str:
        """Return the run in a line for people."""
        return say(__name__, "run", self, find_game(self.rules.game).title)

    def describe_intervals(self) -> str:
        """Describe the intervals for people."""
        return f"{RANGE_SIGNS}: {100 * (self.confidence or 0):g}% intervals"


@dataclass
class ReviewedRounds:
    """Reviewed rounds.

    Attributes:
        errors: line and text of what could not be reviewed.
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
        left = self.left if self.out_of_time else None
        return say(__name__, "end", self.interrupted, len(self.reviews), left)

    def complete_run(self, run: ReviewRun) -> ReviewRun:
        """Return a run with what is known of it at its end."""
        rules = [review.played.rules for review in self.reviews] or [run.rules]
        reference = run.plan.reference or find_game(rules[0].game).default_player
        return replace(
            run, rules=rules[0], is_mixed=any(each != rules[0] for each in rules),
            plan=replace(run.plan, reference=reference),
            deals=len(self.reviews), skipped=len(self.errors),
            interrupted=self.interrupted or self.out_of_time,
        )  # fmt: skip


def _count_steps(runner: Runner, text: str) -> Callable[[float], None]:
    """Return a function that adds the share of a round that was done to the progress."""
    shown, done = 0, 0.0

    def advance(share: float) -> None:
        nonlocal shown, done
        done += share
        step = min(_STEPS, int(done * _STEPS))
        runner.advance(step - shown, text)
        shown = step

    return advance


def run_review(
    rounds: Iterable[UnreadRound],
    count: int | None,
    run: ReviewRun,
    seats: int | str | Sequence[int | str] | None,
    runner: Runner,
    clock: Callable[[], float] = monotonic,
) -> ReviewedRounds:
    """Review rounds one after another; read none when the time is over.

    Args:
        count: their number; None if it is not known.
        seats: the players whose decisions are graded, by name, place or number of the seat; None
            for all.
        runner: the threads and the progress; told of each round that cannot be reviewed.

    Raises:
        InputError: the reference player cannot be used; a seat does not exist.
        NothingReviewedError: no round can be reviewed.
    """
    wanted = None if seats is None else _split_seats(seats)
    name = "stdin" if run.source == "-" else visible(run.source)
    unknown: InputError | None = None
    found = ReviewedRounds()
    end = Deadline(clock=clock).within(math.inf if run.plan.time is None else run.plan.time)
    ahead: deque[UnreadRound] = deque()
    most_ahead = _ROUNDS_AHEAD if count is None and run.plan.time is not None else 1
    source = iter(rounds)
    is_incomplete = False
    plans: dict[str, GradePlan] = {}

    def fail(line: int, text: str) -> None:
        found.errors.append((line, text))
        runner.tell_error(f"{name}:{line}: {text}")

    with runner.start("steps", (count or 1) * _STEPS):
        threads = runner.workers if isinstance(runner.workers, int) else count_processors()
        for number in itertools.count():
            if runner.interrupted:
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
                runner.expect((number + left) * _STEPS)
            line, read = ahead.popleft()
            played = read()
            if isinstance(played, str):
                fail(line, played)
                runner.advance(_STEPS)
                continue
            game = played.rules.game
            chosen: tuple[int, ...] | None = None
            if wanted is not None:
                chosen, wrong = _find_seats(wanted, played)
                unknown = wrong or unknown
                if not chosen:
                    found.without_player += 1
                    runner.advance(_STEPS)
                    continue
            if game not in plans:
                reference = parse_player(run.plan.reference, game)
                plans[game] = replace(run.plan, reference=reference, threads=threads, deadline=end)
            of = "" if count is None else f" of {count}"
            advance = _count_steps(runner, f"round {number + 1}{of}")
            try:
                review = review_round(
                    played,
                    plans[game],
                    seconds=end.seconds_left / left,
                    seats=chosen,
                    advance=advance,
                )
            except (InputError, SearchEnded) as error:
                fail(line, str(error) or "no hidden hands agree with the calls")
                continue
            is_incomplete = bool(review.ungraded)
            if is_incomplete and (found.reviews or not review.grades):
                # Among others, half a round would look like one in which little was lost.
                found.out_of_time = True
                break
            found.reviews.append(review)
            advance(1.0)
    if found.out_of_time and count is not None:
        found.left = count - number
    if not found.reviews and found.describe_end() is None:
        for line, text in found.errors:
            raise NothingReviewedError(f"{name}:{line}: {text}")
        if unknown is not None:
            raise unknown
    return found


def _split_seats(seats: int | str | Sequence[int | str]) -> list[int | str]:
    """Return what names the seats, one by one; names may hold blanks, but no commas."""
    parts = [seats] if isinstance(seats, int) else parse_argument("seat", list_items, seats)
    found: list[int | str] = []
    for part in parts:
        text = represent(part, str).strip()
        found += [part] if isinstance(part, int) else re.split(r"\s*,\s*", text)
    if not found:
        raise InputError("--seat: name a player or a place, such as opener")
    return found


def _find_seats(
    wanted: Iterable[int | str], played: RecordedRound
) -> tuple[tuple[int, ...], InputError | None]:
    """Return the seats of the players who sat at a round's table, and what is wrong with others.

    Raise InputError for a number that is no seat.
    """
    names, seats, wrong = played.seat_names, [], None
    for each in wanted:
        if isinstance(each, int):
            if not 0 <= each < names.seats:
                raise InputError(f"--seat {shorten(each)}: the seats are 0 to {names.seats - 1}")
            seats.append(each)
        elif (seat := names.find(each)) is not None:
            seats.append(seat)
        else:
            wrong = InputError(f"--seat: {names.explain_unknown(each)}")
    return tuple(dict.fromkeys(seats)), wrong
