"""The rules of KQJ as the numbers that the kernels take; `kqj_sim.encode` makes them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Rules(NamedTuple):
    """RULES.md's rules object in integers; flags are 0 or 1."""

    teams: int
    """2 or 3."""
    random_partners: int
    auction: int
    all_no_trump: int
    """0 in the second lap only, 1 in both laps, 2 never."""
    minimum_bid: int
    max_amount: int
    counter_any_time: int
    amount_rounded: int
    must_outscore: int


class Seating(NamedTuple):
    """Who sits at the table, and what is played there."""

    loop_addresses: Any
    """int64 (42,): addresses of `core.asking` functions, six policies a member."""
    parameters: Any
    """float64: for each member and policy `MAX_PARAMETERS` numbers (`policies.compiled`)."""
    resources: Any
    """int64 (42,): for each member and policy the address of its weights, or of what a policy that
    is asked for whole blocks needs (`core.nested`); 0 for none."""
    distinct: int
    """Different policies in use, 1 to 6."""
    seats: int
    """Number of the policy of each seat, four bits each."""
    stages: Any
    """int64 (3,): addresses of the stages of a round (`core.round`)."""
    resume: Any
    """int64 (3,): addresses of the kernels that go on from the middle, and of the values that the
    player gives cards (`core.resume`), for tables of players who play hands out; else zeros."""
    imposed_place: int
    """Place of an imposed Sender; -1: nothing is imposed."""
    imposed_contract: int
    imposed_amount: int
    keeps_history: int
    """1 if the finished tricks are to be kept in the block (`core.block.TRICK_HISTORY`)."""
    wanted: Any
    """int64 (columns,): numbers of the columns that the rows are to have; without any, rounds are
    not described."""


MAX_PARAMETERS = 192
"""Parameters that a policy may have."""

MAX_POLICIES = 6
"""Different policies at a table; `Seating` has so many entries for each loop."""
