"""Values of calls by a small network: what a bid, or a counter, is expected to bring more than a
pass.

One hidden layer: its bias plus the rows of the features (`call_features`), rectified; then a matrix
gives the value of every call in the contract.  All of it is summed in whole numbers, so that every
processor chooses the same calls.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core.cards import NO_TRUMP
from kqj_sim.core.jit import (
    float32_at,
    int16_at,
    int32_at,
    scalar,
    stack_int16,
    stack_int32,
    stack_int64,
)
from kqj_sim.core.simd_int16 import UNITS, add, load, rectify_first, store, write_totals
from kqj_sim.core.types import Address, Contract, Float32Pointer
from kqj_sim.policies.call_features import FEATURES, CallTurn, write_call_features
from kqj_sim.policies.call_weights import (
    FIXED_BIAS,
    FIXED_KIND_SIZE,
    FIXED_MATRIX,
    FIXED_OUTPUT_BIAS,
    FIXED_ROWS,
    FIXED_STEP,
    HIDDEN_UNITS,
    PAIR_COUNT,
)

RAISES = (0, 10, 20, 30, 50, 80)
"""Points above the lowest amount of the bids that are valued in each contract."""
CAPOT_UNIT = len(RAISES)
COUNTER_UNIT, OVERCOUNTER_UNIT = CAPOT_UNIT + 1, CAPOT_UNIT + 2
VALUES = OVERCOUNTER_UNIT + 1
"""Values of a contract: of each bid, of Capot, of a counter and of an overcounter."""


@scalar
def write_values(
    turn: CallTurn, order: int, contract: Contract, weights: Address, values: Float32Pointer
) -> None:
    """Write the values of the calls in a contract, in points more than a pass.

    Args:
        turn: the question.
        order: `call_features.order_suits` of the hand.
        contract: the contract, 0 to 5.
        weights: address of the weights of all kinds.
        values: float32, gets `VALUES` numbers.
    """
    kind = max(contract - NO_TRUMP + 1, 0)
    address = weights + kind * (2 * FIXED_KIND_SIZE)
    numbers = int16_at(address)
    features = stack_int64(FEATURES)
    write_call_features(turn, order, contract, features)
    hidden = load(numbers, FIXED_BIAS)
    for k in range(FEATURES):
        hidden = add(hidden, load(numbers, FIXED_ROWS + features[k] * HIDDEN_UNITS))
    layer = stack_int16(HIDDEN_UNITS)
    store(layer, 0, rectify_first(hidden, HIDDEN_UNITS))
    totals = stack_int32(UNITS)
    bias = int32_at(address + 2 * FIXED_OUTPUT_BIAS)
    write_totals(totals, layer, 0, bias, numbers, FIXED_MATRIX, PAIR_COUNT)
    step = float32_at(address + 2 * FIXED_STEP)[0]
    for k in range(VALUES):
        values[k] = np.float32(totals[k]) * step
