"""Kwajongen's calls: from the dealer's left each once, until somebody plays."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.asking import ACCEPT, ask
from kqj_sim.core.calls import note_call
from kqj_sim.core.compile import stage
from kqj_sim.core.kwajongen.bits import suit_of
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.state import CALL, CONTRACT, OPEN, SENDER, TURNED, padded

LOG_PASS, LOG_PLAY = range(2)
"""Kinds of logged calls (`core.calls`)."""


@stage
def name_trumps(state: Any, lanes: int) -> None:
    """The suit of the turned card is the trump suit, whether somebody plays or not."""
    for i in range(padded(lanes)):
        state[CONTRACT + i] = suit_of(state[TURNED + i])


@stage
def accepting(
    state: Any, lanes: int, rules: Rules, table: Any, log: Any, first_place: int, end: int
) -> None:
    """Ask each place from one (0 to 3) up to another, left out, whether it plays, where OPEN."""
    n = padded(lanes)
    for place in range(first_place, end):
        ask(table, ACCEPT, state, lanes, place, 0, rules.teams, rules.must_trump)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[OPEN + i] != 0:
                    kind = LOG_PLAY if state[CALL + i] == 1 else LOG_PASS
                    note_call(state, log, i, place, kind, 0)
        for i in range(n):
            accepts = state[OPEN + i] != 0 and state[CALL + i] == 1
            state[SENDER + i] = place if accepts else state[SENDER + i]
            state[OPEN + i] = 0 if accepts else state[OPEN + i]
