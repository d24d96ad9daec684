"""A round of any game that is not over, as who is to play sees it: checked against the rules.

What he sees are the calls, the plays and his own cards.  Of the others' hands only what follows
from these is known, so a play is wrong if what is known of the hand forbids it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeVar

from kqj_sim.cards import NUMBER_WORDS, RANKS, Card, NotationError, parse_card, parse_cards
from kqj_sim.record import Call, PartialRecord
from kqj_sim.referee.kqj.calling import FinalContract
from kqj_sim.rules import GameRules, KqjRules, KwajongenRules, RulesError

R = TypeVar("R", KqjRules, KwajongenRules)

TrickWinnerFunction = Callable[[int, Sequence[Card]], int]
"""The seat that wins a trick, from who led to it and its cards."""

ALL_PASSED_MESSAGE = "all have passed: there is no card to play"


class RefereeCalling(Protocol):
    """The calls of a round, as a game's referee takes them."""

    @property
    def turn(self) -> int:
        """The seat whose turn it is to speak."""

    @property
    def is_closed(self) -> bool:
        """Whether nobody has another turn."""

    def add(self, call: Call) -> None:
        """Take a legal call."""

    def explain_illegal_call(self, call: Call) -> str | None:
        """Why the call may not come next, in one line; None if it may."""


class RoundError(ValueError):
    """A round that cannot have come about so; one line that says what would be right."""


@dataclass(frozen=True)
class PartialRound(ABC):
    """A round in the middle of the play.

    Attributes:
        rules: the rules.
        dealer: seat of the dealer.
        teams: team of each seat.
        turned: the card turned up; None if there is none.
        calls: what was said; None if that is not known, or the contract was imposed.
        final_contract: what it came to.
        plays: the cards in the order played, trick after trick.
        given: the cards of who is to play: all of them, or those he has left.
        pending: as in a record, `pending_before`.
        players: what the seats are said to play by; None if nothing is said.
        seat_term: what errors call a seat, `seat` or `place`.

    Raises:
        RoundError: the rules do not allow it, or nobody is to play any more.
    """

    upcard_description: ClassVar[str]
    """What errors call the card turned up."""
    holder_description: ClassVar[str]
    """And who has it."""

    rules: GameRules
    dealer: int
    teams: tuple[int, ...]
    turned: Card | None
    calls: tuple[Call, ...] | None
    final_contract: FinalContract
    plays: tuple[Card, ...]
    given: frozenset[Card]
    pending: int = 0
    players: tuple[str, ...] | None = None
    seat_term: str = "seat"

    def __post_init__(self) -> None:
        self._check_cards()
        self._check_hand()
        self._check_plays()

    @abstractmethod
    def list_legal_cards(
        self, hand: Collection[Card], trick: Sequence[Card], leader: int
    ) -> Collection[Card]:
        """The cards of a hand that may be played next to those of a trick."""

    @abstractmethod
    def winner(self, leader: int, trick: Sequence[Card]) -> int:
        """The seat that wins a trick."""

    @property
    @abstractmethod
    def upcard_seat(self) -> int:
        """The seat that has the card turned up."""

    @property
    def opener(self) -> int:
        """Seat of the opener, who leads to the first trick."""
        return (self.dealer + 1) % self.rules.seats

    def place_of(self, seat: int) -> int:
        """Place of a seat: 0 the opener, and on to the dealer."""
        return (seat - self.opener) % self.rules.seats

    @cached_property
    def tricks(self) -> tuple[tuple[int, tuple[Card, ...]], ...]:
        """Leader (a seat) and cards of each trick; the last is the one that goes on, maybe ()."""
        return _split_tricks(self.plays, self.opener, self.rules.seats, self.winner)

    @property
    def seat(self) -> int:
        """The seat whose turn it is to play."""
        leader, cards = self.tricks[-1]
        return (leader + len(cards)) % self.rules.seats

    def played_by(self, seat: int) -> list[Card]:
        """What a seat has played."""
        return [card for by, _, card in self._iterate_plays() if by == seat]

    @cached_property
    def hand(self) -> frozenset[Card]:
        """What who is to play has left."""
        return self.given - set(self.plays)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, suit by suit."""
        leader, cards = self.tricks[-1]
        legal = self.list_legal_cards(self.hand, cards, leader)
        return tuple(sorted(legal, key=lambda card: ("shdc".index(card.suit), card.rank)))

    def _iterate_plays(self) -> list[tuple[int, int, Card]]:
        """Seat, number of the trick from 0 and card of each play."""
        return [
            ((leader + position) % self.rules.seats, number, card)
            for number, (leader, cards) in enumerate(self.tricks)
            for position, card in enumerate(cards)
        ]

    def _describe_seat(self, seat: int) -> str:
        return f"{self.seat_term} {seat}"

    def _describe_play(self, number: int) -> str:
        """A play by its number: `card 2 of trick 3`."""
        trick, position = divmod(number, self.rules.seats)
        return f"card {position + 1} of trick {trick + 1}"

    def _check_cards(self) -> None:
        over = self.rules.seats * self.rules.tricks
        if len(self.plays) >= over:
            raise RoundError(
                f"the round is over: all {over} cards are played; leave out the last ones"
            )
        seen: set[Card] = set()
        for number, card in enumerate(self.plays):
            if card in seen:
                raise RoundError(
                    f"{card} is played twice: {self._describe_play(self.plays.index(card))} and "
                    f"{self._describe_play(number)}"
                )
            seen.add(card)

    def _check_hand(self) -> None:
        who, own = self._describe_seat(self.seat), self.played_by(self.seat)
        left = self.rules.tricks - len(own)
        if self.given & set(own):
            missing = [str(card) for card in own if card not in self.given]
            if missing:
                raise RoundError(
                    f"{' '.join(missing)} was played by {who}, whose turn it is, but is not among "
                    f"his cards: give all {NUMBER_WORDS[self.rules.tricks]}, or only those that "
                    f"are left"
                )
        others = [str(card) for card in self.plays if card in self.given and card not in own]
        if others:
            raise RoundError(
                f"{' '.join(others)} is played by another: it is the turn of {who}, so give his "
                "cards"
            )
        if len(self.hand) != left:
            raise RoundError(
                f"{len(self.hand)} cards in hand: {who}, whose turn it is, has played "
                f"{len(own)} and so has {left} left"
            )
        turned, holder = self.turned, self.upcard_seat
        if turned is None:
            return
        holders = [by for by, _, card in self._iterate_plays() if card == turned]
        holders += [self.seat] if turned in self.hand else []
        if self.seat == holder and not holders:
            raise RoundError(
                f"{who}, whose turn it is, is {self.holder_description} {turned}: it is missing "
                f"among his "
                "cards"
            )
        if holders and holders != [holder]:
            raise RoundError(
                f"{turned} is {self.upcard_description}, {self._describe_seat(holder)}, has: "
                f"it cannot be a card of {self._describe_seat(holders[0])}"
            )

    def _check_plays(self) -> None:
        """Each play against what is known of its hand: later plays, own cards, what was shown."""
        held: list[set[Card]] = [set(self.played_by(seat)) for seat in range(self.rules.seats)]
        held[self.seat] |= self.hand
        if self.turned is not None:
            held[self.upcard_seat].add(self.turned)
        for number, (leader, cards) in enumerate(self.tricks):
            for position, card in enumerate(cards):
                seat = (leader + position) % self.rules.seats
                right = self.list_legal_cards(held[seat], cards[:position], leader)
                if card not in right:
                    better = " ".join(sorted(str(each) for each in right))
                    raise RoundError(
                        f"trick {number + 1}: {self._describe_seat(seat)} cannot have played "
                        f"{card}: "
                        f"he held {better}, which would have been right"
                    )
                held[seat].remove(card)


def _split_tricks(
    plays: tuple[Card, ...], opener: int, seats: int, winner: TrickWinnerFunction
) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """As `PartialRound.tricks`."""
    tricks = []
    leader = opener
    for start in range(0, len(plays) + 1, seats):
        cards = plays[start : start + seats]
        tricks.append((leader, cards))
        if len(cards) == seats:
            leader = winner(leader, cards)
    return tuple(tricks)


def find_seat_to_play(
    plays: tuple[Card, ...], dealer: int, seats: int, winner: TrickWinnerFunction
) -> int:
    """The seat whose turn it is after some plays; `winner` as `PartialRound.winner`."""
    leader, cards = _split_tricks(plays, (dealer + 1) % seats, seats, winner)[-1]
    return (leader + len(cards)) % seats


def check_place(partial_round: PartialRound, place: int | None) -> None:
    """Raise RoundError if it is the turn of another place than the one told."""
    if place is not None and place != partial_round.seat:
        raise RoundError(
            f"after {len(partial_round.plays)} cards it is the turn of place "
            f"{partial_round.seat}, not of "
            f"place {place}: there is no card to choose"
        )


def replay_calls(calling: RefereeCalling, calls: Sequence[Call], seat_term: str) -> None:
    """Take calls; raises RoundError if one is not allowed, or they are not over."""
    for number, call in enumerate(calls):
        reason = calling.explain_illegal_call(call)
        if reason is not None:
            raise RoundError(f"call {number + 1}: {reason}")
        calling.add(call)
    if not calling.is_closed:
        who = f"{seat_term} {calling.turn}"
        raise RoundError(f"the calls are not over: {who} has yet to speak")


def read_rules(record: PartialRecord, kind: type[R]) -> R:
    """The rules of a record, if its dealer has a seat there; raises RoundError."""
    try:
        rules = kind.from_dict(record.rules)
    except RulesError as error:
        raise RoundError(f"rules: {error}") from None
    if not 0 <= record.dealer < rules.seats:
        raise RoundError(f"dealer: {record.dealer} is not a seat from 0 to {rules.seats - 1}")
    return rules


def read_teams(rules: GameRules, teams: Sequence[int] | None) -> tuple[int, ...]:
    """The team of each seat; raises RoundError if those told cannot be."""
    fixed = tuple(rules.fixed_team_of(seat) for seat in range(rules.seats))
    if isinstance(rules, KwajongenRules) or rules.partners == "fixed":
        if teams is not None and tuple(teams) != fixed:
            raise RoundError(f"teams: {list(teams)}, with fixed partners {list(fixed)}")
        return fixed
    if teams is None or sorted(teams) != sorted(fixed):
        raise RoundError(
            f"teams: with random partners a team for each seat, such as {list(fixed)}, "
            f"not {None if teams is None else list(teams)}"
        )
    return tuple(teams)


def read_card(key: str, text: str, ranks: str = RANKS) -> Card:
    """A card; raises RoundError with its key."""
    try:
        return parse_card(text, ranks=ranks)
    except NotationError as error:
        raise RoundError(f"{key}: {error}") from None


def read_cards(key: str, text: str, ranks: str = RANKS) -> tuple[Card, ...]:
    """Cards; raises RoundError with their key."""
    try:
        return parse_cards(text, ranks=ranks)
    except NotationError as error:
        raise RoundError(f"{key}: {error}") from None


def read_plays(
    record: PartialRecord, rules: GameRules, at: tuple[int, int] | None
) -> tuple[Card, ...]:
    """The cards played in a record, up to a card of a trick (both from 1); raises RoundError."""
    seats = rules.seats
    plays: list[Card] = []
    for number, trick in enumerate(record.tricks):
        key = f"tricks[{number}].cards"
        last = number == len(record.tricks) - 1
        if len(trick.cards) > seats or (len(trick.cards) < seats and not last):
            raise RoundError(f"{key}: {len(trick.cards)} cards, there should be {seats}")
        plays += [read_card(key, text, rules.ranks) for text in trick.cards]
    if at is not None:
        wanted = seats * (at[0] - 1) + at[1] - 1
        if wanted > len(plays) or at[1] > seats:
            raise RoundError(
                f"card {at[1]} of trick {at[0]} was not reached: {len(plays)} cards are played"
            )
        plays = plays[:wanted]
    if len(plays) >= seats * rules.tricks:
        raise RoundError(
            "the record's round is over: leave out the tricks from where the question is, "
            "or name a card of it, such as --at 3.2"
        )
    return tuple(plays)


def read_hand(
    key: str, hands: Sequence[Sequence[str] | None] | None, rules: GameRules, seat: int
) -> frozenset[Card]:
    """The cards of a seat in the list of a record; raises RoundError."""
    texts = hands[seat] if hands is not None and len(hands) == rules.seats else None
    if not texts:
        raise RoundError(
            f"{key}: it is the turn of seat {seat}, whose {NUMBER_WORDS[rules.tricks]} cards are "
            f"needed "
            f"({NUMBER_WORDS[rules.seats]} lists, those of the others may be empty)"
        )
    cards = [read_card(f"{key}[{seat}]", text, rules.ranks) for text in texts]
    if len(set(cards)) != len(cards):
        raise RoundError(f"{key}[{seat}]: a card is there twice")
    return frozenset(cards)
