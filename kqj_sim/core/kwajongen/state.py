"""Kwajongen in the block of `core.state`: four places, four tricks, no auction."""

from __future__ import annotations

from kqj_sim.columns import KWAJONGEN
from kqj_sim.core import state
from kqj_sim.core.compile import scalar, variant
from kqj_sim.core.state import FIVE, LAST_BIDS, RESULT, STRIDE

SEATS = 4
TRICKS = 4

HANDS = FIVE
"""The four cards of each place, natural coding; the turned card is one of the dealer's."""
OBLIGED = LAST_BIDS
"""The cards of which one who is void must play: the trumps, or none where he is free."""

_NUMBER = {column.name: number for number, column in enumerate(KWAJONGEN)}

turned = scalar(variant("kwajongen_turned", state.turned, SEATS=SEATS))
"""Packed players counted from a position (0 to 3) onwards."""


def result(name: str) -> int:
    """The offset of a column's row."""
    return RESULT + _NUMBER[name] * STRIDE
