"""A round in part, of either game: the calls, the plays and the cards that are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from msgspec.structs import replace as replace_struct

from kqj_sim.cards import SUITS, Card
from kqj_sim.errors import InputError
from kqj_sim.record import Call
from kqj_sim.referee.base import Calling, FinalContract, Referee, get_referee
from kqj_sim.rules import GameRules

Question: TypeAlias = Literal["take", "bid", "accept", "counter", "overcounter", "card"]


class PositionError(InputError):
    """A round that cannot be, of a record in part.

    Attributes:
        key: the key of the record whose value is wrong, such as `hands[2]` or `tricks[0]`; empty if
            there is none.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def _explain_play(number: int, reason: str) -> PositionError:
    """Return the error of a wrong play in a trick, from 0."""
    return PositionError(f"trick {number + 1}: {reason}", f"tricks[{number}]")


@dataclass(frozen=True)
class Position:
    """A round before a call or a card, or at its end.

    A play is wrong if what is known of the hand forbids it: the cards given, those played later,
    and the upcard.

    Attributes:
        dealer: seat of the dealer.
        teams: team of each seat.
        upcard: the Return, the dealer's card shown in Kwajongen, None with auctions.
        calls: the calls so far; None if they are not known, or the contract was imposed.
        final_contract: Sender and contract; in Kwajongen caller and trump suit; None before.
        hands: the cards that each seat is known to have been dealt; empty if none is known.
        plays: the cards in the order played, trick after trick.
        pending: litigation gratuity that waits; in Kwajongen 1 if the round is raised.
        players: player specifications of the seats; None if they are not known.
        reply: the seat that is asked to counter the last bid, or to overcounter; None if the one
            whose turn it is is asked.
        seat_term: `place` for a position whose seats are places, else `seat`.

    Raises:
        PositionError: the rules do not allow it.
    """

    rules: GameRules
    dealer: int
    teams: tuple[int, ...]
    upcard: Card | None
    calls: tuple[Call, ...] | None
    final_contract: FinalContract | None
    hands: tuple[tuple[Card, ...], ...]
    plays: tuple[Card, ...] = ()
    pending: int = 0
    players: tuple[str, ...] | None = None
    reply: int | None = None
    seat_term: Literal["seat", "place"] = "seat"

    def __post_init__(self) -> None:
        self._check_upcard()
        self._check_holders()
        self._check_legal()

    @cached_property
    def referee(self) -> Referee:
        """The referee of the round."""
        return get_referee(self.rules)

    @property
    def opener(self) -> int:
        """Seat of the opener, who leads to the first trick."""
        return (self.dealer + 1) % self.rules.seats

    def place_of(self, seat: int) -> int:
        """Return the place of a seat: 0 the opener, and on to the dealer."""
        return (seat - self.opener) % self.rules.seats

    def rotate_to_places(self) -> Position:
        """Return the position with the dealer at the last seat, so that seats are places."""
        order = [(self.opener + place) % self.rules.seats for place in range(self.rules.seats)]
        if order[0] == 0:
            return self
        calls, final = self.calls, self.final_contract
        return replace(
            self,
            dealer=self.rules.seats - 1,
            teams=tuple(self.teams[seat] for seat in order),
            calls=calls and tuple(replace_struct(c, seat=self.place_of(c.seat)) for c in calls),
            final_contract=final and final._replace(sender=self.place_of(final.sender)),
            hands=tuple(self.hands[seat] for seat in order),
            players=self.players and tuple(self.players[seat] for seat in order),
            reply=None if self.reply is None else self.place_of(self.reply),
        )

    # The question.

    @property
    def question(self) -> Question:
        """The question that is asked: a kind of call, or `card`."""
        if self.final_contract is not None:
            return "card"
        if self.reply is None:
            return self.referee.question
        assert self.calls
        return "overcounter" if self.calls[-1].call == "counter" else "counter"

    @cached_property
    def seat(self) -> int:
        """The seat that is asked to call or to play."""
        if self.final_contract is None:
            return self.calling.turn if self.reply is None else self.reply
        leader, cards = self.tricks[-1]
        return (leader + len(cards)) % self.rules.seats

    @property
    def place(self) -> int:
        """The place that is asked."""
        return self.place_of(self.seat)

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards that the player who is asked has left."""
        return tuple(card for card in self.hands[self.seat] if card not in self.plays)

    # The calls.

    @cached_property
    def calling(self) -> Calling:
        """The referee's view of the calls."""
        calling = self.referee.start_calling(self.dealer, self.teams, self.upcard)
        for call in self.calls or ():
            calling.add(call)
        return calling

    @property
    def turn(self) -> int:
        """Turns to take or to bid before the next one; replies are none."""
        return sum(call.call not in ("counter", "overcounter") for call in self.calls or ())

    @property
    def lap(self) -> int:
        """The lap of the next turn, from 1."""
        return self.turn // self.rules.seats + 1

    # The plays.

    @property
    def contract(self) -> FinalContract:
        """The contract, of a position with one."""
        assert self.final_contract is not None
        return self.final_contract

    @cached_property
    def tricks(self) -> tuple[tuple[int, tuple[Card, ...]], ...]:
        """Leader (a seat) and cards of each trick; the last one goes on and may have no cards."""
        if self.final_contract is None:
            return ()
        return split_tricks(self.plays, self.dealer, self.referee, self.contract.contract)

    @property
    def is_over(self) -> bool:
        """True if all cards are played."""
        return len(self.plays) == self.rules.seats * self.rules.tricks

    def played_by(self, seat: int) -> list[Card]:
        """Return the cards that a seat has played."""
        return [card for _, by, card in self._list_plays() if by == seat]

    @property
    def others_have_played(self) -> bool:
        """True if a player other than the one whose turn it is has played a card."""
        return len(self.plays) > len(self.played_by(self.seat))

    @property
    def legal_cards(self) -> tuple[Card, ...]:
        """The cards that may be played now, suit by suit."""
        leader, cards = self.tricks[-1]
        legal = self._list_legal(set(self.hand), cards, leader)
        return tuple(sorted(legal, key=lambda card: (SUITS.index(card.suit), card.rank)))

    @cached_property
    def known_hands(self) -> tuple[frozenset[Card], ...]:
        """The cards of each seat that are known: those given, the upcard and those played."""
        known = [set(hand) for hand in self.hands]
        holder = self._upcard_seat
        if holder is not None and self.upcard is not None:
            known[holder].add(self.upcard)
        for _, seat, card in self._list_plays():
            known[seat].add(card)
        return tuple(map(frozenset, known))

    def _list_legal(self, hand: set[Card], trick: tuple[Card, ...], leader: int) -> set[Card]:
        contract = self.contract.contract
        return self.referee.list_legal_cards(hand, trick, leader, self.teams, contract)

    def _list_plays(self) -> Iterator[tuple[int, int, Card]]:
        """Yield the trick, from 0, the seat and the card of each play."""
        for number, (leader, cards) in enumerate(self.tricks):
            for step, card in enumerate(cards):
                yield number, (leader + step) % self.rules.seats, card

    # The checks.

    @property
    def _upcard_seat(self) -> int | None:
        sender = None if self.final_contract is None else self.final_contract.sender
        return self.referee.find_upcard_seat(self.dealer, sender)

    def _check_upcard(self) -> None:
        upcard, holder = self.upcard, self._upcard_seat
        if upcard is None:
            return
        name, size = f"{self.referee.upcard_name} {upcard}", self.rules.tricks
        for seat, hand in enumerate(self.hands):
            if upcard in hand and seat != holder:
                end = ", too" if holder is None else f", but seat {holder} has it"
                raise PositionError(f"{name} is in the hand of seat {seat}{end}", f"hands[{seat}]")
            if seat == holder and len(hand) == size and upcard not in hand:
                raise PositionError(
                    f"{name} is missing in the hand of seat {seat}, which has it",
                    f"hands[{seat}]",
                )

    def _check_holders(self) -> None:
        """Check that one seat has each card, and that it is played once and from that hand."""
        seen: dict[Card, int] = {}
        for number, _, card in self._list_plays():
            if card in seen:
                raise _explain_play(number, f"{card} was played in trick {seen[card] + 1}")
            seen[card] = number
        holders: dict[Card, int] = {}
        for place in range(self.rules.seats):
            seat = (self.opener + place) % self.rules.seats
            for card in self.hands[seat]:
                other = holders.setdefault(card, seat)
                if other != seat:
                    raise PositionError(
                        f"seat {other} and seat {seat} both have {card}", f"hands[{seat}]"
                    )
        if self.upcard is not None and self._upcard_seat is not None:
            holders[self.upcard] = self._upcard_seat
        known = [
            sum(holder == seat for holder in holders.values()) for seat in range(len(self.hands))
        ]
        for number, seat, card in self._list_plays():
            if card not in holders:
                holders[card] = seat
                known[seat] += 1
            if holders[card] != seat:
                raise _explain_play(
                    number, f"seat {seat} cannot have played {card}: seat {holders[card]} has it"
                )
            if known[seat] > self.rules.tricks:
                had = " ".join(sorted(map(str, self.hands[seat] or self.played_by(seat))))
                raise _explain_play(
                    number, f"seat {seat} cannot have played {card}: they had {had}"
                )

    def _check_legal(self) -> None:
        held = [set(cards) for cards in self.known_hands]
        for number, (leader, cards) in enumerate(self.tricks):
            for step, card in enumerate(cards):
                seat = (leader + step) % self.rules.seats
                legal = self._list_legal(held[seat], cards[:step], leader)
                if card not in legal:
                    right = " ".join(sorted(map(str, legal)))
                    raise _explain_play(
                        number,
                        f"seat {seat} cannot have played {card}: they held {right}, which would "
                        "have been right",
                    )
                held[seat].remove(card)


def split_tricks(
    plays: tuple[Card, ...], dealer: int, referee: Referee, contract: str
) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """Return leader (a seat) and cards of each trick; the last one goes on."""
    tricks = []
    seats = referee.rules.seats
    leader = (dealer + 1) % seats
    for start in range(0, len(plays) + 1, seats):
        cards = plays[start : start + seats]
        tricks.append((leader, cards))
        if len(cards) == seats:
            leader = referee.find_trick_winner(leader, cards, contract)
    return tuple(tricks)


def list_call_positions(position: Position) -> Iterator[tuple[str, Position, Call | None]]:
    """Yield where each call is, the position before it, and the call.

    They are `c.4` for the fourth call; and `c.4.2`, with None, for the second player who could
    counter, or overcounter, that call and did not.
    """
    calls = position.calls or ()
    start = replace(position, calls=(), final_contract=None, plays=(), reply=None)
    for number in range(len(calls) + 1):
        before = replace(start, calls=calls[:number])
        call = calls[number] if number < len(calls) else None
        repliers = before.calling.list_repliers()
        reply = None
        if call is not None and call.call in ("counter", "overcounter") and call.seat in repliers:
            reply = call.seat
            repliers = repliers[: repliers.index(reply)]
        for order, seat in enumerate(repliers, start=1):
            yield f"c.{number}.{order}", replace(before, reply=seat), None
        if call is not None:
            yield f"c.{number + 1}", replace(before, reply=reply), call
