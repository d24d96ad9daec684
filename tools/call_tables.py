"""Tables of players who call by different weights, and the decisions of their auctions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from kqj_sim.core.block import LANES, SEATS, allocate_block
from kqj_sim.core.dispatch import ASK_SIGNATURE, BID, COUNTER, LOOP_COUNT, OVERCOUNTER
from kqj_sim.core.jit import compile_cfunc
from kqj_sim.core.types import MAX_PARAMETERS, MAX_POLICIES, Int16Array, Seating
from kqj_sim.policies.call_features import CallTurn
from kqj_sim.policies.learned import learned
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating, without_counters
from tools.record_calls import MAX_TURNS, OPTIONS, CallDecisions, record_auctions

_LOOPS = {BID: "bid", COUNTER: "counter", OVERCOUNTER: "overcounter"}


CALLERS = ("points", "always", "never", "random")
"""Policies that sit at tables beside those who call by weights."""

Caller: TypeAlias = Int16Array | str
"""Weights of `learned` in fixed point, or one of CALLERS."""


class CallTable:
    """A table at which players call by weights, or like one of CALLERS, and play like `network`."""

    def __init__(self, rules: KqjRules) -> None:
        self.rules = rules
        self.encoded_rules = encode_rules(rules)
        players = [parse_player(f"{name}+network") for name in CALLERS]
        self.usual = encode_seating(rules, (players * SEATS)[:SEATS], None, "rollouts")
        self.loops = {
            loop: compile_cfunc(
                ASK_SIGNATURE, learned.blocks[decision], cache=True, name=f"kqj_learned_{decision}"
            )
            for loop, decision in _LOOPS.items()
        }

    def seat(self, callers: Sequence[Caller], seats: Sequence[int]) -> Seating:
        """Return a seating.

        Args:
            callers: the players; their weights must outlive the seating.
            seats: number of the player of each seat.
        """
        usual, members = self.usual, MAX_POLICIES
        sources = [CALLERS.index(each) if isinstance(each, str) else 0 for each in callers]
        sources += [0] * (members - len(sources))
        functions = usual.loop_addresses.reshape(LOOP_COUNT, members)[:, sources]
        resources = usual.resources.reshape(LOOP_COUNT, members)[:, sources]
        parameters = usual.parameters.reshape(LOOP_COUNT, members, MAX_PARAMETERS)[:, sources]
        for number, caller in enumerate(callers):
            for loop, compiled in self.loops.items():
                if not isinstance(caller, str):
                    functions[loop, number] = compiled.address
                    resources[loop, number] = caller.ctypes.data
        return usual._replace(
            loop_addresses=functions.ravel(), resources=resources.ravel(),
            parameters=parameters.ravel(), distinct=len(callers),
            seats=sum(each << 4 * seat for seat, each in enumerate(seats)),
        )  # fmt: skip


def join_decisions(parts: Iterable[CallDecisions]) -> CallDecisions:
    """Return the decisions of several parts as one."""
    return CallDecisions._make(np.concatenate(each) for each in zip(*parts, strict=True))


def record_calls(
    table: CallTable, weights: Int16Array, learner: Caller, others: Sequence[Caller], blocks: int,
    seed: int, alone: bool = False,
) -> CallDecisions:  # fmt: skip
    """Return decisions of a learner in blocks of deals, against others drawn for each block.

    Args:
        table: the table.
        weights: those whose values choose the bids that are tried.
        learner: whose decisions are recorded, mostly those weights.
        others: the players of the other team, or of two teams or one of three.
        blocks: number of blocks of LANES deals.
        seed: seed of the deals and draws.
        alone: the learner is one team of three, never two.
    """
    generator = np.random.default_rng(seed)
    state, inner, bids = allocate_block(), allocate_block(), allocate_block()
    room = MAX_TURNS * 3 * LANES
    parts: list[CallDecisions] = []
    output = CallDecisions(
        np.zeros((room, len(CallTurn._fields)), np.int64),
        np.zeros((room, OPTIONS), np.int16),
        np.zeros((room, OPTIONS), np.float32),
    )
    for number in range(blocks):
        other = others[int(generator.integers(len(others)))]
        single, swapped = generator.integers(table.rules.teams), generator.integers(2)
        sides = [int(seat % table.rules.teams == single) for seat in range(SEATS)]
        seats = [side ^ int(swapped or alone) for side in sides]
        if other is learner:
            seats = [0] * SEATS
        seating = table.seat([learner] if other is learner else [learner, other], seats)
        filled = record_auctions(
            state, inner, bids, number * LANES, int(generator.integers(SEATS)), seed,
            table.encoded_rules, seating, without_counters(table.rules, seating),
            weights.ctypes.data, output, 0,
        )  # fmt: skip
        parts.append(CallDecisions._make(each[:filled].copy() for each in output))
    return join_decisions(parts)
