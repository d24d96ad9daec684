"""The limit of time of a review, by clocks that the tests move."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kqj_sim.policies.players import parse_player
from kqj_sim.positions.search import Deadline, SearchEnded
from kqj_sim.questions.review import grading, hindsight
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import GradePlan, draw_deals
from kqj_sim.questions.review.play import (
    NothingReviewedError,
    ReviewedRounds,
    review_round,
    review_rounds,
)
from kqj_sim.questions.review.result import ReviewResult, describe_review
from kqj_sim.questions.review.screen import describe_end, make_review_run
from kqj_sim.rules import KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import AUCTION_2, TAKE_2

REFERENCE = "points+greedy"


def play(rules: KqjRules, count: int = 1) -> list[RecordedRound]:
    """Return rounds of a fast policy."""
    experiment = Experiment(rules, (REFERENCE,) * 6, deals=count, seed=5)
    return [RecordedRound(each, line) for line, each in enumerate(play_records(experiment), 1)]


def make_settings(deadline: Deadline | None = None) -> GradePlan:
    """Return settings with few deals, in one thread."""
    return GradePlan(
        deals=1, reference=REFERENCE, threads=1, max_layouts=0, deadline=deadline or Deadline()
    )


class Clock:
    """A clock that goes on by a second each time somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.mark.parametrize("count", [1000, None])
def test_no_line_is_read_after_the_time(count: int | None) -> None:
    now, read = 0.0, 0

    def list_rounds() -> Iterator[tuple[int, Callable[[], str]]]:
        nonlocal now, read
        for line in range(1, 1001):
            assert now < 5
            now, read = now + 1, read + 1
            yield line, lambda: "not a record"

    plan = GradePlan(deals=1000, time=5)
    found = review_rounds(list_rounds(), count, "FILE", plan, None, Runner(), clock=lambda: now)
    assert read == 5
    assert found.out_of_time
    assert found.left == (None if count is None else count - len(found.errors))


def test_rounds_are_read_one_by_one() -> None:
    read: list[int] = []

    def fail(line: int) -> str:
        read.append(line)
        return "not a record"

    def list_rounds() -> Iterator[tuple[int, Callable[[], str]]]:
        for line in (1, 2, 3):
            assert len(read) == line - 1
            yield line, partial(fail, line)

    told: list[str] = []
    with pytest.raises(NothingReviewedError, match="FILE:1: not a record"):
        plan = GradePlan(deals=1000)
        review_rounds(list_rounds(), None, "FILE", plan, None, Runner(tell_error=told.append))
    assert read == [1, 2, 3]
    assert told == [f"FILE:{line}: not a record" for line in read]


@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2], ids=["taking", "auctions"])
@pytest.mark.parametrize("moment", [1, 60, 200])
def test_nothing_is_sampled_after_the_deadline(
    rules: KqjRules, moment: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    (played,) = play(rules)
    clock = Clock()
    # Whatever other tests have estimated: how far a review comes depends on it.
    monkeypatch.setattr(hindsight, "_averages", {})

    def draw(*args: Any) -> Any:
        assert clock.now < moment
        return draw_deals(*args)

    monkeypatch.setattr(grading, "draw_deals", draw)
    review = review_round(played, make_settings(Deadline(moment, clock)))
    done = [grade.decision.number for grade in review.all_grades]
    left = [each.number for each in review.ungraded]
    assert left
    assert sorted(done + left) == [each.number for each in played.decisions]
    # Time is no reason to call the calls rare (searches that find them so end later), and values
    # along the round need all of it.
    assert not any(grade.ignores_calls for grade in review.all_grades)
    assert review.start is None
    assert review.parts is None

    reviewed = ReviewedRounds([review])
    run = make_review_run(reviewed, GradePlan(deals=1000, time=1), "FILE", rules)
    remarks = ReviewResult(reviewed, run, 3).report.remarks
    assert f"{len(left)} decisions were not graded: out of time." in remarks
    skipped = describe_review(review, run)["skipped"]
    assert [each["reason"] for each in skipped].count("out of time") == len(left)


def test_too_few_deals_before_the_deadline_are_no_sample() -> None:
    sampler = grading.sample_decision(play(AUCTION_2)[0].decisions[2], make_settings(), 1, False)
    with pytest.raises(SearchEnded):
        draw_deals(sampler, 0, 1 << 20, Deadline(0, lambda: 1))


def test_an_average_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hindsight, "_averages", {})
    over, reference = Deadline(0, lambda: 1), parse_player(REFERENCE)
    assert hindsight.estimate_average(TAKE_2, reference, 0, None, over, 1 << 10) is None
    found = hindsight.estimate_average(TAKE_2, reference, 0, None, None, 1 << 10)
    assert found is not None
    assert hindsight.estimate_average(TAKE_2, reference, 0, None, over, 1 << 10) is found


@pytest.mark.parametrize(("incomplete", "lines", "left"), [(1, [1], 2), (3, [1, 2], 1)])
def test_an_incomplete_round_is_shown_only_alone(
    incomplete: int, lines: list[int], left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def review(played: RecordedRound, *args: Any, **more: Any) -> Any:
        done = review_round(played, make_settings())
        if played.line == incomplete:
            done.ungraded = [done.all_grades.pop().decision]
        return done

    monkeypatch.setattr("kqj_sim.questions.review.play.review_round", review)
    rounds = [(each.line, partial(copy, each)) for each in play(TAKE_2, 3)]
    plan = GradePlan(deals=1, time=1e6, reference=REFERENCE)
    found = review_rounds(iter(rounds), 3, "FILE", plan, None, Runner(threads=1))
    assert [each.played.line for each in found.reviews] == lines
    assert found.left == left
    assert describe_end(found) == f"Out of time: {len(lines)} of 3 rounds reviewed"


def test_reviews_keep_no_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    samplers = []
    sample_decision = grading.sample_decision

    def sample(*args: Any) -> Any:
        sampler = sample_decision(*args)
        samplers.append(weakref.ref(sampler))
        return sampler

    monkeypatch.setattr(grading, "sample_decision", sample)
    (played,) = play(TAKE_2)
    review = review_round(played, replace(make_settings(), ignore_calls=True))
    gc.collect()
    assert review.grades
    assert samplers
    assert not any(sampler() for sampler in samplers)
