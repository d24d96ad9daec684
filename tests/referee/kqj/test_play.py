"""docs/rules.md, section 5: play of the cards."""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.cards import parse_cards
from kqj_sim.referee.kqj import find_trick_winner, list_legal_cards

TWO_TEAMS = [0, 1, 0, 1, 0, 1]
THREE_TEAMS = [0, 1, 2, 0, 1, 2]


def legal(
    hand: str, trick: str, contract: str, teams: list[int] = TWO_TEAMS, leader: int = 0
) -> set[str]:
    cards = list_legal_cards(parse_cards(hand), parse_cards(trick), leader, teams, contract)
    return {str(card) for card in cards}


def winner(trick: str, contract: str, leader: int = 0) -> int:
    return find_trick_winner(leader, parse_cards(trick), contract)


def test_worked_case() -> None:
    # A leads; A, C, E play against B, D, F; the hands are filled up with cards of no effect.
    assert "Tc" in legal("Tc 4d", "", "h")
    assert legal("6h 4d 9s", "Tc", "h") == {"6h"}
    assert legal("Hh 4h As", "Tc 6h", "h") == {"Hh"}
    assert legal("5h 4s", "Tc 6h Hh", "h") == {"5h", "4s"}
    assert legal("7h Ts", "Tc 6h Hh 4s", "h") == {"7h", "Ts"}
    assert legal("Hc 9h Ad", "Tc 6h Hh 4s Ts", "h") == {"Hc"}
    assert winner("Tc 6h Hh 4s Ts Hc", "h") == 2


RANDOM_TEAMS = [0, 0, 1, 1, 1, 0]

LEGAL: list[tuple[str, str, str, str, str, dict[str, object]]] = [
    *(("leading, any card", "4s 9h Ad", "", contract, "4s 9h Ad", {})
      for contract in ("s", "h", "NT", "AT")),
    ("a plain suit is followed with any card", "As 4s 9h Ad", "Ks", "h", "As 4s", {}),
    ("a plain suit is followed in a trumped trick, too", "As 4s 9h Ad", "Ks 4h", "h", "As 4s", {}),
    ("No-Trump is followed without duty to beat", "Ah 4h 9s", "Kh", "NT", "Ah 4h", {}),
    ("trump led is beaten if possible", "9h 7h Kh 4s", "Ah", "h", "9h 7h", {}),
    # Seat 0 leads and stays master; seat 2 is the partner.
    ("trump led is beaten also if a partner is master", "9h Kh 4s", "Ah 4h", "h", "9h", {}),
    ("every trump played so far is beaten", "7h Ah Kh", "Th 8h", "h", "7h Ah Kh", {}),
    ("every trump played so far is beaten", "9h 7h Kh", "Th 8h 4h", "h", "9h", {}),
    ("trump led that cannot be beaten takes any trump", "4h Ah As", "9h", "h", "4h Ah", {}),
    *(("at All-Trumps every suit led is beaten", f"9{suit} A{suit} 4{suit} 9{other}",
       trick.replace("*", suit), "AT", right.replace("*", suit), {})
      for suit, other in ("sh", "hs", "ds", "cs")
      for trick, right in (("T*", "9* A*"), ("T* 8*", "9*"))),
    ("at All-Trumps other suits need not be beaten", "As 4s 9d", "Ts 9h", "AT", "As", {}),
    ("at All-Trumps other suits need not be beaten", "Ks 4s 9d", "Ts 9h", "AT", "Ks 4s", {}),
    ("void, the partner master: any card", "9h 4h As", "Ac 4c", "h", "9h 4h As", {}),
    ("void, the partner master by a trump: any card", "4h 9h As", "Ac Th 8h 4c", "h", "4h 9h As",
     {}),
    ("void, an opponent master: trump", "9h 4h As", "Ac", "h", "9h 4h", {}),
    # Seat 1 is the partner.
    ("void, an opponent master by a trump: overtrump", "9h 4h As", "4c Th Kc", "h", "9h 4h As", {}),
    ("void, an opponent master by a trump: overtrump", "9h 4h As", "4c Kc Th", "h", "9h", {}),
    ("void without a trump that beats: any card", "7h 4h As", "4c Kc 8h", "h", "7h 4h As", {}),
    ("void without trumps: any card", "As 4s Kd", "Ac", "h", "As 4s Kd", {}),
    ("void in trump led: any card", "As 4s Kd", "9h", "h", "As 4s Kd", {}),
    *(("void at All-Trumps and No-Trump: any card", "9h 4h As", trick, contract, "9h 4h As", {})
      for contract in ("AT", "NT") for trick in ("Ac", "Ac 4c")),
    ("with three teams the seat two places before is no partner", "9h 4h As", "Ac 4c", "h",
     "9h 4h", {"teams": THREE_TEAMS}),
    ("with three teams the seat three places before is", "9h 4h As", "Ac 4c 5c", "h", "9h 4h As",
     {"teams": THREE_TEAMS}),
    ("random partners are those of the round", "9h 4h As", "Ac", "h", "9h 4h As",
     {"teams": RANDOM_TEAMS}),
    ("random partners are those of the round", "9h 4h As", "Ac", "h", "9h 4h",
     {"teams": RANDOM_TEAMS, "leader": 1}),
]  # fmt: skip
"""A rule; hand, trick and contract; the legal cards."""


@pytest.mark.parametrize(
    ("hand", "trick", "contract", "right", "options"),
    [row[1:] for row in LEGAL],
    ids=[row[0] for row in LEGAL],
)
def test_legal_cards(
    hand: str, trick: str, contract: str, right: str, options: dict[str, Any]
) -> None:
    assert legal(hand, trick, contract, **options) == {*right.split()}


@pytest.mark.parametrize(
    ("trick", "contract", "place"),
    [
        ("Ks Ts As 4s 9s 8s", "h", 2),  # the highest card of the suit led
        ("Ks 4h As 4s 9s 8s", "h", 1),  # any trump beats it
        ("Ks 4h As 9h 7h 8h", "h", 3),  # the highest trump
        ("Ks Ad Ah Ac 4s 9s", "NT", 0),  # no other suit beats it
        ("Ks 9d 9h 9c 4s Qs", "AT", 0),
        ("Ks As 7s 8s 9s 9h", "AT", 4),  # the order of trumps
        ("Ks 7s 8s 9s Ts 4s", "NT", 4),  # the order of plain suits
        ("4h 5h 6h Ah 7h 8h", "h", 5),
    ],
)
def test_winner_of_a_trick(trick: str, contract: str, place: int) -> None:
    for leader in range(6):
        assert winner(trick, contract, leader) == (leader + place) % 6
