"""The referee of any game: what records, the notation and positions ask of the rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from kqj_sim.cards import Card
from kqj_sim.games import find_game
from kqj_sim.record import Bonus, Call
from kqj_sim.rules import GameRules


class RoundScore(NamedTuple):
    """The score of a round under the names of a record's keys; lists are per team."""

    card_points: list[int]
    trick_counts: list[int]
    bonuses: list[Bonus]
    totals: list[int]
    result: str
    gratuities: list[int]
    pending_after: int
    scores: list[int]


class PlayedTrick(NamedTuple):
    """A trick: the leader's seat, the cards in the order played, and the winner's seat."""

    leader: int
    cards: tuple[Card, ...]
    winner: int


def find_master_index(
    trick: Sequence[Card], contract: str, beats_master: Callable[[Card, Card, str], bool]
) -> int:
    """Return the position in the trick, from 0 for the lead, of the card that is master so far.

    `beats_master(card, master, contract)` returns True if a later card takes the trick.
    """
    master = 0
    for later in range(1, len(trick)):
        if beats_master(trick[later], trick[master], contract):
            master = later
    return master


class FinalContract(NamedTuple):
    """The contract after the calling; without auctions `amount` is None and `stake` 1.

    In Kwajongen it is the caller, and the trump suit.
    """

    sender: int
    contract: str
    amount: int | None = None
    capot: bool = False
    stake: int = 1


class Calling(ABC):
    """The calls of a round so far; `add` appends the next one."""

    examples: ClassVar[str]
    """Some calls as people write them, for errors."""

    def __init__(self, seats: int, dealer: int) -> None:
        self.seats = seats
        self.opener = (dealer + 1) % seats
        self.calls: list[Call] = []

    @property
    def turn(self) -> int:
        """The seat whose turn it is to call."""
        return (self.opener + len(self.calls)) % self.seats

    @property
    @abstractmethod
    def is_closed(self) -> bool:
        """True if no seat has another turn."""

    @property
    @abstractmethod
    def remaining_passes(self) -> int:
        """The number of passes that close the calling, or its lap."""

    @abstractmethod
    def explain_illegal_call(self, call: Call) -> str | None:
        """Return the reason why a call is illegal, in one line; None if it is legal."""

    def list_repliers(self) -> list[int]:
        """Return the seats that are asked to counter the last bid, or to overcounter, in order."""
        return []

    @abstractmethod
    def final_contract(self) -> FinalContract | None:
        """Return the contract of a closed calling; None if all passed."""

    def add(self, call: Call) -> None:
        """Append a call; raise ValueError with the reason if it is illegal."""
        reason = self.explain_illegal_call(call)
        if reason is not None:
            raise ValueError(reason)
        self.calls.append(call)


class Referee(ABC):
    """The rules of a game, with a subclass for each; seats are counted from 0, clockwise."""

    pack: ClassVar[tuple[Card, ...]]
    card_by_text: ClassVar[Mapping[str, Card]]
    upcard_name: ClassVar[str]
    """The name of the card turned up, in errors."""
    upcard_rule: ClassVar[str]
    """A clause that says that there is such a card."""
    names_contract: ClassVar[bool]
    """True if a call names the contract, False if the upcard's suit is trump."""

    def __init__(self, rules: GameRules) -> None:
        self.rules = rules

    @property
    @abstractmethod
    def has_upcard(self) -> bool:
        """True if a card is turned up before the calls."""

    @property
    @abstractmethod
    def dealt_count(self) -> int:
        """The number of cards that each seat holds before the calls."""

    @property
    @abstractmethod
    def question(self) -> Literal["take", "bid", "accept"]:
        """The question that a player is asked in their turn to call."""

    @property
    def deals_after_calls(self) -> bool:
        """True if players get cards after the calls."""
        return self.dealt_count < self.rules.tricks

    @abstractmethod
    def find_upcard_seat(self, dealer: int, sender: int | None) -> int | None:
        """Return the seat that has the upcard; None if nobody has taken it."""

    @abstractmethod
    def start_calling(self, dealer: int, teams: Sequence[int], upcard: Card | None) -> Calling:
        """Return the calling of a round before the first call."""

    @abstractmethod
    def explain_wrong_score(self, score: int) -> str | None:
        """Return the reason why a game cannot have a score; None if it can."""

    @abstractmethod
    def explain_wrong_pending(self, pending: int) -> str | None:
        """Return the reason why this cannot be pending; None if it can."""

    def explain_wrong_contract(self, final: FinalContract, upcard: Card | None) -> str | None:
        """Return the reason why a contract cannot have come about; None if it can."""
        if not 0 <= final.sender < self.rules.seats:
            return f"sender: {final.sender} is not a seat from 0 to {self.rules.seats - 1}"
        return self._explain_wrong_details(final, upcard)

    @abstractmethod
    def _explain_wrong_details(self, final: FinalContract, upcard: Card | None) -> str | None:
        """Return the reason why a contract of a seat that exists cannot have come about."""

    @abstractmethod
    def list_legal_cards(
        self,
        hand: Collection[Card],
        trick: Sequence[Card],
        leader: int,
        teams: Sequence[int],
        contract: str,
    ) -> set[Card]:
        """Return the cards of a hand that may be played next to a trick led by `leader`."""

    @abstractmethod
    def find_trick_winner(self, leader: int, trick: Sequence[Card], contract: str) -> int:
        """Return the seat that wins a trick led by `leader`."""

    @abstractmethod
    def list_ranks(self, suit: str, contract: str | None) -> str:
        """Return the ranks of a suit from high to low; the contract is None if there is none."""

    @abstractmethod
    def card_points(self, card: Card, contract: str) -> int:
        """Return the points of a card."""

    def sum_tricks(
        self, tricks: Sequence[PlayedTrick], teams: Sequence[int], contract: str
    ) -> tuple[list[int], list[int]]:
        """Return the card points and the number of tricks of each team."""
        points, counts = [0] * self.rules.team_count, [0] * self.rules.team_count
        for trick in tricks:
            points[teams[trick.winner]] += sum(self.card_points(c, contract) for c in trick.cards)
            counts[teams[trick.winner]] += 1
        return points, counts

    @abstractmethod
    def score_round(
        self,
        teams: Sequence[int],
        final: FinalContract,
        hands: Sequence[Collection[Card]],
        tricks: Sequence[PlayedTrick],
        pending: int,
    ) -> RoundScore:
        """Score a round from the cards with which each seat played, and the tricks."""

    @abstractmethod
    def score_passed_out(self, pending: int) -> RoundScore:
        """Return the score of a round in which all passed."""

    @abstractmethod
    def add_scores(
        self, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
    ) -> list[int]:
        """Return the scores of the game after a round, from the teams' scores of the round."""

    @abstractmethod
    def is_decided(self, game_scores: Sequence[int]) -> bool:
        """Return True if a game with these scores is over."""

    @abstractmethod
    def find_next_dealer(self, dealer: int, is_passed_out: bool) -> int:
        """Return the dealer of the next round."""


def get_referee(rules: GameRules) -> Referee:
    """Return the referee of a round under these rules."""
    return find_game(rules.game).make_referee(rules)
