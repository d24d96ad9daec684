"""Decisions with a known truth, in place of played ones."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kqj_sim.policies.features import CARD_FEATURES, SHARED_FEATURES, SHARED_START, TRICK_SLOT
from kqj_sim.rules import SEATS
from kqj_sim.training.decisions import MAX_CANDIDATES, CardDecisions
from kqj_sim.training.run import DecisionGenerator

CHOICES = 3
"""Indices that each feature of a card is drawn from."""

USED = CARD_FEATURES * CHOICES
"""The card indices from here on never occur."""

WEIGHTS = np.random.default_rng(7).normal(0, 10, (3, USED))
"""The true linear weights of each kind of contract, in points."""


def made(
    count: int, seed: int, noise: float = 10.0, twist: float = 0.0
) -> tuple[CardDecisions, NDArray[np.float64]]:
    """Decisions, and the candidates' true values (count, MAX_CANDIDATES).

    With `twist` a card is worth so many points more if its first feature is the first one there
    is and so is the first of the shared ones, or neither is; else so many less.  That is
    nothing for a linear function.
    """
    draw = np.random.default_rng(seed)
    kind = draw.choice(3, count, p=[0.6, 0.2, 0.2]).astype(np.int8)
    cards = draw.integers(0, CHOICES, (count, MAX_CANDIDATES, CARD_FEATURES))
    shared = draw.integers(0, 2, (count, SHARED_FEATURES))
    indices = cards + CHOICES * np.arange(CARD_FEATURES)
    truth = WEIGHTS[kind[:, None, None], indices].sum(axis=2)
    alike = (cards[:, :, 0] == 0) == (shared[:, :1] == 0)
    truth += twist * np.where(alike, 1, -1)
    common = draw.normal(0, 100, (count, 1))
    values = truth + common + draw.normal(0, noise, truth.shape)
    features = shared + 2 * np.arange(SHARED_FEATURES)
    features[:, TRICK_SLOT] = SHARED_START["trick"] + SEATS * draw.integers(0, 7, count)
    decisions = CardDecisions(
        kind=kind,
        shared=features.astype(np.uint16),
        shared_count=np.full(count, SHARED_FEATURES, dtype=np.int64),
        cards=indices.astype(np.uint16),
        card_count=draw.integers(2, MAX_CANDIDATES + 1, count),
        values=values.astype(np.float32),
    )
    return decisions, truth


def centred(values: NDArray[np.floating], decisions: CardDecisions) -> NDArray[np.float64]:
    """Each candidate's value less the mean of its decision's candidates; 0 for none."""
    possible = np.arange(MAX_CANDIDATES) < decisions.card_count[:, None]
    mean = np.where(possible, values, 0).sum(axis=1) / decisions.card_count
    return np.where(possible, values - mean[:, None], 0).astype(np.float64)


class Made:
    """A source of made decisions, one for every four deals; it notes who is to play.

    As with players, what is met depends on their weights.
    """

    def __init__(self, twist: float = 0.0) -> None:
        self.twist = twist
        self.players: list[str] = []

    def start(self, player: str, in_use: Mapping[str, NDArray[np.float32]]) -> DecisionGenerator:
        """Decisions by the numbers of their deals and by the weights."""
        self.players.append(player)
        told = sum(zlib.crc32(array.tobytes()) for array in in_use.values())
        return lambda first, deals: made(deals // 4, first + told, twist=self.twist)[0]
