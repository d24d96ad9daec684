"""Decisions: what could be played, what is known of it, and what came of each card.

What weights are worth on decisions that they were not fitted to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

KINDS = ("suit", "NT", "AT")
"""Kinds of contracts, each with weights of its own: a suit as trump, No-Trump, All-Trumps."""

MAX_CANDIDATES = 8
"""Cards that a player can at most choose from."""


class CardDecisions(NamedTuple):
    """Decisions about a card to play, n of them.

    Attributes:
        kind: int8 (n,), an index of KINDS.
        shared: uint16 (n, at most so many), the features of the table, which all cards share;
            what lies behind `shared_count` (n,) means nothing.
        shared_count: int64 (n,).
        cards: uint16 (n, MAX_CANDIDATES, features of a card); what lies behind `card_count` means
            nothing.
        card_count: int64 (n,), 2 to MAX_CANDIDATES.
        values: float32 (n, MAX_CANDIDATES), what the round is worth to the own team after each
            card, in points.
    """

    kind: NDArray[np.int8]
    shared: NDArray[np.uint16]
    shared_count: NDArray[np.int64]
    cards: NDArray[np.uint16]
    card_count: NDArray[np.int64]
    values: NDArray[np.float32]


def select_decisions(decisions: CardDecisions, rows: Any) -> CardDecisions:
    """Some of the decisions: those that `rows`, an index of numpy's, stands for."""
    return CardDecisions._make(array[rows] for array in decisions)


def concatenate_decisions(parts: Sequence[CardDecisions]) -> CardDecisions:
    """Decisions one behind the other."""
    return CardDecisions._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


class GainEstimate(NamedTuple):
    """A gain: points that the chosen card brings more than the mean of the candidates.

    Attributes:
        decisions: their number.
        gain: mean over the decisions, in points; NaN without decisions.
        error: its standard error, with decisions taken as independent; NaN below two.
    """

    decisions: int
    gain: float
    error: float


def compute_gains(values: NDArray[np.float32], decisions: CardDecisions) -> NDArray[np.float64]:
    """What the card of the highest value was worth above the mean of the candidates.

    Args:
        values: float32 (n, MAX_CANDIDATES), by which the cards are chosen.
        decisions: the decisions, n of them.
    """
    possible = np.arange(MAX_CANDIDATES) < decisions.card_count[:, None]
    chosen = np.where(possible, values, -np.inf).argmax(axis=1)
    worth = decisions.values.astype(np.float64)
    mean = np.where(possible, worth, 0).sum(axis=1) / decisions.card_count
    difference: NDArray[np.float64] = worth[np.arange(len(worth)), chosen] - mean
    return difference


def estimate_gain(gained: NDArray[np.float64]) -> GainEstimate:
    """The mean of gains."""
    count = len(gained)
    if count < 2:
        return GainEstimate(count, float(gained[0]) if count else math.nan, math.nan)
    return GainEstimate(count, float(gained.mean()), float(gained.std(ddof=1) / math.sqrt(count)))
