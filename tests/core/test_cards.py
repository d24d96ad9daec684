"""The coding of cards and their points against the referee's, card by card."""

from __future__ import annotations

import random

import pytest

from kqj_sim.cards import CONTRACTS, SUITS, Card
from kqj_sim.core import cards as points
from kqj_sim.core.cards import (
    PACK,
    TOP_SUIT,
    TRUMP_JACK,
    TRUMP_KING,
    TRUMP_QUEEN,
    count_card_points,
    highest_bit,
    lowest_bit,
    popcount,
    to_natural_order,
    to_strength_order,
    trailing_zeros,
)
from kqj_sim.core.jit import kernel
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.referee.kqj import card_points, is_trump, outranks
from tests.core.coding import NATURAL, bits, strength_of

# Intrinsics exist inside compiled code only.
_count = kernel(lambda cards: popcount(cards))
_lowest_number = kernel(lambda cards: trailing_zeros(cards))

PLANES = dict.fromkeys("shdc", points.SUIT_PLANES)
PLANES |= {"NT": points.NO_TRUMP_PLANES, "AT": points.ALL_TRUMPS_PLANES}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_by_strength_is_a_bijection_of_the_pack(contract: str) -> None:
    coded = strength_of(contract)
    assert len(set(coded.values())) == 48
    assert sum(coded.values()) == PACK
    for card, bit in coded.items():
        assert to_natural_order(bit, CONTRACTS.index(contract)) == NATURAL[card]
    assert to_natural_order(PACK, CONTRACTS.index(contract)) == PACK


@pytest.mark.parametrize("contract", CONTRACTS)
def test_by_strength_keeps_suits_together(contract: str) -> None:
    lanes = {card: bit.bit_length() >> 4 for card, bit in strength_of(contract).items()}
    for suit in SUITS:
        assert len({lane for card, lane in lanes.items() if card.suit == suit}) == 1


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_higher_bit_is_a_stronger_card(contract: str) -> None:
    coded = strength_of(contract)
    for card in CARDS:
        for other in CARDS:
            if card.suit == other.suit and card != other:
                assert (coded[card] > coded[other]) == outranks(card, other, contract)


@pytest.mark.parametrize("contract", ["s", "h", "d", "c"])
def test_trumps_stand_in_the_top_lane(contract: str) -> None:
    for card, bit in strength_of(contract).items():
        assert bool(bit & TOP_SUIT) == is_trump(card, contract)


@pytest.mark.parametrize("contract", ["s", "h", "d", "c", "AT"])
def test_king_queen_and_jack_of_trump_have_their_bits(contract: str) -> None:
    coded = strength_of(contract)
    for suit in SUITS if contract == "AT" else contract:
        for rank, bit in (("K", TRUMP_KING), ("Q", TRUMP_QUEEN), ("J", TRUMP_JACK)):
            assert (coded[Card(rank, suit)].bit_length() - 1) & 15 == bit


@pytest.mark.parametrize("contract", CONTRACTS)
def test_by_strength_of_a_set_is_that_of_its_cards(contract: str) -> None:
    draw = random.Random(5)
    coded = strength_of(contract)
    for _ in range(500):
        cards = draw.sample(CARDS, draw.randint(0, 48))
        found = to_strength_order(bits(cards), CONTRACTS.index(contract))
        assert found == sum(coded[card] for card in cards), cards


@pytest.mark.parametrize("contract", CONTRACTS)
def test_points_of_a_set_are_those_of_the_referee(contract: str) -> None:
    draw = random.Random(6)
    planes = [int(plane) for plane in PLANES[contract]]
    coded = strength_of(contract)
    some = [draw.sample(CARDS, draw.randint(0, 48)) for _ in range(500)]
    for cards in [*some, *([card] for card in CARDS)]:
        found = count_card_points(sum(coded[card] for card in cards), *planes)
        assert found == sum(card_points(card, contract) for card in cards), cards
    assert count_card_points(PACK, *planes) == 236


def test_bit_tools_against_slow_ones() -> None:
    draw = random.Random(7)
    sets = [0, PACK, 1, 1 << 59, *NATURAL.values()]
    for _ in range(2000):
        sets.append(draw.getrandbits(60) & PACK & draw.choice((-1, draw.getrandbits(60))))
    for cards in sets:
        each = [1 << k for k in range(64) if cards >> k & 1]
        assert _count(cards) == len(each)
        assert lowest_bit(cards) == min(each, default=0)
        assert highest_bit(cards) == max(each, default=0)
        if cards:
            assert _lowest_number(cards) == min(each).bit_length() - 1
