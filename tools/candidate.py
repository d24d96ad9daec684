"""`network` with newly trained weights, to compare with the package's.

    KQJ_CANDIDATE=trained.npz kqj-sim compare tools/candidate.py:candidate network \
        --playing --with points

The weights are for one variant: give its options, such as `--teams 3`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kqj_sim.core.jit import stack_float32
from kqj_sim.policies import weights
from kqj_sim.policies.network import write_card_values
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card

_numbers, _ = weights.read(Path(os.environ.get("KQJ_CANDIDATE", "trained.npz")))
_played = weights.align_for_play("network", _numbers)
_ADDRESS = _played.ctypes.data

candidate = policy("candidate", "network with the weights of a file")


@candidate
def choose_card(view: Any) -> int:
    """Return the card of the greatest value."""
    values = stack_float32(8)
    write_card_values(view, _ADDRESS, values)
    return best_card(view.legal, values)
