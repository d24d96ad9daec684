"""The questions that calls have answered, as `core.hearing` takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.asking import BID, COUNTER, OVERCOUNTER, TAKE
from kqj_sim.core.calls import bid_code
from kqj_sim.core.hearing import ANSWER, MEMBER, PLACE, PUBLIC, QUESTION, RULE, SECOND
from kqj_sim.core.state import (
    AMOUNT,
    BIDS,
    CAPOT,
    CONTRACT,
    LAP,
    LAST_BIDS,
    NEWS,
    OPEN,
    OPENING,
    PASSES,
    SENDER,
    STAKE,
)
from kqj_sim.core.views import PASS
from kqj_sim.encode import CONTRACTS
from kqj_sim.record import Call
from kqj_sim.rules import SEATS, KqjRules

Question = NDArray[np.int64]


class _Asking:
    """What the table knows of the calls so far."""

    def __init__(self, rules: KqjRules, teams: Sequence[int], calls: Sequence[Call]) -> None:
        self.rules, self.teams = rules, teams
        self.calls = list(calls)
        self.rows = dict.fromkeys(PUBLIC, 0)
        self.rows |= {SENDER: -1, CONTRACT: -1, STAKE: 1, OPEN: 1}

    def question(self, member: int, place: int, second: int, rule: int, answer: int) -> Question:
        """A question at this moment."""
        question = np.zeros(QUESTION, dtype=np.int64)
        question[[PLACE, MEMBER, SECOND, RULE, ANSWER]] = place, member, second, rule, answer
        question[5:] = [self.rows[row] for row in PUBLIC]
        return question

    def next_is(self, call: str) -> bool:
        """Whether the next call is of this kind."""
        return bool(self.calls) and self.calls[0].call == call

    def taking(self) -> Iterator[Question]:
        """Two laps of taking."""
        for turn, call in enumerate(self.calls):
            lap = turn // SEATS + 1
            naming = self.rules.all_no_trump
            may_name = naming == "both_laps" or (naming == "second_lap" and lap == 2)
            answer = PASS if call.contract is None else CONTRACTS.index(call.contract)
            yield self.question(TAKE, turn % SEATS, lap, int(may_name), answer)

    def auction(self, opener: int) -> Iterator[Question]:
        """The turns of an auction, each with the questions to counter that go with it."""
        rules, rows = self.rules, self.rows
        limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
        limits |= rules.all_no_trump != "never"
        turn = 0
        while self.calls and rows[OPEN]:
            place = turn % SEATS
            if rules.counter_timing == "turn" and rows[SENDER] >= 0:
                yield from self.counters([place], opener, 16 * turn)
                if not rows[OPEN]:
                    return
            call = self.calls.pop(0)
            bids = call.call == "bid"
            answer = PASS
            if bids and call.amount is not None and call.contract is not None:
                answer = bid_code(
                    call.amount, CONTRACTS.index(call.contract), int(bool(call.capot))
                )
            yield self.question(BID, place, turn, limits, answer)
            if bids:
                self.enter(place, turn, answer)
                if rules.counter_timing == "any" or rows[CAPOT]:
                    yield from self.counters(
                        [(place + step) % SEATS for step in range(1, SEATS)], opener, 16 * turn
                    )
            else:
                rows[PASSES] += 1
            turn += 1

    def enter(self, place: int, turn: int, bid: int) -> None:
        """Take a bid down, as `core.calls` does."""
        rows = self.rows
        amount, contract = bid >> 4, (bid >> 1) & 7
        rows[OPENING] = rows[OPENING] or amount
        rows[BIDS] += 1
        rows[PASSES] = 0
        rows |= {SENDER: place, CONTRACT: contract, AMOUNT: amount, CAPOT: bid & 1}
        rows[LAP] = turn // SEATS + 1
        rows[LAST_BIDS] &= ~(1023 << 10 * place)
        rows[LAST_BIDS] |= ((amount // 10) << 3 | (contract + 1)) << 10 * place
        rows[OPEN] = 1 - rows[CAPOT]

    def counters(self, places: Sequence[int], opener: int, question: int) -> Iterator[Question]:
        """Opponents of the bidder are asked in turn, and after a counter his team."""
        rows, bidder = self.rows, self.rows[SENDER]
        for step, place in enumerate(places, 1):
            if self.team(place, opener) == self.team(bidder, opener):
                continue
            countered = self.next_is("counter") and self.place(opener) == place
            number = question + (step if len(places) > 1 else 0)
            yield self.question(COUNTER, place, number, 0, int(countered))
            if countered:
                self.calls.pop(0)
                rows |= {STAKE: 2, NEWS: 1, OPEN: 0}
                yield from self.overcounters(opener, question)
                return

    def overcounters(self, opener: int, question: int) -> Iterator[Question]:
        """The bidder's team is asked, himself first."""
        bidder = self.rows[SENDER]
        for step in range(SEATS):
            place = (bidder + step) % SEATS
            if self.team(place, opener) != self.team(bidder, opener):
                continue
            over = self.next_is("overcounter") and self.place(opener) == place
            yield self.question(OVERCOUNTER, place, question + 8 + step, 1, int(over))
            if over:
                return

    def place(self, opener: int) -> int:
        """Place of who made the next call."""
        return (self.calls[0].seat - opener) % SEATS

    def team(self, place: int, opener: int) -> int:
        """Team of a place."""
        return self.teams[(opener + place) % SEATS]


def questions(
    rules: KqjRules, opener: int, teams: Sequence[int], calls: Sequence[Call]
) -> Iterator[Question]:
    """The questions that were answered by calls which the rules allow, in order.

    Args:
        rules: the rules.
        opener: seat of the opener.
        teams: team of each seat.
        calls: what was said.
    """
    asking = _Asking(rules, teams, calls)
    return asking.taking() if rules.bidding == "take" else asking.auction(opener)
