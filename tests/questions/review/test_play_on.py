"""The cards that follow a card, which end in the result that hindsight gives it."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.cards import Card
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import sample_decision
from kqj_sim.questions.review.hindsight import (
    Continuation,
    compute_differences,
    find_actual_hands,
)
from kqj_sim.referee.base import PlayedTrick
from tests.questions.review.rounds import TABLES, find_reference, list_rounds, make_settings


def score(played: RecordedRound, decision: Decision, tricks: list[PlayedTrick]) -> np.ndarray:
    """The score difference of each team after these tricks, by the referee."""
    before = decision.knowledge.tricks[: decision.trick - 1]
    referee, contract = decision.knowledge.referee, decision.knowledge.contract
    finished = [
        PlayedTrick(leader, cards, referee.find_trick_winner(leader, cards, contract.contract))
        for leader, cards in (*before, *(trick[:2] for trick in tricks))
    ]
    assert finished[decision.trick - 1 :] == tricks
    hands: list[set[Card]] = [set() for _ in range(played.rules.seats)]
    for trick in finished:
        for step, card in enumerate(trick.cards):
            hands[(trick.leader + step) % played.rules.seats].add(card)
    found = referee.score_round(
        played.teams, contract, hands, finished, played.record.pending_before
    )
    return compute_differences(np.array(found.scores, dtype=np.float64), played.rules)


@pytest.mark.parametrize("table", TABLES)
def test_the_cards_that_follow_end_in_the_value_in_hindsight(table: str) -> None:
    rules = TABLES[table]
    reference, compared = parse_player(find_reference(rules), rules.game), 0
    for played in list_rounds(rules, find_reference(rules), 2):
        actual = find_actual_hands(played, 1, False)
        assert actual is not None
        going_on = Continuation(played, reference, seed=1)
        for decision in [each for each in played.decisions if not each.is_call][::4]:
            sampler = sample_decision(decision, make_settings(rules), 1, True)
            values = compute_differences(sampler.score(actual), rules).mean(axis=1)
            for number in {0, len(values) - 1}:
                card = sampler.options[number]
                tricks = going_on.list_tricks(decision, card)
                place = len(decision.knowledge.tricks[-1][1])
                assert tricks[0].cards[place] == card
                assert score(played, decision, tricks).tolist() == values[number].tolist()
                compared += 1
    assert compared > 3


def test_a_line_of_the_choice_is_the_round_itself_if_the_reference_played_it() -> None:
    rules = TABLES["two teams"]
    (played,) = list_rounds(rules, "points+greedy", 1)
    going_on = Continuation(played, parse_player("points+greedy", rules.game), seed=1)
    first = next(each for each in played.decisions if not each.is_call)
    tricks = going_on.list_tricks(first, first.knowledge.referee.card_by_text[first.choice])
    recorded = [list(trick.cards) for trick in played.record.tricks][first.trick - 1 :]
    assert [[str(card) for card in trick.cards] for trick in tricks] == recorded
