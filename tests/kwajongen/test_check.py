"""Records of Kwajongen that obey the rules pass; every forgery is told."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec
import pytest

from kqj_sim.games.kwajongen.game import KwajongenRules
from kqj_sim.games.kwajongen.referee import CARD_OF_TEXT, list_legal_cards
from kqj_sim.record import Record, to_json
from kqj_sim.referee import check_record, check_records
from tests.kwajongen.random_rounds import random_game, random_record
from tests.referee.forgery import (
    as_json,
    assert_forgeries_are_discrepancies,
    assert_odd_values_raise_nothing,
    at,
    count_illegal_cards,
    discrepancies,
)

RULES = [KwajongenRules(), KwajongenRules(void_rule="free")]
CARDS = list(CARD_OF_TEXT)

# From these nothing else in the record follows, so that another right value is no discrepancy.
FREE = {"seed", "deal", "players", "game_id", "round"}


def name(rules: KwajongenRules) -> str:
    return rules.void_rule


def played(rules: KwajongenRules, number: int = 0, **given: Any) -> Record:
    """The `number`th random round that was not passed out."""
    rounds = (random_record(rules, seed, **given) for seed in range(10_000))
    return next(islice((r for r in rounds if r.sender is not None), number, None))


def passed(rules: KwajongenRules, **given: Any) -> Record:
    """A random round in which all passed."""
    rounds = (random_record(rules, seed, **given) for seed in range(10_000))
    return next(r for r in rounds if r.sender is None)


@pytest.mark.parametrize("rules", RULES, ids=name)
def test_random_rounds_have_no_discrepancy(rules: KwajongenRules) -> None:
    results = set()
    for seed in range(400):
        record = random_record(rules, seed, pending=seed % 2)
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"
        results.add(record.result)
    assert results == {"made", "failed", "tie", "passed_out"}


@pytest.mark.parametrize("rules", RULES, ids=name)
def test_random_games_have_no_discrepancy(rules: KwajongenRules) -> None:
    rounds = [record for seed in range(8) for record in random_game(rules, seed)]
    assert list(check_records(enumerate(rounds, start=1))) == []
    assert {record.pending_before for record in rounds} == {0, 1}


@pytest.mark.parametrize("rules", RULES, ids=name)
def test_imposed_callers_have_no_discrepancy(rules: KwajongenRules) -> None:
    for seed in range(20):
        record = random_record(rules, seed, impose=seed % 4)
        assert record.imposed and record.calls == [] and record.sender == seed % 4
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"


# Forgeries of every key


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    """Return True if a record with this new value may obey the rules."""
    key, *rest = path
    if key in FREE:
        return True
    if key == "pending_before":
        # Nobody goes down in a tie, and a round passed out is raised no further.
        return new in (0, 1) and record.result in ("tie", "passed_out")
    if record.hands is None:
        # Of a round passed out nobody sees the cards but the one turned up.
        dealt = {card for hand in record.dealt for card in hand}
        if key == "turned":
            return new in record.dealt[record.dealer]
        shown = key == "dealt" and len(rest) == 2 and at(as_json(record), path) == record.turned
        return key == "dealt" and len(rest) == 2 and new in CARDS and new not in dealt and not shown
    if key == "turned":
        # Another of the dealer's cards may be of the same suit.
        return new in record.dealt[record.dealer] and new[1] == record.contract
    if key == "sender":
        # Partners may have been imposed alike.
        return record.imposed and new in range(4) and new % 2 == at(as_json(record), path) % 2
    return False


@pytest.mark.parametrize("rules", RULES, ids=name)
@pytest.mark.parametrize("kind", ["played", "raised", "passed_out", "imposed", "game"])
def test_every_forged_value_is_a_discrepancy(rules: KwajongenRules, kind: str) -> None:
    record = {
        "played": lambda: played(rules, 3),
        "raised": lambda: played(rules, 7, pending=1),
        "passed_out": lambda: passed(rules),
        "imposed": lambda: random_record(rules, 5, impose=2),
        "game": lambda: random_game(rules, 2)[3],
    }[kind]()
    assert_forgeries_are_discrepancies(record, is_free, CARDS)


def test_every_missing_key_is_a_discrepancy() -> None:
    values = as_json(played(RULES[0]))
    for key in values:
        assert discrepancies({k: v for k, v in values.items() if k != key}) == [
            f"not a record: the key {key} is missing"
        ]
    assert discrepancies({**values, "rules": {}}) == ["rules: the key void_rule is missing"]
    assert discrepancies({**values, "rules": {"void_rule": "x"}}) == [
        "rules: void_rule cannot be x: use must_trump or free"
    ]


def test_illegal_card_is_a_discrepancy_with_the_legal_ones() -> None:
    count = 0
    for number in range(30):
        record = played(RULES[0], number)
        count += count_illegal_cards(
            record,
            lambda hand, trick, _, contract=record.contract: list_legal_cards(
                RULES[0], hand, trick, contract
            ),
        )
    assert count > 30


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"dealer": 4}, "dealer: 4 is not a seat from 0 to 3"),
        ({"teams": [0, 0, 1, 1]}, "teams: [0, 0, 1, 1], by the rules [0, 1, 0, 1]"),
        ({"players": ["random"] * 6}, "players: their number: 6, by the rules 4"),
        ({"turned": None}, "turned: null, one of the dealer's cards is turned up"),
        ({"turned": "8h"}, "turned: '8h' is not a card: rank and suit, like Th"),
        ({"pending_before": 2}, "pending_before: 2 is not 1 if the round is raised, else 0"),
        ({"amount": 120}, "amount: 120, by the calls null"),
        ({"stake": 2}, "stake: 2, by the calls 1"),
        ({"calls": []}, "calls: not closed, seat"),
        ({"hands": None}, "hands: null, but the round was not passed out"),
        ({"tricks": []}, "tricks: 0, by the rules 4"),
        ({"imposed": True}, "calls: "),
    ],
)
def test_discrepancies_have_words(changes: dict[str, Any], line: str) -> None:
    found = check_record(msgspec.structs.replace(played(RULES[0]), **changes))
    assert any(each.startswith(line) for each in found), found


def test_the_card_turned_up_is_the_dealers() -> None:
    record = played(RULES[0])
    other = record.dealt[(record.dealer + 1) % 4][0]
    assert check_record(msgspec.structs.replace(record, turned=other)) == [
        f"turned: {other} is not among the dealer's cards"
    ]


def test_hands_are_those_dealt() -> None:
    values = as_json(played(RULES[0]))
    first, second = values["hands"][:2]
    first[0], second[0] = second[0], first[0]
    (line,) = discrepancies(values)
    assert line.startswith("hands: seat 0 lacks what it was given: ")


def test_a_round_of_kqj_is_none_of_kwajongen() -> None:
    values = as_json(played(RULES[0]))
    values["game"] = "kqj"
    assert discrepancies(values) == ["rules: the key teams is missing"]


@pytest.mark.parametrize("rules", RULES, ids=name)
def test_no_forged_record_raises_anything(rules: KwajongenRules) -> None:
    assert_odd_values_raise_nothing([played(rules), random_game(rules, 1)[1]])
