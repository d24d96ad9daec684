"""A block of rounds of Kwajongen, in three stages as in `core.round`.

Kwajongen's calls: from the dealer's left each once, until somebody plays.

Dealing Kwajongen: four cards each, one of the dealer's face up; eight stay out.

Kwajongen's play: four tricks of what was dealt, by the loops of `core.play`.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core import play, rng, round
from kqj_sim.core.bidding import log_call, reset_calls
from kqj_sim.core.block import (
    CALL,
    CONTRACT,
    DEALER,
    DEALT,
    HAND,
    KEY,
    LEADER,
    MUST_BEAT,
    PLAYED_CARDS,
    PLAYER_BITS,
    PLAYERS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SCRATCH,
    SENDER,
    SENDER_TEAM,
    STILL_CALLING,
    STRIDE,
    TRUMPS,
    UPCARD,
    WON_CARDS,
    cell_index,
    pad_lanes,
    team_of,
)
from kqj_sim.core.cards import make_point_planes
from kqj_sim.core.deal import PAIRS, TRIPLES, deposit
from kqj_sim.core.dispatch import ACCEPT, ask
from kqj_sim.core.jit import block_loop, kernel, make_address_caller, rebind_globals, scalar
from kqj_sim.core.kwajongen import cards as bits
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    OBLIGED_CARDS,
    PACK,
    SEATS,
    TRICKS,
    KwajongenCoreRules,
    rotate_players,
    suit_of,
)
from kqj_sim.core.kwajongen.scoring import (
    fill_call_columns,
    fill_passed_out_columns,
    fill_play_columns,
    score_rounds,
)
from kqj_sim.core.kwajongen.trick import finish_trick, play_last_trick
from kqj_sim.core.play import move_taken_first
from kqj_sim.core.round import EMPTY_SEATING, make_stage_signature
from kqj_sim.core.rules import Seating

LOG_PASS, LOG_PLAY = range(2)
"""Kinds of logged calls (`core.calls`)."""


@block_loop
def set_trumps(state: Any, lanes: int) -> None:
    """The suit of the turned card is the trump suit, whether somebody plays or not."""
    for i in range(pad_lanes(lanes)):
        state[CONTRACT + i] = suit_of(state[UPCARD + i])


@block_loop
def run_accepting(
    state: Any,
    lanes: int,
    rules: KwajongenCoreRules,
    seating: Any,
    log: Any,
    first_place: int,
    end: int,
) -> None:
    """Ask each place from one (0 to 3) up to another, left out, whether it plays, where
    STILL_CALLING."""
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
"""Sizes of the groups in the order drawn: two pairs a place, the turned card, the dealer's rest."""
_CARDS_LEFT = [PACK_SIZE - sum(GROUP_SIZES[:number]) for number in range(len(GROUP_SIZES))]
SUBSET_COUNTS = np.array(
    [comb(n, k) for n, k in zip(_CARDS_LEFT, GROUP_SIZES, strict=True)], dtype=np.int64
)


@block_loop
def deal(state: Any, lanes: int) -> None:
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
"""By bit of a lane, 9 T J Q K A, in every suit."""
CARD_POINT_PLANES = make_point_planes(*[POINTS_OF_RANK] * 4)
_PLANE_COUNT = np.shape(CARD_POINT_PLANES)[0]


@block_loop
def prepare_play(state: Any, lanes: int, rules: KwajongenCoreRules) -> None:
    """Everything that the first trick needs, from DEALT_FOUR, SENDER and CONTRACT."""
    n = pad_lanes(lanes)
    for i in range(n):
        state[TRUMPS + i] = bits.TRUMP_SUIT
        state[OBLIGED_CARDS + i] = bits.TRUMP_SUIT if rules.must_trump else 0
        state[MUST_BEAT + i] = 0
        state[PLAYED_CARDS + i] = 0
        state[WON_CARDS + i] = 0
        state[WON_CARDS + STRIDE + i] = 0
        state[LEADER + i] = 0
        players = state[PLAYERS + i]
        sender = state[SENDER + i]
        state[PLAYERS_BY_POSITION + i] = players
        state[SENDER_TEAM + i] = team_of(players, sender if sender >= 0 else 0)
    for plane in range(_PLANE_COUNT):
        cards = CARD_POINT_PLANES[plane]
        for i in range(n):
            state[cell_index(POINT_PLANES + plane * STRIDE, i)] = cards
    for place in range(SEATS):
        held = DEALT_FOUR + place * STRIDE
        dealt = DEALT + place * STRIDE
        hand = HAND + place * STRIDE
        for i in range(n):
            cards = bits.to_strength_order(state[cell_index(held, i)], state[CONTRACT + i])
            state[cell_index(dealt, i)] = cards
            state[cell_index(hand, i)] = cards


record_trick = scalar(rebind_globals("kwajongen_remember", play.record_trick, SEATS=SEATS))
play_tricks = block_loop(
    rebind_globals(
        "kwajongen_play_tricks",
        play.play_tricks,
        SEATS=SEATS,
        TRICKS=TRICKS,
        record_trick=record_trick,
        finish_trick=finish_trick,
        play_last_trick=play_last_trick,
    )
)

_PACKED_TEAMS = sum((seat % 2) << PLAYER_BITS * seat for seat in range(SEATS))


@block_loop
def seat_players(state: Any, lanes: int, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    seats = _PACKED_TEAMS
    for seat in range(SEATS):
        seats |= ((policy_of_seat >> 4 * seat) & 7) << (PLAYER_BITS * seat + 2)
    for i in range(pad_lanes(lanes)):
        left = state[DEALER + i] + 1
        state[PLAYERS + i] = rotate_players(seats, 0 if left == SEATS else left)


@kernel
def begin_rounds(
    state: Any, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Any
) -> int:
    """Seat the players and deal."""
    seat_players(state, lanes, seating.seats)
    deal(state, lanes)
    reset_calls(state, lanes)
    set_trumps(state, lanes)
    return lanes


@kernel
def call_by_accepting(
    state: Any, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Any
) -> int:
    """The calls."""
    run_accepting(state, lanes, rules, seating, log, 0, SEATS)
    return lanes


@kernel
def finish_rounds(
    state: Any, lanes: int, rules: KwajongenCoreRules, seating: Seating, log: Any
) -> int:
    """Play and score where somebody accepted, and describe it; how many lanes were played.

    Lanes are exchanged so that those that were played come first.
    """
    played = move_taken_first(state, lanes, 0)
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
"""Call a stage of a round: (address, (state, lanes, rules, table, log))."""

write_fingerprints = block_loop(
    rebind_globals("kwajongen_write_marks", round.write_fingerprints, SEATS=SEATS, TRICKS=TRICKS)
)
play_block = kernel(rebind_globals("kwajongen_play_block", round.play_block, call_stage=call_stage))
start_deals = kernel(rebind_globals("kwajongen_start_deals", round.start_deals, SEATS=SEATS))
play_deals = kernel(
    rebind_globals(
        "kwajongen_play_deals",
        round.play_deals,
        start_deals=start_deals,
        play_block=play_block,
        write_fingerprints=write_fingerprints,
    )
)
replay_deals = kernel(
    rebind_globals("kwajongen_play_again", round.replay_deals, play_block=play_block)
)
