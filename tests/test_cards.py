from __future__ import annotations

import pytest

from kqj_sim.cards import (
    CONTRACTS,
    RANKS,
    SUITS,
    Card,
    NotationError,
    format_card,
    format_contract,
    format_hand,
    parse_card,
    parse_cards,
    parse_contract,
)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("suit", SUITS)
def test_every_card_comes_back_from_its_text(rank: str, suit: str) -> None:
    card = Card(rank, suit)
    assert parse_card(format_card(card)) == card == parse_card(str(card))
    assert parse_card(format_card(card, symbols=True)) == card


@pytest.mark.parametrize("text", ["Th", "TH", "th", "10h", "10H", "T♥", "10♡", "T♥\ufe0f", " Th "])
def test_a_ten_is_read_in_every_way_of_writing(text: str) -> None:
    assert parse_card(text) == Card("T", "h")


def test_white_and_black_suit_signs_are_the_same_suits() -> None:
    assert parse_cards("A♠A♥A♦A♣") == parse_cards("A♤ A♡ A♢ A♧") == parse_cards("As Ah Ad Ac")


@pytest.mark.parametrize("text", ["", "1h", "3s", "h", "hT", "Tx", "T h", "Thh", "101h", "Th Ts"])
def test_what_is_no_card_says_how_to_write_one(text: str) -> None:
    with pytest.raises(NotationError, match=r"is not a card: write a rank of A T H K Q J") as error:
        parse_card(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["9h 8h, Ah", "9h8hAh", "9H,8H,AH", " 9♥8♥\n\tAh ", "9h,,8h Ah,"])
def test_cards_are_read_with_and_without_separators(text: str) -> None:
    assert [str(card) for card in parse_cards(text)] == ["9h", "8h", "Ah"]


def test_a_ten_may_stand_anywhere_among_cards_run_together() -> None:
    assert parse_cards("10sKs10hHh") == parse_cards("Ts Ks Th Hh")


def test_no_cards_are_no_cards() -> None:
    assert parse_cards(" ") == ()


def test_the_wrong_card_among_cards_is_named() -> None:
    with pytest.raises(NotationError, match="'1h' is not a card"):
        parse_cards("9h, 1h, Ah")
    with pytest.raises(NotationError, match="9h is named twice"):
        parse_cards("9h Ah 9♥")


def test_a_hand_is_shown_by_suit_from_the_ace_down() -> None:
    hand = parse_cards("4h 9s As Hh Ts Qc")
    assert format_hand(hand) == "♠ A T 9  ♥ H 4  ♣ Q"
    assert format_hand(hand, symbols=False) == "s A T 9  h H 4  c Q"
    assert parse_cards("") == () and format_hand([]) == ""


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_contract_comes_back_from_its_text(contract: str) -> None:
    assert parse_contract(format_contract(contract)) == contract
    assert parse_contract(format_contract(contract, symbols=True)) == contract
    assert parse_contract(contract.swapcase()) == contract


def test_contracts_are_shown_with_signs_where_they_are_suits() -> None:
    assert [format_contract(c, symbols=True) for c in CONTRACTS] == ["♠", "♥", "♦", "♣", "NT", "AT"]
    assert parse_contract("♡") == "h"


@pytest.mark.parametrize("text", ["", "x", "hearts", "N T", "TA", "sh"])
def test_what_is_no_contract_says_what_is(text: str) -> None:
    with pytest.raises(NotationError, match="is not a contract: write one of s h d c NT AT"):
        parse_contract(text)


def test_a_pack_of_fewer_ranks_has_no_other_cards() -> None:
    ranks = "AKQJT9"
    assert parse_card("10h", ranks=ranks) == Card("T", "h")
    assert parse_cards("9h Ks", ranks=ranks) == (Card("9", "h"), Card("K", "s"))
    for text in ("Hh", "8h"):
        with pytest.raises(NotationError, match="write a rank of A K Q J T 9, then"):
            parse_card(text, ranks=ranks)
        with pytest.raises(NotationError, match=f"'{text}' is not a card"):
            parse_cards(f"Ah {text}Th", ranks=ranks)


def test_a_hand_is_shown_in_the_order_of_its_game() -> None:
    cards = parse_cards("9h Th Ah Kh")
    assert format_hand(cards, symbols=False) == "h A T K 9"
    assert format_hand(cards, symbols=False, ranks="AKQJT9") == "h A K T 9"
