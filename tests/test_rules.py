"""The rules, and the columns of the rows, of every game."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from kqj_sim.games import GAMES, find_game, get_column_numbers, get_columns, make_rules
from kqj_sim.rules import KqjRules
from tests.command_line import read_error

# The table at the head of the specification, defaults first.
TABLE: dict[str, tuple[Any, ...]] = {
    "teams": (2, 3),
    "partners": ("fixed", "random"),
    "bidding": ("take", "auction"),
    "all_no_trump": ("second_lap", "both_laps", "never"),
    "max_amount": (600,),
    "counter_timing": ("any", "turn"),
    "amount_uses": ("total", "rounded"),
    "must_outscore": (False, True),
    "target": (1000, 500, 2000),
}


def test_the_fields_are_those_of_the_table_with_its_defaults() -> None:
    assert KqjRules().to_dict() == {name: values[0] for name, values in TABLE.items()}
    assert list(KqjRules().to_dict()) == list(TABLE)


@pytest.mark.parametrize("rule", fields(KqjRules), ids=lambda rule: rule.name)
def test_every_field_says_its_choices_and_has_a_line_of_help(rule: Any) -> None:
    choices = rule.metadata["choices"]
    if rule.type == "int":
        assert choices is None
    else:
        assert choices == TABLE[rule.name]
    assert rule.metadata["help"].endswith(".") and "\n" not in rule.metadata["help"]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in TABLE.items() for value in values]
)
def test_every_value_of_the_table_is_taken_and_comes_back(name: str, value: Any) -> None:
    rules = KqjRules.from_dict({name: value})
    assert getattr(rules, name) == value
    assert KqjRules.from_dict(rules.to_dict()) == rules


def test_wrong_value_of_any_kind_raises_one_line() -> None:
    for name in TABLE:
        for value in ("a\nb", "x" * 10_000, 10**400 + 1, [], {}, object(), float("nan"), b"2"):
            assert len(read_error(KqjRules.from_dict, {name: value})) < 200


def test_the_first_bid_is_120_with_two_teams_and_80_with_three() -> None:
    assert KqjRules().minimum_bid == 120
    assert KqjRules(teams=3).minimum_bid == 80
    assert KqjRules(teams=3, max_amount=80).max_amount == 80


def test_fixed_partners_sit_seat_modulo_the_number_of_teams() -> None:
    assert [KqjRules().fixed_team_of(seat) for seat in range(6)] == [0, 1, 0, 1, 0, 1]
    assert [KqjRules(teams=3).fixed_team_of(seat) for seat in range(6)] == [0, 1, 2, 0, 1, 2]


def test_scores_are_kept_by_team_and_with_random_partners_by_seat() -> None:
    assert KqjRules().score_count == 2 and KqjRules(teams=3).score_count == 3
    assert KqjRules(partners="random").score_count == 6


def test_never_bars_no_trump_and_all_trumps() -> None:
    assert KqjRules(all_no_trump="never").contracts == ("s", "h", "d", "c")
    assert KqjRules(all_no_trump="both_laps").contracts == ("s", "h", "d", "c", "NT", "AT")


def test_auction_rules_without_auctions_are_named_as_without_effect() -> None:
    changed: dict[str, Any] = {"max_amount": 300, "counter_timing": "turn", "must_outscore": True}
    assert KqjRules(**changed).without_effect == tuple(changed)
    assert KqjRules(bidding="auction", **changed).without_effect == ()
    assert KqjRules(teams=3, target=500, all_no_trump="never").without_effect == ()


def test_rules_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        KqjRules().teams = 3  # type: ignore[misc]


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_a_game_come_back_by_its_name(game: str) -> None:
    rules = find_game(game).rules()
    assert rules.game == game
    assert make_rules(rules.game, rules.to_dict()) == rules
    assert find_game(rules.game).rules is type(rules)
    assert rules.tricks * rules.seats <= 4 * len(rules.ranks)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_columns_of_one_name_each(game: str) -> None:
    columns, numbers = get_columns(game), get_column_numbers(game)
    assert [columns[numbers[column.name]] for column in columns] == list(columns)
    assert len(numbers) == len(columns)
    for column in columns:
        assert column.low <= column.high and column.meaning
        if column.labels:
            assert (column.low, column.high) == (0, len(column.labels) - 1)
