"""Calling: play or pass (RULES.md, section 10, 2)."""

from __future__ import annotations

from kqj_sim.record import Call
from kqj_sim.rules import KwajongenRules

SEATS = KwajongenRules.seats


class KwajongenCalling:
    """The calls of a round so far; `add` appends the next one."""

    def __init__(self, dealer: int) -> None:
        self.opener = (dealer + 1) % SEATS
        self.calls: list[Call] = []

    @property
    def turn(self) -> int:
        """The seat whose turn it is to call."""
        return (self.opener + len(self.calls)) % SEATS

    @property
    def is_closed(self) -> bool:
        """True if no seat has another turn: one said play, or all four passed."""
        return len(self.calls) == SEATS or self.find_caller() is not None

    def find_caller(self) -> int | None:
        """Return the seat that said play; None if none did."""
        return next((call.seat for call in self.calls if call.call == "play"), None)

    def add(self, call: Call) -> None:
        """Append a call; raise ValueError with the reason if it is illegal."""
        reason = self.explain_illegal_call(call)
        if reason is not None:
            raise ValueError(reason)
        self.calls.append(call)

    def explain_illegal_call(self, call: Call) -> str | None:
        """Return the reason why a call is illegal, in one line; None if it is legal."""
        if call.call not in ("pass", "play"):
            return f"there is no {call.call}: pass or play"
        if (call.amount, call.contract, call.capot) != (None, None, None):
            return f"the call {call.call} has no details"
        if self.is_closed:
            return "the calling was closed before"
        if call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}"
        return None
