"""The referee of KQJ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from kqj_sim.cards import Card
from kqj_sim.referee.base import FinalContract, Referee
from kqj_sim.referee.kqj.calling import KqjCalling
from kqj_sim.referee.kqj.cards import (
    CARD_OF_TEXT,
    PACK,
    PLAIN_ORDER,
    TRUMP_ORDER,
    card_points,
)
from kqj_sim.referee.kqj.play import find_trick_winner, list_legal_cards
from kqj_sim.referee.kqj.scoring import add_scores, is_decided, score_passed_out, score_round
from kqj_sim.referee.trick import PlayedTrick, RoundScore
from kqj_sim.rules import SEATS, KqjRules


class KqjReferee(Referee):
    """The rules of KQJ (docs/rules.md, sections 1 to 8)."""

    pack = PACK
    card_by_text = CARD_OF_TEXT
    upcard_name = "the Return"
    upcard_rule = "with taking there is a Return"
    names_contract = True
    card_points = staticmethod(card_points)
    find_trick_winner = staticmethod(find_trick_winner)
    list_legal_cards = staticmethod(list_legal_cards)

    def __init__(self, rules: KqjRules) -> None:
        self.rules: KqjRules = rules

    @property
    def has_upcard(self) -> bool:
        """True with taking: the Return (section 3)."""
        return self.rules.bidding == "take"

    @property
    def dealt_count(self) -> int:
        """Five with taking, eight with auctions."""
        return 5 if self.rules.bidding == "take" else self.rules.tricks

    @property
    def question(self) -> Literal["take", "bid"]:
        """The question in a turn: to take, or to bid."""
        return "take" if self.rules.bidding == "take" else "bid"

    def find_upcard_seat(self, dealer: int, sender: int | None) -> int | None:
        """Return the Sender, who takes the Return."""
        return sender

    def start_calling(self, dealer: int, teams: Sequence[int], upcard: Card | None) -> KqjCalling:
        """Return the calling of a round before the first call."""
        return KqjCalling(self.rules, dealer, teams, upcard)

    def explain_wrong_score(self, score: int) -> str | None:
        """Return the reason if a score is not rounded to tens (section 7)."""
        is_wrong = score < 0 or score % 10
        return f"{score} is not a multiple of 10, 0 or more" if is_wrong else None

    def explain_wrong_pending(self, pending: int) -> str | None:
        """Return the reason if this is no litigation gratuity (section 7)."""
        return self.explain_wrong_score(pending)

    def _explain_wrong_details(self, final: FinalContract, upcard: Card | None) -> str | None:
        rules, amount = self.rules, final.amount
        if final.contract not in rules.contracts:
            return f"contract: {final.contract!r:.20} is not one of {' '.join(rules.contracts)}"
        if rules.bidding == "take":
            is_bid = amount is not None or final.capot or final.stake != 1
            return "amount, Capot and stake belong to auctions: leave them out" if is_bid else None
        low, high = rules.minimum_bid, rules.max_amount
        if amount is None or amount % 10 or not low <= amount <= high:
            return f"amount: {amount} is not a multiple of 10 from {low} to {high}"
        if final.stake not in (1, 2, 4):
            return f"stake: {final.stake} is not 1, 2 (countered) or 4 (overcountered)"
        return None

    def list_ranks(self, suit: str, contract: str | None) -> str:
        """Return the ranks of a suit, which differ for trumps."""
        return TRUMP_ORDER if contract in (suit, "AT") else PLAIN_ORDER

    def score_round(
        self,
        teams: Sequence[int],
        final: FinalContract,
        hands: Sequence[Collection[Card]],
        tricks: Sequence[PlayedTrick],
        pending: int,
    ) -> RoundScore:
        """Score a round (sections 6 and 7)."""
        return score_round(self.rules, teams, final, hands, tricks, pending)

    def score_passed_out(self, pending: int) -> RoundScore:
        """Return the score of a round in which all passed: nobody scores."""
        return score_passed_out(self.rules, pending)

    def add_scores(
        self, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
    ) -> list[int]:
        """Return the game scores per team, or with random partners per seat."""
        return add_scores(self.rules, before, teams, scores)

    def is_decided(self, game_scores: Sequence[int]) -> bool:
        """Return True if one side alone has reached the target (section 8)."""
        return is_decided(self.rules, game_scores)

    def find_next_dealer(self, dealer: int, is_passed_out: bool) -> int:
        """Return the opener, who deals next in any case (section 2)."""
        return (dealer + 1) % SEATS
