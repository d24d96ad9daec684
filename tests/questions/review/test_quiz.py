"""Mistakes as a quiz: for the page, and as cards for Anki."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import kqj_sim as kqj
from kqj_sim.errors import InputError
from kqj_sim.record import Record
from tests.web.node import LANGUAGE, needs_node, read_scripts, run_in_node

NAMES = ["<b>Ann", "Ben", "Cem", "Dora", "Eva", "Finn"]
FEW: dict[str, Any] = {"samples": 200, "reference": "points+greedy"}


def _list_rounds(**rules: Any) -> list[Record]:
    records = kqj.records(deals=2, first=3, policy="points+greedy", **rules)
    return [msgspec.structs.replace(record, players=NAMES) for record in records]


def _ask(path: Path, records: Sequence[Record], **more: Any) -> Any:
    kqj.review(records, quiz=path, **{**FEW, **more})
    return json.loads(path.read_text(encoding="utf-8"))


@needs_node
@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_the_page_reads_the_questions(bidding: str, tmp_path: Path) -> None:
    records = _list_rounds(bidding=bidding)
    quiz = _ask(tmp_path / "quiz.json", records)
    questions, frame = quiz["questions"], kqj.review(records, **FEW).frame()
    mistakes = [question for question in questions if question["mistake"]]
    assert len(mistakes) == frame.mistake.sum() > 0
    assert 0 < len(questions) - len(mistakes) <= len(mistakes)
    for question in questions:
        names = [option["name"] for option in question["options"]]
        assert question["best"] == names[0] and question["choice"] in names
        assert question["mistake"] == (question["choice"] != question["best"])
    scripts = read_scripts(*LANGUAGE, "built.js", "words.js", "link.js")
    links = [question["link"] for question in questions]
    positions = run_in_node(scripts, "given.map(readPosition)", links)
    for question, read in zip(questions, positions, strict=True):
        assert "wrong" not in read["round"]
        if question["at"][0] != "c":
            round = read["round"]
            held = {*round["hand"], *round["more"], round["up"]}
            assert question["choice"] in held and round["begun"]


def test_one_player_learns_from_own_mistakes(tmp_path: Path) -> None:
    quiz = _ask(tmp_path / "quiz.json", _list_rounds(), seat="Finn")
    assert {question["player"] for question in quiz["questions"]} == {"Finn"}
    assert {question["round"] for question in quiz["questions"]} <= {"Round 1", "Round 2"}


@pytest.mark.parametrize(("suffix", "separator"), [("txt", "\t"), ("csv", ",")])
def test_anki_gets_a_front_and_a_back(suffix: str, separator: str, tmp_path: Path) -> None:
    path = tmp_path / f"quiz.{suffix}"
    kqj.review(_list_rounds(), quiz=path, seat="opener", **FEW)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"#separator:{'tab' if suffix == 'txt' else 'comma'}"
    assert lines[1:3] == ["#html:true", f"#columns:Front{separator}Back"]
    cards = [*csv.reader(lines[3:], delimiter=separator)]
    assert cards and {len(card) for card in cards} == {2}
    assert all("Your cards: " in front and "<b>Ann" not in back for front, back in cards)


def test_other_suffixes_are_refused_before_the_review(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"let it end in \.json, \.txt, \.tsv or \.csv"):
        kqj.review(_list_rounds(), quiz=tmp_path / "quiz.html", samples=10**9)
