"""The decisions of a recorded round, each as the player saw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kqj_sim.cards import parse_card
from kqj_sim.errors import InputError
from kqj_sim.notation.sections import label_seats
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
        self._find_calls()
        self._find_cards()

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
        seats = (seat for seat, own in enumerate(self.teams) if own == team)
        return ", ".join(map(self.seat_names.describe, sorted(seats, key=self.place_of)))

    def describe_role(self, seat: int) -> str | None:
        """Return `sender`, `partner` or `defender`; None if the round was passed out."""
        sender = self.record.sender
        if sender is None:
            return None
        if seat == sender:
            return "sender"
        return "partner" if self.teams[seat] == self.teams[sender] else "defender"

    def _add(self, at: str, kind: Kind, trick: int, choice: str, position: Position) -> None:
        number, seat = len(self.decisions) + 1, position.seat
        self.decisions.append(Decision(self, number, at, seat, kind, trick, choice, position))

    def _find_calls(self) -> None:
        """Find the calls, and the counters that were not made."""
        for at, position, call in list_call_positions(self._calls):
            if not position.hand:
                reason = "the cards of the player are not known"
                self.skipped.append(Skipped(at, position.seat, reason))
                continue
            is_reply = call is None or call.call in ("counter", "overcounter")
            kind = "counter" if is_reply else _CALL_KINDS[position.question]
            choice = f"no {position.question}" if call is None else format_call(call)
            self._add(at, kind, 0, choice, position)

    def _find_cards(self) -> None:
        """Find the cards that were not forced."""
        for number, trick in enumerate(self.record.tricks, start=1):
            for card, text in enumerate(trick.cards, start=1):
                at = f"{number}.{card}"
                try:
                    position = read_position(self.record, (number, card), self._calls)
                except InputError as error:
                    if number < self.rules.tricks:
                        leader, seats = trick.leader, self.rules.seats
                        seat = -1 if leader is None else (leader + card - 1) % seats
                        self.skipped.append(Skipped(at, seat, str(error)))
                    continue
                if len(position.legal_cards) > 1:
                    choice = str(parse_card(text, ranks=self.rules.ranks))
                    self._add(at, _classify(position), number, choice, position)


def _classify(position: Position) -> Kind:
    """Return what kind of a card is asked for."""
    _, cards = position.tricks[-1]
    if not cards:
        return "lead"
    can_follow = any(card.suit == cards[0].suit for card in position.legal_cards)
    return "follow" if can_follow else "discard"
