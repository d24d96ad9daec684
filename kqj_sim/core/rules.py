"""The rules of a game and the players at the table, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from kqj_sim.core.types import Contract, Flag, Float64Array, Int64Array, Place


class Rules(NamedTuple):
    """The options of docs/rules.md, section 9, in integers; 0 for those another game lacks."""

    seats: int
    start_score: int
    target: int
    """The score that ends a game."""
    variant: int
    """The rules of another game than KQJ, as that game encodes them; 0 in KQJ."""
    teams: int
    """2 or 3."""
    random_partners: Flag
    auction: Flag
    all_no_trump: int
    """All-Trumps and No-Trump may be named: 0 in the second lap, 1 in both laps, 2 never."""
    minimum_bid: int
    max_amount: int
    counter_any_time: Flag
    amount_rounded: Flag
    must_outscore: Flag


class Seating(NamedTuple):
    """The policies at the table, and the options of a run.

    Arrays of 48 hold six policies for each of the eight asking loops of `core.dispatch`.
    """

    loop_addresses: Int64Array
    """int64 (48,): addresses of the asking loops of `core.dispatch`."""
    parameters: Float64Array
    """float64 (48 * MAX_PARAMETERS,): parameters of the policies."""
    resources: Int64Array
    """int64 (48,): addresses of the policies' weights, or of what a policy that is asked for whole
    blocks needs (`core.dispatch.pack_seatings`); 0 for none."""
    distinct: int
    """Number of different policies, 1 to 6."""
    seats: int
    """Policy number of each seat, four bits per seat."""
    stages: Int64Array
    """int64 (n,): addresses of the stages of a round (`core.round`): three in KQJ."""
    resume: Int64Array
    """int64 (3,): addresses of the kernels that resume a round (`core.round`) and that value
    cards, where policies play hands out; else zeros."""
    imposed_place: Place
    """Place of an imposed Sender; -1 for none."""
    imposed_contract: Contract
    imposed_amount: int
    keeps_history: Flag
    """1 if finished tricks are kept in the block (`core.block.TRICK_HISTORY`)."""
    wanted: Int64Array
    """int64 (columns,): numbers of the columns to write; rounds are not described without any."""


MAX_PARAMETERS = 192

MAX_POLICIES = 6
"""The most different policies at a table; `Seating` has as many entries per asking loop."""
