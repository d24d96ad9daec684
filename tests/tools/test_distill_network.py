"""Decisions recorded with the values of `network`, and the player of a distilled network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.policies.features import SHARED_INDICES
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tools.distilled import OUTPUTS

pytest.importorskip("torch")
DISTILLED = Path(__file__).parents[2] / "tools/distilled.py"


@pytest.mark.parametrize("teams", [2, 3])
def test_recorded_decisions_have_cards_to_choose_from_and_values(teams: int) -> None:
    from tools.distill_network import COUNT, KIND, OUTPUT, SHARED, VALUE, record_values

    rules = KqjRules.from_dict({"teams": teams})
    found = record_values(rules, 7, 0, 512)
    assert np.array_equal(found, record_values(rules, 7, 0, 512))
    assert {*found[:, KIND]} == {0, 1, 2}
    assert found[:, COUNT].min() == 2 and found[:, COUNT].max() == 8
    assert found[:, SHARED:OUTPUT].min() >= 0 and found[:, SHARED:OUTPUT].max() < SHARED_INDICES
    legal = np.arange(8) < found[:, COUNT, None]
    outputs = np.where(legal, found[:, OUTPUT:VALUE], -1 - np.arange(8))
    assert outputs.max() < OUTPUTS and (np.diff(np.sort(outputs)) > 0).all()
    assert np.abs(found[:, VALUE:])[legal].max() < 1_000_000


@pytest.mark.slow
def test_a_file_of_weights_plays_legal_cards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    generator = np.random.default_rng(1)
    shapes = {"rows": (3, SHARED_INDICES, 8), "bias_1": (3, 8), "outputs": (3, OUTPUTS, 8)}
    numbers: dict[str, Any] = {name: generator.normal(size=shapes[name]) for name in shapes}
    numbers["bias_2"] = np.zeros((3, OUTPUTS))
    np.savez(tmp_path / "distilled.npz", **numbers)
    monkeypatch.setenv("KQJ_DISTILLED", str(tmp_path / "distilled.npz"))
    rows = simulate(Experiment(KqjRules(), (f"points+{DISTILLED}:distilled",) * 6, 100, 3))
    assert len(rows.column("score_0")) == 100
