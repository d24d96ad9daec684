"""Rounds of Kwajongen, a block at a time, in three stages as in `core.round`."""

from __future__ import annotations

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.bidding import log_call, reset_calls
from kqj_sim.core.block import (
    CALL,
    CONTRACT,
    DEALER,
    DEALT,
    HAND,
    KEY,
    MUST_BEAT,
    OBLIGED_CARDS,
    PLAYER_BITS,
    PLAYERS,
    POINT_PLANES,
    SCRATCH,
    SENDER,
    STILL_CALLING,
    STRIDE,
    TAKING_ROWS,
    TRUMPS,
    UPCARD,
    cell_index,
    pad_lanes,
)
from kqj_sim.core.cards import make_point_planes
from kqj_sim.core.deal import PAIRS, TRIPLES, count_subsets, deposit
from kqj_sim.core.dispatch import ACCEPT, ask
from kqj_sim.core.jit import block_loop, kernel, make_address_caller
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    PACK,
    SEATS,
    TRICKS,
    TRUMP_SUIT,
    KwajongenCoreRules,
    rotate_players,
    suit_of,
    to_strength_order,
)
from kqj_sim.core.kwajongen.scoring import (
    fill_call_columns,
    fill_passed_out_columns,
    fill_play_columns,
    score_rounds,
)
from kqj_sim.core.kwajongen.trick import finish_trick, play_last_trick
from kqj_sim.core.play import (
    make_play_tricks,
    make_record_trick,
    move_taken_first,
    seat_at_first_trick,
)
from kqj_sim.core.round import (
    EMPTY_SEATING,
    make_round_kernels,
    make_stage_signature,
    pack_policies,
)
from kqj_sim.core.rules import Seating
from kqj_sim.core.types import Block, Int64Array, Place

LOG_PASS, LOG_PLAY = range(2)
"""Kinds of logged calls (`core.bidding.log_call`)."""


@block_loop
def set_trumps(state: Block, lanes: int) -> None:
    """Make the upcard's suit the trump suit, whether a place accepts or not."""
    for i in range(pad_lanes(lanes)):
        state[CONTRACT + i] = suit_of(state[UPCARD + i])


@block_loop
def run_accepting(
    state: Block,
    lanes: int,
    rules: KwajongenCoreRules,
    seating: Seating,
    log: Int64Array,
    first_place: Place,
    end: Place,
) -> None:
    """Ask the places `first_place` to `end - 1` in turn whether they play, where STILL_CALLING."""
    n = pad_lanes(lanes)
    for place in range(first_place, end):
        ask(seating, ACCEPT, state, lanes, place, 0, rules.teams, rules.must_trump)
        if log.shape[0] > 0:
            for i in range(lanes):
                if state[STILL_CALLING + i] != 0:
                    kind = LOG_PLAY if state[CALL + i] == 1 else LOG_PASS
                    log_call(state, log, i, place, kind, 0)
        for i in range(n):
            accepts = state[STILL_CALLING + i] != 0 and state[CALL + i] == 1
            state[SENDER + i] = place if accepts else state[SENDER + i]
            state[STILL_CALLING + i] = 0 if accepts else state[STILL_CALLING + i]


PACK_SIZE = 24
GROUP_SIZES = (2, 2, 2, 2, 2, 2, 1, 3)
"""Sizes of the groups in the order drawn: two pairs a place, the upcard, the dealer's
other three."""
SUBSET_COUNTS = count_subsets(GROUP_SIZES, PACK_SIZE)


@block_loop
def deal(state: Block, lanes: int) -> None:
    """Deal `lanes` rounds: DEALT_FOUR and UPCARD from KEY."""
    n = pad_lanes(lanes)
    for group in range(len(GROUP_SIZES)):
        choices = SUBSET_COUNTS[group]
        base = SCRATCH + group * STRIDE
        for i in range(n):
            state[base + i] = rng.scale_below(rng.draw(state[KEY + i], rng.DEAL + group), choices)
    for i in range(n):
        left = PACK
        for place in range(SEATS - 1):
            two = deposit(PAIRS[np.uint64(state[SCRATCH + 2 * place * STRIDE + i])], left)
            left ^= two
            more = deposit(PAIRS[np.uint64(state[SCRATCH + (2 * place + 1) * STRIDE + i])], left)
            left ^= more
            state[DEALT_FOUR + place * STRIDE + i] = two | more
        card = deposit(1 << state[SCRATCH + 6 * STRIDE + i], left)
        left ^= card
        three = deposit(TRIPLES[np.uint64(state[SCRATCH + 7 * STRIDE + i])], left)
        state[UPCARD + i] = card
        state[DEALT_FOUR + (SEATS - 1) * STRIDE + i] = card | three


POINTS_OF_RANK = (0, 0, 1, 2, 3, 4)
"""By rank, 9 T J Q K A, in every suit."""
CARD_POINT_PLANES = make_point_planes(*[POINTS_OF_RANK] * 4)
_PLANE_COUNT = np.shape(CARD_POINT_PLANES)[0]


@block_loop
def prepare_play(state: Block, lanes: int, rules: KwajongenCoreRules) -> None:
    """Fill the rows that the first trick needs, from DEALT_FOUR, SENDER and CONTRACT."""
    n = pad_lanes(lanes)
    for i in range(n):
        state[TRUMPS + i] = TRUMP_SUIT
        state[OBLIGED_CARDS + i] = TRUMP_SUIT if rules.must_trump else 0
        state[MUST_BEAT + i] = 0
        seat_at_first_trick(state, i)
    for plane in range(_PLANE_COUNT):
        cards = CARD_POINT_PLANES[plane]
        for i in range(n):
            state[cell_index(POINT_PLANES + plane * STRIDE, i)] = cards
    for place in range(SEATS):
        held = DEALT_FOUR + place * STRIDE
        dealt = DEALT + place * STRIDE
        hand = HAND + place * STRIDE
        for i in range(n):
            cards = to_strength_order(state[cell_index(held, i)], state[CONTRACT + i])
            state[cell_index(dealt, i)] = cards
            state[cell_index(hand, i)] = cards


record_trick = make_record_trick(SEATS)
play_tricks = make_play_tricks(
    seats=SEATS,
    tricks=TRICKS,
    record_trick=record_trick,
    finish_trick=finish_trick,
    play_last_trick=play_last_trick,
)

_PACKED_TEAMS = sum((seat % 2) << PLAYER_BITS * seat for seat in range(SEATS))


@block_loop
def seat_players(state: Block, lanes: int, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    seats = _PACKED_TEAMS | pack_policies(policy_of_seat, SEATS)
    for i in range(pad_lanes(lanes)):
        left = state[DEALER + i] + 1
        state[PLAYERS + i] = rotate_players(seats, 0 if left == SEATS else PLAYER_BITS * left)


@kernel
def begin_rounds(
    state: Block, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Int64Array
) -> int:
    """Seat the players and deal."""
    seat_players(state, lanes, seating.seats)
    deal(state, lanes)
    reset_calls(state, lanes)
    set_trumps(state, lanes)
    return lanes


@kernel
def call_by_accepting(
    state: Block, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Int64Array
) -> int:
    """Run the calls: each place once, from the dealer's left, until one plays."""
    run_accepting(state, lanes, rules, seating, log, 0, SEATS)
    return lanes


@kernel
def finish_rounds(
    state: Block, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Int64Array
) -> int:
    """Play and score the rounds that a place accepted, and fill their columns.

    Lanes are exchanged so that those that were played come first; return their number.
    """
    played = move_taken_first(state, lanes, TAKING_ROWS)
    prepare_play(state, played, rules)
    if played > 0:
        play_tricks(state, played, rules, seating, 0, 0)
        score_rounds(state, played)
    if seating.wanted.shape[0] > 0:
        fill_call_columns(state, lanes)
        fill_play_columns(state, played)
        fill_passed_out_columns(state, lanes, played)
    return played


call_stage = make_address_caller(make_stage_signature(KwajongenCoreRules(2, 0), EMPTY_SEATING))
"""Call a stage of a round: (address, (block, lanes, rules, seating, log))."""

start_deals, play_block, play_deals = make_round_kernels(
    "kwajongen", seats=SEATS, tricks=TRICKS, call_stage=call_stage
)
