"""Rounds that `records` reads from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import kqj_sim as kqj
from kqj_sim.errors import RecordError
from kqj_sim.record import to_json
from kqj_sim.rules import KqjRules
from tests.command_line import run
from tests.referee.random_rounds import random_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "rounds.jsonl"
    file.write_text("".join(f"{to_json(random_record(KqjRules(), seed))}\n" for seed in range(3)))
    return file


def test_records_of_a_file_are_those_of_its_lines(path: Path) -> None:
    assert kqj.records(source=path).to_json() == path.read_text()
    text = path.with_name("rounds.txt")
    assert run("records", "--from", str(path), "--out", str(text)).exit_code == 0
    assert len(kqj.records(source=text)) == 3


def test_file_is_not_played(path: Path) -> None:
    for played in ({"deals": 3}, {"games": 1}, {"policy": "greedy"}, {"impose": "opener:h"}):
        with pytest.raises(kqj.InputError, match="give one of them"):
            kqj.records(source=path, **played)


def test_file_without_whole_rounds_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "few.txt"
    for content, named in (("", "has no records"), ("Game: KQJ\nReturn: 7h\n", "few.txt:")):
        path.write_text(content)
        with pytest.raises(RecordError, match=named):
            kqj.records(source=path)
