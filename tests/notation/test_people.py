"""Names of people in texts about records: sentences, discrepancies and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.notation.reader import read_rounds
from kqj_sim.notation.sections import label_seats, name_people_in
from kqj_sim.notation.write import format_records
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.record import Record, from_json
from tests.command_line import run

NAMES = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"]
FEW = ("--deals", "100", "--policy", "standard")


def _forge(**changes: object) -> dict[str, Any]:
    """Return a played round with other values, as plain values."""
    record: dict[str, Any] = json.loads(kqj.show(deal=3, policy="standard").to_json())
    return record | {"players": NAMES} | changes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a round of people in which a card of trick 3 was not held."""
    record = _forge()
    first, other = record["tricks"][2]["cards"], record["tricks"][4]["cards"]
    first[0], other[0] = other[0], first[0]
    file = tmp_path / "round.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    return file


def test_seats_and_places_are_named() -> None:
    record = from_json(json.dumps(_forge(dealer=1)))
    text = (
        "seat 0, the opener, the 3rd to speak, the dealer's card, the 2nd; in the 2nd lap, seat 9"
    )
    assert name_people_in(text, record) == (
        "Ann, Cem, Eva, Ben's card, Dora; in the 2nd lap, seat 9"
    )


@pytest.mark.parametrize(
    "players", [["points"] * 6, ["Ann"] * 6, [*NAMES[:5], "points"], ["points"] * 5 + ["random"]]
)
def test_policies_and_equal_names_are_no_people(players: list[str]) -> None:
    record = from_json(json.dumps(_forge(players=players)))
    assert name_people_in("seat 0", record) == "seat 0"


@pytest.mark.parametrize("name", ["", "a" * 30, "Ben", "ben ", "Dealer", "seat 3"])
def test_a_name_that_tells_nothing_does_not_make_the_others_unknown(name: str) -> None:
    record = from_json(json.dumps(_forge(players=[name, *NAMES[1:]], dealer=5)))
    assert name_people_in("seat 0, seat 3, the 4th, the opener", record) == (
        "seat 0, Dora, Dora, the opener"
    )


def test_a_name_is_one_however_its_letters_and_blanks_are_written(tmp_path: Path) -> None:
    """Accents may be letters of their own, as in file names of macOS."""
    names = ["Jose\u0301", "Jos\u00e9", " Jos\u00e9 "]
    assert len({RecordedRound(_record_with(name)).names[0] for name in names}) == 1
    for name in names:
        record = _record_with(name)
        assert all(label_seats(record.players, record).find(typed) == 0 for typed in names)
        [read] = [record for _, record in read_rounds("".join(format_records([record])))]
        assert isinstance(read, Record) and read.players == record.players
    path = tmp_path / "round.txt"
    text = "".join(format_records([_record_with(names[1])]))
    path.write_text(text.replace(names[1], names[0], 1), encoding="utf-8")
    assert names[1] in run("show", str(path)).stdout


def _record_with(name: str) -> Record:
    return from_json(json.dumps(_forge(players=[name, *NAMES[1:]])))


@pytest.mark.parametrize("words", [
    ("check", "FILE"), ("show", "FILE"), ("review", "FILE"),
    ("odds", "--record", "FILE", "--at", "6.1", *FEW),
], ids=lambda words: words[0])  # fmt: skip
def test_every_command_names_people_in_errors(path: Path, words: tuple[str, ...]) -> None:
    output = run(*[str(path) if word == "FILE" else word for word in words]).output
    line = next(line for line in output.splitlines() if " hold" in line or "whose turn" in line)
    assert any(name in line for name in NAMES) and "seat" not in line


def test_odds_name_people_in_their_sentence(tmp_path: Path) -> None:
    path = tmp_path / "round.jsonl"
    path.write_text(json.dumps(_forge()), encoding="utf-8")
    for at in ("3.2", "c.1"):
        found = kqj.odds(record=path, at=at, deals=256, policy="standard")
        sentence = str(found.key)
        assert any(f" as {name}" in " ".join(sentence.split()) for name in NAMES), sentence
        assert " to speak" not in sentence


def test_two_people_of_one_name_are_told_apart_by_their_seats() -> None:
    twice = ["Ann", "Ben", "ANN", "Dora", "points", "points"]
    played = RecordedRound(from_json(json.dumps(_forge(players=twice))))
    assert played.names[:4] == ("Ann (seat 0)", "Ben", "ANN (seat 2)", "Dora")
    assert played.names[4] == played.names[5] == "points+network"
    found = [played.seat_names.find(name) for name in ("ben", "ann (seat 2)", "Ann", "points")]
    assert found == [1, 2, None, None]
    same = RecordedRound(from_json(json.dumps(_forge(players=["Ann"] * 6))))
    assert set(same.names) == {"Ann"}
