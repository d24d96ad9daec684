"""docs/rules.md, section 1: cards."""

from __future__ import annotations

import pytest

from kqj_sim.cards import RANKS, Card
from kqj_sim.referee.kqj import PACK, card_points, outranks

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
