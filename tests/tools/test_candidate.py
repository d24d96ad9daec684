"""The candidate plays like `network` with the same weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kqj_sim.policies import weights
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate

CANDIDATE = Path(__file__).parents[2] / "tools/candidate.py"


@pytest.mark.slow
def test_with_the_packages_weights_it_plays_like_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KQJ_CANDIDATE", str(weights.FOLDER / "network-2-take.npz"))
    same, other = (
        simulate(Experiment(KqjRules(), (player,) * 6, 100, 3))
        for player in (f"points+{CANDIDATE}:candidate", "points+network")
    )
    assert np.array_equal(same.column("score_0"), other.column("score_0"))
    assert np.array_equal(same.column("score_1"), other.column("score_1"))
