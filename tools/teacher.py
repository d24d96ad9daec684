"""The teacher of `network` as a policy, by the weights of `feature_network.weights_file`.

git archive 06358a36 tools/weights | tar x
kqj-sim compare tools/teacher.py:feature_network network --playing --with points
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.jit import stack_float32
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card
from tools.feature_network import read_weights, weights_file, write_card_values

_VARIANTS = [(teams, bidding) for teams in (2, 3) for bidding in ("take", "auction")]
_played = np.stack([read_weights(weights_file(*variant)) for variant in _VARIANTS])
_ADDRESS, _VARIANT_BYTES = _played.ctypes.data, _played[0].nbytes

feature_network = policy("feature_network", "a network that makes a pass for each legal card")


@feature_network
def choose_card(view: Any) -> int:
    """Return the card of the greatest value."""
    variant = 2 * (view.team_count - 2) + (1 if view.amount > 0 else 0)
    values = stack_float32(8)
    write_card_values(view, _ADDRESS + variant * _VARIANT_BYTES, values)
    return best_card(view.legal, values)
