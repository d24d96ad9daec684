"""The networks of `network` in PyTorch, for the programs that train them."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import torch
from torch.nn.functional import embedding_bag

from kqj_sim.core.types import Float32Array
from kqj_sim.policies import weights
from kqj_sim.policies.features import LAYOUT, OUTPUTS, ROWS
from kqj_sim.policies.one_layer import HIDDEN_UNITS

POINTS_PER_UNIT = 10.0
"""Points per unit of the values in training."""

FIRST_SCALE = 0.06
"""Standard deviation of the numbers of rows to begin with."""


class CardNetwork(torch.nn.Module):  # type: ignore[misc]
    """The network of one kind of contract, from random numbers or the package's."""

    def __init__(self, numbers: Float32Array | None = None) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.randn(ROWS, HIDDEN_UNITS) * FIRST_SCALE)
        self.bias = torch.nn.Parameter(torch.zeros(HIDDEN_UNITS))
        scale = 0.5 / math.sqrt(HIDDEN_UNITS)
        self.matrix = torch.nn.Parameter(torch.randn(HIDDEN_UNITS, OUTPUTS) * scale)
        self.output_bias = torch.nn.Parameter(torch.zeros(OUTPUTS))
        if numbers is not None:
            with torch.no_grad():
                for part, given in zip(self.parameters(), self._split(numbers), strict=True):
                    part.copy_(torch.tensor(given).reshape(part.shape))
                self.matrix /= POINTS_PER_UNIT
                self.output_bias /= POINTS_PER_UNIT

    @staticmethod
    def _split(numbers: Float32Array) -> list[Float32Array]:
        """Return the parts of the package's numbers, in the order of the parameters."""
        return np.split(numbers, (LAYOUT.bias, LAYOUT.matrix, LAYOUT.output_bias))

    def forward(self, features: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Return the values of cards, (n, m), in units.

        Args:
            features: int64 (n, FEATURES).
            outputs: int64 (n, m), the output of each card.
        """
        hidden = torch.relu(self.bias + embedding_bag(features, self.rows, mode="sum"))
        return (hidden @ self.matrix + self.output_bias).gather(1, outputs)

    def to_numbers(self) -> Float32Array:
        """Return the package's numbers, float32 (LAYOUT.stored_size,)."""
        scaled = (
            self.rows, self.bias, self.matrix * POINTS_PER_UNIT, self.output_bias * POINTS_PER_UNIT
        )  # fmt: skip
        return np.concatenate([part.detach().numpy().ravel() for part in scaled])


def to_bytes(networks: list[CardNetwork], teams: int, bidding: str, program: str) -> bytes:
    """Return the bytes of a file of weights; `program` with its arguments made them."""
    about: dict[str, Any] = {
        "policy": "network", "teams": teams, "bidding": bidding,
        "version": weights.VERSIONS["network"],
        "command": f"python -m tools.{program} {' '.join(sys.argv[1:])}",
    }  # fmt: skip
    numbers = np.stack([network.to_numbers() for network in networks])
    return weights.to_bytes("network", numbers, about)


def compute_rate_share(progress: float) -> float:
    """Return the learning rate as a share of the highest, at a share `progress` of the training.

    It rises from zero for the first fiftieth, then falls to zero as a cosine.
    """
    if progress < 0.02:
        return progress / 0.02
    return (1 + math.cos(math.pi * (progress - 0.02) / 0.98)) / 2
