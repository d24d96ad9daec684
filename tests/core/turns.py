"""Blocks stopped in the middle of a round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.block import AUCTION_ROWS, ILLEGAL, KEY, LANES, SEATS, allocate_block, pad_lanes
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import (
    call_stage,
    complete_hands,
    move_taken_first,
    prepare_play,
    record_trick,
    start_deals,
)
from kqj_sim.core.trick import finish_trick
from kqj_sim.core.types import Rules, Seating
from kqj_sim.simulation.experiment import Experiment


@kernel(cache=False)
def _play_to(
    state: Any, lanes: int, seed: int, rules: Rules, table: Seating, trick: int, position: int
) -> int:
    for i in range(pad_lanes(lanes)):
        state[KEY + i] = rng.derive_deal_key(seed, state[i])
        state[ILLEGAL + i] = 0
    log = np.empty(0, np.int64)
    for stage in range(2):
        call_stage(table.stages[stage], (state, lanes, rules, table, log))
    played = move_taken_first(state, lanes, AUCTION_ROWS)
    complete_hands(state, played, 1 - rules.auction)
    prepare_play(state, played)
    for number in range(trick + 1):
        for turn in range(SEATS if number < trick else position):
            member = LEAD if turn == 0 else FOLLOW
            ask(table, member, state, played, number, turn, rules.teams, 0)
        if number < trick:
            record_trick(state, played, table, number)
            finish_trick(state, played)
    return int(played)


def stopped(
    experiment: Experiment, trick: int, position: int, lanes: int = LANES
) -> tuple[NDArray[np.int64], int]:
    """A block of an experiment's first deals, before the turn of a position in a trick.

    Also how many lanes of it are played; the finished tricks are kept.
    """
    rules, table = experiment.compile_seating()
    state = allocate_block()
    start_deals(state, 0, lanes)
    table = table._replace(keeps_history=1)
    return state, _play_to(state, lanes, experiment.seed, rules, table, trick, position)
