"""Lanes that are exchanged: chosen ones come first, each with all its numbers, and back again."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.block import (
    AUCTION_ROWS,
    LANES,
    ORIGINAL_LANE,
    STILL_CALLING,
    STRIDE,
    allocate_block,
    pair_selected_lanes,
    swap_lanes,
)
from tools.record_decisions import restore_lane_order


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("lanes", [1, 7, 200, LANES])
def test_chosen_lanes_come_first_and_go_back(lanes: int, share: float) -> None:
    generator = np.random.default_rng(lanes)
    state = allocate_block()
    rows = state.reshape(-1, STRIDE)
    rows[:AUCTION_ROWS] = generator.integers(0, 1 << 40, (AUCTION_ROWS, STRIDE))
    rows[ORIGINAL_LANE // STRIDE] = np.arange(STRIDE)
    rows[STILL_CALLING // STRIDE] = generator.random(STRIDE) < share
    before = rows.copy()

    chosen, pairs = pair_selected_lanes(state, lanes, STILL_CALLING)
    swap_lanes(state, pairs, 0, AUCTION_ROWS)
    swap_lanes(state, pairs, STILL_CALLING, 1)
    flags = rows[STILL_CALLING // STRIDE, :lanes]
    assert chosen == before[STILL_CALLING // STRIDE, :lanes].sum()
    assert flags[:chosen].all() and not flags[chosen:].any()
    origin = rows[ORIGINAL_LANE // STRIDE, :lanes]
    assert sorted(origin) == list(range(lanes))
    assert (rows[:AUCTION_ROWS, :lanes] == before[:AUCTION_ROWS, origin]).all()
    assert (rows[:AUCTION_ROWS, lanes:] == before[:AUCTION_ROWS, lanes:]).all()

    restore_lane_order(state, lanes, AUCTION_ROWS)
    assert (rows[:AUCTION_ROWS] == before[:AUCTION_ROWS]).all()
