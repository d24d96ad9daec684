"""Lanes that are exchanged: chosen ones come first, each with all its numbers, and back again."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.lanes import back_in_order, exchange, pair_lanes
from kqj_sim.core.state import AUCTION_ROWS, LANES, OPEN, ORIGIN, STRIDE, new_state


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("lanes", [1, 7, 200, LANES])
def test_chosen_lanes_come_first_and_go_back(lanes: int, share: float) -> None:
    generator = np.random.default_rng(lanes)
    state = new_state()
    rows = state.reshape(-1, STRIDE)
    rows[:AUCTION_ROWS] = generator.integers(0, 1 << 40, (AUCTION_ROWS, STRIDE))
    rows[ORIGIN // STRIDE] = np.arange(STRIDE)
    rows[OPEN // STRIDE] = generator.random(STRIDE) < share
    before = rows.copy()

    chosen, pairs = pair_lanes(state, lanes, OPEN)
    exchange(state, pairs, 0, AUCTION_ROWS)
    exchange(state, pairs, OPEN, 1)
    flags = rows[OPEN // STRIDE, :lanes]
    assert chosen == before[OPEN // STRIDE, :lanes].sum()
    assert flags[:chosen].all() and not flags[chosen:].any()
    origin = rows[ORIGIN // STRIDE, :lanes]
    assert sorted(origin) == list(range(lanes))
    assert (rows[:AUCTION_ROWS, :lanes] == before[:AUCTION_ROWS, origin]).all()
    assert (rows[:AUCTION_ROWS, lanes:] == before[:AUCTION_ROWS, lanes:]).all()

    back_in_order(state, lanes, AUCTION_ROWS)
    assert (rows[:AUCTION_ROWS] == before[:AUCTION_ROWS]).all()
