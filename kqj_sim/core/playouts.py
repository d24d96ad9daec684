"""Playouts: lanes of one block copied into another and played on to the end of the round.

A playout starts at a turn to play, with a chosen card and hands for the other players
(`play_out_queue`), or at a turn to call (`resume_calls`, then `play_called`).  In the second case
the caller fills the lanes of a block with cards (FIRST_FIVE, FURTHER_CARDS, UPCARD or DEALT), keys,
players and the `PUBLIC_ROWS`, in which the tried call has been made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.round import FINISH_STAGE, RESUME_CALLS, RESUME_PLAY, call_resume, call_stage
from kqj_sim.core.trick import put_card
from kqj_sim.core.types import Block, Int64Array, Lane, Position, Rules, Seating, Team

_SCORE = b.column_offset("score_0")
_TOTAL = b.column_offset("total_0")

PUBLIC_ROWS = (
    b.SENDER,
    b.CONTRACT,
    b.LAP,
    b.AMOUNT,
    b.CAPOT,
    b.STAKE,
    b.OPENING_AMOUNT,
    b.BID_COUNT,
    b.LAST_BIDS,
    b.PASS_COUNT,
    b.STILL_CALLING,
    b.AWAITS_REPLY,
    b.CALL,
)
"""Rows that hold the state of the calls and the call being made."""


class PlayoutQueue(NamedTuple):
    """Lanes of an outer block that wait to be played out, and the inner block to do it in."""

    state: Block
    """The inner block."""
    sources: Int64Array
    """int64 (LANES,): lanes of the outer block."""
    cards: Int64Array
    """int64 (LANES,): the cards to play."""
    keys: Int64Array
    """int64 (LANES,): keys of the draws."""
    hands: Int64Array
    """int64 (SEATS * LANES,): hands without cards on the table, by place, six per lane; that of
    the player to play is ignored."""
    targets: Int64Array
    """int64 (LANES,): a number for the caller, such as the index of the result."""


@scalar
def new_playout_queue() -> PlayoutQueue:
    """Return an empty queue for a block of lanes."""
    return PlayoutQueue(
        b.allocate_inner_block(),
        np.empty(b.LANES, np.int64),
        np.empty(b.LANES, np.int64),
        np.empty(b.LANES, np.int64),
        np.empty(b.SEATS * b.LANES, np.int64),
        np.empty(b.LANES, np.int64),
    )


@block_loop
def copy_lanes(state: Block, inner: Block, sources: Int64Array, lanes: int) -> None:
    """Copy lanes `sources[i]` of `state`, in the middle of a trick, to lanes i of `inner`.

    Results, history and scratch rows are left out.  Loops run over whole vectors, so `sources` and
    lanes are filled up with the first one.
    """
    n = b.pad_lanes(lanes)
    for i in range(lanes, n):
        sources[i] = sources[0]
    for row in range(b.REPLACEMENT_CARD // b.STRIDE):
        for i in range(n):
            inner[b.cell_index(row * b.STRIDE, i)] = state[b.cell_index(row * b.STRIDE, sources[i])]
    for row in range(b.TRICK_CARDS // b.STRIDE, b.ROW_COUNT):
        for i in range(n):
            inner[b.cell_index(row * b.STRIDE, i)] = state[b.cell_index(row * b.STRIDE, sources[i])]


@block_loop
def put_trick_cards(state: Block, lanes: int, position: Position) -> None:
    """Play the cards that TRICK_CARDS holds for a position."""
    for i in range(b.pad_lanes(lanes)):
        card = state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, i)]
        put_card(state, i, position, card)


@block_loop
def play_out_queue(
    state: Block, queue: PlayoutQueue, waiting: int, trick: int, position: Position, rules: Rules,
    seating: Seating,
) -> None:  # fmt: skip
    """Play the first `waiting` lanes of a queue out, from their card to the end of the round.

    The outer block must hold the finished tricks (`core.block.TRICK_HISTORY`).
    """
    copy_lanes(state, queue.state, queue.sources, waiting)
    inner = queue.state
    for lane in range(b.pad_lanes(waiting)):
        entry = lane if lane < waiting else 0
        i = queue.sources[entry]
        leader = state[b.LEADER + i]
        inner[b.KEY + lane] = queue.keys[entry]
        inner[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, lane)] = queue.cards[entry]
        for other in range(b.SEATS):
            place = (leader + other) % b.SEATS
            hand = queue.hands[entry * b.SEATS + place]
            if other != position:
                # A card stays in the hand until its trick is over.
                held = hand | (
                    state[b.cell_index(b.TRICK_CARDS + other * b.STRIDE, i)]
                    if other < position
                    else 0
                )
                inner[b.cell_index(b.HAND + other * b.STRIDE, lane)] = held
                inner[b.cell_index(b.DEALT + place * b.STRIDE, lane)] = held
        for finished in range(trick):
            led_by = state[b.cell_index(b.history_offset(finished, 0), i)]
            for other in range(b.SEATS):
                place = (led_by + other) % b.SEATS
                card = state[b.cell_index(b.history_offset(finished, 1 + other), i)]
                inner[b.cell_index(b.DEALT + place * b.STRIDE, lane)] |= card
            if seating.keeps_history != 0:
                for row in range(1 + b.SEATS):
                    at = b.history_offset(finished, row)
                    inner[b.cell_index(at, lane)] = state[b.cell_index(at, i)]
    put_trick_cards(inner, waiting, position)
    call_resume(seating.resume[RESUME_PLAY], (inner, waiting, rules, seating, trick, position + 1))


@scalar
def compute_utility(state: Block, lane: Lane, team: Team, teams: int) -> float:
    """Return the utility of a scored round to a team, in points.

    It is the mean of the score difference and the difference in totals, to the other team or the
    mean of the two others.  Only scores count in the game, but totals tell more of a single card.
    """
    own = others = 0
    for other in range(teams):
        value = (
            state[b.cell_index(_SCORE + other * b.STRIDE, lane)]
            + state[b.cell_index(_TOTAL + other * b.STRIDE, lane)]
        )
        own += value if other == team else 0
        others += value if other != team else 0
    return 0.5 * (own - others / (teams - 1))


@block_loop
def resume_calls(
    state: Block, lanes: int, rules: Rules, seating: Seating, turn: int, pending: int
) -> None:
    """Go on calling from a turn in a filled block; `turn` and `pending` as of `core.round`."""
    for lane in range(b.pad_lanes(lanes)):
        state[b.ORIGINAL_LANE + lane] = lane
    for lane in range(lanes, b.pad_lanes(lanes)):
        state[b.STILL_CALLING + lane] = 0
        state[b.SENDER + lane] = -1
    call_resume(seating.resume[RESUME_CALLS], (state, lanes, rules, seating, turn, pending))


@block_loop
def play_called(state: Block, lanes: int, rules: Rules, seating: Seating) -> int:
    """Play the rounds that have a Sender after `resume_calls`, and describe them.

    Return how many; they come first, and ORIGINAL_LANE holds their former numbers.
    """
    log = np.empty(0, np.int64)
    return call_stage(seating.stages[FINISH_STAGE], (state, lanes, rules, seating, log))
