"""Names of the places in the order of speaking, from the opener to the dealer."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from kqj_sim.errors import InputError
from kqj_sim.messages import quote

OPENER = "opener"
DEALER = "dealer"


def name_places(seats: int) -> tuple[str, ...]:
    """Return the names of places: of six `opener`, `2nd`, `3rd`, `4th`, `5th`, `dealer`."""
    return (OPENER, *(format_ordinal(place + 1) for place in range(1, seats - 1)), DEALER)


def describe_place(place: int, seats: int) -> str:
    """Return a place as a noun: `the opener`, `the 3rd to speak`, `the dealer`."""
    name = name_places(seats)[place]
    return f"the {name} to speak" if 0 < place < seats - 1 else f"the {name}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def parse_place(text: str, seats: int) -> int:
    """Parse a place as people write it, `opener`, `3rd`, `third`, `dealer`; or raise InputError.

    A number without an ending is refused: 3 can mean the 3rd, or the 4th counted from 0.
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


def normalize_name(name: str) -> str:
    """Return a name in composed Unicode, without blanks around it: as one person's is compared."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def fold_name(name: str) -> str:
    """Return what all spellings of a person's name have in common: it differs not in case alone."""
    return unicodedata.normalize("NFC", normalize_name(name).casefold())


@dataclass(frozen=True)
class SeatNames:
    """The names by which people call the seats of a round: players, places, `seat 3`.

    Attributes:
        players: the name of each seat's player; empty where nobody is named.
        dealer: seat of the dealer; None while it is not known.
    """

    players: tuple[str, ...]
    dealer: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(map(normalize_name, self.players)))

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.players)

    @property
    def own_names(self) -> tuple[str, ...]:
        """The name of each seat's player; empty where another has the same, or it is a place."""
        names, places = [*map(fold_name, self.players)], name_places(self.seats)
        return tuple(
            player
            if names.count(name) == 1 and name not in places and not _SEAT_PATTERN.fullmatch(name)
            else ""
            for player, name in zip(self.players, names, strict=True)
        )

    @property
    def has_names(self) -> bool:
        """True if a player's name tells a seat from the others."""
        return any(self.own_names)

    def explain_unknown(self, text: str) -> str:
        """Return the message on a text that names no seat."""
        plain = fold_name(text)
        equal = [seat for seat, name in enumerate(self.players) if fold_name(name) == plain]
        if len(equal) > 1:
            seats = [self.describe(seat) for seat in equal]
            return f"{quote(text)} is at {len(seats)} seats: write {' or '.join(seats)}"
        if self.has_names:
            right = ", ".join(map(self.describe, range(self.seats)))
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
        plain = fold_name(text)
        names = [*map(fold_name, self.own_names)]
        if plain and plain in names:
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
        if name := self.own_names[seat]:
            return name
        if self.dealer is None:
            return f"seat {seat}"
        return name_places(self.seats)[self._place_of(seat)]

    def describe_noun(self, seat: int) -> str:
        """Return a seat as a noun: `Cem`, `the opener`, `the 3rd to speak`."""
        if self.own_names[seat] or self.dealer is None:
            return self.describe(seat)
        return describe_place(self._place_of(seat), self.seats)

    def name_in(self, text: str) -> str:
        """Return a text with the players' names for `seat 3`, `the opener` and `the 3rd to speak`.

        The dealer has to be known.  Without names it is the text as it is.
        """
        return _SEAT_IN_TEXT.sub(self._name_match, text) if self.has_names else text

    def describe_in(self, text: str) -> str:
        """Return a text with names or places for seats: `Cem` or `the 3rd` for `seat 2`."""

        def describe(match: re.Match[str]) -> str:
            return self.describe_noun(int(match[1])).removesuffix(" to speak")

        return re.sub(r"\bseat (\d)\b", describe, text)

    def _name_match(self, match: re.Match[str]) -> str:
        seat = self.find(f"seat{match[1]}" if match[1] else match[2])
        return match[0] if seat is None else self.own_names[seat] or match[0]

    def _place_of(self, seat: int) -> int:
        assert self.dealer is not None
        return (seat - self.dealer - 1) % self.seats


def describe_turn(place: int, seats: int) -> str:
    """Return a clause that says whose turn it is: `it is the opener's turn`."""
    return f"it is the {name_places(seats)[place]}'s turn"


def format_ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, ..., `11th`, ..., `21st`."""
    return f"{number}{'th' if number // 10 % 10 == 1 else _ENDINGS.get(number % 10, 'th')}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
