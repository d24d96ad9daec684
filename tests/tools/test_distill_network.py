"""Decisions recorded with the values of the teacher."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.policies.features import OUTPUTS, ROWS
from kqj_sim.rules import KqjRules

pytest.importorskip("torch")


@pytest.mark.parametrize("teams", [2, 3])
def test_recorded_decisions_have_cards_to_choose_from_and_values(teams: int) -> None:
    from tools.distill_network import COUNT, FEATURE, KIND, OUTPUT, VALUE, record_values

    rules = KqjRules.from_dict({"teams": teams})
    found = record_values(rules, 7, 0, 512)
    assert np.array_equal(found, record_values(rules, 7, 0, 512))
    assert {*found[:, KIND]} == {0, 1, 2}
    assert found[:, COUNT].min() == 2 and found[:, COUNT].max() == 8
    assert found[:, FEATURE:OUTPUT].min() >= 0 and found[:, FEATURE:OUTPUT].max() < ROWS
    legal = np.arange(8) < found[:, COUNT, None]
    outputs = np.where(legal, found[:, OUTPUT:VALUE], -1 - np.arange(8))
    assert outputs.max() < OUTPUTS and (np.diff(np.sort(outputs)) > 0).all()
    assert np.abs(found[:, VALUE:])[legal].max() < 1_000_000
