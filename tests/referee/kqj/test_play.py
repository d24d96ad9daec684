"""docs/rules.md, sections 1 and 5: cards, and their play."""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.cards import RANKS, Card, parse_cards
from kqj_sim.referee.kqj import PACK, card_points, find_trick_winner, list_legal_cards, outranks

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


# The table of the specification: rank order, high to low, with the points.
PLAIN = "A 12, T 10, H 7, K 5, Q 4, J 3, 9 2, 8 1, 7 0, 6 0, 5 0, 4 0"
TRUMP = "9 27, 8 22, 7 14, A 12, T 10, H 7, K 5, Q 4, J 3, 6 0, 5 0, 4 0"
NO_TRUMP = "A 20, T 17, H 7, K 5, Q 4, J 3, 9 2, 8 1, 7 0, 6 0, 5 0, 4 0"
ALL_TRUMPS = "9 17, 8 14, 7 7, A 6, T 5, H 4, K 3, Q 2, J 1, 6 0, 5 0, 4 0"

ROLES = [
    ("h", "s", PLAIN, 44),
    ("h", "h", TRUMP, 104),
    ("NT", "d", NO_TRUMP, 59),
    ("AT", "c", ALL_TRUMPS, 59),
]


def test_the_pack_has_48_cards_of_four_suits_and_twelve_ranks() -> None:
    assert len(set(PACK)) == 48
    assert {card.rank for card in PACK} == set(RANKS) and len(RANKS) == 12


@pytest.mark.parametrize(("contract", "suit", "table", "total"), ROLES)
def test_points_are_those_of_the_table(contract: str, suit: str, table: str, total: int) -> None:
    points = {entry.split()[0]: int(entry.split()[1]) for entry in table.split(", ")}
    assert {rank: card_points(Card(rank, suit), contract) for rank in RANKS} == points
    assert sum(points.values()) == total


@pytest.mark.parametrize(("contract", "suit", "table", "total"), ROLES)
def test_ranks_follow_the_table(contract: str, suit: str, table: str, total: int) -> None:
    order = [Card(entry.split()[0], suit) for entry in table.split(", ")]
    for high, card in enumerate(order):
        for low, other in enumerate(order):
            assert outranks(card, other, contract) == (high < low)
