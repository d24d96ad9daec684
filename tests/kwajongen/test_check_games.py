"""Rounds that belong to a game of Kwajongen, and files of them."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from kqj_sim.games.kwajongen.game import KwajongenRules
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records
from tests.kwajongen.random_rounds import random_game

RULES = KwajongenRules()


def games() -> list[Record]:
    return [record for seed in range(20) for record in random_game(RULES, seed)]


def told(rounds: list[Record]) -> list[tuple[int, str]]:
    return list(check_records(enumerate(rounds, start=1)))


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


def test_a_game_is_won_by_the_first_team_down() -> None:
    for seed in range(20):
        rounds = random_game(RULES, seed)
        assert rounds[0].score_before == [10, 10] and rounds[0].pending_before == 0
        decided = [min(record.score_after or [1]) <= 0 for record in rounds]
        assert decided == [False] * (len(rounds) - 1) + [True]


def test_the_same_dealer_deals_again_after_a_round_passed_out() -> None:
    before, after = pair("passed_out", "any")
    assert after.dealer == before.dealer and after.pending_before == 1
    assert told([before, after]) == []
    forged = msgspec.structs.replace(after, dealer=(after.dealer + 1) % 4)
    right = f"dealer: {forged.dealer}, by the line before {before.dealer}"
    assert (2, right) in told([before, forged])


def test_the_deal_passes_on_after_a_played_round() -> None:
    before, after = pair("made", "any")
    assert after.dealer == (before.dealer + 1) % 4
    forged = msgspec.structs.replace(after, dealer=before.dealer)
    assert any(n == 2 and line.startswith("dealer: ") for n, line in told([before, forged]))


def test_a_raised_round_passed_out_raises_no_further() -> None:
    before, after = pair("passed_out", "passed_out")
    assert (before.pending_after, after.pending_before, after.pending_after) == (1, 1, 1)


def test_a_tie_uses_a_raise_up() -> None:
    record = next(r for r in games() if r.result == "tie" and r.pending_before)
    assert record.pending_after == 0 and sorted(record.scores) == [0, 1]


def test_a_raise_is_carried_from_round_to_round() -> None:
    before, after = pair("passed_out", "made")
    forged = msgspec.structs.replace(after, pending_before=0)
    lines = told([before, forged])
    assert (2, "pending_before: 0, by the line before 1") in lines
    assert any(line.startswith("scores: ") for _, line in lines)


def test_nobody_plays_on_after_the_game_is_decided() -> None:
    record = random_game(RULES, 1)[-1]
    after = [score + change for score, change in zip([0, 4], record.scores, strict=True)]
    forged = msgspec.structs.replace(record, score_before=[0, 4], score_after=after)
    assert check_record(forged) == ["score_before: with [0, 4] the game was decided before"]


def test_a_game_starts_at_ten_each_with_nothing_raised() -> None:
    record = random_game(RULES, 1)[0]
    forged = msgspec.structs.replace(record, score_before=[10, 9])
    assert "score_before: [10, 9], by the start of a game [10, 10]" in check_record(forged)
    forged = msgspec.structs.replace(record, pending_before=1)
    assert "pending_before: 1, by the start of a game 0" in check_record(forged)


@pytest.mark.parametrize("score", [11, 40])
def test_scores_have_no_upper_limit(score: int) -> None:
    record = random_game(RULES, 1)[2]
    after = [score + change for change in record.scores]
    forged = msgspec.structs.replace(record, score_before=[score] * 2, score_after=after)
    assert check_record(forged) == []


def test_score_after_is_score_before_and_the_changes() -> None:
    record = random_game(RULES, 1)[2]
    assert record.score_after is not None
    wrong = [record.score_after[0] - 1, record.score_after[1]]
    (line,) = check_record(msgspec.structs.replace(record, score_after=wrong))
    assert line.startswith("score_after: ")
