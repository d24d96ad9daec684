"""Decisions: what could be played, what is known of it, and what came of each card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

KINDS = ("suit", "NT", "AT")
"""Kinds of contracts, each with weights of its own: a suit as trump, No-Trump, All-Trumps."""

CANDIDATES = 8
"""Cards that a player can at most choose from."""


class Decisions(NamedTuple):
    """Decisions about a card to play, n of them.

    Attributes:
        kind: int8 (n,), an index of KINDS.
        shared: uint16 (n, at most so many), the features of the table, which all cards share;
            what lies behind `shared_count` (n,) means nothing.
        shared_count: int64 (n,).
        cards: uint16 (n, CANDIDATES, features of a card); what lies behind `card_count` means
            nothing.
        card_count: int64 (n,), 2 to CANDIDATES.
        values: float32 (n, CANDIDATES), what the round is worth to the own team after each
            card, in points.
    """

    kind: NDArray[np.int8]
    shared: NDArray[np.uint16]
    shared_count: NDArray[np.int64]
    cards: NDArray[np.uint16]
    card_count: NDArray[np.int64]
    values: NDArray[np.float32]


def part(decisions: Decisions, rows: Any) -> Decisions:
    """Some of the decisions: those that `rows`, an index of numpy's, stands for."""
    return Decisions._make(array[rows] for array in decisions)


def joined(parts: Sequence[Decisions]) -> Decisions:
    """Decisions one behind the other."""
    return Decisions._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
