"""What a policy holds of each card that may be played, for policies that build on its values.

A template, like the loops of `core.asking`: `policies.compiled` copies it with `_values` and
`_SIZE` bound to one policy.  It is called by address (`core.rules.Table.resume`).
"""

from __future__ import annotations

from typing import Any

from numba import carray, types

from kqj_sim.core.compile import calling, float32_at
from kqj_sim.core.turn import follow_view, held, lead_view

VALUING = types.void(
    types.int64[::1], types.int64, types.int64, types.int64, types.int64, types.int64,
    types.CPointer(types.float32),
)  # fmt: skip
"""state, lane, trick, position, team count, address of the policy's weights, and where the values
of the legal cards go, from the lowest bit on, in points."""

_values: Any = None
_SIZE: int = 0


def value_cards(
    state: Any, lane: int, trick: int, position: int, teams: int, weights: int, values: Any
) -> None:
    """Write what each card that may be played is worth to who is to play in a lane."""
    if position == 0:
        _values(lead_view(state, lane, trick, teams), carray(float32_at(weights), _SIZE), values)
    else:
        _values(
            follow_view(state, lane, held(state, lane, position), trick, position, teams),
            carray(float32_at(weights), _SIZE),
            values,
        )


call_values = calling(VALUING)
"""Call such a function: (address, (arguments of VALUING))."""
