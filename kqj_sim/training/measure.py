"""What weights are worth on decisions that they were not fitted to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.training.decisions import CANDIDATES, Decisions


class Measure(NamedTuple):
    """A gain: points that the chosen card brings more than the mean of the candidates.

    Attributes:
        decisions: their number.
        gain: mean over the decisions, in points; NaN without decisions.
        error: its standard error, with decisions taken as independent; NaN below two.
    """

    decisions: int
    gain: float
    error: float


def gains(values: NDArray[np.float32], decisions: Decisions) -> NDArray[np.float64]:
    """What the card of the highest value was worth above the mean of the candidates.

    Args:
        values: float32 (n, CANDIDATES), by which the cards are chosen.
        decisions: the decisions, n of them.
    """
    possible = np.arange(CANDIDATES) < decisions.card_count[:, None]
    chosen = np.where(possible, values, -np.inf).argmax(axis=1)
    worth = decisions.values.astype(np.float64)
    mean = np.where(possible, worth, 0).sum(axis=1) / decisions.card_count
    difference: NDArray[np.float64] = worth[np.arange(len(worth)), chosen] - mean
    return difference


def measure(gained: NDArray[np.float64]) -> Measure:
    """The mean of gains."""
    count = len(gained)
    if count < 2:
        return Measure(count, float(gained[0]) if count else math.nan, math.nan)
    return Measure(count, float(gained.mean()), float(gained.std(ddof=1) / math.sqrt(count)))
