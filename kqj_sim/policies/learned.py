"""`learned`: calls in auctions by a small network; in takings like `points`.

It makes the call of the greatest value, if that is more than a pass.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import ALL_TRUMPS
from kqj_sim.core.dispatch import (
    BID,
    COUNTER,
    OVERCOUNTER,
    Asking,
    make_ask_bid,
    make_ask_counter,
)
from kqj_sim.core.jit import scalar, stack_float32
from kqj_sim.core.rules import MAX_POLICIES
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.types import Address, Kernel
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.call_features import (
    TO_COUNTER,
    TO_OVERCOUNTER,
    make_bid_turn,
    make_counter_turn,
    order_suits,
)
from kqj_sim.policies.call_values import (
    CAPOT_UNIT,
    COUNTER_UNIT,
    OVERCOUNTER_UNIT,
    RAISES,
    write_values,
)
from kqj_sim.policies.parameters import whole
from kqj_sim.policies.points import PARAMETERS, choose_take
from kqj_sim.policies.registry import policy
from kqj_sim.policies.weights import VERSIONS

learned = policy(
    "learned",
    "calls in auctions by a small neural network; in takings like points",
    weights=whole(
        VERSIONS["learned"],
        "version of the package's weights",
        VERSIONS["learned"],
        VERSIONS["learned"],
    ),
    **{name: each for name, each in PARAMETERS.items() if each.bidding != "auction"},
)
learned.weights = "learned"
learned(choose_take)

CAPOT_AMOUNT = 400
"""Amount of a bid with Capot: the total that a Capot is sure to reach."""


@scalar
def find_amount(lowest: int, unit: int) -> int:
    """Return the amount of the bid with a number among a contract's values."""
    if unit == CAPOT_UNIT:
        return max(lowest, CAPOT_AMOUNT)
    amount = lowest
    for number in range(len(RAISES)):
        amount += RAISES[number] if number == unit else 0
    return amount


@scalar
def choose_bid(view: Any, parameters: Any, weights: Address) -> int:
    """Choose the bid of the greatest value, or pass."""
    turn, order = make_bid_turn(view), order_suits(view.hand)
    values = stack_float32(UNITS)
    best, call = 0.0, PASS
    for contract in range(ALL_TRUMPS + 1 if view.all_no_trump != 0 else 4):
        write_values(turn, order, contract, weights, values)
        greatest = values[0]
        for unit in range(1, CAPOT_UNIT + 1):
            greatest = max(greatest, values[unit])
        # Without this branch, which is seldom taken, a choice takes half as long again.
        if greatest > best:
            for unit in range(CAPOT_UNIT + 1):
                amount = find_amount(view.lowest_amount, unit)
                if values[unit] > best and amount <= view.highest_amount:
                    best = values[unit]
                    call = bid_code(amount, contract, 1 if unit == CAPOT_UNIT else 0)
    return call


@scalar
def choose_counter(view: Any, parameters: Any, weights: Address) -> bool:
    """Counter if that is worth more than not to."""
    values = stack_float32(UNITS)
    turn = make_counter_turn(view, TO_COUNTER)
    write_values(turn, order_suits(view.hand), view.contract, weights, values)
    return values[COUNTER_UNIT] > 0.0


@scalar
def choose_overcounter(view: Any, parameters: Any, weights: Address) -> bool:
    """Overcounter if that is worth more than not to."""
    values = stack_float32(UNITS)
    turn = make_counter_turn(view, TO_OVERCOUNTER)
    write_values(turn, order_suits(view.hand), view.contract, weights, values)
    return values[OVERCOUNTER_UNIT] > 0.0


def _make_asking(loop: int, choose: Kernel) -> Asking:
    """Return a decision as a loop asks it."""
    return Asking(
        choose,
        scalar(lambda table, number: 0.0),
        scalar(lambda resources, number: resources[loop * MAX_POLICIES + number]),
        sole_policy=False,
        checked=False,
    )


learned.block("bid")(make_ask_bid(_make_asking(BID, choose_bid)))
learned.block("counter")(make_ask_counter(_make_asking(COUNTER, choose_counter)))
learned.block("overcounter")(make_ask_counter(_make_asking(OVERCOUNTER, choose_overcounter)))
