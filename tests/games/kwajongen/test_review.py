"""Reviews of rounds of Kwajongen; those of every game are in tests/questions/review."""

from __future__ import annotations

import numpy as np

import kqj_sim as kqj
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.questions.review.hindsight import compute_differences


def test_differences_are_good_for_the_side_that_goes_down() -> None:
    changes = np.array([[-2.0, 0.0], [1.0, -1.0]])
    assert compute_differences(changes, KwajongenRules()).tolist() == [[2, -2], [-2, 2]]


def test_nobody_loses_thirty_points_in_a_round() -> None:
    found = kqj.review(game="kwajongen", policy="random", deals=3, samples=40)
    decisions = found.tables["decisions"]
    shares = decisions[decisions.quantity == "large_loss_share"]
    assert (shares.choice.astype(str) != shares.best.astype(str)).any()
    assert (shares.value == 0).all() and shares.high.isna().all()
