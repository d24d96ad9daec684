"""The teacher of `network`: a network that makes a pass for each legal card, not made to be fast.

    kqj-sim compare tools/feature_network.py:feature_network network --playing --with points

    value of a card = its linear weights + w3 . relu(b2 + W2' relu(b1 + shared rows + card rows))

It is `network` of version 4, with weights of its own for each variant and kind of contract, in
`tools/weights/`, in half precision.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.jit import float32_at, scalar, stack_float32, stack_int64
from kqj_sim.core.types import Address, Float32Array, Float32Pointer
from kqj_sim.policies.features import FEATURES, ROWS, write_features
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import KIND_COUNT, build_trick_context
from tools.card_features import CARD_FEATURES, CARD_INDICES, write_card_features

UNITS_1, UNITS_2 = 48, 16
"""Units of the two hidden layers."""

SHAPES: dict[str, tuple[int, ...]] = {
    "linear": (CARD_INDICES, 1),
    "shared_rows": (ROWS, UNITS_1),
    "card_rows": (CARD_INDICES, UNITS_1),
    "bias_1": (UNITS_1,),
    "matrix": (UNITS_1, UNITS_2),
    "bias_2": (UNITS_2,),
    "output": (UNITS_2,),
}
"""The parameters of one kind of contract, in the order in which they are stored."""

STARTS = dict(
    zip(
        [*SHAPES, "end"],
        accumulate((-(-prod(shape) // 16) * 16 for shape in SHAPES.values()), initial=0),
        strict=True,
    )
)
"""First number of each parameter: a multiple of sixteen; `end`: numbers of one kind."""

_LINEAR, _SHARED_ROWS, _CARD_ROWS, _BIAS_1, _MATRIX, _BIAS_2, _OUTPUT, KIND_SIZE = STARTS.values()


def weights_file(teams: int, bidding: str) -> Path:
    """Return the file of the weights for a variant."""
    return Path(__file__).resolve().parent / f"weights/network-{teams}-{bidding}.npz"


def read_weights(path: Path) -> Float32Array:
    """Return the weights of a file, float32 (KIND_COUNT, KIND_SIZE)."""
    with np.load(path) as file:
        weights: Float32Array = file["weights"].astype(np.float32)
    return weights.reshape(KIND_COUNT, KIND_SIZE)


def split_weights(numbers: Float32Array) -> dict[str, Float32Array]:
    """Return the parameters of one kind of contract, as views of its numbers, (KIND_SIZE,)."""
    return {
        name: numbers[STARTS[name] : STARTS[name] + prod(shape)].reshape(shape)
        for name, shape in SHAPES.items()
    }


@scalar
def write_card_values(view: Any, weights: Address, values: Float32Pointer) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    Args:
        view: the player's view.
        weights: address of the variant's weights (`read_weights`).
        values: float32, gets the values in points, up to a common constant.
    """
    known = build_trick_context(view)
    numbers = float32_at(weights + 4 * KIND_SIZE * known.kind)
    shared, features = stack_int64(FEATURES), stack_int64(CARD_FEATURES)
    common, first = stack_float32(UNITS_1), stack_float32(UNITS_1)
    write_features(view, known, shared, 0, 1)
    for unit in range(UNITS_1):
        common[unit] = numbers[_BIAS_1 + unit]
        for k in range(FEATURES):
            common[unit] += numbers[_SHARED_ROWS + shared[k] * UNITS_1 + unit]
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        write_card_features(view, known, card, features, 0)
        value = np.float32(0)
        for k in range(CARD_FEATURES):
            value += numbers[_LINEAR + features[k]]
        for unit in range(UNITS_1):
            total = common[unit]
            for k in range(CARD_FEATURES):
                total += numbers[_CARD_ROWS + features[k] * UNITS_1 + unit]
            first[unit] = max(total, np.float32(0))
        for unit in range(UNITS_2):
            total = numbers[_BIAS_2 + unit]
            for k in range(UNITS_1):
                total += first[k] * numbers[_MATRIX + k * UNITS_2 + unit]
            value += max(total, np.float32(0)) * numbers[_OUTPUT + unit]
        values[count] = value
        count += 1
    return count


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
