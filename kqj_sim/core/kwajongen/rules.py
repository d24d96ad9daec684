"""The rules of Kwajongen as the numbers that the kernels take; `kqj_sim.encode` makes them."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """RULES.md's rules object in integers."""

    teams: int
    """2, always."""
    must_trump: int
    """1 if who is void in the suit led must play a trump, 0 if he is free."""
