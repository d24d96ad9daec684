"""Lanes of a block exchanged, so that loops run over those alone with which it goes on."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.compile import stage
from kqj_sim.core.state import ORIGIN, SCRATCH, STRIDE, index

_HERE, _THERE = SCRATCH, SCRATCH + STRIDE
"""Pairs of lanes to exchange."""


@stage
def pair_lanes(state: Any, lanes: int, chosen: int) -> tuple[int, int]:
    """Which lanes are to be exchanged for those to come first that a row of 0 and 1 chooses.

    Args:
        state: a block.
        lanes: how many.
        chosen: the row's offset; above 0 counts as 1.

    Returns:
        The number chosen and the number of pairs, for `exchange`.
    """
    first = 0
    for i in range(lanes):
        first += state[index(chosen, i)] > 0
    pairs = 0
    for i in range(first):
        state[index(_HERE, pairs)] = i
        pairs += state[index(chosen, i)] <= 0
    pairs = 0
    for i in range(first, lanes):
        state[index(_THERE, pairs)] = i
        pairs += state[index(chosen, i)] > 0
    return first, pairs


@stage
def exchange(state: Any, pairs: int, row: int, rows: int) -> None:
    """Exchange the lanes of pairs in a number of rows, from an offset on.

    Row by row, which keeps to one row of the cache at a time.
    """
    for start in range(row, row + rows * STRIDE, STRIDE):
        for pair in range(pairs):
            here = index(start, state[_HERE + pair])
            there = index(start, state[_THERE + pair])
            state[here], state[there] = state[there], state[here]


@stage
def back_in_order(state: Any, lanes: int, rows: int) -> None:
    """Exchange lanes until each is where it began (ORIGIN), in the first rows."""
    for lane in range(lanes):
        origin = state[ORIGIN + lane]
        while origin != lane:
            for row in range(rows):
                here = index(row * STRIDE, lane)
                there = index(row * STRIDE, origin)
                state[here], state[there] = state[there], state[here]
            origin = state[ORIGIN + lane]
