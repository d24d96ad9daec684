"""Rounds reviewed: results as sums of parts, and the limit of time by clocks that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.games import find_game
from kqj_sim.imposed import ImposedContract
from kqj_sim.positions.search import Deadline
from kqj_sim.questions.review import grading, hindsight, play
from kqj_sim.questions.review.cross_fitting import make_mean
from kqj_sim.questions.review.decisions import RecordedRound, UnreadRound
from kqj_sim.questions.review.decisions import list_rounds as list_typed
from kqj_sim.questions.review.grading import GradePlan, draw_deals
from kqj_sim.questions.review.result import ReviewResult, describe_review
from kqj_sim.questions.review.screen import describe_end, make_review_run
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from tests.questions.review.rounds import TABLES, find_reference, list_rounds, make_settings
from tests.runners import WatchedRunner
from tests.slow import slow_after
from tests.variants import AUCTION_2, TAKE_2, TAKE_3


def check_parts(review: play.RoundReview) -> None:
    """Check that the parts add up to the result, and changes lead from the deal to it."""
    assert review.parts is not None and review.team_parts is not None
    for part in (*review.parts, *review.team_parts):
        total = part.adjusted + part.deal_luck + part.own_luck + part.others_decisions
        assert total + part.remainder == pytest.approx(part.result, abs=1e-9)
        if getattr(review.played.source, "result", "") != "passed_out":
            assert part.remainder == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", slow_after(1, TABLES))
def test_reference_is_asked_as_it_played(name: str) -> None:
    """In rounds of the reference player each choice is its own, and all is luck of the deal."""
    rules = TABLES[name]
    for played in list_rounds(rules, count=3):
        review = play.review_round(played, make_settings(rules))
        for grade in review.grades:
            assert grade.reference_choice == grade.decision.choice
            assert grade.effect.value == 0
        check_parts(review)
        for part in review.parts or ():
            if played.record.sender is not None:
                value = part.average.value + part.deal_luck
                assert value == pytest.approx(part.result, abs=1e-9)


ROUNDS: dict[str, tuple[GameRules, dict[str, Any]]] = {
    **{name: (rules, {}) for name, rules in TABLES.items()},
    "imposed": (TAKE_2, {"imposed": ImposedContract(2, "AT")}),
    "game": (TAKE_3, {"games": 1}),
}


@pytest.mark.parametrize("name", slow_after(0, ROUNDS))
def test_parts_add_up_in_rounds_of_other_players(name: str) -> None:
    rules, more = ROUNDS[name]
    for played in list_rounds(rules, find_game(rules.game).lively_player, 4, **more):
        review = play.review_round(played, make_settings(rules))
        check_parts(review)
        for grade in review.grades:
            values = {option.name: option.value.value for option in grade.options}
            others = sum(chance * values[name] for name, chance in grade.reference.items())
            right = values[grade.decision.choice] - others
            assert grade.effect.value == pytest.approx(right, abs=1e-9)


def test_parts_of_a_reference_that_chooses_at_random_have_a_remainder() -> None:
    settings = make_settings(TAKE_2, reference="points+random")
    reviews = [play.review_round(played, settings) for played in list_rounds(TAKE_2, count=3)]
    assert any(abs(part.remainder) > 1 for review in reviews for part in review.parts or ())
    assert any(grade.reference_choice is None for review in reviews for grade in review.grades)


def test_decisions_that_do_not_count_still_explain_the_result() -> None:
    (played,) = list_rounds(AUCTION_2, "random")
    review = play.review_round(played, make_settings(AUCTION_2))
    calls = {grade.decision.at for grade in review.grades if grade.decision.is_call}
    grades = [replace(grade, counts=grade.decision.at not in calls) for grade in review.all_grades]
    part = replace(review, all_grades=grades)
    check_parts(part)
    one, other = ([parts.others_decisions for parts in each.parts or ()] for each in (part, review))
    assert one == other
    assert sum(total.decisions for total in part.totals) == len(grades) - len(calls)
    run = make_review_run(play.ReviewedRounds([part]), make_settings(AUCTION_2), "FILE", AUCTION_2)
    described = describe_review(part, run)
    assert {decision["at"] for decision in described["skipped"]} == calls
    assert not {decision["at"] for decision in described["decisions"]} & calls
    assert described["timeline"] == describe_review(review, run)["timeline"]


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

    def list_lines() -> Iterator[UnreadRound]:
        nonlocal now, read
        for line in range(1, 1001):
            assert now < 5
            now, read = now + 1, read + 1
            yield UnreadRound(line, lambda: "not a record")

    plan = GradePlan(deals=1000, time=5)
    found = play.review_rounds(list_lines(), count, plan, None, Runner(), clock=lambda: now)
    assert read == 5
    assert found.out_of_time
    assert found.left == (None if count is None else count - len(found.errors))


def test_rounds_are_read_one_by_one() -> None:
    read: list[int] = []

    def fail(line: int) -> str:
        read.append(line)
        return "not a record"

    def list_lines() -> Iterator[UnreadRound]:
        for line in (1, 2, 3):
            assert len(read) == line - 1
            yield UnreadRound(line, partial(fail, line))

    told: list[str] = []
    with pytest.raises(play.NothingReviewedError, match="FILE:1: not a record"):
        plan = GradePlan(deals=1000)
        play.review_rounds(list_lines(), None, plan, None, Runner(tell_error=told.append))
    assert read == [1, 2, 3]
    assert told == [f"FILE:{line}: not a record" for line in read]


@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2], ids=["taking", "auctions"])
@pytest.mark.parametrize("moment", [1, 60, 200])
def test_nothing_is_sampled_after_the_deadline(
    rules: KqjRules, moment: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    (played,) = list_rounds(rules)
    clock = Clock()
    # Whatever other tests have estimated: how far a review comes depends on it.
    monkeypatch.setattr(hindsight, "_averages", {})

    def draw(*args: Any) -> Any:
        assert clock.now < moment
        return draw_deals(*args)

    monkeypatch.setattr(grading, "draw_deals", draw)
    limited = make_settings(rules, threads=1, deadline=Deadline(moment, clock))
    review = play.review_round(played, replace(limited, ignore_calls=False))
    done = [grade.decision.number for grade in review.all_grades]
    left = [each.number for each in review.ungraded]
    assert left
    assert sorted(done + left) == [each.number for each in played.decisions]
    # Time is no reason to call the calls rare (searches that find them so end later), and values
    # along the round need all of it.
    assert not any(grade.ignores_calls for grade in review.all_grades)
    assert review.start is None
    assert review.parts is None

    reviewed = play.ReviewedRounds([review])
    run = make_review_run(reviewed, GradePlan(deals=1000, time=1), "FILE", rules)
    remarks = ReviewResult(reviewed, run, 3).screen.remarks
    assert f"{len(left)} decisions were not graded: out of time." in remarks
    skipped = describe_review(review, run)["skipped"]
    assert [each["reason"] for each in skipped].count("out of time") == len(left)


@pytest.mark.parametrize(("incomplete", "lines", "left"), [(1, [1], 2), (3, [1, 2], 1)])
def test_an_incomplete_round_is_shown_only_alone(
    incomplete: int, lines: list[int], left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    review_round = play.review_round

    def review(played: RecordedRound, *args: Any, **more: Any) -> Any:
        done = review_round(played, make_settings(TAKE_2))
        if played.line == incomplete:
            done.ungraded = [done.all_grades.pop().decision]
        return done

    monkeypatch.setattr(play, "review_round", review)
    rounds = [UnreadRound(each.line, partial(copy, each)) for each in list_rounds(TAKE_2, count=3)]
    plan = GradePlan(deals=1, time=1e6, reference=find_reference(TAKE_2))
    found = play.review_rounds(iter(rounds), 3, plan, None, Runner(threads=1))
    assert [each.played.line for each in found.reviews] == lines
    assert found.left == left
    assert describe_end(found) == f"Out of time: {len(lines)} of 3 rounds reviewed"


def test_ctrl_c_ends_the_round_at_hand_and_keeps_those_before() -> None:
    # Progress comes in steps of a hundredth of a round: this is in the middle of the second one.
    runner = WatchedRunner(interrupted=lambda: sum(runner.advanced) >= 130)
    rounds = [UnreadRound(each.line, partial(copy, each)) for each in list_rounds(TAKE_2, count=3)]
    plan = GradePlan(deals=1, reference=find_reference(TAKE_2))
    found = play.review_rounds(iter(rounds), 3, plan, None, runner)
    assert [each.played.line for each in found.reviews] == [1]
    assert found.interrupted and not found.out_of_time
    assert describe_end(found) == "Interrupted: 1 of 3 rounds reviewed"


def test_typed_rounds_are_counted_before_they_are_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "friday.txt"
    path.write_text("Round\nCalls: pass\n# Round\n\nRound 2\nTricks: none\n", encoding="utf-8")
    rounds, count, _ = list_typed(str(path), None)
    assert count == len(list(rounds)) == 2


@pytest.mark.parametrize(("loss", "error", "decisions", "accuracy"), [
    (25.0, 5.0, 10, 0.75),
    (25.0, 5.0, 9, None),
    (-3.0, 5.0, 10, 1.0),
    (150.0, 5.0, 10, 0.0),
    (110.0, 80.0, 10, None),
])  # fmt: skip
def test_an_accuracy_needs_decisions_whose_loss_is_known(
    loss: float, error: float, decisions: int, accuracy: float | None
) -> None:
    known = play.compute_accuracy(make_mean(loss, error, 1000, 100, 0.95), 100.0, decisions)
    assert known == (accuracy if accuracy is None else pytest.approx(accuracy))
