"""Calls that are tried out: how things stand is put into a block, and the round goes on from there.

Who tries a call out fills the lanes of a block with the cards (FIVE, EXTRA, TURNED), the keys, the
players and the `PUBLIC` rows, in which the call was made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.compile import stage
from kqj_sim.core.resume import CALL_ON, resume
from kqj_sim.core.round import FINISH, call_stage
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    AMOUNT,
    BIDS,
    CALL,
    CAPOT,
    CONTRACT,
    LAP,
    LAST_BIDS,
    NEWS,
    OPEN,
    OPENING,
    ORIGIN,
    PASSES,
    SENDER,
    STAKE,
    padded,
)

STANDING = (SENDER, CONTRACT, LAP, AMOUNT, CAPOT, STAKE, OPENING, BIDS, LAST_BIDS, PASSES, OPEN)
"""The rows that say what the calls have come to."""

PUBLIC = (*STANDING, NEWS, CALL)
"""These, and what is being said just now."""


@stage
def call_and_play(
    block: Any, lanes: int, rules: Rules, calling: Table, player: Table, turn: int, said: int
) -> int:
    """Go on calling from a turn (`core.resume`), play what was taken, and describe it.

    Args:
        block: the block, filled.
        lanes: lanes that are filled.
        rules: the rules.
        calling, player: who calls on, and who plays the cards.
        turn, said: where the calling goes on, as the kernels of `core.resume` take it.

    Returns:
        How many lanes were played; they come first, and ORIGIN says where each was.
    """
    for lane in range(padded(lanes)):
        block[ORIGIN + lane] = lane
    for lane in range(lanes, padded(lanes)):
        block[OPEN + lane] = 0
        block[SENDER + lane] = -1
    resume(calling.resume[CALL_ON], (block, lanes, rules, calling, turn, said))
    log = np.empty(0, np.int64)
    return call_stage(player.stages[FINISH], (block, lanes, rules, player, log))
