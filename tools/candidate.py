"""`network` or `learned` with newly trained weights, to compare with the package's.

    KQJ_CANDIDATE=trained.npz kqj-sim compare tools/candidate.py:candidate network \
        --playing --with points
    KQJ_CANDIDATE=trained.npz kqj-sim compare tools/candidate.py:candidate learned \
        --calling --with network --bidding auction

The weights are for one variant: give its options, such as `--teams 3`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kqj_sim.core.cards import NO_TRUMP
from kqj_sim.core.jit import scalar, stack_float32
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies import weights
from kqj_sim.policies.call_features import (
    CONTRACTS,
    TO_COUNTER,
    TO_OVERCOUNTER,
    CallTurn,
    make_bid_turn,
    order_suits,
)
from kqj_sim.policies.learned import (
    CAPOT_UNIT,
    COUNTER_UNIT,
    OVERCOUNTER_UNIT,
    find_amount,
    find_contracts,
    write_values,
)
from kqj_sim.policies.network import write_card_values
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import best_card

_numbers, _about = weights.read(Path(os.environ.get("KQJ_CANDIDATE", "trained.npz")))
_used = weights.align_for_play(_about["policy"], _numbers)
_ADDRESS = _used.ctypes.data

candidate = policy("candidate", "a policy of the package with the weights of a file")


def choose_card(view: Any) -> int:
    """Return the card of the greatest value."""
    values = stack_float32(8)
    write_card_values(view, _ADDRESS, values)
    return best_card(view.legal, values)


def choose_bid(view: Any) -> int:
    """Return the bid of the greatest value, if that is above zero."""
    turn = make_bid_turn(view)
    order, contracts = order_suits(view.hand), find_contracts(turn)
    values = stack_float32(UNITS)
    best, bid = 0.0, PASS
    for contract in range(CONTRACTS if view.all_no_trump else NO_TRUMP):
        if contracts >> contract & 1:
            write_values(turn, order, contract, _ADDRESS, values)
            for unit in range(CAPOT_UNIT + 1):
                amount = find_amount(view.lowest_amount, unit)
                if values[unit] > best and amount <= view.highest_amount:
                    best = values[unit]
                    bid = bid_code(amount, contract, unit == CAPOT_UNIT)
    return bid


@scalar
def _value_counter(view: Any, question: int, unit: int) -> float:
    turn = CallTurn(
        view.hand, view.place, view.bidder + 1, question, view.bidder, view.amount, view.contract,
        view.capot, view.last_bids, view.players, view.team_count,
    )  # fmt: skip
    values = stack_float32(UNITS)
    write_values(turn, order_suits(view.hand), view.contract, _ADDRESS, values)
    return values[unit]


def choose_counter(view: Any) -> bool:
    """Return True if a counter is worth more than none."""
    return _value_counter(view, TO_COUNTER, COUNTER_UNIT) > 0


def choose_overcounter(view: Any) -> bool:
    """Return True if an overcounter is worth more than none."""
    return _value_counter(view, TO_OVERCOUNTER, OVERCOUNTER_UNIT) > 0


if _about["policy"] == "network":
    candidate(choose_card)
else:
    candidate(choose_bid)
    candidate(choose_counter)
    candidate(choose_overcounter)
