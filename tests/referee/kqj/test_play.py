"""docs/rules.md, section 5: play of the cards."""

from __future__ import annotations

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


@pytest.mark.parametrize("contract", ["s", "h", "NT", "AT"])
def test_leading_any_card_may_be_played(contract: str) -> None:
    assert legal("4s 9h Ad", "", contract) == {"4s", "9h", "Ad"}


def test_a_plain_suit_must_be_followed_with_any_card_of_it() -> None:
    assert legal("As 4s 9h Ad", "Ks", "h") == {"As", "4s"}


def test_a_plain_suit_must_be_followed_even_if_the_trick_was_trumped() -> None:
    assert legal("As 4s 9h Ad", "Ks 4h", "h") == {"As", "4s"}


def test_no_trump_must_be_followed_without_duty_to_beat() -> None:
    assert legal("Ah 4h 9s", "Kh", "NT") == {"Ah", "4h"}


def test_trump_led_must_be_beaten_if_possible() -> None:
    assert legal("9h 7h Kh 4s", "Ah", "h") == {"9h", "7h"}


def test_trump_led_must_be_beaten_also_if_a_partner_is_master() -> None:
    # Seat 0 leads and stays master; seat 2 is the partner.
    assert legal("9h Kh 4s", "Ah 4h", "h") == {"9h"}


def test_trump_led_must_beat_every_trump_played_so_far() -> None:
    assert legal("7h Ah Kh", "Th 8h", "h") == {"7h", "Ah", "Kh"}
    assert legal("9h 7h Kh", "Th 8h 4h", "h") == {"9h"}


def test_trump_led_that_cannot_be_beaten_takes_any_trump() -> None:
    assert legal("4h Ah As", "9h", "h") == {"4h", "Ah"}


@pytest.mark.parametrize("suit", "shdc")
def test_at_all_trumps_every_suit_led_must_be_beaten(suit: str) -> None:
    hand = f"9{suit} A{suit} 4{suit} 9{'h' if suit == 's' else 's'}"
    assert legal(hand, f"T{suit}", "AT") == {f"9{suit}", f"A{suit}"}
    assert legal(hand, f"T{suit} 8{suit}", "AT") == {f"9{suit}"}


def test_at_all_trumps_cards_of_other_suits_need_not_be_beaten() -> None:
    assert legal("As 4s 9d", "Ts 9h", "AT") == {"As"}
    assert legal("Ks 4s 9d", "Ts 9h", "AT") == {"Ks", "4s"}


def test_void_with_partner_master_may_play_any_card() -> None:
    assert legal("9h 4h As", "Ac 4c", "h") == {"9h", "4h", "As"}


def test_void_with_partner_master_by_a_trump_may_discard_trump() -> None:
    assert legal("4h 9h As", "Ac Th 8h 4c", "h", leader=0) == {"4h", "9h", "As"}


def test_void_with_opponent_master_must_trump() -> None:
    assert legal("9h 4h As", "Ac", "h") == {"9h", "4h"}


def test_void_with_opponent_master_by_a_trump_must_overtrump() -> None:
    assert legal("9h 4h As", "4c Th Kc", "h") == {"9h", "4h", "As"}  # seat 1 is the partner
    assert legal("9h 4h As", "4c Kc Th", "h") == {"9h"}


def test_void_without_a_trump_that_beats_may_play_any_card() -> None:
    assert legal("7h 4h As", "4c Kc 8h", "h") == {"7h", "4h", "As"}


def test_void_without_trumps_may_play_any_card() -> None:
    assert legal("As 4s Kd", "Ac", "h") == {"As", "4s", "Kd"}


def test_void_in_trump_led_may_play_any_card() -> None:
    assert legal("As 4s Kd", "9h", "h") == {"As", "4s", "Kd"}


@pytest.mark.parametrize("contract", ["AT", "NT"])
@pytest.mark.parametrize("trick", ["Ac", "Ac 4c"])
def test_void_at_all_trumps_and_no_trump_may_play_any_card(contract: str, trick: str) -> None:
    assert legal("9h 4h As", trick, contract) == {"9h", "4h", "As"}


def test_with_three_teams_the_seat_two_places_before_is_no_partner() -> None:
    assert legal("9h 4h As", "Ac 4c", "h", THREE_TEAMS) == {"9h", "4h"}
    assert legal("9h 4h As", "Ac 4c 5c", "h", THREE_TEAMS) == {"9h", "4h", "As"}


def test_partners_are_those_of_the_round_with_random_partners() -> None:
    assert legal("9h 4h As", "Ac", "h", [0, 0, 1, 1, 1, 0]) == {"9h", "4h", "As"}
    assert legal("9h 4h As", "Ac", "h", [0, 0, 1, 1, 1, 0], leader=1) == {"9h", "4h"}


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
