"""Measured gains of chosen cards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kqj_sim.training.decisions import GainEstimate, compute_gains, estimate_gain
from tests.training.synthetic import made


def test_gain_is_what_the_chosen_card_brings_above_the_mean() -> None:
    decisions, _ = made(2, seed=1)
    decisions.card_count[:] = (2, 3)
    decisions.values[0, :2] = (10, 20)
    decisions.values[1, :3] = (-5, 1, 7)
    values = np.zeros((2, 8), dtype=np.float32)
    values[0, :4] = (-2, -1, 5, 5)  # What lies behind the candidates is no choice.
    values[1, :3] = (3, 2, 1)
    assert compute_gains(values, decisions).tolist() == [5, -6]


def test_mean_and_its_error() -> None:
    found = estimate_gain(np.array([1.0, 2.0, 3.0, 6.0]))
    assert found.decisions == 4
    assert found.gain == 3
    assert found.error == pytest.approx(np.std([1, 2, 3, 6], ddof=1) / 2)
    alone = estimate_gain(np.array([4.0]))
    assert alone[:2] == GainEstimate(1, 4, math.nan)[:2]
    assert math.isnan(alone.error)
    assert math.isnan(estimate_gain(np.zeros(0)).gain)
