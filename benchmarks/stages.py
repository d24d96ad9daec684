"""What the stages of a round take: blocks are played up to a stage, and up to the next one.

The rounds are those of the engine (`kqj_sim.core.round`), stage by stage, on one thread.
"""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

from benchmarks.results import Stage
from kqj_sim.columns import COLUMNS
from kqj_sim.core import play, rng, round, rows, scoring
from kqj_sim.core.state import DEAL, ILLEGAL, KEY, LANES, new_state
from kqj_sim.experiment import Experiment
from kqj_sim.worker import CHUNK

NAMES = (
    "keys", "dealing", "calls", "exchange of lanes", "hands and contract", "tricks",
    "points and scores", "description", "rows",
)  # fmt: skip
REPEATS = 40

_BEGIN, _CALLS = round.BEGIN, round.CALLS
_start_deals, _call_stage, _deal_key = round.start_deals, round.call_stage, rng.deal_key
_taken_first, _complete, _prepare = play.taken_first, play.complete_hands, play.prepare_play
_tricks, _count, _score = play.play_tricks, scoring.count_tricks, scoring.score_rounds
_calls, _played, _passed = rows.describe_calls, rows.describe_play, rows.describe_passed_out
_write = rows.write_rows


@numba.njit(nogil=True, error_model="numpy")
def _play(
    last: int, state: Any, first: int, rules: Any, table: Any, deals: Any, values: Any, log: Any
) -> None:
    """Play a chunk of a game without auctions up to a stage (a number of NAMES)."""
    for done in range(0, deals.shape[0], LANES):
        _start_deals(state, first + done, LANES)
        for i in range(LANES):
            state[KEY + i] = _deal_key(1, state[DEAL + i])
            state[ILLEGAL + i] = 0
        if last >= 1:
            _call_stage(table.stages[_BEGIN], (state, LANES, rules, table, log))
        if last >= 2:
            _call_stage(table.stages[_CALLS], (state, LANES, rules, table, log))
        played = 0
        if last >= 3:
            played = _taken_first(state, LANES, 0)
        if last >= 4:
            _complete(state, played, 1)
            _prepare(state, played)
        if last >= 5:
            _tricks(state, played, rules, table, 0, 0)
        if last >= 6:
            _count(state, played, rules)
            _score(state, played, rules)
        if last >= 7:
            _calls(state, LANES, rules)
            _played(state, played, rules)
            _passed(state, LANES, played)
        if last >= 8:
            _write(state, LANES, deals, values, done)


def measure(policy: str) -> list[Stage]:
    """Nanoseconds a deal that each stage takes, of two-team taking."""
    rules, table = Experiment(policies=(policy,) * 6).table()
    state, log = new_state(), np.empty(0, np.int64)
    deals, values = np.empty(CHUNK, np.int64), np.empty(len(COLUMNS) * CHUNK, np.int16)
    least = [float("inf")] * len(NAMES)
    for repeat in range(REPEATS):
        for last in range(len(NAMES)):
            start = time.perf_counter()
            _play(last, state, repeat * CHUNK, rules, table, deals, values, log)
            least[last] = min(least[last], (time.perf_counter() - start) / CHUNK * 1e9)
    before = [0.0, *least[:-1]]
    return [
        Stage(name, up_to - until) for name, up_to, until in zip(NAMES, least, before, strict=True)
    ]
