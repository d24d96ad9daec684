"""The candidate calls and plays like the package's policies with the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from kqj_sim.policies import weights
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate

CANDIDATE = f"{Path(__file__).parents[2] / 'tools/candidate.py'}:candidate"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "bidding", "candidate", "player"),
    [
        ("network-2-take", "take", f"points+{CANDIDATE}", "points+network"),
        ("learned-2-auction", "auction", f"{CANDIDATE}+network", "learned+network"),
    ],
)
def test_with_the_packages_weights_it_is_the_packages_policy(
    monkeypatch: pytest.MonkeyPatch, file: str, bidding: Literal["take", "auction"],
    candidate: str, player: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("KQJ_CANDIDATE", str(weights.FOLDER / f"{file}.npz"))
    same, other = (
        simulate(Experiment(KqjRules(bidding=bidding), (each,) * 6, 400, 3))
        for each in (candidate, player)
    )
    for column in ("score_0", "score_1", "amount", "stake"):
        assert np.array_equal(same.column(column), other.column(column))
