"""Names of places."""

from kqj_sim.places import name_places


def test_places_go_from_the_opener_to_the_dealer() -> None:
    assert name_places(6) == ("opener", "2nd", "3rd", "4th", "5th", "dealer")
    assert name_places(4) == ("opener", "2nd", "3rd", "dealer")
