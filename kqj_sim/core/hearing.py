"""Calls that were heard: would the policies at the table have called so with other hands?

Whoever called, or passed, was asked a question that everybody at the table knows; only his cards
are his own.  So calls are held against hands question by question, in any order, and each player's
by themselves.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.asking import ask
from kqj_sim.core.compile import stage
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    AMOUNT,
    ASKED,
    BIDS,
    CALL,
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
    index,
    padded,
)

PUBLIC = (
    SENDER, CONTRACT, LAP, AMOUNT, CAPOT, STAKE, OPENING, BIDS, LAST_BIDS, PASSES, OPEN, NEWS, CALL,
)  # fmt: skip

PLACE, MEMBER, SECOND, RULE, ANSWER = range(5)
"""A question that was answered: whom, and with what numbers, `core.asking.ask` asks; the call."""
QUESTION = 5 + len(PUBLIC)
"""Numbers of a question: these, then the rows `PUBLIC` of that moment."""


@stage
def hear(
    state: Any, lanes: int, rules: Rules, table: Table, questions: Any, first: int, last: int,
    agrees: Any, counts: Any,
) -> None:  # fmt: skip
    """Ask the policies again what was asked, and compare.

    Args:
        state: a block with KEY, PLAYERS, TURNED and FIVE, with auctions DEALT (natural coding).
        lanes: how many.
        rules, table: the table.
        questions: int64 (QUESTION * n,).
        first, last: the questions from `first` to before `last` are asked.
        agrees: int64 (lanes,), set to 0 where an answer is another.
        counts: int64 (2 * n,): to it are added for each question the lanes that agreed before it,
            and those that do so after it.
    """
    n = padded(lanes)
    for question in range(first, last):
        at = question * QUESTION
        number = at + 5
        for row in PUBLIC:
            value = questions[number]
            for i in range(n):
                state[index(row, i)] = value
            number += 1
        for i in range(n):
            state[ASKED + i] = 1
        ask(
            table, questions[at + MEMBER], state, lanes, questions[at + PLACE],
            questions[at + SECOND], rules.teams, questions[at + RULE],
        )  # fmt: skip
        answer = questions[at + ANSWER]
        before = after = 0
        for i in range(lanes):
            before += agrees[i]
            agrees[i] &= 1 if state[CALL + i] == answer else 0
            after += agrees[i]
        counts[2 * question] += before
        counts[2 * question + 1] += after
        if after == 0:
            break
