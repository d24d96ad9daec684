"""Rounds that belong to a game to the target, and files of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records
from kqj_sim.rules import KqjRules
from tests.referee.forgery import as_json, discrepancies
from tests.referee.kqj.random_rounds import random_game


def game(rules: KqjRules | None = None, seed: int = 0) -> list[Record]:
    rounds = random_game(rules or KqjRules(), seed)
    assert len(rounds) >= 4
    return rounds


def told(rounds: list[Record]) -> list[tuple[int, str]]:
    return list(check_records(enumerate(rounds, start=1)))


@pytest.mark.parametrize("partners", ["fixed", "random"])
def test_score_after_is_score_before_and_scores(partners: str) -> None:
    record = game(KqjRules.from_dict({"partners": partners}))[2]
    assert record.score_after is not None
    wrong = [record.score_after[0] + 10, *record.score_after[1:]]
    (line,) = check_record(msgspec.structs.replace(record, score_after=wrong))
    assert line.startswith("score_after: ")


def test_a_game_is_given_whole_or_not_at_all() -> None:
    record = game()[2]
    for key in ("game_id", "round", "score_before", "score_after"):
        (line,) = check_record(msgspec.structs.replace(record, **{key: None}))
        assert line.startswith("game_id: given with round")


def test_nobody_plays_on_after_the_game_is_decided() -> None:
    record = game()[-1]
    before = [1000, 0]
    after = [1000 + record.scores[0], record.scores[1]]
    forged = msgspec.structs.replace(record, score_before=before, score_after=after)
    assert check_record(forged) == ["score_before: with [1000, 0] the game was decided before"]


def test_game_scores_are_multiples_of_ten() -> None:
    values = as_json(game()[1])
    values["score_before"] = [score + 5 for score in values["score_before"]]
    values["score_after"] = [score + 5 for score in values["score_after"]]
    (line,) = discrepancies(values)
    assert line == "score_before: 5 is not a multiple of 10, 0 or more"


def test_a_game_starts_at_zero_with_nothing_pending() -> None:
    values = as_json(game()[0])
    values["score_before"] = [10, 0]
    assert any("by the start of a game [0, 0]" in line for line in discrepancies(values))
    values = as_json(game()[0])
    values["pending_before"] = 120
    assert any("by the start of a game 0" in line for line in discrepancies(values))


def test_missing_round_is_a_discrepancy_of_the_next_line() -> None:
    rounds = game()
    lines = told([*rounds[:1], *rounds[2:]])
    assert {number for number, _ in lines} == {2}
    assert any(line.startswith("round: 2, by the line before 1") for _, line in lines)
    assert any(line.startswith("dealer: ") for _, line in lines)


@pytest.mark.parametrize("key", ["dealer", "players", "rules", "round"])
def test_rounds_that_do_not_follow_are_discrepancies(key: str) -> None:
    rounds = game()
    new: dict[str, Any] = {
        "dealer": (rounds[1].dealer + 2) % 6,
        "players": ["random"] * 5 + ["standard"],
        "rules": {**rounds[1].rules, "target": 2000},
        "round": 7,
    }
    forged = msgspec.structs.replace(rounds[1], **{key: new[key]})
    lines = told([rounds[0], forged])
    assert any(n == 2 and line.startswith(f"{key}: ") and "by the line before" in line
               for n, line in lines)  # fmt: skip


def test_pending_and_scores_are_carried() -> None:
    first, second, *_ = game()
    forged = msgspec.structs.replace(second, pending_before=second.pending_before + 10)
    assert any("pending_before" in text and "by the line before" in text
               for _, text in told([first, forged]))  # fmt: skip
    assert second.score_before is not None
    shifted = [score + 10 for score in second.score_before]
    forged = msgspec.structs.replace(second, score_before=shifted)
    assert any("score_before" in text and "by the line before" in text
               for _, text in told([first, forged]))  # fmt: skip


def test_lines_that_are_no_records_are_discrepancies() -> None:
    first, second, third, *_ = game()
    lines: list[tuple[int, Record | RecordError]] = [
        (1, first), (2, RecordError("not a record")), (4, third), (5, second),
    ]  # fmt: skip
    found = list(check_records(lines))
    assert found[0] == (2, "not a record")
    assert {number for number, _ in found[1:]} == {5}


@pytest.mark.parametrize("key", ["seed", "deal", "game_id", "round"])
def test_numbers_of_deals_and_rounds_are_not_negative(key: str) -> None:
    values = as_json(game()[1])
    values[key] = -1
    assert discrepancies(values) == [f"{key}: -1 is not 0 or more"]
