"""The time of each stage of a round: blocks are played up to one stage, and up to the next.

The rounds are those of the engine (`kqj_sim.core.round`), stage by stage, on one thread.
"""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

from benchmarks.results import Stage
from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.core import columns, rng, round, scoring
from kqj_sim.core.block import AUCTION_ROWS, DEAL_NUMBER, ILLEGAL, KEY, LANES, allocate_block
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.experiment import Experiment

NAMES = (
    "keys", "first cards", "calls and further cards", "hands and contract", "tricks",
    "points and scores", "description", "rows",
)  # fmt: skip
REPEATS = 40

_BEGIN, _CALLS = round.BEGIN_STAGE, round.CALL_STAGE
_start_deals, _call_stage, _deal_key = round.start_deals, round.call_stage, rng.derive_deal_key
_taken_first, _complete, _prepare = round.move_taken_first, round.complete_hands, round.prepare_play
_tricks, _count, _score = round.play_tricks, scoring.count_tricks, scoring.score_rounds
_calls, _played, _passed = (
    columns.fill_call_columns,
    columns.fill_play_columns,
    columns.fill_passed_out_columns,
)
_write = columns.write_rows


@numba.njit(nogil=True, error_model="numpy")
def _play(
    last: int, state: Any, first: int, rules: Any, table: Any, deals: Any, values: Any, log: Any
) -> None:
    """Play a chunk of a game without auctions up to a stage (a number of NAMES)."""
    for done in range(0, deals.shape[0], LANES):
        _start_deals(state, first + done, LANES)
        for i in range(LANES):
            state[KEY + i] = _deal_key(1, state[DEAL_NUMBER + i])
            state[ILLEGAL + i] = 0
        if last >= 1:
            _call_stage(table.stages[_BEGIN], (state, LANES, rules, table, log))
        if last >= 2:
            _call_stage(table.stages[_CALLS], (state, LANES, rules, table, log))
        played = 0
        if last >= 3:
            played = _taken_first(state, LANES, AUCTION_ROWS)
            _complete(state, played, 1)
            _prepare(state, played)
        if last >= 4:
            _tricks(state, played, rules, table, 0, 0)
        if last >= 5:
            _count(state, played, rules)
            _score(state, played, rules)
        if last >= 6:
            _calls(state, LANES, rules)
            _played(state, played, rules)
            _passed(state, LANES, played)
        if last >= 7:
            _write(state, LANES, table.wanted, deals, values, done)


def measure(policy: str) -> list[Stage]:
    """Measure the nanoseconds a deal of each stage, of two-team taking."""
    rules, table = Experiment(players=(policy,) * 6).compile_seating()
    state, log = allocate_block(), np.empty(0, np.int64)
    deals, values = (
        np.empty(CHUNK_ROWS, np.int64),
        np.empty(len(KQJ_COLUMNS) * CHUNK_ROWS, np.int16),
    )
    least = [float("inf")] * len(NAMES)
    for repeat in range(REPEATS):
        for last in range(len(NAMES)):
            start = time.perf_counter()
            _play(last, state, repeat * CHUNK_ROWS, rules, table, deals, values, log)
            least[last] = min(least[last], (time.perf_counter() - start) / CHUNK_ROWS * 1e9)
    before = [0.0, *least[:-1]]
    return [
        Stage(name, up_to - until) for name, up_to, until in zip(NAMES, least, before, strict=True)
    ]
