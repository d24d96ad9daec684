"""Names of places."""

import pytest

from kqj_sim.places import PlaceError, format_ordinal, name_places, parse_place


def test_places_go_from_the_opener_to_the_dealer() -> None:
    assert name_places(6) == ("opener", "2nd", "3rd", "4th", "5th", "dealer")
    assert name_places(4) == ("opener", "2nd", "3rd", "dealer")


def test_places_are_read_by_name_and_by_number() -> None:
    for seats in (4, 6):
        for place, name in enumerate(name_places(seats)):
            assert parse_place(name.upper(), seats) == parse_place(str(place), seats) == place
    assert parse_place("3rd", 6) == parse_place("third", 6) == 2
    assert parse_place("3", 6) == 3
    assert parse_place("1st", 6) == 0 and parse_place("6th", 6) == 5


@pytest.mark.parametrize("text", ["", "6", "7th", "0th", "-1", "middle", "sixth"])
def test_what_is_no_place_says_what_is(text: str) -> None:
    with pytest.raises(PlaceError, match=r"write opener, 2nd, .*dealer.*\(the dealer\)"):
        parse_place(text, 4)


def test_ordinals_end_as_they_are_spoken() -> None:
    told = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 60: "60th"}
    assert {number: format_ordinal(number) for number in told} == told
