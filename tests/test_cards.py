from __future__ import annotations

import pytest

from kqj_sim.cards import (
    CONTRACTS,
    RANKS,
    SUITS,
    Card,
    format_card,
    format_contract,
    format_hand,
    parse_card,
    parse_cards,
    parse_contract,
    parse_single_card,
)
from kqj_sim.errors import InputError
from tests.command_line import read_error


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("suit", SUITS)
def test_every_card_comes_back_from_its_text(rank: str, suit: str) -> None:
    card = Card(rank, suit)
    assert parse_card(format_card(card)) == card == parse_card(str(card))


@pytest.mark.parametrize("text", ["Th", "TH", "th", "10h", "10H", "T♥", "10♡", "T♥\ufe0f", " Th "])
def test_a_ten_is_read_in_every_way_of_writing(text: str) -> None:
    assert parse_card(text) == Card("T", "h")


def test_white_and_black_suit_signs_are_the_same_suits() -> None:
    assert parse_cards("A♠A♥A♦A♣") == parse_cards("A♤ A♡ A♢ A♧") == parse_cards("As Ah Ad Ac")


@pytest.mark.parametrize("text", ["", "1h", "3s", "h", "hT", "Tx", "T h", "Thh", "101h", "Th Ts"])
def test_what_is_no_card_says_how_to_write_one(text: str) -> None:
    assert "is not a card: write a rank of A T H K Q J" in read_error(parse_card, text)


@pytest.mark.parametrize("text", ["9h 8h, Ah", "9h8hAh", "9H,8H,AH", " 9♥8♥\n\tAh ", "9h,,8h Ah,"])
def test_cards_are_read_with_and_without_separators(text: str) -> None:
    assert [str(card) for card in parse_cards(text)] == ["9h", "8h", "Ah"]


def test_a_ten_may_stand_anywhere_among_cards_run_together() -> None:
    assert parse_cards("10sKs10hHh") == parse_cards("Ts Ks Th Hh")


def test_no_cards_are_no_cards() -> None:
    assert parse_cards(" ") == ()


def test_the_wrong_card_among_cards_is_named() -> None:
    with pytest.raises(InputError, match="'1h' is not a card"):
        parse_cards("9h, 1h, Ah")
    with pytest.raises(InputError, match="9h is named twice"):
        parse_cards("9h Ah 9♥")


def test_a_hand_is_shown_by_suit_from_the_ace_down() -> None:
    hand = parse_cards("4h 9s As Hh Ts Qc")
    assert format_hand(hand) == "♠ A T 9  ♥ H 4  ♣ Q"
    assert parse_cards("") == () and format_hand([]) == ""


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_contract_comes_back_from_its_text(contract: str) -> None:
    assert parse_contract(format_contract(contract)) == contract
    assert parse_contract(contract.swapcase()) == contract


def test_contracts_are_shown_with_signs_where_they_are_suits() -> None:
    assert [format_contract(c) for c in CONTRACTS] == ["♠", "♥", "♦", "♣", "NT", "AT"]
    assert parse_contract("♡") == "h"


@pytest.mark.parametrize("text", ["", "x", "heartss", "N T", "TN", "sh"])
def test_what_is_no_contract_says_what_is(text: str) -> None:
    with pytest.raises(InputError, match="is not a contract: write one of s h d c NT AT"):
        parse_contract(text)


def test_a_pack_of_fewer_ranks_has_no_other_cards() -> None:
    ranks = "AKQJT9"
    assert parse_card("10h", ranks=ranks) == Card("T", "h")
    assert parse_cards("9h Ks", ranks=ranks) == (Card("9", "h"), Card("K", "s"))
    for text in ("Hh", "8h"):
        with pytest.raises(InputError, match="write a rank of A K Q J T 9, then"):
            parse_card(text, ranks=ranks)
        with pytest.raises(InputError, match=f"'{text}' .*: write a rank of A K Q J T 9, then"):
            parse_cards(f"Ah {text} Th", ranks=ranks)


def test_a_hand_is_shown_in_the_order_of_its_game() -> None:
    cards = parse_cards("9h Th Ah Kh")
    assert format_hand(cards) == "♥ A T K 9"
    assert format_hand(cards, ranks="AKQJT9") == "♥ A K T 9"


HAND = ["9h", "8h", "Ah", "Ks", "4d"]
WRITTEN = [
    "9h 8h Ah Ks 4d",
    "9h8hAhKs4d",
    "9h8hahks4d",
    "9H 8H AH KS 4D",
    "h9 h8 hA sK d4",
    "9♥ 8♥ A♥ K♠ 4♦",
    "♥9 ♥8 ♥A ♠K ♦4",
    "9♥\ufe0f 8♥\ufe0f A♥\ufe0f K♠\ufe0f 4♦\ufe0f",
    "♥ 9 8 A  ♠ K  ♦ 4",
    "h: 98A s: K d: 4",
    "h : 9, 8, A; s: K; d: 4",
    "h98A sK d4",
    "h9 8 A sK d4",
    "98Ah Ks 4d",
    "h 9 8 a  s k  d 4",
    "H: 98A S: K D: 4",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_hand_is_read_in_every_way_of_writing(text: str) -> None:
    assert [str(card) for card in parse_cards(text)] == HAND


def test_a_hand_as_it_is_shown_is_read_again() -> None:
    cards = parse_cards("4h 9s As Hh Ts Qc Hs")
    assert set(parse_cards(format_hand(cards))) == set(cards)
    assert set(parse_cards("s A H T 9  h H 4  c Q")) == set(cards)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("hh", "Hh"),
        ("hH", "Hh"),
        ("h: A H 9", "Ah Hh 9h"),
        ("♥ A H 9", "Ah Hh 9h"),
        ("♥HA9 ♠K", "Hh Ah 9h Ks"),
        ("h H 4 s K", "Hh 4h Ks"),
        ("hAhK", "Ah Kh"),
        ("sH dH", "Hs Hd"),
        ("hh hs", "Hh Hs"),
    ],
)
def test_hero_and_hearts_are_told_apart(text: str, cards: str) -> None:
    assert [str(card) for card in parse_cards(text)] == cards.split()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("9h 8h A Ks 4d", "'A' has no suit: write As, Ah, Ad or Ac"),
        ("h9 h8 a sk d4", "'a' has no suit: write As, Ah, Ad or Ac"),
        ("9h 8h ♠", "'♠' has no rank: write a rank of A T H"),
        ("h9sah", "can be read as H♠ 9♠ A♥ or 9♥ A♠ H♠: write rank and suit of each card"),
        ("9 of hearts", "'of' is not a card"),
        ("9 h 8 h", "'9' has no suit"),
        ("9h 8h 2h", "'2h' is not a card"),
        ("9hh8", "'9hh8' is not a card"),
        ("pass", "'pass' is not a card"),
        ("hH9" * 3000, "more cards than a pack has"),
    ],
)
def test_unclear_cards_are_one_line_that_says_what_to_write(text: str, told: str) -> None:
    assert told in read_error(parse_cards, text)


def test_one_card_is_wanted_where_one_is() -> None:
    assert parse_single_card("♥ 10") == Card("T", "h")
    for text in ("", "9h 8h"):
        with pytest.raises(InputError, match="write one, a rank of"):
            parse_single_card(text)


@pytest.mark.parametrize(
    ("contract", "texts"),
    [
        ("h", ["h", "H", "♥", "heart", "hearts", "Hearts", " ♡ "]),
        ("s", ["spade", "SPADES"]),
        ("NT", ["nt", "No-Trump", "no trumps", "no  trump", "notrump"]),
        ("AT", ["at", "All-Trumps", "all trump", "AllTrumps"]),
    ],
)
def test_contracts_have_names(contract: str, texts: list[str]) -> None:
    assert {parse_contract(text) for text in texts} == {contract}


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("R♥ V♠ D♦", "Kh Js Qd"),
        ("Rh Vs 10d", "Kh Js Td"),
        ("♥ R V", "Kh Jh"),
        # A d that no sign follows is the suit of the diamonds.
        ("♥ 9 D 8", "9h 8d"),
        ("9d Kd", "9d Kd"),
    ],
)
def test_ranks_may_be_french_where_they_are_clear(text: str, cards: str) -> None:
    assert " ".join(map(str, parse_cards(text))) == cards


@pytest.mark.parametrize(
    ("text", "contract"),
    [
        ("pique", "s"),
        ("Cœur", "h"),
        ("coeur", "h"),
        ("carreau", "d"),
        ("trèfle", "c"),
        ("SA", "NT"),
        ("sans-atout", "NT"),
        ("TA", "AT"),
        ("tout atout", "AT"),
    ],
)
def test_contracts_may_be_french(text: str, contract: str) -> None:
    assert parse_contract(text) == contract
