"""The network of `distill_network`, to compare with `network`; it is not made to be fast.

    KQJ_DISTILLED=distilled.npz kqj-sim compare tools/distilled.py:distilled network \
        --playing --with points
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from kqj_sim.core.cards import lowest_bit, trailing_zeros
from kqj_sim.core.jit import float32_at, scalar, stack_float32, stack_int64
from kqj_sim.core.types import Card
from kqj_sim.policies.features import (
    RANK_COUNT,
    SHARED_FEATURES,
    SHARED_INDICES,
    write_shared_features,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import SUIT_COUNT, build_trick_context

WAYS = 5
"""Ways to play a card: 0 leads, 1 follows suit, 2 follows and becomes master, 3 ruffs and becomes
master, 4 any other."""
OUTPUTS = WAYS * SUIT_COUNT * RANK_COUNT


@scalar
def find_output(view: Any, slots: int, card: Card) -> int:
    """Return the number of the output of a legal card: by way, slot and rank."""
    bit = trailing_zeros(card)
    beats = 1 if card & view.winning != 0 else 0
    way = 1 + beats if card & view.led != 0 else 4 - beats
    way = 0 if view.position == 0 else way
    slot = (slots >> ((bit & 48) >> 3)) & 3
    return (way * SUIT_COUNT + slot) * RANK_COUNT + (bit & 15)


def _read_weights() -> tuple[Any, int]:
    """Return the numbers of all kinds of contract, float32, one after the other, and the units."""
    path = os.environ.get("KQJ_DISTILLED", "distilled.npz")
    if not os.path.exists(path):
        return np.zeros(0, np.float32), 1
    file = np.load(path)
    parts = [file[name] for name in ("rows", "bias_1", "outputs", "bias_2")]
    flat = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
    return np.ascontiguousarray(flat, np.float32), file["bias_1"].shape[1]


_numbers, _UNITS = _read_weights()
_ADDRESS = _numbers.ctypes.data
_BIAS_1 = SHARED_INDICES * _UNITS
_OUTPUT_ROWS = _BIAS_1 + _UNITS
_BIAS_2 = _OUTPUT_ROWS + OUTPUTS * _UNITS
_KIND_BYTES = 4 * (_BIAS_2 + OUTPUTS)

distilled = policy("distilled", "a network that makes one pass a decision")


@distilled
def choose_card(view: Any) -> int:
    """Return the card of the greatest value."""
    known = build_trick_context(view)
    numbers = float32_at(_ADDRESS + known.kind * _KIND_BYTES)
    features, layer, values = stack_int64(32), stack_float32(128), stack_float32(8)
    write_shared_features(view, known, features, 0, 1)
    for unit in range(_UNITS):
        total = numbers[_BIAS_1 + unit]
        for k in range(SHARED_FEATURES):
            total += numbers[features[k] * _UNITS + unit]
        layer[unit] = max(total, np.float32(0))
    count, left = 0, view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        output = find_output(view, known.slots, card)
        value = numbers[_BIAS_2 + output]
        for unit in range(_UNITS):
            value += layer[unit] * numbers[_OUTPUT_ROWS + output * _UNITS + unit]
        values[count] = value
        count += 1
    return best_card(view.legal, values)
