"""The check of a round's record by replaying the round: the steps that every game shares.

A few keys determine a record: the rules, the dealer, the teams, the cards dealt, the calls and the
cards played.  A check replays the round from these and reports where the other keys differ.  A
step that cannot be replayed ends the check.
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
    """A discrepancy that prevents replaying the rest of the round."""


def describe_difference(key: str, recorded: object, expected: object, source: str) -> Iterator[str]:
    """Yield a line that names the expected value if the recorded one differs."""
    if recorded != expected:
        yield f"{key}: {format_value(recorded)}, by {source} {format_value(expected)}"


def format_value(value: object) -> str:
    """Return a value as text, cut at 200 characters."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


class RoundCheck(ABC):
    """The check of one record, with a subclass for each game's rules.

    Attributes:
        discrepancies: lines that name the differences found so far.
    """

    card_by_text: ClassVar[Mapping[str, Card]]
    """The cards of the game's pack by their text."""

    def __init__(self, record: Record, rules: GameRules) -> None:
        self.record = record
        self.seats = rules.seats
        self.tricks = rules.tricks
        self.team_count = rules.team_count
        self.score_count = rules.score_count
        self.start_score = rules.start_score
        self.discrepancies: list[str] = []

    def run(self) -> list[str]:
        """Return the discrepancies, one line each."""
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
        except ReplayError as error:
            self.discrepancies.append(str(error))
        return self.discrepancies

    # Steps that each game defines.

    @abstractmethod
    def check_teams(self) -> list[int]:
        """Check the teams; return the team of each seat."""

    @abstractmethod
    def check_pending(self) -> None:
        """Check `pending_before`."""

    @abstractmethod
    def check_score_form(self, scores: Sequence[int]) -> None:
        """Check that a game can have these scores."""

    @abstractmethod
    def is_decided(self, scores: Sequence[int]) -> bool:
        """Return True if a game with these scores is over."""

    @abstractmethod
    def score_after(self, before: Sequence[int]) -> list[int]:
        """Return the scores of the game after the round, from those before it."""

    @abstractmethod
    def check_deal(self) -> None:
        """Check the cards dealt before the calling, and the card turned up."""

    @abstractmethod
    def check_calling(self) -> bool:
        """Check the calls and the contract; return False if all passed."""

    @abstractmethod
    def check_hands(self) -> list[set[Card]]:
        """Check the hands with which play begins; return that of each seat."""

    @abstractmethod
    def legal_cards(self, hand: set[Card], trick: Sequence[Card], leader: int) -> set[Card]:
        """Return the cards of a hand that may be played next to a trick led by `leader`."""

    @abstractmethod
    def trick_winner(self, leader: int, cards: Sequence[Card]) -> int:
        """Return the seat that wins a trick led by `leader`."""

    @abstractmethod
    def score(self, tricks: Sequence[PlayedTrick]) -> RoundScore:
        """Return the score of the round from its tricks."""

    @abstractmethod
    def passed_out(self) -> RoundScore:
        """Return the score of a round in which all passed."""

    @abstractmethod
    def next_dealer(self) -> int:
        """Return the dealer of the next round."""

    # Steps that all games share.

    @property
    def seat_error(self) -> str:
        """The end of a message about a seat that does not exist."""
        return f"is not a seat from 0 to {self.seats - 1}"

    def compare(
        self, key: str, recorded: object, expected: object, source: str = "the rules"
    ) -> None:
        """Report a key whose recorded value is not the expected one."""
        self.discrepancies += describe_difference(key, recorded, expected, source)

    def check_header(self) -> None:
        """Check the keys that do not bear on the round."""
        record = self.record
        counts = {
            "seed": record.seed,
            "deal": record.deal,
            "game_id": record.game_id,
            "round": record.round,
        }
        for key, count in counts.items():
            if count is not None and count < 0:
                self.discrepancies.append(f"{key}: {format_value(count)} is not 0 or more")
        self.compare("players: their number", len(record.players), self.seats)
        self.check_pending()

    def check_game(self) -> None:
        """Check the keys of the game to which the round belongs."""
        record = self.record
        before, after = record.score_before, record.score_after
        keys = (record.game_id, record.round, before, after)
        if all(key is None for key in keys):
            return
        if before is None or after is None or None in keys:
            self.discrepancies.append(
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
            self.discrepancies.append(
                f"score_before: with {format_value(before)} the game was decided before"
            )
        if len(record.scores) == self.team_count:
            expected = self.score_after(before)
            self.compare("score_after", after, expected, "score_before and scores")

    def parse_card(self, key: str, text: str) -> Card:
        """Return the card that a key names; raise ReplayError if there is none."""
        card = self.card_by_text.get(text)
        if card is None:
            raise ReplayError(f"{key}: {format_value(text)} is not a card: rank and suit, like Th")
        return card

    def parse_hands(self, key: str, texts: Sequence[Sequence[str]], size: int) -> list[set[Card]]:
        """Return the hand of each seat; raise ReplayError unless each has `size` distinct cards."""
        if [len(hand) for hand in texts] != [size] * self.seats:
            sizes = [len(hand) for hand in texts]
            raise ReplayError(f"{key}: {sizes} cards, by the rules {self.seats} x {size}")
        cards = [[self.parse_card(key, text) for text in hand] for hand in texts]
        seen: set[Card] = set()
        for card in (card for hand in cards for card in hand):
            if card in seen:
                raise ReplayError(f"{key}: {card} is dealt twice")
            seen.add(card)
        return [set(hand) for hand in cards]

    def check_tricks(self, hands: Sequence[set[Card]]) -> list[PlayedTrick]:
        """Check that each card is held and legal, and leaders and winners; return the tricks."""
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
        """Check the cards of a trick, remove them from `held` and return them."""
        if len(trick.cards) != self.seats:
            raise ReplayError(f"{where}.cards: {len(trick.cards)}, by the rules {self.seats}")
        cards: list[Card] = []
        for place, text in enumerate(trick.cards):
            seat = (leader + place) % self.seats
            card = self.parse_card(f"{where}.cards", text)
            if card not in held[seat]:
                raise ReplayError(f"{where}.cards: seat {seat} does not hold {card}")
            legal = self.legal_cards(held[seat], cards, leader)
            if card not in legal:
                right = " ".join(sorted(str(card) for card in legal))
                self.discrepancies.append(
                    f"{where}.cards: seat {seat} may play {right}, not {card}"
                )
            held[seat].remove(card)
            cards.append(card)
        return tuple(cards)

    def check_score(self, score: RoundScore) -> None:
        """Check points, bonuses, result and scores."""
        for key, expected in score._asdict().items():
            recorded = getattr(self.record, key)
            if key == "bonuses":
                recorded, expected = sorted(recorded, key=repr), sorted(expected, key=repr)
            self.compare(key, recorded, expected)
