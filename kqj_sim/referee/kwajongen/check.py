"""The check of Kwajongen records against the rules of Kwajongen."""

from __future__ import annotations

from collections.abc import Sequence

from kqj_sim.cards import Card
from kqj_sim.record import Record
from kqj_sim.referee.kwajongen.rules import (
    CARD_OF_TEXT,
    KwajongenCalling,
    add_scores,
    find_next_dealer,
    find_trick_winner,
    is_decided,
    list_legal_cards,
    score_passed_out,
    score_round,
)
from kqj_sim.referee.round_check import ReplayError, RoundCheck, format_value
from kqj_sim.referee.trick import PlayedTrick, RoundScore
from kqj_sim.rules import KwajongenRules


class KwajongenCheck(RoundCheck):
    """The check of a record of Kwajongen (RULES.md, section 10)."""

    card_by_text = CARD_OF_TEXT

    def __init__(self, record: Record, rules: KwajongenRules) -> None:
        super().__init__(record, rules)
        self.rules = rules

    def check_pending(self) -> None:
        """Check that the round is raised or not (RULES.md, section 10, 2)."""
        if self.record.pending_before not in (0, 1):
            self.discrepancies.append(
                f"pending_before: {format_value(self.record.pending_before)} is not 1 if the "
                "round is raised, else 0"
            )

    def check_teams(self) -> list[int]:
        """Check that partners sit opposite each other; return the team of each seat."""
        fixed = [self.rules.fixed_team_of(seat) for seat in range(self.seats)]
        self.compare("teams", self.record.teams, fixed)
        return fixed

    def check_score_form(self, scores: Sequence[int]) -> None:
        """Accept any number: scores have no upper limit."""

    def is_decided(self, scores: Sequence[int]) -> bool:
        """Return True if a team is down to 0."""
        return is_decided(scores)

    def score_after(self, before: Sequence[int]) -> list[int]:
        """Return the scores after the round: those before it and the changes."""
        return add_scores(before, self.record.scores)

    def check_deal(self) -> None:
        """Check the four cards of each seat, and the dealer's card turned up."""
        record = self.record
        self.dealt = self.parse_hands("dealt", record.dealt, self.tricks)
        if record.turned is None:
            raise ReplayError("turned: null, one of the dealer's cards is turned up")
        turned = self.parse_card("turned", record.turned)
        if turned not in self.dealt[record.dealer]:
            raise ReplayError(f"turned: {turned} is not among the dealer's cards")
        self.trump = turned.suit

    def check_calling(self) -> bool:
        """Check the calls and the caller; return False if all passed."""
        record = self.record
        caller = self.find_imposed_caller() if record.imposed else self.resolve_calls()
        trump = None if caller is None else self.trump
        self.compare("contract", record.contract, trump, "the card turned up and the calls")
        for key, expected in (("amount", None), ("capot", False), ("stake", 1)):
            self.compare(key, getattr(record, key), expected)
        if caller is None:
            return False
        self.caller = caller
        return True

    def resolve_calls(self) -> int | None:
        """Return the seat that said play; if the calls are illegal, that of the record."""
        calling = KwajongenCalling(self.record.dealer)
        for number, call in enumerate(self.record.calls):
            reason = calling.explain_illegal_call(call)
            if reason is not None:
                self.discrepancies.append(f"calls[{number}]: {reason}")
                return self.read_caller()
            calling.add(call)
        if not calling.is_closed:
            self.discrepancies.append(f"calls: not closed, seat {calling.turn} has yet to speak")
            return self.read_caller()
        self.compare("sender", self.record.sender, calling.find_caller(), "the calls")
        return calling.find_caller()

    def find_imposed_caller(self) -> int:
        """Return the seat of an imposed caller; nobody calls."""
        self.compare("calls", self.record.calls, [], "an imposed caller")
        caller = self.read_caller()
        if caller is None:
            raise ReplayError("sender: null, a round with an imposed caller has one")
        return caller

    def read_caller(self) -> int | None:
        """Return the caller under the record's keys; None if all passed."""
        sender = self.record.sender
        if sender is not None and not 0 <= sender < self.seats:
            raise ReplayError(f"sender: {format_value(sender)} {self.seat_error}")
        return sender

    def check_hands(self) -> list[set[Card]]:
        """Check that the four cards of each seat are those dealt."""
        if self.record.hands is None:
            raise ReplayError("hands: null, but the round was not passed out")
        hands = self.parse_hands("hands", self.record.hands, self.tricks)
        for seat in range(self.seats):
            missing = ", ".join(sorted(str(card) for card in self.dealt[seat] - hands[seat]))
            if missing:
                raise ReplayError(f"hands: seat {seat} lacks what it was given: {missing}")
        return hands

    def legal_cards(self, hand: set[Card], trick: Sequence[Card], leader: int) -> set[Card]:
        """Return the legal cards of a hand."""
        return list_legal_cards(self.rules, hand, trick, self.trump)

    def trick_winner(self, leader: int, cards: Sequence[Card]) -> int:
        """Return the seat with the highest trump, or else the highest card of the suit led."""
        return find_trick_winner(leader, cards, self.trump)

    def score(self, tricks: Sequence[PlayedTrick]) -> RoundScore:
        """Return the result and the changes of the scores."""
        return score_round(self.teams, self.caller, tricks, self.record.pending_before)

    def passed_out(self) -> RoundScore:
        """Return the score of a round in which all passed: the next one is raised."""
        return score_passed_out()

    def next_dealer(self) -> int:
        """Return the same dealer after a round passed out, else the next in turn."""
        return find_next_dealer(self.record.dealer, self.record.sender is None)
