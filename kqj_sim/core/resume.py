"""Going on from the middle of a round: the kernels of policies that play hands out.

Each is called by address (`core.rules.Table.resume`) with a block whose rows say how things stand,
and two numbers that say where; all have one signature, `RESUMING`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof, types

from kqj_sim.core.calls import ask_overcounters, auction, enter_bids, taking
from kqj_sim.core.compile import calling, kernel
from kqj_sim.core.play import complete_hands, play_tricks
from kqj_sim.core.round import EMPTY_TABLE
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.state import CALL, padded
from kqj_sim.core.views import PASS

CALL_ON, PLAY_ON = range(2)
"""The kernels of `core.rules.Table.resume`."""
VALUES = 2
"""Behind them stands how the player values cards (`core.valuing`), or 0."""

NOTHING, BID, COUNTERED = range(3)
"""What was said just now in an auction that goes on."""


@kernel
def take_on(state: Any, lanes: int, rules: Rules, table: Table, turn: int, unused: int) -> int:
    """The taking from a turn (0 to 11) on, where OPEN."""
    taking(state, lanes, rules, table, np.empty(0, np.int64), turn)
    return lanes


@kernel
def bid_on(state: Any, lanes: int, rules: Rules, table: Table, turn: int, said: int) -> int:
    """An auction from a turn on, where OPEN.

    With `said` BID what CALL says is entered for that turn first.  With COUNTERED somebody was
    asked to counter: who did (NEWS and STAKE) may be overcountered; where he did not, nobody else
    counters in this turn, nor does he bid if it was his.
    """
    complete_hands(state, lanes, 0)
    log = np.empty(0, np.int64)
    if said == COUNTERED:
        ask_overcounters(state, lanes, rules, table, log, 16 * turn)
        if not rules.counter_any_time:
            for i in range(padded(lanes)):
                state[CALL + i] = PASS
            enter_bids(state, lanes, rules, table, log, turn)
    if said == BID:
        enter_bids(state, lanes, rules, table, log, turn)
    auction(state, lanes, rules, table, log, turn if said == NOTHING else turn + 1)
    return lanes


@kernel
def play_on(state: Any, lanes: int, rules: Rules, table: Table, trick: int, position: int) -> int:
    """The cards from a position of a trick (0 to 6) on, and what the round is worth.

    Afterwards the rows `total_0` and `score_0` and those of the other teams are filled.
    """
    play_tricks(state, lanes, rules, table, trick, position)
    count_tricks(state, lanes, rules)
    score_rounds(state, lanes, rules)
    return lanes


def resume_signature(rules: Rules, table: Table) -> Any:
    """The signature of the kernels, for `compile.address_of`."""
    block = types.int64[::1]
    i64 = types.int64
    return i64(block, i64, typeof(rules), typeof(table), i64, i64)


RESUMING = resume_signature(Rules(*[0] * 9), EMPTY_TABLE)
resume = calling(RESUMING)
"""Call one of the kernels: (address, (state, lanes, rules, table, two numbers that say where))."""
