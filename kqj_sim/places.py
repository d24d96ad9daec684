"""Names of the places in the order of speaking, from the opener to the dealer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kqj_sim.errors import InputError
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


def parse_place(text: str, seats: int) -> int:
    """Parse a place as people write it: `opener`, `3rd`, `third`, `dealer`.

    A number without an ending is refused: 3 can mean the 3rd, or the 4th counted from 0.

    Raises:
        InputError: the text is no place of a table with this many seats.
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
    if re.fullmatch(r"[0-9]", plain) and int(plain) <= seats:
        # Counted from 1, or from 0 as in the rows.
        readings = [names[number] for number in (int(plain) - 1, int(plain)) if 0 <= number < seats]
        reason = f"can mean the {' or the '.join(readings)}" if readings[1:] else "is not a place"
        raise InputError(f"{quote(text)} {reason}: write {' or '.join(readings)}")
    raise InputError(f"{quote(text)} is not a place: write {', '.join(names[:-1])} or {DEALER}")


_SEAT_PATTERN = re.compile(r"seat\s*(\d)")
_SEAT_IN_TEXT = re.compile(
    r"\bseat (\d)\b|\bthe (opener|dealer|(?:2nd|3rd|4th|5th)\b(?! lap))(?: to speak)?\b"
)

MAX_NAME = 24
"""Most characters of a name that stands for a seat; longer ones are specifications of policies."""


@dataclass(frozen=True)
class SeatNames:
    """The names by which people call the seats of a round: players, places, `seat 3`.

    Attributes:
        players: the name of each seat's player; empty where nobody is named.
        dealer: seat of the dealer; None while it is not known.
    """

    players: tuple[str, ...]
    dealer: int | None = None

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.players)

    @property
    def has_names(self) -> bool:
        """True if the players' names tell the seats apart, and are no places."""
        names = {player.lower() for player in self.players}
        places = name_places(self.seats)
        return len(names) == self.seats and not any(
            not name or name in places or _SEAT_PATTERN.fullmatch(name) for name in names
        )

    def explain_unknown(self, text: str) -> str:
        """Return the message on a text that names no seat."""
        if self.has_names:
            right = ", ".join(self.players)
        elif self.dealer is None:
            right = f"seat 0 to seat {self.seats - 1}"
        else:
            right = ", ".join(name_places(self.seats))
        if self.dealer is not None and re.fullmatch(r"[1-9]", text) and int(text) < self.seats:
            ordinal = format_ordinal(int(text))
            return (
                f"{quote(text)} can mean the {ordinal} to speak or seat {text}: write {ordinal} or "
                f"seat{text}"
            )
        return f"{quote(text)} is not a player: write one of {right}"

    def find(self, text: str) -> int | None:
        """Return the seat that a text names; None if it names none, or is a mere number."""
        plain = " ".join(text.lower().split())
        if self.has_names:
            names = [player.lower() for player in self.players]
            if plain in names:
                return names.index(plain)
        number = _SEAT_PATTERN.fullmatch(plain)
        if number is not None:
            return int(number[1]) if int(number[1]) < self.seats else None
        if self.dealer is None:
            return None
        try:
            place = parse_place(plain, self.seats)
        except InputError:
            return None
        return (self.dealer + 1 + place) % self.seats

    def describe(self, seat: int) -> str:
        """Return the name of a seat: `Cem`, `opener`, or `seat 3` if the dealer is not known."""
        if self.has_names:
            return self.players[seat]
        if self.dealer is None:
            return f"seat {seat}"
        return name_places(self.seats)[self._place_of(seat)]

    def describe_noun(self, seat: int) -> str:
        """Return a seat as a noun: `Cem`, `the opener`, `the 3rd to speak`."""
        if self.has_names or self.dealer is None:
            return self.describe(seat)
        return describe_place(self._place_of(seat), self.seats)

    def name_in(self, text: str) -> str:
        """Return a text with the players' names for `seat 3`, `the opener` and `the 3rd to speak`.

        The dealer has to be known.  Without names it is the text as it is.
        """
        return _SEAT_IN_TEXT.sub(self._name_match, text) if self.has_names else text

    def describe_in(self, text: str) -> str:
        """Return a text with names or places for seats: `Cem` or `the 3rd` for `seat 2`."""
        article = "" if self.has_names or self.dealer is None else "the "
        return re.sub(r"\bseat (\d)\b", lambda seat: article + self.describe(int(seat[1])), text)

    def _name_match(self, match: re.Match[str]) -> str:
        seat = self.find(f"seat{match[1]}" if match[1] else match[2])
        return match[0] if seat is None else self.players[seat]

    def _place_of(self, seat: int) -> int:
        assert self.dealer is not None
        return (seat - self.dealer - 1) % self.seats


def label_seats(players: Sequence[str], dealer: int) -> SeatNames:
    """Return the names for the seats of a record; long ones are specifications of policies."""
    is_short = all(len(player) <= MAX_NAME for player in players)
    return SeatNames(tuple(players) if is_short else ("",) * len(players), dealer)


def describe_turn(place: int, seats: int) -> str:
    """Return a clause that says whose turn it is: `it is the opener's turn`."""
    return f"it is the {name_places(seats)[place]}'s turn"


def format_ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, ..., `11th`, ..., `21st`."""
    return f"{number}{'th' if number // 10 % 10 == 1 else _ENDINGS.get(number % 10, 'th')}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
