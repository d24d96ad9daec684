"""A block of rounds: from the deals' numbers to the rows.

A round is three stages, called by address: `begin_rounds`, one of `call_by_taking`,
`call_by_auction`, `impose_contract`, `impose_opener_take` and `impose_opener_pass`, and
`finish_rounds`.

Marks: a number for all that was said and played in a round, to tell two rounds apart.

Who sits where: teams and policies of the places.

Going on from the middle of a round: the kernels of policies that play hands out.

Each is called by address (`core.rules.Seating.resume`) with a block whose rows say how things
stand, and two numbers that say where; all have one signature, `RESUME_SIGNATURE`.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.bidding import (
    LOG_SIZE,
    ask_overcounters,
    enter_bids,
    reset_calls,
    run_auction,
    run_taking,
)
from kqj_sim.core.block import (
    AMOUNT,
    CALL,
    CALL_COUNT,
    CONTRACT,
    DEAL_NUMBER,
    DEALER,
    ILLEGAL,
    KEY,
    LANES,
    LAP,
    ORIGINAL_LANE,
    PENDING,
    PLAYER_BITS,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    TRICKS,
    UPCARD,
    cell_index,
    history_offset,
    pad_lanes,
    rotate_players,
)
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.core.columns import (
    fill_call_columns,
    fill_passed_out_columns,
    fill_play_columns,
    write_rows,
)
from kqj_sim.core.deal import deal
from kqj_sim.core.jit import block_loop, kernel, make_address_caller
from kqj_sim.core.play import complete_hands, move_taken_first, play_tricks, prepare_play
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.views import PASS

_HASH_MULTIPLIER = np.int64(-0x61C8864680B583EB)
"""SplitMix64's constant; multiplying by it and folding the high bits down mixes well enough: two
rounds that differ have the same mark once in 2**60 or so."""


@block_loop
def write_fingerprints(
    state: Any, lanes: int, played: int, log: Any, fingerprints: Any, first: int
) -> None:
    """Mark the rounds of a block by their calls and cards.

    Args:
        state: the block; its history was kept (`core.rules.Seating.memory`).
        lanes, played: how many lanes, and how many of them, the first, were played.
        log: int64 (`core.bidding.LOG_SIZE`,), the calls by ORIGINAL_LANE.
        fingerprints: int64, written from `first` on.
    """
    for i in range(lanes):
        mark = np.int64(0)
        for call in range(state[CALL_COUNT + i]):
            mark = (mark ^ log[call * STRIDE + state[ORIGINAL_LANE + i]]) * _HASH_MULTIPLIER
            mark ^= mark >> 32
        fingerprints[first + i] = mark
    for trick in range(TRICKS):
        for card in range(1, SEATS + 1):
            offset = history_offset(trick, card)
            for i in range(played):
                mark = (fingerprints[first + i] ^ state[cell_index(offset, i)]) * _HASH_MULTIPLIER
                fingerprints[first + i] = mark ^ (mark >> 32)


def _pack_teams(teams: tuple[int, ...]) -> int:
    return sum(team << PLAYER_BITS * seat for seat, team in enumerate(teams))


def _list_splits(teams: int) -> NDArray[np.int64]:
    """All splits of the seats into equal teams with numbers, packed: 20 or 90."""
    sizes = [seat % teams for seat in range(SEATS)]
    return np.array(sorted({_pack_teams(split) for split in permutations(sizes)}), dtype=np.int64)


TWO_TEAMS, THREE_TEAMS = (_pack_teams(tuple(seat % n for seat in range(SEATS))) for n in (2, 3))
TWO_TEAM_SPLITS, THREE_TEAM_SPLITS = _list_splits(2), _list_splits(3)


@block_loop
def seat_players(state: Any, lanes: int, rules: Rules, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    policies = 0
    for seat in range(SEATS):
        policies |= ((policy_of_seat >> 4 * seat) & 7) << (PLAYER_BITS * seat + 2)
    n = pad_lanes(lanes)
    if rules.random_partners:
        splits = TWO_TEAM_SPLITS if rules.teams == 2 else THREE_TEAM_SPLITS
        for i in range(n):
            number = rng.scale_below(rng.draw(state[KEY + i], rng.TEAMS), splits.shape[0])
            state[PLAYERS + i] = splits[number]
    else:
        fixed = TWO_TEAMS if rules.teams == 2 else THREE_TEAMS
        for i in range(n):
            state[PLAYERS + i] = fixed
    for i in range(n):
        opener = state[DEALER + i] + 1
        opener = 0 if opener == SEATS else opener
        state[PLAYERS + i] = rotate_players(state[PLAYERS + i] | policies, opener)


@kernel
def begin_rounds(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """Seat the players and deal."""
    seat_players(state, lanes, rules, seating.seats)
    deal(state, lanes)
    reset_calls(state, lanes)
    return lanes


@kernel
def call_by_taking(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """The calls of a game without auctions."""
    run_taking(state, lanes, rules, seating, log, 0)
    return lanes


@kernel
def call_by_auction(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """The calls of a game with auctions."""
    complete_hands(state, lanes, 0)
    run_auction(state, lanes, rules, seating, log, 0)
    return lanes


@kernel
def impose_contract(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """No calls: the table says who is Sender."""
    for i in range(pad_lanes(lanes)):
        state[SENDER + i] = seating.imposed_place
        state[CONTRACT + i] = seating.imposed_contract
        state[AMOUNT + i] = seating.imposed_amount
    return lanes


@kernel
def impose_opener_take(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """The opener takes with the Return's suit, whatever he holds."""
    for i in range(pad_lanes(lanes)):
        state[SENDER + i] = 0
        state[CONTRACT + i] = trailing_zeros(state[UPCARD + i]) >> 4
        state[LAP + i] = 1
    return lanes


@kernel
def impose_opener_pass(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """The opener passes in the first lap, whatever he holds; then the players call."""
    run_taking(state, lanes, rules, seating, log, 1)
    return lanes


@kernel
def finish_rounds(state: Any, lanes: int, rules: Rules, seating: Seating, log: Any) -> int:
    """Play and score what was taken, and describe it; how many lanes were played.

    Lanes are exchanged so that those that were played come first.
    """
    played = move_taken_first(state, lanes, rules.auction)
    complete_hands(state, played, 1 - rules.auction)
    prepare_play(state, played)
    if played > 0:
        play_tricks(state, played, rules, seating, 0, 0)
        count_tricks(state, played, rules)
        score_rounds(state, played, rules)
    if seating.wanted.shape[0] > 0:
        fill_call_columns(state, lanes, rules)
        fill_play_columns(state, played, rules)
        fill_passed_out_columns(state, lanes, played)
    return played


def make_stage_signature(rules: Any, seating: Seating) -> Any:
    """The signature of the stages with a game's rules, for `compile.address_of`."""
    block = types.int64[::1]
    return types.int64(block, types.int64, typeof(rules), typeof(seating), block)


BEGIN_STAGE, CALL_STAGE, FINISH_STAGE = range(3)
"""The stages of a round in `Seating.stages`."""

_EMPTY = np.zeros(1, dtype=np.int64)
EMPTY_SEATING = Seating(_EMPTY, np.zeros(1), _EMPTY, 1, 0, _EMPTY, _EMPTY, -1, -1, 0, 0, _EMPTY)
"""A table for its types."""
call_stage = make_address_caller(make_stage_signature(Rules(*[0] * 9), EMPTY_SEATING))
"""Call a stage of a round: (address, (state, lanes, rules, table, log))."""


@kernel
def play_block(state: Any, lanes: int, seed: int, rules: Rules, seating: Seating, log: Any) -> int:
    """Deal, call, play and score the rounds of a block.

    DEAL_NUMBER, DEALER and PENDING of the lanes say which rounds.

    `log` is empty, or int64 (`calls.LOG_SIZE`,): then the calls are noted there, by lane as before
    the exchange (ORIGIN).

    Returns:
        The number of lanes that were played; they come first.
    """
    for i in range(pad_lanes(lanes)):
        state[KEY + i] = rng.derive_deal_key(seed, state[DEAL_NUMBER + i])
        state[ILLEGAL + i] = 0
    played = lanes
    for stage in range(seating.stages.shape[0]):
        played = call_stage(seating.stages[stage], (state, lanes, rules, seating, log))
    return played


@kernel
def start_deals(state: Any, first: int, lanes: int) -> None:
    """Name single rounds: deals from `first` on, the dealer is deal mod 6, nothing pending."""
    for i in range(pad_lanes(lanes)):
        state[DEAL_NUMBER + i] = first + i
        state[DEALER + i] = (first + i) % SEATS
        state[PENDING + i] = 0


@kernel
def play_deals(
    state: Any, first: int, count: int, seed: int, rules: Rules, seating: Seating, deals: Any,
    values: Any, fingerprints: Any,
) -> int:  # fmt: skip
    """Single rounds of the deals `first` to `first + count - 1`; the dealer is deal mod 6.

    Args:
        state: a block.
        first, count: the deals.
        seed: seed of the run.
        rules, seating: the experiment.
        deals: int64 (count,), filled with the number of each row's deal.
        values: int16 (columns * count,), of which the wanted columns are filled.
        fingerprints: empty, or int64 (count,), filled with `core.marks`; then the table has a
            memory.

    Returns:
        -1, or the number of a deal in which a policy chose what is not allowed.
    """
    marked = fingerprints.shape[0] > 0
    log = np.empty(LOG_SIZE if marked else 0, np.int64)
    for done in range(0, count, LANES):
        lanes = min(LANES, count - done)
        start_deals(state, first + done, lanes)
        played = play_block(state, lanes, seed, rules, seating, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return int(state[DEAL_NUMBER + i])
        write_rows(state, lanes, seating.wanted, deals, values, done)
        if marked:
            write_fingerprints(state, lanes, played, log, fingerprints, done)
    return -1


@kernel
def replay_deals(
    state: Any, numbers: Any, dealers: Any, seed: int, rules: Rules, seating: Seating, deals: Any,
    values: Any,
) -> int:  # fmt: skip
    """Single rounds of any deals and dealers, with nothing pending.

    Args:
        state, seed, rules, seating, deals, values: as for `play_deals`.
        numbers, dealers: int64 (count,), the deals and the seats that deal.

    Returns:
        As `play_deals`.
    """
    log = np.empty(0, np.int64)
    done, count = 0, numbers.shape[0]
    while done < count:
        lanes = min(LANES, count - done)
        for i in range(pad_lanes(lanes)):
            which = done + min(i, lanes - 1)
            state[DEAL_NUMBER + i] = numbers[which]
            state[DEALER + i] = dealers[which]
            state[PENDING + i] = 0
        play_block(state, lanes, seed, rules, seating, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return int(state[DEAL_NUMBER + i])
        write_rows(state, lanes, seating.wanted, deals, values, done)
        done += lanes
    return -1


RESUME_CALLS, RESUME_PLAY = range(2)
"""The kernels of `core.rules.Seating.resume`."""
CARD_VALUES = 2
"""Behind them stands how the player values cards (`core.valuing`), or 0."""

NOTHING_PENDING, BID_PENDING, COUNTER_PENDING = range(3)
"""What was said just now in an auction that goes on."""


@kernel
def resume_taking(
    state: Any, lanes: int, rules: Rules, seating: Seating, turn: int, unused: int
) -> int:
    """The taking from a turn (0 to 11) on, where OPEN."""
    run_taking(state, lanes, rules, seating, np.empty(0, np.int64), turn)
    return lanes


@kernel
def resume_auction(
    state: Any, lanes: int, rules: Rules, seating: Seating, turn: int, pending: int
) -> int:
    """An auction from a turn on, where OPEN.

    With `pending` BID_PENDING what CALL says is entered for that turn first.  With COUNTER_PENDING
    somebody was
    asked to counter: who did (NEWS and STAKE) may be overcountered; where he did not, nobody else
    counters in this turn, nor does he bid if it was his.
    """
    complete_hands(state, lanes, 0)
    log = np.empty(0, np.int64)
    if pending == COUNTER_PENDING:
        ask_overcounters(state, lanes, rules, seating, log, 16 * turn)
        if not rules.counter_any_time:
            for i in range(pad_lanes(lanes)):
                state[CALL + i] = PASS
            enter_bids(state, lanes, rules, seating, log, turn)
    if pending == BID_PENDING:
        enter_bids(state, lanes, rules, seating, log, turn)
    run_auction(state, lanes, rules, seating, log, turn if pending == NOTHING_PENDING else turn + 1)
    return lanes


@kernel
def resume_play(
    state: Any, lanes: int, rules: Rules, seating: Seating, trick: int, position: int
) -> int:
    """The cards from a position of a trick (0 to 6) on, and what the round is worth.

    Afterwards the rows `total_0` and `score_0` and those of the other teams are filled.
    """
    play_tricks(state, lanes, rules, seating, trick, position)
    count_tricks(state, lanes, rules)
    score_rounds(state, lanes, rules)
    return lanes


def make_resume_signature(rules: Rules, seating: Seating) -> Any:
    """The signature of the kernels, for `compile.address_of`."""
    block = types.int64[::1]
    i64 = types.int64
    return i64(block, i64, typeof(rules), typeof(seating), i64, i64)


RESUME_SIGNATURE = make_resume_signature(Rules(*[0] * 9), EMPTY_SEATING)
call_resume = make_address_caller(RESUME_SIGNATURE)
"""Call one of the kernels: (address, (state, lanes, rules, table, two numbers that say where))."""
