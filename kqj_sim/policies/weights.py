"""Weights of policies: files of the package, made by `kqj-sim train`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_IN_USE: dict[tuple[str, int, str], NDArray[np.float32]] = {}


def load(policy: str, teams: int, bidding: str) -> NDArray[np.float32]:
    """The weights of a policy, float32 of one dimension; always the same array, kept for ever."""
    return _IN_USE[policy, teams, bidding]


def use(policy: str, teams: int, bidding: str, weights: NDArray[np.float32]) -> None:
    """Put other weights in place of a policy's, for compiled players too."""
    found = _IN_USE.setdefault((policy, teams, bidding), np.empty(weights.size, np.float32))
    np.copyto(found, weights)
