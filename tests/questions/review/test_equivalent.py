"""Equivalent cards: those that cannot win or lose differently, with the same numbers."""

from __future__ import annotations

from itertools import combinations

import pytest

from kqj_sim.cards import Card
from kqj_sim.positions.position import Position
from kqj_sim.questions.review.grading import find_equivalents
from kqj_sim.questions.review.play import review_round
from tests.questions.review.rounds import TABLES, list_rounds, make_settings


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
    (played,) = list_rounds(TABLES["two teams"], "points+greedy", 1)
    review = review_round(played, make_settings(TABLES["two teams"], samples=64))
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
