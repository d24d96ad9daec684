"""The best play with all cards open in reviews: values, and the card that decided the contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import LEAST_MADE, Solver
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.hindsight import solve_backwards
from kqj_sim.questions.review.play import review_round
from kqj_sim.questions.review.screen import write_open_hands
from kqj_sim.rules import KqjRules
from tests.questions.review.rounds import list_rounds, make_settings
from tests.slow import slow_after
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3

SOLVER = Solver()


def find_lead(whole: Position, turn: int) -> float:
    """The lead of the contracting side at a turn, solved by itself."""
    SOLVER.load(replace(whole, plays=whole.plays[:turn]))
    return SOLVER.find_lead()


@pytest.mark.parametrize("rules", slow_after(1, [TAKE_2, AUCTION_2, TAKE_3, AUCTION_3]))
def test_what_is_found_backwards_is_what_each_turn_says_by_itself(rules: KqjRules) -> None:
    deciding, first = set(), 18 if rules.team_count == 2 else 30
    for played in list_rounds(rules, "greedy", 12):
        whole = read_round(played.record)
        solved = solve_backwards(played, range(first, 48), 1000)
        assert solved is not None and solved.values
        for turn, values in solved.values.items():
            SOLVER.load(replace(whole, plays=whole.plays[:turn]))
            sign = 1 if SOLVER.is_contracting else -1
            assert {str(card): sign * lead for card, lead in SOLVER.rate_cards()} == values
            assert rules.team_count == 2 or SOLVER.is_contracting
        last = -1 if solved.deciding is None else solved.deciding
        for turn in range(max(last + 1, first), 48):
            assert (find_lead(whole, turn) >= LEAST_MADE[rules.team_count]) == solved.made, turn
        if last >= first:
            assert (find_lead(whole, last) >= LEAST_MADE[rules.team_count]) != solved.made
        deciding.add(last >= first)
    assert deciding == {True, False}


def test_hindsight_is_that_of_the_best_play_where_it_is_known() -> None:
    (played,) = list_rounds(TAKE_2, "greedy", 1)
    review = review_round(played, make_settings(TAKE_2, deals=1000))
    exact = 0
    for grade in review.grades:
        look_back = grade.hindsight
        assert look_back is not None
        if look_back.exact is None:
            assert grade.decision.is_call or grade.decision.trick < 4
            continue
        exact += 1
        best = max(look_back.exact)
        assert look_back.loss == best - look_back.exact[look_back.choice] >= 0
        assert look_back.exact[look_back.best] == best
    assert exact > 10
    assert write_open_hands(review) is not None


def test_unfinished_rounds_are_not_solved() -> None:
    (played,) = list_rounds(TAKE_2, "greedy", 1)
    begun = replace_tricks(played)
    assert solve_backwards(begun, (), 1000) is None


def replace_tricks(played: RecordedRound) -> RecordedRound:
    """The same round, broken off after three tricks."""
    from msgspec.structs import replace as replace_struct

    partial = played.record
    return RecordedRound(replace_struct(partial, tricks=partial.tricks[:3]))


def test_a_short_search_says_nothing_of_what_it_did_not_see() -> None:
    (played,) = list_rounds(TAKE_2, "greedy", 1)
    solved = solve_backwards(played, range(48), 0)
    assert solved is not None and min(solved.values) >= 36 and not solved.is_known


@pytest.mark.parametrize("rules", [TAKE_2, TAKE_3])
def test_the_sentence_names_the_card_that_decided_the_contract(rules: KqjRules) -> None:
    sentences = set()
    for played in list_rounds(rules, "greedy", 6):
        review = review_round(played, make_settings(rules, deals=1000), seats=())
        solved, sentence = review.open_hands, write_open_hands(review)
        assert solved is not None
        others = " by" if solved.made else " against"
        others = f"{others} both other teams together" if rules.team_count == 3 else ""
        if solved.deciding is not None:
            trick, number = divmod(solved.deciding, 6)
            assert sentence is not None and f"trick {trick + 1}, card {number + 1})" in sentence
            assert f"could be {'beaten' if solved.made else 'made'}{others} until the" in sentence
        sentences.add(sentence)
    assert len(sentences) > 2
