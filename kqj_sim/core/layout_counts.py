"""Numbers of layouts of the hidden cards, in kernels where at most two players are restricted.

A player is restricted who cannot hold some hidden card (`core.knowledge`).
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core.block import TRICKS
from kqj_sim.core.cards import PACK, popcount
from kqj_sim.core.jit import scalar
from kqj_sim.core.knowledge import EXCLUDED, HAND_SIZES, HOLDER_COUNT, UNSEEN
from kqj_sim.core.types import Int64Array

BINOMIALS = np.array(
    [[comb(cards, size) for size in range(TRICKS + 1)] for cards in range(PACK.bit_count() + 1)],
    dtype=np.float64,
)
"""The number of hands of each size from a number of cards."""


@scalar
def count_ways(shared: int, both: int, own: int, size: int, others: int, others_size: int) -> Any:
    """Return in how many ways two players can be dealt their hands, `size` and `others_size` cards.

    `both` cards may be held by both, of which the first player gets `shared`; `own` and `others` by
    the first alone and by the second alone.
    """
    ways = BINOMIALS[both, shared] * BINOMIALS[own, size - shared]
    return ways * BINOMIALS[both - shared + others, others_size]


@scalar
def count_restricted(knowledge: Int64Array) -> int:
    """Return the number of players who cannot hold some hidden card."""
    count = 0
    for player in range(HOLDER_COUNT):
        binds = knowledge[HAND_SIZES + player] > 0
        binds &= knowledge[EXCLUDED + player] & knowledge[UNSEEN] != 0
        count += 1 if binds else 0
    return count


@scalar
def compute_allowed_share(knowledge: Int64Array) -> float:
    """Return the share of layouts that agree with the knowledge in all ways to deal hidden cards.

    At most two players are restricted (`count_restricted`).
    """
    unseen = knowledge[UNSEEN]
    one, other = -1, -1
    for player in range(HOLDER_COUNT):
        if knowledge[HAND_SIZES + player] > 0 and knowledge[EXCLUDED + player] & unseen != 0:
            one, other = player, one
    if one < 0:
        return 1.0
    count, size = popcount(unseen), knowledge[HAND_SIZES + one]
    may = unseen & ~knowledge[EXCLUDED + one]
    if other < 0:
        return BINOMIALS[popcount(may), size] / BINOMIALS[count, size]
    others_may, others_size = unseen & ~knowledge[EXCLUDED + other], knowledge[HAND_SIZES + other]
    both, own = popcount(may & others_may), popcount(may & ~others_may)
    others = popcount(others_may & ~may)
    ways = 0.0
    for shared in range(size + 1):
        ways += count_ways(shared, both, own, size, others, others_size)
    return ways / (BINOMIALS[count, size] * BINOMIALS[count - size, others_size])


def count_layouts(knowledge: Int64Array) -> float:
    """Return the number of layouts that agree with the knowledge, however many are restricted.

    Give each player a variable, and multiply for all hidden cards the sum of those who may hold it:
    the number is the coefficient with the sizes of the hands as exponents.
    """
    players = [player for player in range(HOLDER_COUNT) if knowledge[HAND_SIZES + player] > 0]
    ways = np.zeros([1 + knowledge[HAND_SIZES + player] for player in players])
    ways.flat[0] = 1
    for card in (1 << bit for bit in range(64) if int(knowledge[UNSEEN]) >> bit & 1):
        before, ways = ways, np.zeros_like(ways)
        for axis, player in enumerate(players):
            if not int(knowledge[EXCLUDED + player]) & card:
                # A view whose first axis is the player's.
                np.moveaxis(ways, axis, 0)[1:] += np.moveaxis(before, axis, 0)[:-1]
    return float(ways.flat[-1])
