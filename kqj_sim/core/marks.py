"""Marks: a number for all that was said and played in a round, to tell two rounds apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.compile import stage
from kqj_sim.core.state import CALL_COUNT, ORIGIN, SEATS, STRIDE, TRICKS, history, index

_ODD = np.int64(-0x61C8864680B583EB)
"""SplitMix64's constant; multiplying by it and folding the high bits down mixes well enough: two
rounds that differ have the same mark once in 2**60 or so."""


@stage
def write_marks(state: Any, lanes: int, played: int, log: Any, marks: Any, first: int) -> None:
    """Mark the rounds of a block by their calls and cards.

    Args:
        state: the block; its history was kept (`core.rules.Table.memory`).
        lanes, played: how many lanes, and how many of them, the first, were played.
        log: int64 (`core.calls.LOG_SIZE`,), the calls by ORIGIN.
        marks: int64, written from `first` on.
    """
    for i in range(lanes):
        mark = np.int64(0)
        for call in range(state[CALL_COUNT + i]):
            mark = (mark ^ log[call * STRIDE + state[ORIGIN + i]]) * _ODD
            mark ^= mark >> 32
        marks[first + i] = mark
    for trick in range(TRICKS):
        for card in range(1, SEATS + 1):
            offset = history(trick, card)
            for i in range(played):
                mark = (marks[first + i] ^ state[index(offset, i)]) * _ODD
                marks[first + i] = mark ^ (mark >> 32)
