"""`kqj-sim odds` during the round."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kqj_sim.cards import format_card, parse_card
from kqj_sim.record import to_json
from kqj_sim.rules import KqjRules
from tests.command_line import expect_error, run
from tests.referee.kqj.random_rounds import random_record

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
    done = run(*asked, "--format", "json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["exact"] is True
    assert answer["seat"] == (whole["tricks"][6]["leader"] + 5) % 6
    assert answer["best"] in answer["hand"]
    assert answer["tricks"][:6] == [
        {key: each[key] for key in ("leader", "cards")} for each in whole["tricks"][:6]
    ]
    people = run(*asked)
    best = format_card(parse_card(answer["best"]), symbols=True)
    assert re.match(rf"(Play|Only) {best}[: ]", people.stdout)
    assert f"all {answer['distributions']:,} layouts" in " ".join(people.stdout.split())
    assert "Exact: no intervals." in people.stdout


def test_cards_are_answered_as_typed() -> None:
    done = run(*TYPED, "--heard", "take h", "--deals", "300", *FAST)
    assert done.exit_code == 0, done.stderr
    shown = " ".join(done.stdout.split())
    assert "300 sampled layouts" in shown
    assert "as the 3rd to speak; the opener, your partner, plays ♥; trick 1: A♠ 4♠." in shown
    assert {line.split()[0] for line in done.stdout.splitlines() if line} >= {"K♠", "9♠"}


@pytest.mark.parametrize(
    ("more", "parts"),
    [
        ((), "the contract is missing"),
        (
            ("--contract", "h", "--sender", "opener", "--place", "4th"),
            "it is the 3rd's turn, not the 4th's",
        ),
        (("--contract", "h", "--sender", "3rd"), "took the Return, 9h: it is missing"),
        (("--heard", "pass"), "the 2nd has yet to speak"),
        (("--heard", "take h", "--lap", "1"), "--lap is for calls"),
        (("--record", "-"), "--record holds the cards, places, calls"),
    ],
)
def test_mistakes_are_told_in_a_line(more: tuple[str, ...], parts: str) -> None:
    done = run(*TYPED, *more)
    assert done.exit_code == 2
    assert parts in expect_error(done)


def test_mistakes_with_records(record: Path) -> None:
    over = run("odds", "--record", str(record))
    assert over.exit_code == 2
    assert "the record's round is over" in expect_error(over)
    wrong = run("odds", "--record", str(record), "--at", "9.1")
    assert wrong.exit_code == 2
    assert "such as 3.2" in expect_error(wrong)
    none = run("odds", "--record", "-", input="{}")
    assert none.exit_code == 1
    assert "the key" in expect_error(none, 1)


def test_contract_needs_the_plays() -> None:
    done = run("odds", "9h 8h Ah Ks 4d", "--return", "7h", "--contract", "h")
    assert done.exit_code == 2
    assert "go with --played" in expect_error(done)


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
    done = run(*asked, "--format", "json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
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
