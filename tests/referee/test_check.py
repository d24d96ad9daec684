"""Records of every game that obey the rules pass; every forgery is told."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate

import pytest

from kqj_sim.record import to_json
from kqj_sim.referee import check_record, check_records, get_referee
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import GameRules
from tests.games.every import DEFAULTS, RULES, SHARED, VARIANTS, name_rules
from tests.referee.forgery import (
    Json,
    as_json,
    assert_forgeries_are_discrepancies,
    assert_odd_values_raise_nothing,
    count_illegal_cards,
    discrepancies,
)
from tests.referee.random_rounds import random_game, random_passed_out, random_played, random_record
from tests.slow import slow_rules

default_rules = pytest.mark.parametrize("rules", DEFAULTS, ids=name_rules)
every_variant = pytest.mark.parametrize("rules", VARIANTS, ids=name_rules)
every_ruling = pytest.mark.parametrize("rules", RULES, ids=name_rules)


def impose(rules: GameRules, seed: int) -> FinalContract:
    amount = 150 if get_referee(rules).question == "bid" else None
    contract = random.Random(seed).choice(rules.contracts)
    return FinalContract(seed % rules.seats, contract, amount)


# Records that obey the rules


@every_ruling
def test_random_rounds_have_no_discrepancy(rules: GameRules) -> None:
    shared, results = SHARED[rules.game], set()
    for seed in range(900 // len(shared.VARIANTS + shared.RULINGS)):
        pending = shared.PENDING[seed % len(shared.PENDING)]
        record = random_record(rules, seed, pending=pending)
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"
        results.add(record.result)
    assert results >= shared.RESULTS


@every_ruling
def test_random_games_have_no_discrepancy(rules: GameRules) -> None:
    rounds = [record for seed in range(3) for record in random_game(rules, seed)]
    assert list(check_records(enumerate(rounds, start=1))) == []


@every_variant
def test_imposed_rounds_have_no_discrepancy(rules: GameRules) -> None:
    for seed in range(20):
        record = random_record(rules, seed, impose=impose(rules, seed))
        assert record.imposed and record.calls == [] and record.sender == seed % rules.seats
        assert check_record(record) == [], f"seed={seed} {to_json(record)}"


@default_rules
def test_the_order_of_dealt_cards_hands_and_bonuses_is_free(rules: GameRules) -> None:
    values = as_json(random_played(rules))
    for key in ("dealt", "hands"):
        values[key] = [hand[::-1] for hand in values[key]]
    values["bonuses"] = values["bonuses"][::-1]
    assert discrepancies(values) == []


# Forgeries of every key


@pytest.mark.parametrize("rules", slow_rules(3, RULES), ids=name_rules)
@pytest.mark.parametrize("kind", ["played", "pending", "passed_out", "imposed", "game"])
def test_every_forged_value_is_a_discrepancy(rules: GameRules, kind: str) -> None:
    shared = SHARED[rules.game]
    record = {
        "played": lambda: random_played(rules, 3),
        "pending": lambda: random_played(rules, 7, shared.PENDING[1]),
        "passed_out": lambda: random_passed_out(rules),
        "imposed": lambda: random_record(rules, 5, impose=impose(rules, 5)),
        "game": lambda: random_game(rules, 2)[1],
    }[kind]()
    cards = list(get_referee(rules).card_by_text)
    assert_forgeries_are_discrepancies(record, shared.is_free, cards)


@every_ruling
def test_every_missing_key_is_a_discrepancy(rules: GameRules) -> None:
    values = as_json(random_played(rules))
    for key in values:
        assert discrepancies({k: v for k, v in values.items() if k != key}) == [
            f"not a record: the key {key} is missing"
        ]
    for key in values["rules"]:
        fewer = {k: v for k, v in values["rules"].items() if k != key}
        assert discrepancies({**values, "rules": fewer}) == [f"rules: the key {key} is missing"]


@every_ruling
def test_illegal_card_is_a_discrepancy_with_the_legal_ones(rules: GameRules) -> None:
    counts = (count_illegal_cards(random_played(rules, number)) for number in range(1, 60))
    assert next(total for total in accumulate(counts) if total > 30)


Forge = Callable[[Json], object]


@default_rules
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v: v["calls"].pop(), "calls: not closed, seat"),
        (lambda v: v["calls"].clear(), "calls: not closed, seat"),
        (lambda v: v["calls"].append({"seat": 0, "call": "pass"}), "the calling is already closed"),
        (lambda v: v["calls"].append({"seat": 0, "call": "counter"}), "there is no counter"),
        (lambda v: v.update(imposed=True), "calls: "),
        (lambda v: v.update(hands=None), "hands: null, but the round was not passed out"),
        (lambda v: v.update(tricks=[]), "tricks: 0, by the rules "),
        (lambda v: v.update(stake=2), "stake: 2, by the calls 1"),
        (lambda v: v.update(amount=120), "amount: 120, by the calls null"),
        (lambda v: v["dealt"][0].__setitem__(0, v["dealt"][1][0]), " is dealt twice"),
        (lambda v: v.update(players=v["players"] * 2), "players: their number: "),
        (lambda v: v.update(dealer=9), "dealer: 9 is not a seat from 0 to "),
        (lambda v: v.update(turned=None), "turned: null, "),
        (lambda v: v.update(turned="2h"), "turned: '2h' is not a card: rank and suit, like Th"),
        (lambda v: v.update(pending_before=-1), "pending_before: -1 is not "),
    ],
)  # fmt: skip
def test_discrepancies_have_words(rules: GameRules, change: Forge, told: str) -> None:
    values = as_json(random_played(rules))
    change(values)
    lines = discrepancies(values)
    assert any(told in line for line in lines), lines


@default_rules
def test_card_not_held_is_a_discrepancy(rules: GameRules) -> None:
    values = as_json(random_played(rules))
    values["tricks"][2]["cards"][3] = values["tricks"][0]["cards"][0]
    (line,) = discrepancies(values)
    assert line.startswith("tricks[2].cards: seat") and "does not hold" in line


@default_rules
def test_wrong_sum_is_one_discrepancy_with_the_right_sum(rules: GameRules) -> None:
    values = as_json(random_played(rules))
    right = list(values["card_points"])
    wrong = values["card_points"] = [right[0] + 1, right[1] - 1]
    assert discrepancies(values) == [f"card_points: {wrong}, by the rules {right}"]


@default_rules
def test_a_round_passed_out_has_no_tricks(rules: GameRules) -> None:
    values = as_json(random_passed_out(rules))
    values["tricks"] = as_json(random_played(rules))["tricks"][:1]
    (line,) = discrepancies(values)
    assert line.startswith("tricks: ") and line.endswith("by a round passed out []")


@every_variant
def test_no_forged_record_raises_anything(rules: GameRules) -> None:
    assert_odd_values_raise_nothing([random_played(rules), random_game(rules, 1)[1]])
