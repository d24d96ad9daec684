"""Blocks stopped in the middle of a round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.asking import FOLLOW, LEAD, ask
from kqj_sim.core.compile import kernel
from kqj_sim.core.play import complete_hands, prepare_play, remember, taken_first
from kqj_sim.core.round import call_stage, start_deals
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import ILLEGAL, KEY, LANES, SEATS, new_state, padded
from kqj_sim.core.trick import after_trick
from kqj_sim.experiment import Experiment


@kernel(cache=False)
def _play_to(
    state: Any, lanes: int, seed: int, rules: Rules, table: Table, trick: int, position: int
) -> int:
    for i in range(padded(lanes)):
        state[KEY + i] = rng.deal_key(seed, state[i])
        state[ILLEGAL + i] = 0
    log = np.empty(0, np.int64)
    for stage in range(2):
        call_stage(table.stages[stage], (state, lanes, rules, table, log))
    played = taken_first(state, lanes, rules.auction)
    complete_hands(state, played, 1 - rules.auction)
    prepare_play(state, played)
    for number in range(trick + 1):
        for turn in range(SEATS if number < trick else position):
            member = LEAD if turn == 0 else FOLLOW
            ask(table, member, state, played, number, turn, rules.teams, 0)
        if number < trick:
            remember(state, played, table, number)
            after_trick(state, played)
    return int(played)


def stopped(
    experiment: Experiment, trick: int, position: int, lanes: int = LANES
) -> tuple[NDArray[np.int64], int]:
    """A block of an experiment's first deals, before the turn of a position in a trick.

    Also how many lanes of it are played; the finished tricks are kept.
    """
    rules, table = experiment.table()
    state = new_state()
    start_deals(state, 0, lanes)
    table = table._replace(memory=1)
    return state, _play_to(state, lanes, experiment.seed, rules, table, trick, position)
