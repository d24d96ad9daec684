"""Calls in every usual way of writing, and errors that say what to write."""

from __future__ import annotations

import pytest

from kqj_sim.errors import InputError
from kqj_sim.notation.typed import read_typed_position, split_calls
from kqj_sim.rules import KqjRules

AUCTION = KqjRules(bidding="auction")
EIGHT = "9h 8h Ah Kh Qh 5d 6c Ac"
FIVE = "9h 8h Ah Ks 4d"


def written(text: str, hand: str = EIGHT, return_card: str | None = None) -> list[str]:
    """Return the calls of a text, as place and call."""
    rules = AUCTION if return_card is None else KqjRules()
    situation = read_typed_position(hand, rules, return_card=return_card, heard=text)
    told = []
    for call in situation.calls or ():
        parts = (call.seat, call.call, call.amount, call.contract, "capot" if call.capot else None)
        told.append(" ".join(str(part) for part in parts if part is not None))
    return told


@pytest.mark.parametrize(
    "text",
    [
        "pass, pass, 120 h, pass",
        "pass pass 120h pass",
        "p p 120 hearts p",
        "P,P,120♥,P",
        "passes; passes; 120 heart; passed",
        "pass pass h 120 pass",
        "pass / pass / hearts 120 / pass",
        "pass pass 120♥\ufe0f pass",
    ],
)
def test_bids_and_passes(text: str) -> None:
    assert written(text) == ["0 pass", "1 pass", "2 bid 120 h", "3 pass"]


@pytest.mark.parametrize(
    "text", ["120 no trump x", "120NT, counter", "120 No-Trump counter 2nd", "120nt counter by 2nd"]
)
def test_counters(text: str) -> None:
    assert written(text) == ["0 bid 120 NT", "1 counter"]


def test_capot() -> None:
    assert written("400 all trumps capot") == written("400AT Capot") == ["0 bid 400 AT capot"]


@pytest.mark.parametrize("text", ["take", "pass take", "p hearts", "pass, take ♥", "p takes h"])
def test_taking_names_the_suit_or_not(text: str) -> None:
    """In the first lap only the Return's suit can be taken."""
    calls = split_calls(text, 6)
    assert calls[-1].word == "take"
    with pytest.raises(InputError, match="the bidding is over after these calls"):
        written(text, FIVE, "7h")
