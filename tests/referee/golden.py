"""Checks of files of whole rounds that are kept with the tests."""

from __future__ import annotations

from pathlib import Path

from kqj_sim.errors import RecordError
from kqj_sim.record import Record, from_json, read_records, to_json
from kqj_sim.referee import check_records, get_referee


def load_rounds(path: Path) -> list[Record]:
    """Return the rounds of a file."""
    return [from_json(line) for line in path.read_text("utf-8").splitlines()]


def check_rules(path: Path) -> None:
    """Check that the referee finds nothing wrong in a file."""
    with path.open("rb") as file:
        assert list(check_records(read_records(file))) == []


def check_text(path: Path) -> None:
    """Check that the rounds of a file are written again as they stand there."""
    with path.open("rb") as file:
        lines = []
        for _, record in read_records(file):
            assert not isinstance(record, RecordError)
            lines.append(to_json(record))
    assert lines == path.read_text("utf-8").splitlines()


def check_end(path: Path) -> None:
    """Check that the game in a file ends with the round that decides it."""
    rounds = load_rounds(path)
    referee = get_referee(rounds[0].game_rules())
    decided = [referee.is_decided(record.score_after or []) for record in rounds]
    assert decided == [False] * (len(rounds) - 1) + [True]
