"""Calling: play or pass (RULES.md, section 10, 2)."""

from __future__ import annotations

from kqj_sim.record import Call
from kqj_sim.rules import KwajongenRules

SEATS = KwajongenRules.seats


class KwajongenCalling:
    """The calls of one round so far; `add` takes them one after another."""

    def __init__(self, dealer: int) -> None:
        self.opener = (dealer + 1) % SEATS
        self.calls: list[Call] = []

    @property
    def turn(self) -> int:
        """The seat whose turn it is to speak."""
        return (self.opener + len(self.calls)) % SEATS

    @property
    def is_closed(self) -> bool:
        """Whether nobody has another turn: somebody plays, or all four have passed."""
        return len(self.calls) == SEATS or self.caller() is not None

    def caller(self) -> int | None:
        """The seat that said play; None if nobody did."""
        return next((call.seat for call in self.calls if call.call == "play"), None)

    def add(self, call: Call) -> None:
        """Take a legal call; raises ValueError with the reason if it is none."""
        reason = self.explain_illegal_call(call)
        if reason is not None:
            raise ValueError(reason)
        self.calls.append(call)

    def explain_illegal_call(self, call: Call) -> str | None:
        """Why the call may not come next, in one line; None if it may."""
        if call.call not in ("pass", "play"):
            return f"there is no {call.call}: pass or play"
        if (call.amount, call.contract, call.capot) != (None, None, None):
            return f"the call {call.call} has no details"
        if self.is_closed:
            return "the calling was closed before"
        if call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}"
        return None
