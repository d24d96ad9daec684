"""Decisions about a card to play, with the value of each candidate, and gains of choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.types import Float32Array, Float64Array, Int64Array

KINDS = ("suit", "NT", "AT")
"""Kinds of contracts, each with weights of its own: a suit as trump, No-Trump, All-Trumps."""

MAX_CANDIDATES = 8
"""Most cards to choose from."""


class CardDecisions(NamedTuple):
    """Decisions about a card to play, n of them.

    Attributes:
        kind: int8 (n,), an index of KINDS.
        shared: uint16 (n, at most SHARED_FEATURES), the features that all candidates share; those
            from `shared_count` on mean nothing.
        shared_count: int64 (n,).
        cards: uint16 (n, MAX_CANDIDATES, CARD_FEATURES); those from `card_count` on mean nothing.
        card_count: int64 (n,), 2 to MAX_CANDIDATES.
        values: float32 (n, MAX_CANDIDATES), score of the player's team in the round after each
        card,
            in points ahead of the others.
    """

    kind: NDArray[np.int8]
    shared: NDArray[np.uint16]
    shared_count: Int64Array
    cards: NDArray[np.uint16]
    card_count: Int64Array
    values: Float32Array


def select_decisions(decisions: CardDecisions, rows: Any) -> CardDecisions:
    """Return the decisions that `rows`, an index of NumPy's, selects."""
    return CardDecisions._make(array[rows] for array in decisions)


def concatenate_decisions(parts: Sequence[CardDecisions]) -> CardDecisions:
    """Concatenate decisions."""
    return CardDecisions._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


class GainEstimate(NamedTuple):
    """A gain: points by which the chosen card exceeds the mean of the candidates.

    Attributes:
        decisions: their number.
        gain: mean over the decisions, in points; NaN without decisions.
        error: its standard error, with decisions taken as independent; NaN below two.
    """

    decisions: int
    gain: float
    error: float


def compute_gains(values: Float32Array, decisions: CardDecisions) -> Float64Array:
    """Return the value of each decision's chosen card minus the mean of the candidates, in points.

    Args:
        values: float32 (n, MAX_CANDIDATES); the card of the highest value is chosen.
        decisions: the decisions, n of them.
    """
    possible = np.arange(MAX_CANDIDATES) < decisions.card_count[:, None]
    chosen = np.where(possible, values, -np.inf).argmax(axis=1)
    worth = decisions.values.astype(np.float64)
    mean = np.where(possible, worth, 0).sum(axis=1) / decisions.card_count
    difference: Float64Array = worth[np.arange(len(worth)), chosen] - mean
    return difference


def estimate_gain(gained: Float64Array) -> GainEstimate:
    """Estimate the mean of gains."""
    count = len(gained)
    if count < 2:
        return GainEstimate(count, float(gained[0]) if count else math.nan, math.nan)
    return GainEstimate(count, float(gained.mean()), float(gained.std(ddof=1) / math.sqrt(count)))
