"""Grades: equivalent cards, calls that nobody would make, and decisions without enough deals."""

from __future__ import annotations

import gc
import weakref
from itertools import combinations
from typing import Any

import pytest

from kqj_sim.cards import Card
from kqj_sim.positions.position import Position
from kqj_sim.positions.search import Deadline, SearchEnded
from kqj_sim.questions.review import grading
from kqj_sim.questions.review.grading import draw_deals, find_equivalents, grade_decisions
from kqj_sim.questions.review.play import review_round
from tests.questions.review.rounds import TABLES, list_rounds, make_settings
from tests.variants import AUCTION_2, TAKE_2


def win_alike(position: Position, one: Card, other: Card) -> bool:
    """True if two cards have the same points, and every card elsewhere beats both or neither."""
    contract, referee = position.contract.contract, position.referee
    elsewhere = set(referee.pack) - set(position.hand) - set(position.plays)
    elsewhere |= set(position.tricks[-1][1])

    def beats(card: Card, mine: Card) -> bool:
        return referee.find_trick_winner(0, (mine, card), contract) == 1

    return (
        one.suit == other.suit
        and referee.card_points(one, contract) == referee.card_points(other, contract)
        and all(beats(card, one) == beats(card, other) for card in elsewhere)
    )


@pytest.mark.parametrize("table", TABLES)
def test_cards_are_equivalent_if_nothing_elsewhere_lies_between_them(table: str) -> None:
    found = 0
    for played in list_rounds(TABLES[table], "random", 6):
        for decision in played.decisions:
            if decision.is_call:
                continue
            cards, first = decision.knowledge.legal_cards, find_equivalents(decision.knowledge)
            for (one, card), (two, other) in combinations(enumerate(cards), 2):
                expected = win_alike(decision.knowledge, card, other)
                assert (first[one] == first[two]) == expected, (decision, card, other)
                found += expected
    assert found > 0


def test_equivalent_cards_have_identical_numbers() -> None:
    (played,) = list_rounds(TAKE_2)
    review = review_round(played, make_settings(TAKE_2, deals=64))
    pairs = 0
    for grade in review.grades:
        if grade.decision.is_call:
            continue
        options = {option.name: option for option in grade.options}
        first = find_equivalents(grade.decision.knowledge)
        for number, other in enumerate(first):
            one, two = options[grade.names[number]], options[grade.names[other]]
            assert (one.value, one.win) == (two.value, two.win)
            pairs += number != other
    assert pairs > 0


def test_calls_after_bids_that_nobody_makes_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against hands dealt regardless of wild bids every counter would look right."""
    monkeypatch.setattr(grading, "MAX_REJECTED", 1 << 10)
    (played,) = list_rounds(AUCTION_2, "random")
    first, *_, last = (decision for decision in played.decisions if decision.is_call)
    for decision, ignore_calls, counts in (
        (first, False, True),
        (last, False, False),
        # Whoever asks for hands dealt regardless of the calls gets the grade.
        (last, True, True),
    ):
        plan = make_settings(AUCTION_2, ignore_calls=ignore_calls, error_rate=0.0)
        ((grade, _),) = grade_decisions([decision], plan)
        assert grade.counts == counts
        assert grade.ignores_calls == (decision is last)
        assert counts or not grade.mistake


def test_too_few_deals_before_the_deadline_are_no_sample() -> None:
    (played,) = list_rounds(AUCTION_2)
    sampler = grading.sample_decision(played.decisions[2], make_settings(AUCTION_2), 1, False)
    with pytest.raises(SearchEnded):
        draw_deals(sampler, 0, 1 << 20, Deadline(0, lambda: 1))


def test_reviews_keep_no_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    samplers = []
    sample_decision = grading.sample_decision

    def sample(*args: Any) -> Any:
        sampler = sample_decision(*args)
        samplers.append(weakref.ref(sampler))
        return sampler

    monkeypatch.setattr(grading, "sample_decision", sample)
    (played,) = list_rounds(TAKE_2)
    review = review_round(played, make_settings(TAKE_2))
    gc.collect()
    assert review.grades
    assert samplers
    assert not any(sampler() for sampler in samplers)
