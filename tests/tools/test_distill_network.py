"""The training of `network`: in PyTorch it is the package's, and it learns what is recorded."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.policies import weights
from kqj_sim.policies.features import OUTPUTS, ROWS
from kqj_sim.rules import KqjRules
from tests.policies.moments import iterate_turns
from tests.policies.slow_network import indices, network_values

torch = pytest.importorskip("torch")


def test_values_and_numbers_are_those_of_the_package() -> None:
    from tools.card_network import POINTS_PER_UNIT, CardNetwork

    numbers = weights.load("network", 2, "take").reshape(3, -1)
    networks = [CardNetwork(kind) for kind in numbers]
    for given, network in zip(numbers, networks, strict=True):
        np.testing.assert_allclose(network.to_numbers(), given, rtol=1e-6)
    for number, (_, view) in enumerate(iterate_turns("take-2")):
        if number % 20 == 0:
            kind, features, outputs = indices(view)
            found = networks[kind](torch.tensor([features]), torch.tensor([outputs]))[0]
            wanted = network_values(view, numbers.astype(np.float64))
            np.testing.assert_allclose(
                POINTS_PER_UNIT * found.detach().numpy(), wanted, rtol=1e-3, atol=1e-2
            )


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
