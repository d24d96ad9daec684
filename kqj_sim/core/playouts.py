"""Branches of a round: lanes of one block carried on in another with a card of one's choice.

Calls that are tried out: how things stand is put into a block, and the round goes on from there.

Who tries a call out fills the lanes of a block with the cards (FIVE, EXTRA, TURNED), the keys, the
players and the `PUBLIC_ROWS` rows, in which the call was made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import (
    AMOUNT,
    AWAITS_REPLY,
    BID_COUNT,
    CALL,
    CAPOT,
    CONTRACT,
    DEALT,
    HAND,
    KEY,
    LANES,
    LAP,
    LAST_BIDS,
    LEADER,
    OPENING_AMOUNT,
    ORIGINAL_LANE,
    PASS_COUNT,
    REPLACEMENT_CARD,
    ROW_COUNT,
    SEATS,
    SENDER,
    STAKE,
    STILL_CALLING,
    STRIDE,
    TRICK_CARDS,
    allocate_inner_block,
    cell_index,
    column_offset,
    history_offset,
    pad_lanes,
)
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.round import FINISH_STAGE, RESUME_CALLS, RESUME_PLAY, call_resume, call_stage
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import put_follow, put_lead

_SCORE = column_offset("score_0")
_TOTAL = column_offset("total_0")


class PlayoutQueue(NamedTuple):
    """Lanes that wait to be carried on, and the block that they go into.

    state: the inner block.
    sources: lane of the outer block.
    cards: the card that is played.
    keys: key of the draws.
    hands: hands of the players without what lies on the table, by place, six a lane; that of who
        plays is not looked at.
    where: a number for the caller, such as where the result goes.
    """

    state: Any
    sources: Any
    cards: Any
    keys: Any
    hands: Any
    where: Any


@scalar
def new_playout_queue() -> PlayoutQueue:
    """Room for a block of waiting lanes."""
    return PlayoutQueue(
        allocate_inner_block(),
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(SEATS * LANES, np.int64),
        np.empty(LANES, np.int64),
    )


@block_loop
def copy_lanes(state: Any, inner: Any, sources: Any, lanes: int) -> None:
    """Copy lanes in the middle of a trick: lane i of `inner` becomes lane `sources[i]` of `state`.

    What is left out are results, history and the rows that stages use among themselves.  Loops run
    over whole vectors, so the lanes behind are filled, and `sources` with them.
    """
    n = pad_lanes(lanes)
    for i in range(lanes, n):
        sources[i] = sources[0]
    for row in range(REPLACEMENT_CARD // STRIDE):
        for i in range(n):
            inner[cell_index(row * STRIDE, i)] = state[cell_index(row * STRIDE, sources[i])]
    for row in range(TRICK_CARDS // STRIDE, ROW_COUNT):
        for i in range(n):
            inner[cell_index(row * STRIDE, i)] = state[cell_index(row * STRIDE, sources[i])]


@block_loop
def put_trick_cards(state: Any, lanes: int, position: int) -> None:
    """Put the cards which TRICK_CARDS names for a position on the table."""
    for i in range(pad_lanes(lanes)):
        card = state[cell_index(TRICK_CARDS + position * STRIDE, i)]
        if position == 0:
            put_lead(state, i, card)
        else:
            put_follow(state, i, position, card)


@block_loop
def play_out_queue(
    state: Any, branches: PlayoutQueue, waiting: int, trick: int, position: int, rules: Rules,
    seating: Seating,
) -> None:  # fmt: skip
    """Play the waiting lanes on from their card to the end of the round.

    The finished tricks must have been kept in the outer block (`core.block.TRICK_HISTORY`).
    """
    copy_lanes(state, branches.state, branches.sources, waiting)
    block = branches.state
    for lane in range(pad_lanes(waiting)):
        of = lane if lane < waiting else 0
        i = branches.sources[of]
        leader = state[LEADER + i]
        block[KEY + lane] = branches.keys[of]
        block[cell_index(TRICK_CARDS + position * STRIDE, lane)] = branches.cards[of]
        for other in range(SEATS):
            place = (leader + other) % SEATS
            hand = branches.hands[of * SEATS + place]
            if other != position:
                # A card stays in the hand until its trick is over.
                held = hand | (
                    state[cell_index(TRICK_CARDS + other * STRIDE, i)] if other < position else 0
                )
                block[cell_index(HAND + other * STRIDE, lane)] = held
                block[cell_index(DEALT + place * STRIDE, lane)] = held
        for finished in range(trick):
            led_by = state[cell_index(history_offset(finished, 0), i)]
            for other in range(SEATS):
                place = (led_by + other) % SEATS
                card = state[cell_index(history_offset(finished, 1 + other), i)]
                block[cell_index(DEALT + place * STRIDE, lane)] |= card
            if seating.keeps_history != 0:
                for row in range(1 + SEATS):
                    at = history_offset(finished, row)
                    block[cell_index(at, lane)] = state[cell_index(at, i)]
    put_trick_cards(block, waiting, position)
    call_resume(seating.resume[RESUME_PLAY], (block, waiting, rules, seating, trick, position + 1))


@scalar
def compute_utility(state: Any, lane: int, team: int, teams: int) -> float:
    """What a scored round is worth to a team, in points: what those maximise who play to win.

    Half the difference of the scores and half that of the totals, to the other team or the mean of
    the two others.  Scores alone are what counts, but say little of a single card.
    """
    own = others = 0
    for each in range(teams):
        value = (
            state[cell_index(_SCORE + each * STRIDE, lane)]
            + state[cell_index(_TOTAL + each * STRIDE, lane)]
        )
        own += value if each == team else 0
        others += value if each != team else 0
    return 0.5 * (own - others / (teams - 1))


CALL_STATE_ROWS = (
    SENDER,
    CONTRACT,
    LAP,
    AMOUNT,
    CAPOT,
    STAKE,
    OPENING_AMOUNT,
    BID_COUNT,
    LAST_BIDS,
    PASS_COUNT,
    STILL_CALLING,
)
"""The rows that say what the calls have come to."""

PUBLIC_ROWS = (*CALL_STATE_ROWS, AWAITS_REPLY, CALL)
"""These, and what is being said just now."""


@block_loop
def resume_calls_and_play(
    block: Any,
    lanes: int,
    rules: Rules,
    calling_seating: Seating,
    playing_seating: Seating,
    turn: int,
    pending: int,
) -> int:
    """Go on calling from a turn (`core.resume`), play what was taken, and describe it.

    Args:
        block: the block, filled.
        lanes: lanes that are filled.
        rules: the rules.
        calling_seating, playing_seating: who calls on, and who plays the cards.
        turn, pending: where the calling goes on, as the kernels of `core.resume` take it.

    Returns:
        How many lanes were played; they come first, and ORIGINAL_LANE says where each was.
    """
    for lane in range(pad_lanes(lanes)):
        block[ORIGINAL_LANE + lane] = lane
    for lane in range(lanes, pad_lanes(lanes)):
        block[STILL_CALLING + lane] = 0
        block[SENDER + lane] = -1
    call_resume(
        calling_seating.resume[RESUME_CALLS], (block, lanes, rules, calling_seating, turn, pending)
    )
    log = np.empty(0, np.int64)
    return call_stage(
        playing_seating.stages[FINISH_STAGE], (block, lanes, rules, playing_seating, log)
    )
