"""Values of calls by a small network: what a bid, or a counter, is expected to bring more than a
pass.

One hidden layer: its bias plus the rows of the features (`call_features`), rectified; then a matrix
gives the value of every call in the contract.  All of it is summed in whole numbers, so that every
processor chooses the same calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.cards import NO_TRUMP
from kqj_sim.core.jit import (
    float32_at,
    int16_at,
    int32_at,
    scalar,
    stack_int32,
    stack_int64,
)
from kqj_sim.core.simd_int16 import UNITS, add, load, rectify_first, write_dots
from kqj_sim.core.types import Address, Contract, Float32Pointer, Int16Pointer
from kqj_sim.policies.call_features import (
    CONTRACTS,
    FEATURES,
    CallTurn,
    order_suits,
    write_call_features,
)
from kqj_sim.policies.call_weights import (
    FIXED_BIAS,
    FIXED_KIND_SIZE,
    FIXED_MATRIX,
    FIXED_OUTPUT_BIAS,
    FIXED_ROWS,
    FIXED_STEP,
    HIDDEN_UNITS,
)

RAISES = (0, 10, 20, 30, 50, 80)
"""Points above the lowest amount of the bids that are valued in each contract."""
CAPOT_UNIT = len(RAISES)
COUNTER_UNIT, OVERCOUNTER_UNIT = CAPOT_UNIT + 1, CAPOT_UNIT + 2
VALUES = OVERCOUNTER_UNIT + 1
"""Values of a contract: of each bid, of Capot, of a counter and of an overcounter."""


BIDS = 8
"""Totals of a contract's bids, a power of two; the last one is no bid's."""
BID_TOTALS = CONTRACTS * BIDS


@scalar
def find_weights(weights: Address, contract: Contract) -> Address:
    """Return the address of the weights of a contract's kind."""
    return weights + max(contract - NO_TRUMP + 1, 0) * (2 * FIXED_KIND_SIZE)


@scalar
def find_step(weights: Address, contract: Contract) -> float:
    """Return the points of a 1 of a contract's totals."""
    return float32_at(find_weights(weights, contract) + 2 * FIXED_STEP)[0]


@scalar
def add_row(hidden: Any, numbers: Int16Pointer, row: int) -> Any:
    """Return sums of the hidden layer with a row added."""
    return add(hidden, load(numbers, FIXED_ROWS + row * HIDDEN_UNITS))


@scalar
def compute_layer(turn: CallTurn, order: int, contract: Contract, numbers: Int16Pointer) -> Any:
    """Return the hidden layer of a turn in the view of a contract."""
    features = stack_int64(FEATURES)
    write_call_features(turn, order, contract, features)
    hidden = load(numbers, FIXED_BIAS)
    for k in range(FEATURES):
        hidden = add_row(hidden, numbers, features[k])
    return rectify_first(hidden, HIDDEN_UNITS)


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
    address = find_weights(weights, contract)
    numbers, totals = int16_at(address), stack_int32(UNITS)
    layer = compute_layer(turn, order, contract, numbers)
    bias = int32_at(address + 2 * FIXED_OUTPUT_BIAS)
    write_dots(totals, 0, layer, numbers, FIXED_MATRIX, bias, 0, UNITS)
    step = find_step(weights, contract)
    for k in range(VALUES):
        values[k] = np.float32(totals[k]) * step


@scalar
def is_gain(turn: CallTurn, unit: int, weights: Address) -> bool:
    """Return True if a call in the contract of a counter's chance has a value above zero."""
    address = find_weights(weights, turn.contract)
    numbers, total = int16_at(address), stack_int32(1)
    layer = compute_layer(turn, order_suits(turn.hand), turn.contract, numbers)
    bias = int32_at(address + 2 * FIXED_OUTPUT_BIAS)
    write_dots(total, 0, layer, numbers, FIXED_MATRIX + unit * HIDDEN_UNITS, bias, unit, 1)
    return total[0] > 0
