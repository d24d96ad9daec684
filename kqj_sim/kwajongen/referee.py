"""The referee of Kwajongen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import Card
from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.kwajongen.rules_of_play import (
    CARD_OF_TEXT,
    PACK,
    KwajongenCalling,
    add_scores,
    card_points,
    find_next_dealer,
    find_trick_winner,
    is_decided,
    list_legal_cards,
    score_passed_out,
    score_round,
)
from kqj_sim.referee.base import FinalContract, Referee
from kqj_sim.referee.trick import PlayedTrick, RoundScore


class KwajongenReferee(Referee):
    """The rules of Kwajongen (docs/kwajongen_rules.md)."""

    pack = PACK
    card_by_text = CARD_OF_TEXT
    upcard_name = "the dealer's card"
    upcard_rule = "one of the dealer's cards is turned up"
    find_next_dealer = staticmethod(find_next_dealer)
    is_decided = staticmethod(is_decided)
    has_upcard = True
    names_contract = False
    question = "accept"
    dealt_count = KwajongenRules.tricks

    def __init__(self, rules: KwajongenRules) -> None:
        self.rules: KwajongenRules = rules

    def find_upcard_seat(self, dealer: int, sender: int | None) -> int | None:
        """Return the dealer, who keeps the card."""
        return dealer

    def start_calling(
        self, dealer: int, teams: Sequence[int], upcard: Card | None
    ) -> KwajongenCalling:
        """Return the calling of a round before the first call."""
        assert upcard is not None
        return KwajongenCalling(dealer, upcard)

    def explain_wrong_score(self, score: int) -> str | None:
        """Return None: scores have no upper limit, and the last one may be negative."""
        return None

    def explain_wrong_pending(self, pending: int) -> str | None:
        """Return the reason if this does not say whether the round is raised."""
        is_wrong = pending not in (0, 1)
        return f"{pending} is not 1 if the round is raised, else 0" if is_wrong else None

    def _explain_wrong_details(self, final: FinalContract, upcard: Card | None) -> str | None:
        if upcard is None or final.contract != upcard.suit:
            return f"contract: {final.contract!r:.20} is not the suit of the dealer's card"
        if (final.amount, final.capot, final.stake) != (None, False, 1):
            return "amount, Capot and stake belong to auctions: leave them out"
        return None

    def list_legal_cards(
        self,
        hand: Collection[Card],
        trick: Sequence[Card],
        leader: int,
        teams: Sequence[int],
        contract: str,
    ) -> set[Card]:
        """Return the legal cards, for which teams do not matter."""
        return list_legal_cards(self.rules, hand, trick, contract)

    def find_trick_winner(self, leader: int, trick: Sequence[Card], contract: str) -> int:
        """Return the seat with the highest trump, or else the highest card of the suit led."""
        return find_trick_winner(leader, trick, contract)

    def list_ranks(self, suit: str, contract: str | None) -> str:
        """Return the ranks, the same in every suit."""
        return self.rules.ranks

    def card_points(self, card: Card, contract: str) -> int:
        """Return the points of a card, the same in every contract."""
        return card_points(card)

    def score_round(
        self,
        teams: Sequence[int],
        final: FinalContract,
        hands: Sequence[Collection[Card]],
        tricks: Sequence[PlayedTrick],
        pending: int,
    ) -> RoundScore:
        """Score a round; a raised one counts for more."""
        return score_round(teams, final.sender, tricks, pending)

    def score_passed_out(self, pending: int) -> RoundScore:
        """Return the score of a round in which all passed: the next one is raised."""
        return score_passed_out()

    def add_scores(
        self, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
    ) -> list[int]:
        """Return the game scores of the teams."""
        return add_scores(before, scores)
