"""A round in progress of either game, as the player who is to play sees it.

They see the calls, the plays and their own cards.  Of the others' hands only what follows from
these is known, so a play is wrong if what is known of the hand forbids it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from kqj_sim.cards import NUMBER_WORDS, Card
from kqj_sim.errors import InputError
from kqj_sim.places import name_places
from kqj_sim.record import Call
from kqj_sim.referee.base import FinalContract, Referee
from kqj_sim.referee.games import get_referee
from kqj_sim.rules import GameRules


@dataclass(frozen=True)
class PartialRound:
    """A round in the middle of the play.

    Attributes:
        rules: the rules.
        dealer: seat of the dealer.
        teams: team of each seat.
        upcard: the Return, the dealer's card shown in Kwajongen, None with auctions.
        calls: the calls; None if they are not known, or the contract was imposed.
        final_contract: Sender and contract; in Kwajongen caller and trump suit.
        plays: the cards in the order played, trick after trick.
        own_cards: the cards of the player to play: all of them, or those that are left.
        pending: litigation gratuity that waits; in Kwajongen 1 if the round is raised.
        players: player specifications of the seats; None if they are not known.
        seat_term: what errors call a seat, `seat` or `place`.

    Raises:
        InputError: the rules do not allow it, or the round is over.
    """

    rules: GameRules
    dealer: int
    teams: tuple[int, ...]
    upcard: Card | None
    calls: tuple[Call, ...] | None
    final_contract: FinalContract
    plays: tuple[Card, ...]
    own_cards: frozenset[Card]
    pending: int = 0
    players: tuple[str, ...] | None = None
    seat_term: str = "seat"

    def __post_init__(self) -> None:
        self._check_cards()
        self._check_hand()
        self._check_upcard()
        self._check_plays()

    @cached_property
    def referee(self) -> Referee:
        """The referee of the round."""
        return get_referee(self.rules)

    @property
    def upcard_seat(self) -> int:
        """The seat that has the upcard."""
        seat = self.referee.find_upcard_seat(self.dealer, self.final_contract.sender)
        assert seat is not None
        return seat

    @property
    def opener(self) -> int:
        """Seat of the opener, who leads to the first trick."""
        return (self.dealer + 1) % self.rules.seats

    def place_of(self, seat: int) -> int:
        """Return the place of a seat: 0 the opener, and on to the dealer."""
        return (seat - self.opener) % self.rules.seats

    @cached_property
    def tricks(self) -> tuple[tuple[int, tuple[Card, ...]], ...]:
        """Leader (a seat) and cards of each trick; the last one goes on and may have no cards."""
        return split_tricks(self.plays, self.dealer, self.rules, self.final_contract.contract)

    @property
    def seat(self) -> int:
        """The seat whose turn it is to play."""
        leader, cards = self.tricks[-1]
        return (leader + len(cards)) % self.rules.seats

    def played_by(self, seat: int) -> list[Card]:
        """Return the cards that a seat has played."""
        return [card for by, card in self._list_plays() if by == seat]

    @cached_property
    def hand(self) -> frozenset[Card]:
        """The cards that the player to play has left."""
        return self.own_cards - set(self.plays)

    @property
    def legal_cards(self) -> tuple[Card, ...]:
        """The cards that may be played now, suit by suit."""
        leader, cards = self.tricks[-1]
        legal = self._list_legal(self.hand, cards, leader)
        return tuple(sorted(legal, key=lambda card: ("shdc".index(card.suit), card.rank)))

    @property
    def others_have_played(self) -> bool:
        """True if a player other than the one whose turn it is has played a card."""
        return len(self.plays) > len(self.played_by(self.seat))

    def _list_legal(
        self, hand: Collection[Card], trick: Sequence[Card], leader: int
    ) -> Collection[Card]:
        contract = self.final_contract.contract
        return self.referee.list_legal_cards(hand, trick, leader, self.teams, contract)

    def _list_plays(self) -> list[tuple[int, Card]]:
        """Return seat and card of each play."""
        return [
            ((leader + position) % self.rules.seats, card)
            for leader, cards in self.tricks
            for position, card in enumerate(cards)
        ]

    def _describe_seat(self, seat: int) -> str:
        return describe_seat(seat, self.seat_term, self.rules.seats)

    def _describe_play(self, number: int) -> str:
        """Return the text of a play by its index: `card 2 of trick 3`."""
        trick, position = divmod(number, self.rules.seats)
        return f"card {position + 1} of trick {trick + 1}"

    def _check_cards(self) -> None:
        end = self.rules.seats * self.rules.tricks
        if len(self.plays) >= end:
            raise InputError(
                f"the round is over: all {end} cards are played; leave out the last ones"
            )
        for number, card in enumerate(self.plays):
            first = self.plays.index(card)
            if first < number:
                raise InputError(
                    f"{card} is played twice: {self._describe_play(first)} and "
                    f"{self._describe_play(number)}"
                )

    def _check_hand(self) -> None:
        who, own = self._describe_seat(self.seat), self.played_by(self.seat)
        left = self.rules.tricks - len(own)
        missing = [str(card) for card in own if card not in self.own_cards]
        if missing and len(missing) < len(own):
            raise InputError(
                f"{' '.join(missing)} was played by {who}, whose turn it is, but is not among "
                f"the cards given: give all {NUMBER_WORDS[self.rules.tricks]}, or only those left"
            )
        others = [str(card) for card in self.plays if card in self.own_cards and card not in own]
        if others:
            raise InputError(
                f"{' '.join(others)} is played by another: it is the turn of {who}, so "
                "give their cards"
            )
        if len(self.hand) != left:
            raise InputError(
                f"{len(self.hand)} cards in hand: {who}, whose turn it is, has played "
                f"{len(own)} and so has {left} left"
            )

    def _check_upcard(self) -> None:
        upcard, holder = self.upcard, self.upcard_seat
        if upcard is None:
            return
        holders = [by for by, card in self._list_plays() if card == upcard]
        holders += [self.seat] if upcard in self.hand else []
        if self.seat == holder and not holders:
            raise InputError(
                f"{self._describe_seat(holder)}, whose turn it is, "
                f"has {self.referee.upcard_name} {upcard}: it is missing among the cards given"
            )
        if holders and holders != [holder]:
            raise InputError(
                f"{upcard} is {self.referee.upcard_name}, which {self._describe_seat(holder)} has: "
                f"it cannot be a card of {self._describe_seat(holders[0])}"
            )

    def _check_plays(self) -> None:
        """Check each play against the known cards of its hand: later plays, own cards, upcard."""
        held: list[set[Card]] = [set(self.played_by(seat)) for seat in range(self.rules.seats)]
        held[self.seat] |= self.hand
        if self.upcard is not None:
            held[self.upcard_seat].add(self.upcard)
        for number, (leader, cards) in enumerate(self.tricks):
            for position, card in enumerate(cards):
                seat = (leader + position) % self.rules.seats
                right = self._list_legal(held[seat], cards[:position], leader)
                if card not in right:
                    better = " ".join(sorted(str(each) for each in right))
                    raise InputError(
                        f"trick {number + 1}: {self._describe_seat(seat)} cannot have played "
                        f"{card}: they held {better}, which would have been right"
                    )
                held[seat].remove(card)


def describe_seat(seat: int, seat_term: str, seats: int) -> str:
    """Return the text of a seat in errors: `seat 2`, or as a place `the 3rd`."""
    return f"the {name_places(seats)[seat]}" if seat_term == "place" else f"{seat_term} {seat}"


def split_tricks(
    plays: tuple[Card, ...], dealer: int, rules: GameRules, contract: str
) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """Return leader (a seat) and cards of each trick; the last one goes on."""
    tricks = []
    seats, leader = rules.seats, (dealer + 1) % rules.seats
    for start in range(0, len(plays) + 1, seats):
        cards = plays[start : start + seats]
        tricks.append((leader, cards))
        if len(cards) == seats:
            leader = get_referee(rules).find_trick_winner(leader, cards, contract)
    return tuple(tricks)
