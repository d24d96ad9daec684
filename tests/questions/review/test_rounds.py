"""Reviewed rounds: the reference player's own choices, and results as the sum of their parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from kqj_sim.core import rng
from kqj_sim.games import find_game
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.questions.review import grading, hindsight
from kqj_sim.questions.review.grading import GradePlan, grade_decisions, sample_decision
from kqj_sim.questions.review.hindsight import (
    compute_differences,
    estimate_average,
    find_actual_hands,
)
from kqj_sim.questions.review.play import ReviewedRounds, RoundReview, review_round
from kqj_sim.questions.review.result import describe_review
from kqj_sim.questions.review.screen import make_review_run
from kqj_sim.record import Record
from kqj_sim.rules import GameRules, KqjRules
from tests.questions.review.rounds import TABLES, find_reference, list_rounds, make_settings
from tests.slow import slow_after
from tests.variants import OTHER_GAMES, TAKE_2, TAKE_3


def check_parts(review: RoundReview) -> None:
    """Check that the parts add up to the result, and changes lead from the deal to it."""
    assert review.parts is not None and review.team_parts is not None
    for part in (*review.parts, *review.team_parts):
        total = part.average.value + part.deal_luck + part.own_decisions.value
        total += part.own_luck + part.others_decisions + part.remainder
        assert total == pytest.approx(part.result, abs=1e-9)
        if getattr(review.played.source, "result", "") != "passed_out":
            assert part.remainder == pytest.approx(0, abs=1e-9)


def test_differences_are_good_for_the_side_that_wins() -> None:
    scores = np.array([[100.0, 60.0, 20.0], [0.0, 0.0, 130.0]])
    assert compute_differences(scores, KqjRules()).tolist() == [[60, 0, -60], [-65, -65, 130]]


@pytest.mark.parametrize("name", slow_after(1, TABLES))
def test_reference_is_asked_as_it_played(name: str) -> None:
    """In rounds of the reference player each choice is its own, and all is luck of the deal."""
    rules = TABLES[name]
    for played in list_rounds(rules, find_reference(rules), 3):
        review = review_round(played, make_settings(rules))
        for grade in review.grades:
            assert grade.reference_choice == grade.decision.choice
            assert grade.effect.value == 0
        check_parts(review)
        for part in review.parts or ():
            if played.record.sender is not None:
                value = part.average.value + part.deal_luck
                assert value == pytest.approx(part.result, abs=1e-9)


@pytest.mark.parametrize("timing", slow_after(1, ["any", "turn"]))
def test_a_player_at_random_is_asked_with_the_random_bits_of_its_round(
    timing: Literal["any", "turn"],
) -> None:
    rules = KqjRules(bidding="auction", counter_timing=timing)
    player, seen = "random:bid=0.4,counter=0.4,capot=0.2", set()
    for played in list_rounds(rules, player, 40):
        assert isinstance(played.source, Record)
        key = rng.derive_deal_key(played.source.seed, played.source.deal)
        for decision in played.decisions:
            position = decision.knowledge.rotate_to_places() if decision.is_call else None
            if position is not None:
                sampler = KqjCallSampler(position, [parse_player(player)] * 6, EstimatePlan())
                assert sampler.ask(np.array([key])) == [decision.choice], decision.at
                seen.add((position.question, decision.choice.split()[0]))
    assert {("counter", "counter"), ("overcounter", "overcounter")} < seen


@pytest.mark.parametrize("name", slow_after(0, TABLES))
def test_parts_add_up_in_rounds_of_other_players(name: str) -> None:
    rules = TABLES[name]
    for played in list_rounds(rules, find_game(rules.game).lively_player, 4):
        review = review_round(played, make_settings(rules))
        check_parts(review)
        for grade in review.grades:
            values = {option.name: option.value.value for option in grade.options}
            others = sum(chance * values[name] for name, chance in grade.reference.items())
            right = values[grade.decision.choice] - others
            assert grade.effect.value == pytest.approx(right, abs=1e-9)


@pytest.mark.slow
def test_parts_add_up_in_imposed_rounds_and_games() -> None:
    cases: list[tuple[GameRules, dict[str, Any]]] = [
        (TAKE_2, {"imposed": ImposedContract(2, "AT")}),
        (TAKE_3, {"games": 1}),
    ]
    for rules, more in cases:
        for played in list_rounds(rules, "random", 3, **more):
            check_parts(review_round(played, make_settings(rules)))


def test_parts_of_a_reference_that_chooses_at_random_have_a_remainder() -> None:
    settings = make_settings(TAKE_2, reference="points+random")
    reviews = [review_round(each, settings) for each in list_rounds(TAKE_2, "points+greedy", 3)]
    remainders = [part.remainder for review in reviews for part in review.parts or ()]
    assert any(abs(remainder) > 1 for remainder in remainders)
    assert any(grade.reference_choice is None for review in reviews for grade in review.grades)


@pytest.mark.parametrize(
    "rules", slow_after(0, [KqjRules(), KqjRules(teams=3), *OTHER_GAMES.values()]), ids=str
)
def test_luck_of_the_deal_has_mean_zero(rules: GameRules) -> None:
    """The average of a place is that of the values of deals: these come from records."""
    settings, reference = make_settings(rules), parse_player(find_reference(rules), rules.game)
    expected = estimate_average(rules, reference, 0, None)
    assert expected is not None
    by_place: dict[int, list[float]] = {}
    for played in list_rounds(rules, "random", 400):
        first = played.decisions[0]
        sampler = sample_decision(first, settings, 1, ignore_calls=True)
        actual = find_actual_hands(played, 1, random=False)
        assert actual is not None
        options = [str(option) for option in sampler.options]
        scores = sampler.score(actual)[options.index(sampler.ask(actual.keys[:1])[0])]
        values = compute_differences(scores, rules).mean(axis=0)
        for place in range(rules.seats):
            value = float(values[played.teams[played.seat_of(place)]])
            by_place.setdefault(place, []).append(value - expected.values[place])
    for place, values in by_place.items():
        error = float(np.std(values)) / len(values) ** 0.5
        assert abs(float(np.mean(values))) < 4 * error + 4 * expected.errors[place]


@pytest.mark.parametrize(
    "rules", slow_after(1, [*OTHER_GAMES.values(), KqjRules(), KqjRules(teams=3)]), ids=str
)
def test_each_decision_of_the_reference_player_is_worth_what_the_round_scored(
    rules: GameRules,
) -> None:
    settings = make_settings(rules)
    for played in list_rounds(rules, find_reference(rules), 8):
        actual = find_actual_hands(played, 1, random=False)
        assert actual is not None and isinstance(played.source, Record)
        for decision in played.decisions:
            sampler = sample_decision(decision, settings, 1, ignore_calls=True)
            options = [str(option) for option in sampler.options]
            (scores,) = sampler.score(actual)[options.index(str(decision.choice))]
            assert scores.tolist() == played.source.scores, decision.at


def test_calls_after_bids_that_nobody_would_make_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against hands dealt regardless of wild bids every counter would look right."""
    monkeypatch.setattr(grading, "MAX_REJECTED", 1 << 10)
    rules = TABLES["auctions"]
    (played,) = list_rounds(rules, "random", 1)
    asked = make_settings(rules)
    settings = replace(asked, ignore_calls=False)
    first, *_, last = (each for each in played.decisions if each.is_call)
    for decision, chosen, counts in (
        (first, settings, True),
        (last, settings, False),
        # Whoever asks for hands dealt regardless of the calls gets the grade.
        (last, asked, True),
    ):
        ((grade, _),) = grade_decisions([decision], chosen)
        assert grade.counts == counts
        assert grade.ignores_calls == (decision is last)
        assert counts or not grade.mistake


def test_decisions_that_do_not_count_still_explain_the_result() -> None:
    rules = TABLES["auctions"]
    (played,) = list_rounds(rules, "random", 1)
    review = review_round(played, make_settings(rules))
    left_out = {grade.decision.at for grade in review.grades if grade.decision.is_call}
    grades = [
        replace(grade, counts=grade.decision.at not in left_out) for grade in review.all_grades
    ]
    part = RoundReview(
        played, grades, review.average, review.start, review.result, review.seats, 0.95
    )
    check_parts(part)
    assert part.parts is not None and review.parts is not None
    assert [each.others_decisions for each in part.parts] == [
        each.others_decisions for each in review.parts
    ]
    assert sum(total.decisions for total in part.totals) == len(grades) - len(left_out)
    plan = GradePlan(deals=1, reference=find_reference(rules))
    run = make_review_run(ReviewedRounds([part]), plan, "FILE", rules)
    found = describe_review(part, run)
    assert {each["at"] for each in found["skipped"]} == left_out
    assert not {each["at"] for each in found["decisions"]} & left_out
    assert found["timeline"] == describe_review(review, run)["timeline"]


def test_the_average_of_the_default_player_is_kept_for_the_next_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(hindsight, "keep", kept.__setitem__)
    monkeypatch.setattr(hindsight, "read_kept", lambda name: memoryview(kept.get(name, b"damaged")))
    found = []
    for policy in (None, None, "points+greedy"):
        monkeypatch.setattr(hindsight, "_averages", {})
        found.append(estimate_average(KqjRules(), parse_player(policy), 0, None, deals=1 << 10))
        assert len(kept) == 1
    one, other, _ = found
    assert one is not None and other is not None
    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.errors, other.errors)
