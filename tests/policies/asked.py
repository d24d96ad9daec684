"""Calls of `learned` at random questions, by its loops over a block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import block
from kqj_sim.core.dispatch import ASK_SIGNATURE, BID, COUNTER, LOOP_ENTRIES, OVERCOUNTER, call_loop
from kqj_sim.core.jit import compile_cfunc, kernel
from kqj_sim.policies.call_features import CallTurn
from kqj_sim.policies.learned import learned

LANES = 11
"""Questions that are asked together; a vector has eight."""
LOOPS = {BID: "bid", COUNTER: "counter", OVERCOUNTER: "overcounter"}


@cache
def loop_address(loop: int) -> int:
    function = learned.blocks[LOOPS[loop]]
    return int(compile_cfunc(ASK_SIGNATURE, function, cache=False, name=f"asked_{loop}").address)


@kernel
def call_at(
    address: int, state: Any, place: int, turn: int, teams: int, rule: int, parameters: Any,
    resources: Any,
) -> None:  # fmt: skip
    call_loop(address, state, LANES, place, turn, teams, rule, 0, parameters, resources)


def ask_learned(
    loop: int, turns: Sequence[CallTurn], number: int, fixed: NDArray[np.int16], limits: int = 0
) -> int:
    """The call in question `number`; every other one of the following ones is asked beside it."""
    state = block.allocate_block()
    asked = turns[number]
    for lane in range(LANES):
        turn = turns[(number + lane) % len(turns)]
        rows = {
            block.DEALT + asked.place * block.STRIDE: turn.hand,
            block.SENDER: turn.bidder,
            block.AMOUNT: turn.amount,
            block.CONTRACT: turn.contract,
            block.CAPOT: turn.capot,
            block.LAST_BIDS: turn.last_bids,
            block.PLAYERS: turn.players,
            block.CALL: -7,
            block.STILL_CALLING: 1 - lane % 2,
            block.MAY_COUNTER: 1 - lane % 2,
        }
        for row, value in rows.items():
            state[block.cell_index(row, lane)] = value
    resources = np.full(LOOP_ENTRIES, fixed.ctypes.data)
    call_at(
        loop_address(loop), state, asked.place, asked.turn, asked.team_count, limits, np.zeros(1),
        resources,
    )  # fmt: skip
    calls = state[block.CALL : block.CALL + LANES]
    assert all((call == -7) == bool(lane % 2) for lane, call in enumerate(calls))
    return int(calls[0])
