"""The check of KQJ records against the rules of KQJ."""

from __future__ import annotations

from collections.abc import Sequence

from kqj_sim.cards import Card
from kqj_sim.record import Record
from kqj_sim.referee.kqj.calling import FinalContract, KqjCalling
from kqj_sim.referee.kqj.cards import CARD_OF_TEXT
from kqj_sim.referee.kqj.play import find_trick_winner, list_legal_cards
from kqj_sim.referee.kqj.scoring import (
    TRICKS,
    add_scores,
    is_decided,
    score_passed_out,
    score_round,
)
from kqj_sim.referee.round_check import ReplayError, RoundCheck, format_value
from kqj_sim.referee.trick import PlayedTrick, RoundScore
from kqj_sim.rules import SEATS, KqjRules


class KqjCheck(RoundCheck):
    """The check of a record of KQJ (RULES.md, sections 1 to 8)."""

    card_by_text = CARD_OF_TEXT

    def __init__(self, record: Record, rules: KqjRules) -> None:
        super().__init__(record, rules)
        self.rules = rules

    def check_pending(self) -> None:
        """Check the pending litigation gratuity (section 7)."""
        self.check_points("pending_before", [self.record.pending_before])

    def check_points(self, key: str, points: Sequence[int]) -> None:
        """Check that points are multiples of ten, 0 or more."""
        if any(number < 0 or number % 10 for number in points):
            self.discrepancies.append(
                f"{key}: not a multiple of 10, 0 or more, in {format_value(points)}"
            )

    def check_teams(self) -> list[int]:
        """Check the teams (section 2); return the team of each seat."""
        record, rules = self.record, self.rules
        fixed = [rules.fixed_team_of(seat) for seat in range(SEATS)]
        if rules.partners == "fixed":
            self.compare("teams", record.teams, fixed)
            return fixed
        if sorted(record.teams) != sorted(fixed):
            raise ReplayError(
                f"teams: {format_value(record.teams)} does not split the six seats into "
                f"{rules.team_count} equal teams"
            )
        return record.teams

    def check_score_form(self, scores: Sequence[int]) -> None:
        """Check that scores are rounded (section 7)."""
        self.check_points("score_before", scores)

    def is_decided(self, scores: Sequence[int]) -> bool:
        """Return True if one side alone has reached the target (section 8)."""
        return is_decided(self.rules, scores)

    def score_after(self, before: Sequence[int]) -> list[int]:
        """Return the scores after the round, per team or with random partners per seat."""
        return add_scores(self.rules, before, self.teams, self.record.scores)

    def check_deal(self) -> None:
        """Check the cards held before the bidding, and the Return (sections 3 and 4)."""
        turned = self.record.turned
        self.upcard: Card | None = None
        if self.rules.bidding == "auction":
            self.compare("turned", turned, None, "auctions")
            self.dealt = self.parse_hands("dealt", self.record.dealt, TRICKS)
            return
        self.dealt = self.parse_hands("dealt", self.record.dealt, 5)
        if turned is None:
            raise ReplayError("turned: null, with taking there is a Return")
        self.upcard = self.parse_card("turned", turned)
        if any(self.upcard in hand for hand in self.dealt):
            raise ReplayError(f"turned: {turned} is among the cards dealt")

    def check_calling(self) -> bool:
        """Check the calls and the contract (sections 3 and 4); return False if all passed."""
        called = self.make_imposed_contract() if self.record.imposed else self.resolve_calls()
        if called is None:
            return False
        self.final_contract = called
        return True

    def resolve_calls(self) -> FinalContract | None:
        """Return the contract of the calls; if they are illegal, that of the record."""
        record = self.record
        calling = KqjCalling(self.rules, record.dealer, self.teams, self.upcard)
        for number, call in enumerate(record.calls):
            reason = calling.explain_illegal_call(call)
            if reason is not None:
                self.discrepancies.append(f"calls[{number}]: {reason}")
                return self.read_final_contract()
            calling.add(call)
        if not calling.is_closed:
            self.discrepancies.append(f"calls: not closed, seat {calling.turn} has yet to speak")
            return self.read_final_contract()
        called = calling.final_contract()
        sender, contract, amount, capot, stake = called or (None, None, None, False, 1)
        self.compare("sender", record.sender, sender, "the calls")
        self.compare("contract", record.contract, contract, "the calls")
        self.compare("amount", record.amount, amount, "the calls")
        self.compare("capot", record.capot, capot, "the calls")
        self.compare("stake", record.stake, stake, "the calls")
        return called

    def make_imposed_contract(self) -> FinalContract:
        """Return an imposed contract; nobody calls, so there is no Capot and no counter."""
        self.compare("calls", self.record.calls, [], "an imposed contract")
        self.compare("capot", self.record.capot, False, "an imposed contract")
        self.compare("stake", self.record.stake, 1, "an imposed contract")
        called = self.read_final_contract()
        if called is None:
            raise ReplayError("sender: null, an imposed contract has a Sender")
        return called._replace(capot=False, stake=1)

    def read_final_contract(self) -> FinalContract | None:
        """Return the contract under the record's keys; None without a Sender."""
        record, rules = self.record, self.rules
        if record.sender is None:
            return None
        if not 0 <= record.sender < SEATS:
            raise ReplayError(f"sender: {format_value(record.sender)} {self.seat_error}")
        if record.contract not in rules.contracts:
            allowed = " ".join(rules.contracts)
            raise ReplayError(f"contract: {format_value(record.contract)} is not one of {allowed}")
        if rules.bidding == "take":
            self.compare("amount", record.amount, None, "taking")
            return FinalContract(record.sender, record.contract)
        amount = record.amount
        if amount is None or amount % 10 or not rules.minimum_bid <= amount <= rules.max_amount:
            raise ReplayError(
                f"amount: {format_value(amount)} is not a multiple of 10 from "
                f"{rules.minimum_bid} to {rules.max_amount}"
            )
        return FinalContract(record.sender, record.contract, amount, record.capot, record.stake)

    def check_hands(self) -> list[set[Card]]:
        """Check that the eight cards of each seat include those dealt (sections 3 and 4)."""
        if self.record.hands is None:
            raise ReplayError("hands: null, but the round was not passed out")
        self.held = self.parse_hands("hands", self.record.hands, TRICKS)
        for seat in range(SEATS):
            given = {self.upcard} if self.upcard and seat == self.final_contract.sender else set()
            missing = (self.dealt[seat] | given) - self.held[seat]
            if missing:
                cards = ", ".join(sorted(str(card) for card in missing))
                raise ReplayError(f"hands: seat {seat} lacks what it was given: {cards}")
        return self.held

    def legal_cards(self, hand: set[Card], trick: Sequence[Card], leader: int) -> set[Card]:
        """Return the legal cards of a hand (section 5)."""
        return list_legal_cards(hand, trick, leader, self.teams, self.final_contract.contract)

    def trick_winner(self, leader: int, cards: Sequence[Card]) -> int:
        """Return the seat that wins a trick (section 5)."""
        return find_trick_winner(leader, cards, self.final_contract.contract)

    def score(self, tricks: Sequence[PlayedTrick]) -> RoundScore:
        """Return the score of the round (sections 6 and 7)."""
        pending = self.record.pending_before
        return score_round(self.rules, self.teams, self.final_contract, self.held, tricks, pending)

    def passed_out(self) -> RoundScore:
        """Return the score of a round in which all passed (section 3)."""
        return score_passed_out(self.rules, self.record.pending_before)

    def next_dealer(self) -> int:
        """Return the opener, who deals next in any case (section 2)."""
        return (self.record.dealer + 1) % SEATS
