"""Ten situations as a new user types them, each with what is printed.

Each works, or gets one line that leads to the right call on the first try.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.command_line import expect_error, run

FEW = ("--policy", "points:take=45+greedy", "--deals", "64", "--threads", "1", "--quiet")
HAND = "♠ K  ♥ A 9 8  ♦ 4"

WORKS = {
    "wrong order": "odds h9 h8 hA sK d4 --return h7",
    "no quotes": "odds 9h 8h Ah Ks 4d --return 7h --place 2nd",
    "names of suits": "odds 9 hearts, 8 hearts, ace hearts, king of spades, 4 diamonds --return 7h",
    "names in capitals": "odds 9H 8H AH KS 4D --return 7H --place DEALER",
    "by suit": "odds h: A98 s: K d: 4 --return 7h",
    "as the tool shows it": "odds ♠ K  ♥ A 9 8  ♦ 4 --return ♥7",
    "calls without commas": "odds 9h 8h Ah Ks 4d --return 7h --heard 'pass pass'",
}


@pytest.mark.parametrize("situation", WORKS)
def test_hand_is_understood(situation: str) -> None:
    """The answer shows the hand as it was understood."""
    done = run(*shlex.split(WORKS[situation]), *FEW)
    assert done.exit_code == 0, done.output
    assert HAND in " ".join(done.stdout.replace("  ", "\0").split()).replace("\0", "  ")


def test_ten_may_be_written_as_10() -> None:
    done = run("odds", "10h", "h9", "Ah", "Ks", "4d", "--return", "10s", *FEW)
    assert done.exit_code == 0, done.output
    assert "♥ A T 9" in done.stdout


LEADS = {
    "a forgotten Return": (
        "odds 9h 8h Ah Ks 4d",
        "the Return is missing: give the card that is turned up, such as --return 7h",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "the Return among the cards": (
        "odds 9h 8h Ah Ks 4d 7h",
        "6 cards given: with taking you hold 5; if the Return is 7h, write --return 7h",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "an impossible card": (
        "odds 9h 8h Ah Ks 2d --return 7h",
        "'2d' is not a card: write a rank of A T H K Q J 9 8 7 6 5 4, then a suit of s h d c, "
        "as in Th",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "a card without its suit": (
        "odds 9h 8h A Ks 4d --return 7h",
        "'A' has no suit: write As, Ah, Ad or Ac",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "a card twice": (
        "odds 9h 9h Ah Ks 4d --return 7h",
        "9h is named twice: name each card once",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "too few cards": (
        "odds 9h 8h Ah Ks --return 7h",
        "4 cards given: with taking you hold 5 (8 with --bidding auction)",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "calls without quotes": (
        "odds 9h 8h Ah Ks 4d --return 7h --heard pass pass",
        "'pass' is a call among the cards: write calls between quotes, such as --heard "
        "'pass, 120 h'",
        "odds 9h 8h Ah Ks 4d --return 7h --heard 'pass, pass'",
    ),
    "an amount without a suit": (
        "odds 9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --heard '120 pass'",
        "call 1, '120', needs a contract: write for example 120 h or 120 NT",
        "odds 9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --heard '120 h pass'",
    ),
    "a place in words": (
        "odds 9h 8h Ah Ks 4d --return 7h --place left",
        "--place: 'left' is not a place: write opener, 2nd, 3rd, 4th, 5th or dealer",
        "odds 9h 8h Ah Ks 4d --return 7h --place 2nd",
    ),
    "a typing error in a policy": (
        "odds 9h 8h Ah Ks 4d --return 7h --policy poinst",
        "no policy 'poinst'; did you mean 'points'?",
        "odds 9h 8h Ah Ks 4d --return 7h --policy points",
    ),
    "a typing error in a column": (
        "simulate --by delaer",
        "'delaer' is no column to group by: did you mean dealer?",
        "simulate --by dealer",
    ),
    "a typing error in a word that several columns have": (
        "simulate --by capott",
        "'capott' is no column to group by: did you mean capot_announced, capot_contracting or "
        "capot_defending?",
        "simulate --by capot_contracting --deals 1k",
    ),
    "a typing error in an option": (
        "odds 9h 8h Ah Ks 4d --retrun 7h",
        "No such option '--retrun'. (Did you mean one of: '--record', '--return', '--target'?)",
        "odds 9h 8h Ah Ks 4d --return 7h",
    ),
    "a typing error in a command": (
        "simulat --deals 1k",
        "No such command 'simulat'. Did you mean 'simulate'?",
        "simulate --deals 1k",
    ),
    "a typing error in a file name": (
        "check round.jsonl",
        "round.jsonl: No such file or directory; did you mean rounds.jsonl?",
        "check rounds.jsonl",
    ),
}


@pytest.mark.parametrize("situation", LEADS)
def test_one_line_leads_to_the_right_call(
    situation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed, told, right = LEADS[situation]
    monkeypatch.chdir(tmp_path)
    assert run("records", "--deals", "2", "--quiet", "--out", "rounds.jsonl").exit_code == 0
    options = ("--deals", "64", "--threads", "1", "--quiet")
    quick = () if typed.split()[0] in ("check", "simulat") else options
    wrong = run(*shlex.split(typed), *quick)
    assert expect_error(wrong, wrong.exit_code) == f"Error: {told}\n"
    done = run(*shlex.split(right), *quick)
    assert done.exit_code == 0, done.output
