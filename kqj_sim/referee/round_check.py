"""Replaying the round of a record: the steps that are the same in every game.

Everything a record says follows from a few of its keys: the rules, the dealer, the teams,
the cards dealt, the calls and the cards played.  A check replays the round from these and
tells where the other keys say something else.  A stage whose own matter is unsound ends the
check, since what comes after it could not be replayed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from kqj_sim.cards import Card
from kqj_sim.record import Record, Trick
from kqj_sim.referee.trick import PlayedTrick, RoundScore
from kqj_sim.rules import GameRules


class ReplayError(Exception):
    """A discrepancy after which the round cannot be replayed further."""


def describe_difference(key: str, recorded: object, expected: object, source: str) -> Iterator[str]:
    """The line that tells of a key which says something else than is right, if it does."""
    if recorded != expected:
        yield f"{key}: {format_value(recorded)}, by {source} {format_value(expected)}"


def format_value(value: object) -> str:
    """A value in a line, cut if it is long."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


class RoundCheck(ABC):
    """The check of one record; `found` gathers the discrepancies.

    A game has a class of its own, which says what follows from what by its rules.
    """

    cards: ClassVar[Mapping[str, Card]]
    """The cards of the game's pack, by their texts."""

    def __init__(self, record: Record, rules: GameRules) -> None:
        self.record = record
        self.seats = rules.seats
        self.tricks = rules.tricks
        self.team_count = rules.team_count
        self.score_count = rules.score_count
        self.start_score = rules.start_score
        self.found: list[str] = []

    def run(self) -> list[str]:
        """Every discrepancy, one line each."""
        try:
            self.check_header()
            if not 0 <= self.record.dealer < self.seats:
                raise ReplayError(f"dealer: {format_value(self.record.dealer)} {self.seat_error}")
            self.teams = self.check_teams()
            self.check_game()
            self.check_deal()
            if self.check_calling():
                tricks = self.check_tricks(self.check_hands())
                score = self.score(tricks)
            else:
                self.compare("hands", self.record.hands, None, "a round passed out")
                self.compare("tricks", self.record.tricks, [], "a round passed out")
                score = self.passed_out()
            self.check_score(score)
        except ReplayError as discrepancy:
            self.found.append(str(discrepancy))
        return self.found

    # What each game says by its own rules.

    @abstractmethod
    def check_teams(self) -> list[int]:
        """The team of each seat."""

    @abstractmethod
    def check_pending(self) -> None:
        """What waited before the round."""

    @abstractmethod
    def check_score_form(self, scores: Sequence[int]) -> None:
        """Which numbers scores of a game may be."""

    @abstractmethod
    def is_decided(self, scores: Sequence[int]) -> bool:
        """Whether a game with these scores is over."""

    @abstractmethod
    def score_after(self, before: Sequence[int]) -> list[int]:
        """The scores of a game that follow from those before and the record's `scores`."""

    @abstractmethod
    def check_deal(self) -> None:
        """The cards held before the bidding, and the card turned up."""

    @abstractmethod
    def check_calling(self) -> bool:
        """The calls and what they came to; whether the round is played."""

    @abstractmethod
    def check_hands(self) -> list[set[Card]]:
        """The cards of each seat with which play begins."""

    @abstractmethod
    def legal_cards(self, hand: set[Card], trick: Sequence[Card], leader: int) -> set[Card]:
        """The cards of a hand that may be played next to a trick led by `leader`."""

    @abstractmethod
    def trick_winner(self, leader: int, cards: Sequence[Card]) -> int:
        """The seat that wins a trick."""

    @abstractmethod
    def score(self, tricks: Sequence[PlayedTrick]) -> RoundScore:
        """What the round played comes to."""

    @abstractmethod
    def passed_out(self) -> RoundScore:
        """What a round in which all passed comes to."""

    @abstractmethod
    def next_dealer(self) -> int:
        """The dealer of the round after this one."""

    # What follows in every game.

    @property
    def seat_error(self) -> str:
        """What is said of a seat that does not exist."""
        return f"is not a seat from 0 to {self.seats - 1}"

    def compare(
        self, key: str, recorded: object, expected: object, source: str = "the rules"
    ) -> None:
        """Tell of a key that says something else than is right."""
        self.found += describe_difference(key, recorded, expected, source)

    def check_header(self) -> None:
        """The keys from which nothing in the round follows."""
        record = self.record
        counts = {
            "seed": record.seed,
            "deal": record.deal,
            "game_id": record.game_id,
            "round": record.round,
        }
        for key, count in counts.items():
            if count is not None and count < 0:
                self.found.append(f"{key}: {format_value(count)} is not 0 or more")
        self.compare("players: their number", len(record.players), self.seats)
        self.check_pending()

    def check_game(self) -> None:
        """The game that the round belongs to."""
        record = self.record
        before, after = record.score_before, record.score_after
        keys = (record.game_id, record.round, before, after)
        if all(key is None for key in keys):
            return
        if before is None or after is None or None in keys:
            self.found.append(
                "game_id: given with round, score_before and score_after, or all four are null"
            )
            return
        if len(before) != self.score_count:
            self.compare("score_before: its length", len(before), self.score_count)
            return
        self.check_score_form(before)
        if record.round == 0:
            start = [self.start_score] * self.score_count
            self.compare("score_before", before, start, "the start of a game")
            self.compare("pending_before", record.pending_before, 0, "the start of a game")
        if self.is_decided(before):
            self.found.append(
                f"score_before: with {format_value(before)} the game was decided before"
            )
        if len(record.scores) == self.team_count:
            right = self.score_after(before)
            self.compare("score_after", after, right, "score_before and scores")

    def card(self, key: str, text: str) -> Card:
        """The card that a key names; raises Unsound."""
        card = self.cards.get(text)
        if card is None:
            raise ReplayError(f"{key}: {format_value(text)} is not a card: rank and suit, like Th")
        return card

    def hands(self, key: str, texts: Sequence[Sequence[str]], size: int) -> list[set[Card]]:
        """A hand of `size` cards a seat, all distinct; raises Unsound."""
        if [len(hand) for hand in texts] != [size] * self.seats:
            sizes = [len(hand) for hand in texts]
            raise ReplayError(f"{key}: {sizes} cards, by the rules {self.seats} x {size}")
        cards = [[self.card(key, text) for text in hand] for hand in texts]
        seen: set[Card] = set()
        for card in (card for hand in cards for card in hand):
            if card in seen:
                raise ReplayError(f"{key}: {card} is dealt twice")
            seen.add(card)
        return [set(hand) for hand in cards]

    def check_tricks(self, hands: Sequence[set[Card]]) -> list[PlayedTrick]:
        """The tricks: each card held and legal, leaders and winners."""
        held = [set(hand) for hand in hands]
        if len(self.record.tricks) != self.tricks:
            raise ReplayError(f"tricks: {len(self.record.tricks)}, by the rules {self.tricks}")
        leader = (self.record.dealer + 1) % self.seats
        played = []
        for number, trick in enumerate(self.record.tricks):
            where = f"tricks[{number}]"
            self.compare(f"{where}.leader", trick.leader, leader)
            cards = self.check_trick_cards(where, trick, leader, held)
            winner = self.trick_winner(leader, cards)
            self.compare(f"{where}.winner", trick.winner, winner)
            played.append(PlayedTrick(leader, cards, winner))
            leader = winner
        return played

    def check_trick_cards(
        self, where: str, trick: Trick, leader: int, held: list[set[Card]]
    ) -> tuple[Card, ...]:
        """The cards of a trick, which are taken from those `held`."""
        if len(trick.cards) != self.seats:
            raise ReplayError(f"{where}.cards: {len(trick.cards)}, by the rules {self.seats}")
        cards: list[Card] = []
        for place, text in enumerate(trick.cards):
            seat = (leader + place) % self.seats
            card = self.card(f"{where}.cards", text)
            if card not in held[seat]:
                raise ReplayError(f"{where}.cards: seat {seat} does not hold {card}")
            legal = self.legal_cards(held[seat], cards, leader)
            if card not in legal:
                right = " ".join(sorted(str(card) for card in legal))
                self.found.append(f"{where}.cards: seat {seat} may play {right}, not {card}")
            held[seat].remove(card)
            cards.append(card)
        return tuple(cards)

    def check_score(self, score: RoundScore) -> None:
        """Points, bonuses, result and scores."""
        for key, right in score._asdict().items():
            said = getattr(self.record, key)
            if key == "bonuses":
                said, right = sorted(said, key=repr), sorted(right, key=repr)
            self.compare(key, said, right)
