"""Choices of players and their alternatives, read from records by the referee."""

from __future__ import annotations

from collections.abc import Iterator

from kqj_sim.cards import parse_card
from kqj_sim.record import Call, Record
from kqj_sim.referee.kqj import KqjCalling
from tests.variants import rules_in


def calling_before(record: Record) -> Iterator[tuple[KqjCalling, Call]]:
    turned = None if record.turned is None else parse_card(record.turned)
    calling = KqjCalling(rules_in(record), record.dealer, record.teams, turned)
    for call in record.calls:
        yield calling, call
        calling.add(call)


def counter_questions(record: Record) -> Iterator[tuple[str, int, bool]]:
    """Yield the seats asked to counter or overcounter, with their recorded answers."""
    teams = record.teams
    for calling, call in calling_before(record):
        if call.call in ("counter", "overcounter"):
            continue
        last = calling.last_bid
        at_turn = calling.rules.counter_timing == "turn"
        if at_turn and last is not None and teams[last.seat] != teams[call.seat]:
            yield "counter", call.seat, False
    calls = record.calls
    for number, call in enumerate(calls):
        answer = calls[number + 1] if number + 1 < len(calls) else None
        if call.call == "bid":
            if record.rules["counter_timing"] == "any" or call.capot:
                yield from _asked(record, call.seat, answer, "counter")
        elif call.call == "counter":
            bidder = record.sender
            assert bidder is not None
            if calls[number - 1].call != "bid" or (
                record.rules["counter_timing"] == "turn" and not calls[number - 1].capot
            ):
                yield "counter", call.seat, True
            yield from _asked(record, bidder, answer, "overcounter")


def _asked(
    record: Record, bidder: int, answer: Call | None, question: str
) -> Iterator[tuple[str, int, bool]]:
    """The questions in seat order from the bidder until somebody says yes."""
    for seat in ((bidder + step) % 6 for step in range(6)):
        partner = record.teams[seat] == record.teams[bidder]
        if partner == (question == "overcounter"):
            yes = answer is not None and answer.call == question and answer.seat == seat
            yield question, seat, yes
            if yes:
                return
