"""Whole rounds kept in folders `golden`, of every game.

capot.jsonl and worked_case.jsonl were made by hand, so that their numbers can be worked out
from the rules; the games were played by random players.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from kqj_sim.notation.files import read_file
from kqj_sim.record import Record, from_json, to_json
from kqj_sim.referee import check_records, get_referee
from tests.games.every import SHARED

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = [path for shared in SHARED.values() for path in shared.GOLDEN]
GAMES = [path for path in FILES if path.name.startswith("game")]


def load_rounds(path: Path) -> list[Record]:
    return [from_json(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_rounds_have_no_discrepancy_and_are_written_as_they_stand(path: Path) -> None:
    with path.open("rb") as file:
        lines = [*read_file(file)]
    assert list(check_records(lines)) == []
    written = [to_json(record) for _, record in lines if isinstance(record, Record)]
    assert written == path.read_text("utf-8").splitlines()


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_golden_games_end_when_they_are_decided(path: Path) -> None:
    rounds = load_rounds(path)
    referee = get_referee(rounds[0].game_rules())
    decided = [referee.is_decided(record.score_after or []) for record in rounds]
    assert decided == [False] * (len(rounds) - 1) + [True]


def test_every_game_has_golden_games() -> None:
    assert len([*GOLDEN.glob("*.jsonl")]) == 6
    assert {load_rounds(path)[0].game for path in GAMES} == {*SHARED}


def test_capot_of_the_eight_highest_trumps() -> None:
    taking, three_teams, auction = load_rounds(GOLDEN / "capot.jsonl")
    # 236 card points, last trick 10, Capot 154, King before Queen 20.
    assert taking.totals == [420, 0] and taking.result == "made"
    assert taking.scores == [540, 0] and taking.gratuities == [120, 0]  # 120 was pending
    assert three_teams.scores == [540, 60, 60] and three_teams.gratuities == [120, 60, 60]
    assert auction.stake == 4 and auction.capot and auction.scores == [1600, 0]


def test_worked_case_as_the_first_trick_of_a_round() -> None:
    (record,) = load_rounds(GOLDEN / "worked_case.jsonl")
    assert record.tricks[0].cards == ["Tc", "6h", "Hh", "4s", "Ts", "Hc"]
    assert record.tricks[0].leader == 0 and record.tricks[0].winner == 2
    # The other team's one trick: 5s 0, 9s 2, Qs 4, 8h 22, 6c 0, 9d 2.
    assert record.card_points == [206, 30] and record.scores == [220, 0]


def test_a_golden_game_pays_a_pending_litigation_gratuity() -> None:
    rounds = load_rounds(GOLDEN / "game_two_teams_litigation.jsonl")
    paid = [
        (before.pending_after, after.gratuities)
        for before, after in pairwise(rounds)
        if before.result == "litigation" and after.result in ("made", "failed")
    ]
    assert paid
    for pending, gratuities in paid:
        assert pending > 0 and sorted(gratuities) == [0, pending]
