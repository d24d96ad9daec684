"""Values of calls by a small network (`one_layer`): what a bid, or a counter, is expected to bring
more than a pass.

Its rows are the features of a turn in the view of a contract (`call_features`), its outputs the
values of all calls in the contract.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core.cards import NO_TRUMP
from kqj_sim.core.jit import int16_at, int32_at, scalar, stack_int32, stack_int64
from kqj_sim.core.simd_int16 import UNITS, write_dots
from kqj_sim.core.types import Address, Contract, Float32Pointer, Int32Pointer, Vector
from kqj_sim.policies.call_features import (
    FEATURES,
    LAYOUT,
    CallTurn,
    write_call_features,
)
from kqj_sim.policies.one_layer import add_features, find_step

CAPOT_UNIT = 13
"""Values of a contract before that of Capot: of the lowest bid, of 10 more, 20 more, to 120."""
COUNTER_UNIT, OVERCOUNTER_UNIT = CAPOT_UNIT + 1, CAPOT_UNIT + 2
VALUES = OVERCOUNTER_UNIT + 1
"""Values of a contract: of each bid, of Capot, of a counter and of an overcounter."""


@scalar
def find_weights(weights: Address, contract: Contract) -> Address:
    """Return the address of the weights of a contract's kind."""
    return weights + max(contract - NO_TRUMP + 1, 0) * (2 * LAYOUT.fixed_size)


@scalar
def compute_layer(turn: CallTurn, order: int, contract: Contract, address: Address) -> Vector:
    """Return the hidden layer of a turn in the view of a contract."""
    features = stack_int64(FEATURES)
    write_call_features(turn, order, contract, features, 0, 1)
    return add_features(address, LAYOUT, features, FEATURES, 0, 1)


@scalar
def write_totals(layer: Vector, address: Address, totals: Int32Pointer) -> None:
    """Write the totals of the calls in a contract, int32 (UNITS,), by its hidden layer."""
    bias = int32_at(address + 2 * LAYOUT.output_bias)
    write_dots(totals, 0, layer, int16_at(address), LAYOUT.matrix, bias, 0, UNITS)


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
    totals = stack_int32(UNITS)
    address = find_weights(weights, contract)
    write_totals(compute_layer(turn, order, contract, address), address, totals)
    step = find_step(address, LAYOUT)
    for k in range(VALUES):
        values[k] = np.float32(totals[k]) * step
