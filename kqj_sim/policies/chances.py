"""Chances over the cards not yet seen: that players behind can beat, that the own side wins."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

MOST_HIDDEN, MOST_HELD, MOST_WANTED = 40, 8, 12


def _none_held() -> NDArray[np.float64]:
    """The table `NONE_HELD`; 0 where more would be held than is hidden."""
    table = np.zeros((MOST_HELD + 1, MOST_HIDDEN + 1, MOST_WANTED + 1))
    for held in range(MOST_HELD + 1):
        for hidden in range(held, MOST_HIDDEN + 1):
            for wanted in range(MOST_WANTED + 1):
                free = max(hidden - wanted, 0)
                table[held, hidden, wanted] = comb(free, held) / comb(hidden, held)
    return table.ravel()


NONE_HELD = _none_held()
"""The chance that `held` of `hidden` cards have none of `wanted`: at `chance_row` + wanted."""
