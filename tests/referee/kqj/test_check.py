"""Discrepancies of rounds that only KQJ has; those of every game are in tests/referee."""

from __future__ import annotations

import pytest

from kqj_sim.referee import check_record
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import KqjRules
from tests.referee.forgery import as_json, discrepancies
from tests.referee.random_rounds import random_game, random_passed_out, random_played, random_record

RULES = KqjRules()


def test_the_return_must_be_in_the_senders_hand() -> None:
    values = as_json(random_played(RULES))
    sender = values["sender"]
    other = (sender + 1) % 6
    mine, theirs = values["hands"][sender], values["hands"][other]
    at_mine = mine.index(values["turned"])
    at_theirs = next(i for i, c in enumerate(theirs) if c not in values["dealt"][other])
    mine[at_mine], theirs[at_theirs] = theirs[at_theirs], mine[at_mine]
    (line,) = discrepancies(values)
    assert line.startswith("hands: seat") and "lacks what it was given" in line


def test_missing_bonus_is_a_discrepancy() -> None:
    values = as_json(random_played(RULES))
    values["bonuses"].pop()
    (line,) = discrepancies(values)
    assert line.startswith("bonuses: ")


@pytest.mark.parametrize(
    "teams", [[0] * 6, [0, 1, 2, 0, 1, 2], [0, 0, 1, 1], [0, 0, 0, 1, 1, 2], [1, 1, 1, 1, 0, 0], []]
)
def test_random_partners_must_be_an_equal_split(teams: list[int]) -> None:
    values = {**as_json(random_played(KqjRules(partners="random"))), "teams": teams}
    (line,) = discrepancies(values)
    assert line.endswith("does not split the six seats into 2 equal teams")


@pytest.mark.parametrize("pending", [-10, 5])
def test_a_pending_gratuity_is_a_multiple_of_ten(pending: int) -> None:
    (line,) = check_record(random_passed_out(RULES, pending))
    assert line == f"pending_before: {pending} is not a multiple of 10, 0 or more"


def test_game_scores_are_multiples_of_ten() -> None:
    values = as_json(random_game(RULES, 0)[1])
    for key in ("score_before", "score_after"):
        values[key] = [score + 5 for score in values[key]]
    (line,) = discrepancies(values)
    assert line == "score_before: 5 is not a multiple of 10, 0 or more"


def test_return_dealt_to_a_player_is_a_discrepancy() -> None:
    values = as_json(random_passed_out(RULES))
    values["turned"] = values["dealt"][4][2]
    assert discrepancies(values) == [f"turned: {values['turned']} is among the cards dealt"]


@pytest.mark.parametrize("bad", [None, 110, 125, 610])
def test_an_imposed_auction_contract_needs_an_amount(bad: int | None) -> None:
    rules = KqjRules(bidding="auction")
    values = as_json(random_record(rules, 1, impose=FinalContract(2, "h", 150)))
    values["amount"] = bad
    (line,) = discrepancies(values)
    assert line.startswith("amount: ") and "is not a multiple of 10 from 120 to 600" in line


def test_an_imposed_contract_must_be_one_of_the_rules() -> None:
    values = as_json(random_record(RULES, 1, impose=FinalContract(2, "AT")))
    values["rules"]["all_no_trump"] = "never"
    assert discrepancies(values) == ["contract: 'AT' is not one of s h d c"]
