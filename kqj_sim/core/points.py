"""Card points as bit planes: the points of a set are popcounts.

Plane k holds the cards whose points have bit k set, coded by strength.  The points of a set of
cards are the sum over the planes of 2**k times the number of its cards in plane k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.bits import popcount
from kqj_sim.core.compile import scalar

PLANES = 5

# By bit of a lane, RULES.md section 1.  Natural order: 4 5 6 7 8 9 J Q K H T A;
# trump order: 4 5 6 J Q K H T A 7 8 9.
PLAIN = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 10, 12)
TRUMP = (0, 0, 0, 3, 4, 5, 7, 10, 12, 14, 22, 27)
AT_NO_TRUMP = (0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 17, 20)
AT_ALL_TRUMPS = (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 14, 17)


def planes_of(*lanes: tuple[int, ...]) -> NDArray[np.int64]:
    """Bit planes of four lanes' points, lowest lane first."""
    planes = [0] * PLANES
    for lane, points in enumerate(lanes):
        for bit, value in enumerate(points):
            for plane in range(PLANES):
                planes[plane] |= (value >> plane & 1) << (16 * lane + bit)
    return np.array(planes, dtype=np.int64)


SUIT_PLANES = planes_of(PLAIN, PLAIN, PLAIN, TRUMP)
NO_TRUMP_PLANES = planes_of(*[AT_NO_TRUMP] * 4)
ALL_TRUMPS_PLANES = planes_of(*[AT_ALL_TRUMPS] * 4)


@scalar
def points_of(cards: int, p1: int, p2: int, p4: int, p8: int, p16: int) -> int:
    """The card points of a set, by the five planes."""
    return (
        popcount(cards & p1)
        + 2 * popcount(cards & p2)
        + 4 * popcount(cards & p4)
        + 8 * popcount(cards & p8)
        + 16 * popcount(cards & p16)
    )
