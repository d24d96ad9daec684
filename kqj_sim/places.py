"""Names of the places in the order of speaking, from the opener to the dealer."""

from __future__ import annotations

OPENER = "opener"
DEALER = "dealer"


def name_places(seats: int) -> tuple[str, ...]:
    """Return the name of each place of a table with this many seats.

    Six seats are `opener`, `2nd`, `3rd`, `4th`, `5th`, `dealer`.
    """
    between = (f"{place + 1}{_ENDINGS.get(place + 1, 'th')}" for place in range(1, seats - 1))
    return (OPENER, *between, DEALER)


_ENDINGS = {2: "nd", 3: "rd"}
