"""Rounds that belong to a whole game, and files of them, of every game."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records, get_referee
from kqj_sim.rules import GameRules
from tests.games.every import DEFAULTS, SHARED, VARIANTS, name_rules
from tests.referee.forgery import as_json, discrepancies, told_of_game
from tests.referee.random_rounds import random_game

default_rules = pytest.mark.parametrize("rules", DEFAULTS, ids=name_rules)
replace = msgspec.structs.replace


def game(rules: GameRules) -> list[Record]:
    """A game of which nobody passed the first two rounds out."""
    games = (random_game(rules, seed) for seed in range(20))
    return next(g for g in games if len(g) >= 4 and all(each.tricks for each in g[:2]))


@pytest.mark.parametrize("rules", VARIANTS, ids=name_rules)
def test_score_after_is_score_before_and_scores(rules: GameRules) -> None:
    record = game(rules)[2]
    assert record.score_after is not None
    wrong = [record.score_after[0] + 10, *record.score_after[1:]]
    (line,) = check_record(replace(record, score_after=wrong))
    assert line.startswith("score_after: ")


@default_rules
def test_a_game_is_given_whole_or_not_at_all(rules: GameRules) -> None:
    record = game(rules)[2]
    for key in ("game_id", "round", "score_before", "score_after"):
        (line,) = check_record(replace(record, **{key: None}))
        assert line.startswith("game_id: given with round")


@default_rules
def test_nobody_plays_on_after_the_game_is_decided(rules: GameRules) -> None:
    record, before = game(rules)[-1], SHARED[rules.game].DECIDED
    after = get_referee(rules).add_scores(before, record.teams, record.scores)
    forged = replace(record, score_before=before, score_after=after)
    assert check_record(forged) == [f"score_before: with {before} the game was decided before"]


@default_rules
def test_a_game_starts_with_equal_scores_and_nothing_pending(rules: GameRules) -> None:
    record = game(rules)[0]
    start = [rules.start_score] * 2
    forged = replace(record, score_before=[rules.start_score + 10, rules.start_score])
    assert any(f"by the start of a game {start}" in line for line in check_record(forged))
    forged = replace(record, pending_before=SHARED[rules.game].PENDING[1])
    assert any("by the start of a game 0" in line for line in check_record(forged))


@default_rules
def test_missing_round_is_a_discrepancy_of_the_next_line(rules: GameRules) -> None:
    rounds = game(rules)
    lines = told_of_game([*rounds[:1], *rounds[2:]])
    assert {number for number, _ in lines} == {2}
    assert any(line.startswith("round: 2, by the line before 1") for _, line in lines)
    assert any(line.startswith("dealer: ") for _, line in lines)


FOLLOWING = ("dealer", "players", "rules", "round", "pending_before", "score_before")


@default_rules
@pytest.mark.parametrize("key", FOLLOWING)
def test_rounds_that_do_not_follow_are_discrepancies(rules: GameRules, key: str) -> None:
    (first, second, *_), shared = game(rules), SHARED[rules.game]
    new: dict[str, Any] = {
        "dealer": (second.dealer + 2) % rules.seats,
        "players": ["random"] * (rules.seats - 1) + ["standard"],
        "rules": {**second.rules, **shared.OTHER_RULE},
        "round": 7,
        "pending_before": next(n for n in shared.PENDING if n != second.pending_before),
        "score_before": [score + 10 for score in second.score_before or []],
    }
    lines = told_of_game([first, replace(second, **{key: new[key]})])
    assert any(
        number == 2 and line.startswith(f"{key}: ") and "by the line before" in line
        for number, line in lines
    )


@default_rules
def test_lines_that_are_no_records_are_discrepancies(rules: GameRules) -> None:
    first, second, third, *_ = game(rules)
    lines: list[tuple[int, Record | RecordError]] = [
        (1, first), (2, RecordError("not a record")), (4, third), (5, second),
    ]  # fmt: skip
    found = list(check_records(lines))
    assert found[0] == (2, "not a record")
    assert {number for number, _ in found[1:]} == {5}


@default_rules
@pytest.mark.parametrize("key", ["seed", "deal", "game_id", "round"])
def test_numbers_of_deals_and_rounds_are_not_negative(rules: GameRules, key: str) -> None:
    values = as_json(game(rules)[1])
    values[key] = -1
    assert discrepancies(values) == [f"{key}: -1 is not 0 or more"]
