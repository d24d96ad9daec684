"""Calling: taking, auctions, counters (docs/rules.md, sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kqj_sim.cards import CONTRACTS, SUITS, Card
from kqj_sim.record import Call
from kqj_sim.referee.base import Calling, FinalContract
from kqj_sim.rules import SEATS, KqjRules


class KqjCalling(Calling):
    """The calls of a round so far; `upcard` is the Return, None with auctions."""

    examples = "pass, take h, 120 h, 400 NT capot or counter"

    def __init__(
        self, rules: KqjRules, dealer: int, teams: Sequence[int], upcard: Card | None
    ) -> None:
        super().__init__(SEATS, dealer)
        self.rules = rules
        self.teams = teams
        self.upcard = upcard

    @property
    def last_bid(self) -> Call | None:
        """The last bid; None if there is none."""
        return next((call for call in reversed(self.calls) if call.call == "bid"), None)

    @property
    def lap(self) -> int:
        """The lap of the next call, from 1."""
        return len(self.calls) // SEATS + 1

    @property
    def lowest_amount(self) -> int:
        """The lowest amount of the next bid; above `max_amount` if no bid is possible."""
        return (
            self.rules.minimum_bid if self.last_bid is None else _require_amount(self.last_bid) + 10
        )

    @property
    def is_closed(self) -> bool:
        """True if no seat has another turn.

        A Capot bid may still be countered, and a counter overcountered.
        """
        if not self.calls:
            return False
        last = self.calls[-1]
        if self.rules.bidding == "take":
            return last.call == "take" or len(self.calls) == 2 * SEATS
        if last.call in ("counter", "overcounter"):
            return True
        if self.last_bid is None:
            return len(self.calls) == SEATS
        return self.last_bid.capot is True or self._count_passes(self.last_bid) == SEATS - 1

    @property
    def remaining_passes(self) -> int:
        """The number of passes that close the auction; without a bid, the lap."""
        if self.is_closed:
            return 0
        if self.last_bid is None:
            return SEATS - len(self.calls) % SEATS
        return SEATS - 1 - self._count_passes(self.last_bid)

    def _count_passes(self, bid: Call) -> int:
        return len(self.calls) - 1 - self.calls.index(bid)

    def list_repliers(self) -> list[int]:
        """Return the seats that are asked to counter the last bid, or to overcounter, in order.

        They begin with the seat after the bidder, or with the bidder.  Where counters are made in
        one's turn, and the bid is no Capot, nobody is asked to counter besides.
        """
        bid = self.last_bid
        if bid is None:
            return []
        is_countered = self.calls[-1].call == "counter"
        at_once = self.calls[-1] is bid and (self.rules.counter_timing == "any" or bid.capot)
        if not is_countered and not at_once:
            return []
        order = ((bid.seat + step) % SEATS for step in range(SEATS))
        own = self.teams[bid.seat]
        return [seat for seat in order if (self.teams[seat] == own) == is_countered]

    def final_contract(self) -> FinalContract | None:
        """Return the contract of a closed calling; None if all passed."""
        if self.rules.bidding == "take":
            last = self.calls[-1]
            return (
                FinalContract(last.seat, _require_contract(last)) if last.call == "take" else None
            )
        bid = self.last_bid
        if bid is None:
            return None
        stake = {"counter": 2, "overcounter": 4}.get(self.calls[-1].call, 1)
        return FinalContract(
            bid.seat, _require_contract(bid), _require_amount(bid), bid.capot is True, stake
        )

    def explain_illegal_call(self, call: Call) -> str | None:
        """Return the reason why a call is illegal, in one line; None if it is legal."""
        keys = (call.amount is not None, call.contract is not None, call.capot is not None)
        if call.call == "bid":
            if not all(keys):
                return "a bid has an amount, a contract and capot"
        elif keys != (False, call.call == "take", False):
            details = "a contract and no more" if call.call == "take" else "no details"
            return f"the call {call.call} has {details}"
        if self.rules.bidding == "take":
            if call.call not in ("pass", "take"):
                return f"with taking there is no {call.call}: pass or take"
        elif call.call in ("take", "play"):
            return f"with auctions there is no {call.call}: pass, bid, counter or overcounter"
        if call.call == "counter":
            return self._explain_illegal_counter(call)
        if call.call == "overcounter":
            return self._explain_illegal_overcounter(call)
        if self.is_closed:
            return "the calling was closed before"
        if call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}"
        if call.call == "take":
            return self._explain_illegal_take(_require_contract(call))
        if call.call == "bid":
            return self._explain_illegal_bid(call)
        return None

    def _explain_illegal_take(self, contract: str) -> str | None:
        allowed = {self.upcard.suit} if self.upcard is not None and self.lap == 1 else set(SUITS)
        if self.rules.all_no_trump == "both_laps" or (
            self.rules.all_no_trump == "second_lap" and self.lap == 2
        ):
            allowed |= {"NT", "AT"}
        if contract not in allowed:
            right = " ".join(c for c in CONTRACTS if c in allowed)
            return f"{contract!r:.20} cannot be taken in lap {self.lap}: {right} can"
        return None

    def _explain_illegal_bid(self, call: Call) -> str | None:
        contract, amount = _require_contract(call), _require_amount(call)
        if contract not in self.rules.contracts:
            return f"{contract!r:.20} cannot be bid: {' '.join(self.rules.contracts)} can"
        if amount % 10:
            return f"the amount {amount} is not a multiple of 10"
        if not self.lowest_amount <= amount <= self.rules.max_amount:
            return (
                f"the amount {amount} is not from {self.lowest_amount} to {self.rules.max_amount}"
            )
        return None

    def _explain_illegal_counter(self, call: Call) -> str | None:
        bid = self.last_bid
        if bid is None:
            return "there is no bid to counter"
        if not 0 <= call.seat < SEATS or self.teams[call.seat] == self.teams[bid.seat]:
            return f"seat {call.seat} is no opponent of the bidder, seat {bid.seat}"
        if self.calls[-1].call in ("counter", "overcounter"):
            return "the bid was countered before"
        if self.rules.counter_timing == "any" or bid.capot:
            if self.calls[-1] is not bid:
                return "a counter comes right after the bid"
        elif self.is_closed:
            return "the calling was closed before"
        elif call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}, to counter"
        return None

    def _explain_illegal_overcounter(self, call: Call) -> str | None:
        bid = self.last_bid
        if bid is None or self.calls[-1].call != "counter":
            return "an overcounter comes right after a counter"
        if not 0 <= call.seat < SEATS or self.teams[call.seat] != self.teams[bid.seat]:
            return f"seat {call.seat} is not of the team of the bidder, seat {bid.seat}"
        return None


def list_legal_calls(
    rules: KqjRules,
    dealer: int,
    teams: Sequence[int],
    upcard: Card | None,
    calls: Iterable[Call] = (),
) -> set[Call]:
    """Return every legal next call of any seat; raise ValueError if `calls` are illegal.

    Counters and overcounters are among them, but a player may always leave them out.
    """
    calling = KqjCalling(rules, dealer, teams, upcard)
    for call in calls:
        calling.add(call)
    turn = calling.turn
    possible = [Call(turn, "pass"), *(Call(turn, "take", contract=c) for c in CONTRACTS)]
    possible += [
        Call(turn, "bid", amount, contract, capot)
        for amount in range(rules.minimum_bid, rules.max_amount + 1, 10)
        for contract in CONTRACTS
        for capot in (False, True)
    ]
    for seat in range(SEATS):
        possible += [Call(seat, "counter"), Call(seat, "overcounter")]
    return {call for call in possible if calling.explain_illegal_call(call) is None}


def _require_contract(call: Call) -> str:
    assert call.contract is not None
    return call.contract


def _require_amount(call: Call) -> int:
    assert call.amount is not None
    return call.amount
