"""The command that tells what each call is worth."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import kqj_sim
from kqj_sim.rules import KqjRules
from tests.command_line import interrupt_at_terminal, run, run_json
from tests.games.every import SHARED

HAND = ("9h 8h Ah Ks 4d", "--return", "7h")
FEW = ("--policy", "points:take=45,lap2=38+greedy", "--deals", "512")


def told(*arguments: str) -> Any:
    return run_json("odds", *HAND, *FEW, *arguments)


def test_json_carries_everything_needed_to_repeat_it() -> None:
    found = told("--place", "3rd", "--seed", "9")
    assert found["hand"] == ["9h", "8h", "Ah", "Ks", "4d"]
    assert (found["return"], found["place"], found["lap"], found["seed"]) == ("7h", 2, 1, 9)
    assert found["rules"] == KqjRules().to_dict()
    assert found["heard"] == [{"place": place, "call": "pass"} for place in range(2)]
    assert found["players"][FEW[1]].startswith("points:")
    assert (found["deals"], found["confidence"], found["best"]) == (512, 0.95, "take h")
    assert found["choosing_deals"] == 256
    assert 0 < found["agreeing_share"] < 1
    assert 300 < found["effective_deals"] <= 512
    assert [table["name"] for table in found["tables"]] == ["calls", "heard", "hidden"]
    for row in found["tables"][0]["rows"]:
        assert row["unit"] != "share" or row["low"] <= row["value"] <= row["high"]


def test_python_gives_the_same() -> None:
    found = told("--place", "3rd")
    again = kqj_sim.odds("9h 8h Ah Ks 4d", return_card="7h", place=2, policy=FEW[1], deals=512)
    (row,) = [
        row
        for row in found["tables"][0]["rows"]
        if (row["call"], row["quantity"]) == ("pass", "value")
    ]
    (passing,) = [each for each in again.options if each.name == "pass"]
    assert row["value"] == passing.value.value


def test_words_make_a_hand_that_is_shown_as_it_was_understood() -> None:
    """Every way to write one is in `tests/test_cards.py`, places and calls in `tests/notation`."""
    words = ("h10", "h9", "hA", "sK", "d4", "--return", "♥7", "--place", "2ND")
    shown = run("odds", *words, *FEW).stdout
    assert "♠ K  ♥ A T 9  ♦ 4" in shown and "as the 2nd" in shown


def test_named_partners_are_shown() -> None:
    shown = run("odds", *HAND, *FEW, "--partners", "random", "--partners-at", "2nd 3rd").stdout
    assert "as the opener, with the 2nd and the 3rd as partners" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("names", "titles"),
    [("calls", ["Calls"]), ("heard", ["How likely the calls of the others are"]), ("all", None)],
)
def test_tables_are_shown_on_request(names: str, titles: list[str] | None) -> None:
    shown = run("odds", *HAND, *FEW, "--place", "2nd", "--tables", names).stdout.splitlines()
    for title in titles or ["Calls", "How likely the calls of the others are"]:
        assert title in shown
    assert ("Calls" in shown) == (names != "heard")


def test_seats_can_be_given_players_of_their_own() -> None:
    found = told("--policy", "seat1=standard+greedy")
    assert found["policies"][0] == FEW[1]
    assert found["policies"][1] == "standard+greedy"


@pytest.mark.parametrize("game", SHARED)
def test_page_and_picture(game: str, tmp_path: Path) -> None:
    shared = SHARED[game]
    page, picture = tmp_path / "hand.html", tmp_path / "hand.png"
    asked = ("odds", *shared.HAND, "--game", game, "--policy", shared.CALLER, "--deals", "512")
    done = run(*asked, "--place", "2nd", "--out", str(page), "--plot", str(picture))
    assert (done.exit_code, done.stdout) == (0, ""), done.output
    text = page.read_text(encoding="utf-8")
    assert picture.read_bytes().startswith(b"\x89PNG")
    # It needs nothing from elsewhere.
    assert not re.search(r"(src|href)=[\"']?https?:|@import|url\(http", text)
    assert re.search(f'"best": ?"{shared.BEST[0]}"', html.unescape(text))
    assert text.count(f"{shared.BEST[1]}: you win") == 1
    # Value, chance to win, and the distribution after each of the two calls, by how it ends.
    assert text.count("<figure>") == text.count("<svg") == 4
    for ending in shared.ENDINGS:
        assert f">{ending}</text>" in text, ending
    assert "You hold ♠" in text and "as the 2nd" in text


def test_time_and_certainty_end_it() -> None:
    asked = ("odds", *HAND, *FEW[:2], "--precision", "0.5%")
    shown = " ".join(run(*asked).stdout.split())
    assert re.search(r"[\d,]+ deals \(as precise as asked for\), seed 1", shown)
    found = run_json(*asked)
    assert found["ended"] == "until"
    assert found["intervals"] == "confidence sequences"


def test_few_effective_deals_are_only_a_hint(tmp_path: Path) -> None:
    arguments = ("--heard", "120 s, counter 4th", "--place", "3rd", "--bidding", "auction")
    assumed = ("--policy", "points+greedy", "--deals", "256", "--error-rate", "0")
    shown = run("odds", "9s 8s 7d Ah Ad 5d 6c Ac", *arguments, *assumed)
    assert "Only a hint: the effective sample is " in " ".join(shown.stdout.split())
    path = tmp_path / "hint.html"
    run("odds", "9s 8s 7d Ah Ad 5d 6c Ac", *arguments, *assumed, "--out", str(path))
    page = path.read_text(encoding="utf-8")
    assert "Try more --deals, another --policy or --ignore-calls." in page
    assert "`" not in page


def test_interrupted_odds_answer_with_the_deals_that_are_finished(tmp_path: Path) -> None:
    arguments = ("odds", *HAND, "--deals", "1e9", "--format", "json")
    out, shown = interrupt_at_terminal(tmp_path, r"♥: wins \d", *arguments)
    found = json.loads(out)
    assert found["ended"] == "interrupted"
    assert found["deals"] > 0
    assert f"Interrupted: the answer rests on {found['deals']:,} deals" in shown
    (row, *_) = [row for row in found["tables"][0]["rows"] if row["quantity"] == "win_share"]
    assert row["low"] < row["value"] < row["high"]
