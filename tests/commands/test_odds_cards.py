"""`kqj-sim odds` during the round."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kqj_sim as kqj
from kqj_sim.cards import format_card, parse_card
from kqj_sim.questions.odds import position
from kqj_sim.record import to_json
from kqj_sim.rules import KqjRules
from tests.command_line import expect_error, run, run_json
from tests.referee.random_rounds import random_record

TYPED = ("odds", "7h Ks 4d Qd 9s 8c Tc Jc", "--return", "9h", "--played", "As 4s")
FAST = ("--policy", "always+greedy", "--threads", "1", "--quiet")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A file of one round that was played."""
    records = (random_record(KqjRules(), seed) for seed in range(1, 50))
    path = tmp_path / "round.json"
    path.write_text(to_json(next(each for each in records if each.tricks)), encoding="utf-8")
    return path


def test_a_record_is_answered_before_a_card(record: Path) -> None:
    """The last card of the last trick but one: few distributions, all gone through."""
    whole = json.loads(record.read_text(encoding="utf-8"))
    asked = ("odds", "--record", str(record), "--at", "7.6", "--ignore-calls", *FAST)
    answer = run_json(*asked)
    assert answer["exact"] is True
    assert answer["seat"] == (whole["tricks"][6]["leader"] + 5) % 6
    assert answer["best"] in answer["hand"]
    assert answer["tricks"][:6] == [
        {key: each[key] for key in ("leader", "cards")} for each in whole["tricks"][:6]
    ]
    people = run(*asked)
    best = format_card(parse_card(answer["best"]))
    assert re.match(rf"(Play|Only) {best}[: ]", people.stdout)
    assert f"all {answer['distributions']:,} layouts" in " ".join(people.stdout.split())
    assert "Exact: no intervals." in people.stdout


def test_cards_have_a_picture_and_a_page(tmp_path: Path) -> None:
    page, picture = tmp_path / "card.html", tmp_path / "card.png"
    asked = (*TYPED, "--heard", "take h", "--deals", "300", *FAST)
    done = run(*asked, "--out", str(page), "--plot", str(picture))
    assert (done.exit_code, done.stdout) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == 2
    assert re.search("Play (K♠|9♠)( or (K♠|9♠))?: ", text)


def test_players_of_a_record_are_shown_without_their_defaults(tmp_path: Path) -> None:
    rounds = tmp_path / "rounds.jsonl"
    assert run("records", "--deals", "1", "--policy", "points:take=40+greedy",
               "--out", str(rounds)).exit_code == 0  # fmt: skip
    asked = ("odds", "--record", str(rounds), "--at", "8.1", "--ignore-calls", "--quiet")
    answer = run_json(*asked)
    assert set(answer["policies"]) == {"points:take=40+greedy"}
    assert ",take=40,take_1=" in answer["players"]["points:take=40+greedy"]


def test_one_legal_card_has_no_picture(record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "card.png"
    asked = ("odds", "--record", str(record), "--at", "8.1", "--ignore-calls", *FAST)
    done = run(*asked, "--plot", str(picture))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("Only ")
    assert "no picture: only one option is legal" in done.stderr
    assert not picture.exists()


@pytest.mark.parametrize("place", ["rounds.jsonl", "-"])
def test_a_line_of_a_long_file_is_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    content = kqj.records(first=3, deals=2, policy="standard").to_json()
    Path("rounds.jsonl").write_text(content, encoding="utf-8")
    asked = ("odds", "--record", place, "--at", "8.1", "--deals", "50", "--format", "json")
    expected = [run(*asked, "--line", line, input=content).stdout for line in "12"]
    assert expected[0] != expected[1]
    monkeypatch.setattr(position, "MAX_RECORD_BYTES", len(content) // 2 + 99)
    assert [run(*asked, "--line", line, input=content).stdout for line in "12"] == expected
    assert "2 records in the file" in expect_error(run(*asked, input=content))
    monkeypatch.setattr(position, "MAX_RECORD_BYTES", 9)
    assert "the record has more than 0 MB" in expect_error(run(*asked, input=content), 1)
