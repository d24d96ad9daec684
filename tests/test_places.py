"""Names of places."""

import pytest

from kqj_sim.errors import InputError
from kqj_sim.places import SeatNames, format_ordinal, name_places, parse_place


def test_places_go_from_the_opener_to_the_dealer() -> None:
    assert name_places(6) == ("opener", "2nd", "3rd", "4th", "5th", "dealer")
    assert name_places(4) == ("opener", "2nd", "3rd", "dealer")


def test_places_are_read_by_name() -> None:
    for seats in (4, 6):
        for place, name in enumerate(name_places(seats)):
            assert parse_place(name.upper(), seats) == place
    assert parse_place("3rd", 6) == parse_place("third", 6) == 2
    assert parse_place("1st", 6) == 0 and parse_place("6th", 6) == 5


@pytest.mark.parametrize(
    ("text", "names"),
    [("0", "opener"), ("1", "opener or 2nd"), ("3", "3rd or 4th"), ("5", "5th or dealer"),
     ("6", "dealer")],
)  # fmt: skip
def test_a_number_counts_from_0_or_from_1(text: str, names: str) -> None:
    with pytest.raises(InputError, match=rf"'{text}' .*: write {names}$"):
        parse_place(text, 6)


def test_a_seat_is_named_by_its_player_place_or_number() -> None:
    names = SeatNames(("Ann", "Ben", "Cem", "Dora", "Eva", "Finn"), dealer=1)
    assert [names.find(text) for text in ("cem", "opener", "seat 2", "seat2")] == [2, 2, 2, 2]
    assert names.describe_noun(2) == "Cem"
    assert names.find("2") is None
    assert "can mean the 2nd to speak or seat 2" in names.explain_unknown("2")
    assert "write one of Ann, Ben" in names.explain_unknown("Zoe")
    twice = SeatNames(("Ann", "Ben", "Ann", "Dora", "Eva", "Finn"), dealer=1)
    assert [twice.find(text) for text in ("ben", "ann", "opener")] == [1, None, 2]
    assert twice.explain_unknown("Ann") == "'Ann' is at 2 seats: write 5th or opener"
    unnamed = SeatNames(("standard",) * 6, dealer=1)
    assert (unnamed.describe(2), unnamed.describe_noun(4)) == ("opener", "the 3rd to speak")


def test_ordinals_end_as_they_are_spoken() -> None:
    told = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 60: "60th"}
    assert {number: format_ordinal(number) for number in told} == told


def test_seats_in_a_text_get_names_or_places() -> None:
    names = ("Ann", "Ben", "Cem", "Dora", "Eva", "Finn")
    assert SeatNames(names, 5).describe_in("seat 2 leads, not seat 5") == "Cem leads, not Finn"
    assert SeatNames(("",) * 6, 5).describe_in("seat 2, seat 5") == "the 3rd, the dealer"
    assert SeatNames(("",) * 6, None).describe_in("seat 2") == "seat 2"
