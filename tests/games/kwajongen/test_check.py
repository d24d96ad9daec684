"""Discrepancies of rounds that only Kwajongen has; those of every game are in tests/referee."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.record import Record
from kqj_sim.referee import check_record
from tests.referee.forgery import as_json, discrepancies, told_of_game
from tests.referee.random_rounds import random_game, random_played

RULES = KwajongenRules()
replace = msgspec.structs.replace


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"teams": [0, 0, 1, 1]}, "teams: [0, 0, 1, 1], by the rules [0, 1, 0, 1]"),
        ({"turned": None}, "turned: null, one of the dealer's cards is turned up"),
        ({"turned": "8h"}, "turned: '8h' is not a card: rank and suit, like Th"),
        ({"pending_before": 2}, "pending_before: 2 is not 1 if the round is raised, else 0"),
        ({"rules": {"void_rule": "x"}}, "rules: void_rule cannot be x: use must_trump or free"),
        ({"game": "kqj"}, "rules: the key teams is missing"),
    ],
)
def test_discrepancies_have_words(changes: dict[str, Any], told: str) -> None:
    assert told in discrepancies({**as_json(random_played(RULES)), **changes})


def test_the_card_turned_up_is_the_dealers() -> None:
    record = random_played(RULES)
    other = record.dealt[(record.dealer + 1) % 4][0]
    assert check_record(replace(record, turned=other)) == [
        f"turned: {other} is not among the dealer's cards"
    ]


def test_hands_are_those_dealt() -> None:
    values = as_json(random_played(RULES))
    first, second = values["hands"][:2]
    first[0], second[0] = second[0], first[0]
    (line,) = discrepancies(values)
    assert line.startswith("hands: seat 0 lacks what it was given: ")


# Rounds of a game


def games() -> list[Record]:
    return [record for seed in range(20) for record in random_game(RULES, seed)]


def pair(first: str, second: str) -> tuple[Record, Record]:
    """Two rounds of a game that follow each other, with these results, neither the first."""
    return next(
        (before, after)
        for before, after in pairwise(games())
        if before.game_id == after.game_id
        and before.round
        and first in (before.result, "any")
        and second in (after.result, "any")
    )


def test_the_same_dealer_deals_again_after_a_round_passed_out() -> None:
    before, after = pair("passed_out", "any")
    assert after.dealer == before.dealer and after.pending_before == 1
    assert told_of_game([before, after]) == []
    forged = replace(after, dealer=(after.dealer + 1) % 4)
    right = f"dealer: {forged.dealer}, by the line before {before.dealer}"
    assert (2, right) in told_of_game([before, forged])


def test_a_raise_is_carried_no_further_and_a_tie_uses_it_up() -> None:
    before, after = pair("passed_out", "passed_out")
    assert (before.pending_after, after.pending_before, after.pending_after) == (1, 1, 1)
    tied = next(r for r in games() if r.result == "tie" and r.pending_before)
    assert tied.pending_after == 0 and sorted(tied.scores) == [0, 1]
    before, after = pair("passed_out", "made")
    lines = told_of_game([before, replace(after, pending_before=0)])
    assert any(line.startswith("scores: ") for _, line in lines)
