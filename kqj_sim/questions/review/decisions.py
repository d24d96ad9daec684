"""The decisions of a recorded round, each as the player saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace as replace_struct

from kqj_sim.cards import Card, parse_card
from kqj_sim.errors import InputError
from kqj_sim.places import SeatNames, label_seats
from kqj_sim.policies.players import shorten_player
from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.position import PartialRound
from kqj_sim.positions.position_input import read_position, read_record_rules
from kqj_sim.positions.situation import (
    BiddingSituation,
    KwajongenBiddingSituation,
    Question,
)
from kqj_sim.record import Call, PartialRecord, Record
from kqj_sim.rules import KqjRules

Kind: TypeAlias = Literal["take", "bid", "counter", "play", "lead", "follow", "discard"]
"""The kind of a decision; `play` is the call in Kwajongen, `discard` a card when void."""

CALL_KINDS = ("take", "bid", "counter", "play")

Knowledge: TypeAlias = BiddingSituation | KwajongenBiddingSituation | PartialRound


@dataclass(frozen=True)
class Decision:
    """A call or a card with a choice.

    Attributes:
        number: from 1, in the round.
        at: where it is, `3.2` (trick and card), `c.4` (call) or `c.4.2` (the second player who
            could counter call 4 and did not).
        seat: the player's seat.
        kind: the kind.
        trick: 1 to 8; 0 for calls.
        choice: the call or the card.
        knowledge: what the player knew.
    """

    number: int
    at: str
    seat: int
    kind: Kind
    trick: int
    choice: str
    knowledge: Knowledge

    @property
    def is_call(self) -> bool:
        """True for a call, False for a card."""
        return self.trick == 0


@dataclass(frozen=True)
class Skipped:
    """A decision that cannot be graded.

    Attributes:
        at: where it is.
        seat: the player's seat.
        reason: why.
    """

    at: str
    seat: int
    reason: str


class RecordedRound:
    """A recorded round to review.

    Attributes:
        line: its line in the file.
        record: the record, as far as it is known.
        names: the name of each seat's player.
        rules: the rules.
        decisions: the decisions that can be graded, in order.
        skipped: the others.
    """

    def __init__(
        self,
        record: Record | PartialRecord,
        line: int = 1,
        names: Sequence[str] | None = None,
    ) -> None:
        """Find the decisions; raise InputError if the record is no round.

        Names are those of the record's players unless they are given.
        """
        self.line = line
        self.source = record
        self.record = _complete(record)
        self.rules = read_record_rules(self.record)
        self.names = self._name_players(names)
        self.decisions: list[Decision] = []
        self.skipped: list[Skipped] = []
        self.turned = None
        if self.record.turned is not None:
            self.turned = parse_card(self.record.turned, ranks=self.rules.ranks)
        teams = self.record.teams
        fixed = [self.rules.fixed_team_of(seat) for seat in range(self.rules.seats)]
        self.teams = tuple(fixed if teams is None else teams)
        for each in chain(self._find_calls(), self._find_cards()):
            if isinstance(each, Skipped):
                self.skipped.append(each)
            else:
                self.decisions.append(each)

    def _name_players(self, names: Sequence[str] | None) -> tuple[str, ...]:
        seats = self.rules.seats
        if names is None:
            known = self.record.players or [""] * seats
            names = [shorten_player(name, self.rules) for name in known]
        return tuple(name or f"seat {seat}" for seat, name in enumerate(names))

    @property
    def seat_names(self) -> SeatNames:
        """The names by which people call the seats."""
        return label_seats(self.names, self.record.dealer)

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

    def describe_role(self, seat: int) -> str | None:
        """Return `sender`, `partner` or `defender`; None if the round was passed out."""
        sender = self.record.sender
        if sender is None:
            return None
        if seat == sender:
            return "sender"
        return "partner" if self.teams[seat] == self.teams[sender] else "defender"

    def _dealt_cards(self, seat: int) -> tuple[Card, ...] | None:
        """Return the cards with which a seat called; None if they are not known."""
        dealt = self.record.dealt
        taking = isinstance(self.rules, KqjRules) and self.rules.bidding == "take"
        if dealt is None or not dealt[seat]:
            dealt = None if taking else self.record.hands
        texts = None if dealt is None else dealt[seat]
        if not texts:
            return None
        return tuple(parse_card(text, ranks=self.rules.ranks) for text in texts)

    def _find_calls(self) -> Iterator[Decision | Skipped]:
        """Yield the calls, and the counters that were not made."""
        record = self.record
        if record.imposed or not record.calls:
            return
        calls = tuple(replace_struct(call, seat=self.place_of(call.seat)) for call in record.calls)
        for at, kind, place, before, choice, question in self._walk_calls(calls):
            seat = self.seat_of(place)
            cards = self._dealt_cards(seat)
            if cards is None:
                yield Skipped(at, seat, "the cards of the player are not known")
                continue
            knowledge: Knowledge
            if isinstance(self.rules, KqjRules):
                knowledge = BiddingSituation(
                    self.rules, cards, self.turned, place,
                    tuple(self.teams[self.seat_of(each)] for each in range(self.rules.seats)),
                    calls[:before], question, record.pending_before,
                )  # fmt: skip
            else:
                assert self.turned is not None
                raised = bool(record.pending_before)
                knowledge = KwajongenBiddingSituation(self.rules, cards, self.turned, place, raised)
            number = len(self.decisions) + 1
            yield Decision(number, at, seat, kind, 0, choice, knowledge)

    def _walk_calls(
        self, calls: tuple[Call, ...]
    ) -> Iterator[tuple[str, Kind, int, int, str, Question]]:
        """Yield where each decision is, its kind, place, number of calls before, choice, question.

        The seats of `calls` are places.
        """
        rules = self.rules
        if not isinstance(rules, KqjRules):
            for number, call in enumerate(calls):
                yield f"c.{number + 1}", "play", call.seat, number, call.call, "take"
            return
        if rules.bidding == "take":
            for number, call in enumerate(calls):
                yield f"c.{number + 1}", "take", call.seat, number, format_call(call), "take"
            return
        asked: list[int] = []
        question: Question = "counter"
        bidder = -1
        for number, call in enumerate(calls):
            is_reply = call.call in ("counter", "overcounter")
            replies = is_reply and call.seat in asked
            declined = asked[: asked.index(call.seat)] if replies else asked
            yield from self._list_declined(declined, number, question)
            at = f"c.{number + 1}"
            if is_reply:
                reply: Question = question if replies else "bid"
                yield at, "counter", call.seat, number, call.call, reply
            else:
                yield at, "bid", call.seat, number, format_call(call), "bid"
            asked = []
            if call.call == "bid":
                bidder = call.seat
                if rules.counter_timing == "any" or call.capot:
                    question, asked = "counter", self._list_sides(bidder, opponents=True)
            elif call.call == "counter":
                question, asked = "overcounter", self._list_sides(bidder, opponents=False)
        yield from self._list_declined(asked, len(calls), question)

    def _list_declined(
        self, places: list[int], before: int, question: Question
    ) -> Iterator[tuple[str, Kind, int, int, str, Question]]:
        """Yield the counters, or overcounters, that places did not make; as of `_walk_calls`."""
        for order, place in enumerate(places, start=1):
            yield f"c.{before}.{order}", "counter", place, before, f"no {question}", question

    def _list_sides(self, bidder: int, opponents: bool) -> list[int]:
        """Return the places of the bidder's opponents, or of their team, in the order asked."""
        own = self.teams[self.seat_of(bidder)]
        seats = self.rules.seats
        places = [(bidder + step) % seats for step in range(seats)]
        return [place for place in places if (self.teams[self.seat_of(place)] != own) == opponents]

    def _find_cards(self) -> Iterator[Decision | Skipped]:
        """Yield the cards that were not forced."""
        number = len(self.decisions)
        for trick, each in enumerate(self.record.tricks, start=1):
            for card, text in enumerate(each.cards, start=1):
                at = f"{trick}.{card}"
                try:
                    position = read_position(self.record, (trick, card))
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
                yield Decision(number, at, position.seat, kind, trick, choice, position)

    def _find_player(self, trick: int, card: int) -> int:
        leader = self.record.tricks[trick - 1].leader
        return -1 if leader is None else (leader + card - 1) % self.rules.seats


def _classify(position: PartialRound, legal: tuple[Card, ...], card: int) -> Kind:
    """Return the kind of a card."""
    if card == 1:
        return "lead"
    led = position.tricks[-1][1][0]
    return "follow" if any(each.suit == led.suit for each in legal) else "discard"


def _complete(record: Record | PartialRecord) -> PartialRecord:
    """Return a record with what follows from its plays: with all cards played, the hands."""
    values = msgspec.to_builtins(record)
    known = msgspec.convert(values, PartialRecord)
    seats = len(known.hands or known.dealt or ()) or (6 if known.game == "kqj" else 4)
    tricks = known.tricks
    leaders = [trick.leader for trick in tricks]
    if known.hands is not None and all(known.hands):
        return known
    size = 8 if known.game == "kqj" else 4
    if len(tricks) < size or None in leaders or any(len(each.cards) < seats for each in tricks):
        return known
    hands: list[list[str] | None] = [
        [trick.cards[(seat - (trick.leader or 0)) % seats] for trick in tricks]
        for seat in range(seats)
    ]
    return replace_struct(known, hands=hands)
