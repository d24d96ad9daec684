"""Dealing Kwajongen: four cards each, one of the dealer's face up; eight stay out."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.compile import stage
from kqj_sim.core.deal import PAIRS, TRIPLES, deposit
from kqj_sim.core.kwajongen.bits import PACK
from kqj_sim.core.kwajongen.state import HANDS, SEATS
from kqj_sim.core.state import KEY, SCRATCH, STRIDE, TURNED, padded

CARDS = 24
GROUPS = (2, 2, 2, 2, 2, 2, 1, 3)
"""Sizes of the groups in the order drawn: two pairs a place, the turned card, the dealer's rest."""
_LEFT = [CARDS - sum(GROUPS[:number]) for number in range(len(GROUPS))]
CHOICES = np.array([comb(n, k) for n, k in zip(_LEFT, GROUPS, strict=True)], dtype=np.int64)


@stage
def deal(state: Any, lanes: int) -> None:
    """Deal `lanes` rounds: HANDS and TURNED from KEY."""
    n = padded(lanes)
    for group in range(len(GROUPS)):
        choices = CHOICES[group]
        base = SCRATCH + group * STRIDE
        for i in range(n):
            state[base + i] = rng.below(rng.draw(state[KEY + i], rng.DEAL + group), choices)
    for i in range(n):
        left = PACK
        for place in range(SEATS - 1):
            two = deposit(PAIRS[np.uint64(state[SCRATCH + 2 * place * STRIDE + i])], left)
            left ^= two
            more = deposit(PAIRS[np.uint64(state[SCRATCH + (2 * place + 1) * STRIDE + i])], left)
            left ^= more
            state[HANDS + place * STRIDE + i] = two | more
        card = deposit(1 << state[SCRATCH + 6 * STRIDE + i], left)
        left ^= card
        three = deposit(TRIPLES[np.uint64(state[SCRATCH + 7 * STRIDE + i])], left)
        state[TURNED + i] = card
        state[HANDS + (SEATS - 1) * STRIDE + i] = card | three
