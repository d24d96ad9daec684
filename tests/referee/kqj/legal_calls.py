"""Every call that the referee of KQJ allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.record import Call
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import SEATS, KqjRules


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
