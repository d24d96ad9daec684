"""Names of the places in the order of speaking, from the opener to the dealer."""

from __future__ import annotations

import re

from kqj_sim.messages import quote

OPENER = "opener"
DEALER = "dealer"


def name_places(seats: int) -> tuple[str, ...]:
    """Return the name of each place of a table with this many seats.

    Six seats are `opener`, `2nd`, `3rd`, `4th`, `5th`, `dealer`.
    """
    return (OPENER, *(format_ordinal(place + 1) for place in range(1, seats - 1)), DEALER)


def describe_place(place: int, seats: int) -> str:
    """Return a place as a noun: `the opener`, `the 3rd to speak`, `the dealer`."""
    name = name_places(seats)[place]
    return f"the {name} to speak" if 0 < place < seats - 1 else f"the {name}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


class PlaceError(ValueError):
    """A text that is no place; one line that says what would be right."""


def parse_place(text: str, seats: int) -> int:
    """Parse a place as people write it: a name such as `opener` or `3rd`, or a number from 0.

    The number 3 is the 4th to speak, since the opener is 0.

    Raises:
        PlaceError: the text is no place of a table with this many seats.
    """
    names = name_places(seats)
    plain = text.strip().lower()
    if plain in names:
        return names.index(plain)
    ordinal = re.fullmatch(r"(\d)(?:st|nd|rd|th)", plain)
    if ordinal is not None and 1 <= int(ordinal[1]) <= seats:
        return int(ordinal[1]) - 1
    if plain in _ORDINALS[:seats]:
        return _ORDINALS.index(plain)
    if re.fullmatch(r"[0-9]", plain) and int(plain) < seats:
        return int(plain)
    raise PlaceError(
        f"{quote(text)} is not a place: write {', '.join(names[:-1])} or {DEALER}, or a number "
        f"from 0 (the opener) to {seats - 1} (the dealer)"
    )


def describe_turn(place: int, seats: int) -> str:
    """Return a clause that says whose turn it is: `it is the opener's turn`."""
    return f"it is the {name_places(seats)[place]}'s turn"


def format_ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, ..., `11th`, ..., `21st`."""
    return f"{number}{'th' if number // 10 % 10 == 1 else _ENDINGS.get(number % 10, 'th')}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
