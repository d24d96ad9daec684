"""Hands as new users type them."""

from __future__ import annotations

import shlex

import pytest

from tests.command_line import run

FEW = ("--policy", "points:take=45+greedy", "--deals", "64", "--threads", "1", "--quiet")
HAND = "♠ K  ♥ A 9 8  ♦ 4"

WORKS = {
    "wrong order": "odds h9 h8 hA sK d4 --return h7",
    "no quotes": "odds 9h 8h Ah Ks 4d --return 7h --place 2nd",
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
