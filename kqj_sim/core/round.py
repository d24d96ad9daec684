"""A block of rounds: from the deals' numbers to the rows.

A round is three stages, called by address: `begin`, one of `take`, `bid`, `impose`, `opener_takes`
and `opener_passes`, and `finish`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof, types

from kqj_sim.core import rng
from kqj_sim.core.bits import trailing_zeros
from kqj_sim.core.calls import LOG_SIZE, auction, no_calls, taking
from kqj_sim.core.compile import calling, kernel
from kqj_sim.core.deal import deal
from kqj_sim.core.marks import write_marks
from kqj_sim.core.play import complete_hands, play_tricks, prepare_play, taken_first
from kqj_sim.core.rows import describe_calls, describe_passed_out, describe_play, write_rows
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.state import (
    AMOUNT,
    CONTRACT,
    DEAL,
    DEALER,
    ILLEGAL,
    KEY,
    LANES,
    LAP,
    PENDING,
    SEATS,
    SENDER,
    TURNED,
    padded,
)
from kqj_sim.core.teams import seat_players


@kernel
def begin(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """Seat the players and deal."""
    seat_players(state, lanes, rules, table.seats)
    deal(state, lanes)
    no_calls(state, lanes)
    return lanes


@kernel
def take(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """The calls of a game without auctions."""
    taking(state, lanes, rules, table, log, 0)
    return lanes


@kernel
def bid(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """The calls of a game with auctions."""
    complete_hands(state, lanes, 0)
    auction(state, lanes, rules, table, log, 0)
    return lanes


@kernel
def impose(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """No calls: the table says who is Sender."""
    for i in range(padded(lanes)):
        state[SENDER + i] = table.imposed_place
        state[CONTRACT + i] = table.imposed_contract
        state[AMOUNT + i] = table.imposed_amount
    return lanes


@kernel
def opener_takes(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """The opener takes with the Return's suit, whatever he holds."""
    for i in range(padded(lanes)):
        state[SENDER + i] = 0
        state[CONTRACT + i] = trailing_zeros(state[TURNED + i]) >> 4
        state[LAP + i] = 1
    return lanes


@kernel
def opener_passes(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """The opener passes in the first lap, whatever he holds; then the players call."""
    taking(state, lanes, rules, table, log, 1)
    return lanes


@kernel
def finish(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """Play and score what was taken, and describe it; how many lanes were played.

    Lanes are exchanged so that those that were played come first.
    """
    played = taken_first(state, lanes, rules.auction)
    complete_hands(state, played, 1 - rules.auction)
    prepare_play(state, played)
    if played > 0:
        play_tricks(state, played, rules, table, 0, 0)
        count_tricks(state, played, rules)
        score_rounds(state, played, rules)
    if table.wanted.shape[0] > 0:
        describe_calls(state, lanes, rules)
        describe_play(state, played, rules)
        describe_passed_out(state, lanes, played)
    return played


def stage_signature(rules: Any, table: Table) -> Any:
    """The signature of the stages with a game's rules, for `compile.address_of`."""
    block = types.int64[::1]
    return types.int64(block, types.int64, typeof(rules), typeof(table), block)


BEGIN, CALLS, FINISH = range(3)
"""The stages of a round in `Table.stages`."""

_NONE = np.zeros(1, dtype=np.int64)
EMPTY_TABLE = Table(_NONE, np.zeros(1), _NONE, 1, 0, _NONE, _NONE, -1, -1, 0, 0, _NONE)
"""A table for its types."""
call_stage = calling(stage_signature(Rules(*[0] * 9), EMPTY_TABLE))
"""Call a stage of a round: (address, (state, lanes, rules, table, log))."""


@kernel
def play_block(state: Any, lanes: int, seed: int, rules: Rules, table: Table, log: Any) -> int:
    """Deal, call, play and score the rounds of a block.

    DEAL, DEALER and PENDING of the lanes say which rounds.

    `log` is empty, or int64 (`calls.LOG_SIZE`,): then the calls are noted there, by lane as before
    the exchange (ORIGIN).

    Returns:
        The number of lanes that were played; they come first.
    """
    for i in range(padded(lanes)):
        state[KEY + i] = rng.deal_key(seed, state[DEAL + i])
        state[ILLEGAL + i] = 0
    played = lanes
    for stage in range(table.stages.shape[0]):
        played = call_stage(table.stages[stage], (state, lanes, rules, table, log))
    return played


@kernel
def start_deals(state: Any, first: int, lanes: int) -> None:
    """Name single rounds: deals from `first` on, the dealer is deal mod 6, nothing pending."""
    for i in range(padded(lanes)):
        state[DEAL + i] = first + i
        state[DEALER + i] = (first + i) % SEATS
        state[PENDING + i] = 0


@kernel
def play_deals(
    state: Any, first: int, count: int, seed: int, rules: Rules, table: Table, deals: Any,
    values: Any, marks: Any,
) -> int:  # fmt: skip
    """Single rounds of the deals `first` to `first + count - 1`; the dealer is deal mod 6.

    Args:
        state: a block.
        first, count: the deals.
        seed: seed of the run.
        rules, table: the experiment.
        deals: int64 (count,), filled with the number of each row's deal.
        values: int16 (columns * count,), of which the wanted columns are filled.
        marks: empty, or int64 (count,), filled with `core.marks`; then the table has a memory.

    Returns:
        -1, or the number of a deal in which a policy chose what is not allowed.
    """
    marked = marks.shape[0] > 0
    log = np.empty(LOG_SIZE if marked else 0, np.int64)
    for done in range(0, count, LANES):
        lanes = min(LANES, count - done)
        start_deals(state, first + done, lanes)
        played = play_block(state, lanes, seed, rules, table, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return int(state[DEAL + i])
        write_rows(state, lanes, table.wanted, deals, values, done)
        if marked:
            write_marks(state, lanes, played, log, marks, done)
    return -1


@kernel
def play_again(
    state: Any, numbers: Any, dealers: Any, seed: int, rules: Rules, table: Table, deals: Any,
    values: Any,
) -> int:  # fmt: skip
    """Single rounds of any deals and dealers, with nothing pending.

    Args:
        state, seed, rules, table, deals, values: as for `play_deals`.
        numbers, dealers: int64 (count,), the deals and the seats that deal.

    Returns:
        As `play_deals`.
    """
    log = np.empty(0, np.int64)
    done, count = 0, numbers.shape[0]
    while done < count:
        lanes = min(LANES, count - done)
        for i in range(padded(lanes)):
            which = done + min(i, lanes - 1)
            state[DEAL + i] = numbers[which]
            state[DEALER + i] = dealers[which]
            state[PENDING + i] = 0
        play_block(state, lanes, seed, rules, table, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return int(state[DEAL + i])
        write_rows(state, lanes, table.wanted, deals, values, done)
        done += lanes
    return -1
