"""The network in PyTorch is the package's: the same numbers, the same values."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.policies import weights
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
