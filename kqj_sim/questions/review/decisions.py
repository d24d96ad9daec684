"""The decisions of a recorded round, each as the player saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, TypeAlias

from kqj_sim.cards import Card, parse_card
from kqj_sim.errors import InputError
from kqj_sim.notation.people import label_seats
from kqj_sim.places import SeatNames, normalize_name
from kqj_sim.policies.players import shorten_player
from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.position import Position, Question, list_call_positions
from kqj_sim.positions.reader import add_played_hands, read_calls, read_position
from kqj_sim.record import AnyRecord

Kind: TypeAlias = Literal["take", "bid", "counter", "play", "lead", "follow", "discard"]
"""The kind of a decision; `play` is the call in Kwajongen, `discard` a card when void."""

CALL_KINDS = ("take", "bid", "counter", "play")

_CALL_KINDS: dict[Question, Kind] = {"take": "take", "bid": "bid", "accept": "play"}
"""The kind of a call in a player's turn."""


@dataclass(frozen=True)
class Decision:
    """A call or a card with a choice.

    Attributes:
        played: its round.
        number: from 1, in the round.
        at: where it is, `3.2` (trick and card), `c.4` (call) or `c.4.2` (the second player who
            could counter call 4 and did not).
        trick: 1 to 8; 0 for calls.
        choice: the call or the card.
        knowledge: what the player knew.
    """

    played: RecordedRound = field(compare=False, repr=False)
    number: int
    at: str
    seat: int
    kind: Kind
    trick: int
    choice: str
    knowledge: Position

    @property
    def is_call(self) -> bool:
        """True for a call, False for a card."""
        return self.trick == 0


@dataclass(frozen=True)
class Skipped:
    """A decision that cannot be graded, and the reason."""

    at: str
    seat: int
    reason: str


class RecordedRound:
    """A recorded round to review.

    Attributes:
        record: the record, as far as it is known.
        decisions: the decisions that can be graded, in order.
    """

    def __init__(
        self,
        record: AnyRecord,
        line: int = 1,
        names: Sequence[str] | None = None,
    ) -> None:
        """Find the decisions; raise InputError if the record is no round.

        Names are those of the record's players unless they are given.
        """
        self.line = line
        self.source = record
        self.record = add_played_hands(record)
        self._calls = read_calls(self.record)
        self.rules, self.teams = self._calls.rules, self._calls.teams
        self.turned = self._calls.upcard
        self.names = self._name_players(names)
        self.decisions: list[Decision] = []
        self.skipped: list[Skipped] = []
        for each in chain(self._find_calls(), self._find_cards()):
            if isinstance(each, Skipped):
                self.skipped.append(each)
            else:
                self.decisions.append(each)

    def _name_players(self, names: Sequence[str] | None) -> tuple[str, ...]:
        seats = self.rules.seats
        if names is None:
            known = self.record.players or [""] * seats
            names = [normalize_name(shorten_player(name, self.rules)) for name in known]
        return tuple(name or f"seat {seat}" for seat, name in enumerate(names))

    @property
    def seat_names(self) -> SeatNames:
        """The names by which people call the seats."""
        return label_seats(self.names, self.record)

    @property
    def opener(self) -> int:
        """The seat of the opener."""
        return (self.record.dealer + 1) % self.rules.seats

    def place_of(self, seat: int) -> int:
        """Return the place of a seat."""
        return (seat - self.opener) % self.rules.seats

    def seat_of(self, place: int) -> int:
        """Return the seat of a place."""
        return (self.opener + place) % self.rules.seats

    def name_side(self, team: int) -> str:
        """Return the name of a side: `opener, 3rd, 5th`, or `Ann, Cem, Eva`."""
        seats = (seat for seat, each in enumerate(self.teams) if each == team)
        return ", ".join(map(self.seat_names.describe, sorted(seats, key=self.place_of)))

    def describe_role(self, seat: int) -> str | None:
        """Return `sender`, `partner` or `defender`; None if the round was passed out."""
        sender = self.record.sender
        if sender is None:
            return None
        if seat == sender:
            return "sender"
        return "partner" if self.teams[seat] == self.teams[sender] else "defender"

    def _find_calls(self) -> Iterator[Decision | Skipped]:
        """Yield the calls, and the counters that were not made."""
        for at, position, call in list_call_positions(self._calls):
            if not position.hand:
                yield Skipped(at, position.seat, "the cards of the player are not known")
                continue
            is_reply = call is None or call.call in ("counter", "overcounter")
            kind = "counter" if is_reply else _CALL_KINDS[position.question]
            choice = f"no {position.question}" if call is None else format_call(call)
            number = len(self.decisions) + 1
            yield Decision(self, number, at, position.seat, kind, 0, choice, position)

    def _find_cards(self) -> Iterator[Decision | Skipped]:
        """Yield the cards that were not forced."""
        number = len(self.decisions)
        for trick, each in enumerate(self.record.tricks, start=1):
            for card, text in enumerate(each.cards, start=1):
                at = f"{trick}.{card}"
                try:
                    position = read_position(self.record, (trick, card), self._calls)
                except InputError as error:
                    seat = self._find_player(trick, card)
                    if trick < self.rules.tricks:
                        yield Skipped(at, seat, str(error))
                    continue
                legal = position.legal_cards
                if len(legal) < 2:
                    continue
                number += 1
                choice = str(parse_card(text, ranks=self.rules.ranks))
                kind = _classify(position, legal, card)
                yield Decision(self, number, at, position.seat, kind, trick, choice, position)

    def _find_player(self, trick: int, card: int) -> int:
        leader = self.record.tricks[trick - 1].leader
        return -1 if leader is None else (leader + card - 1) % self.rules.seats


def _classify(position: Position, legal: tuple[Card, ...], card: int) -> Kind:
    if card == 1:
        return "lead"
    led = position.tricks[-1][1][0]
    return "follow" if any(each.suit == led.suit for each in legal) else "discard"
