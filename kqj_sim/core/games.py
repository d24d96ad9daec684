"""Games to a target score: rounds that follow each other, many games side by side.

A slot is a game in progress.  Slots are an array of their own, int64 (LANES, SLOT_FIELDS), since
the lanes of a block are exchanged while its rounds are played.
"""

from __future__ import annotations

import numpy as np
from numba import typeof, types

from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    DEALER,
    LANES,
    ORIGINAL_LANE,
    PENDING,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    column_offset,
    pad_lanes,
    team_of,
    wrap_seat,
)
from kqj_sim.core.columns import write_rows, write_sender_cards
from kqj_sim.core.jit import block_loop, kernel, make_address_caller
from kqj_sim.core.round import NO_RULES, find_illegal_choice, play_block
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.types import Address, Block, Int16Array, Int64Array

MAX_ROUNDS = 10_000
"""Deal number of a round: game * MAX_ROUNDS + round.  A game that is not over by then is an
error."""

NO_ERROR, ILLEGAL_CHOICE, TOO_LONG = range(3)

GAME, ROUND, PLAYED_ROUNDS, FIRST_DEALER, NEXT_DEALER, PENDING_NEXT, WINNER = range(7)
SCORE = 7
"""Scores, by team, or by seat with random partners: `SEATS` fields, of which a game may use
fewer."""
SLOT_FIELDS = SCORE + SEATS

_PENDING_AFTER = column_offset("pending_after")
_ROUND_SCORE = column_offset("score_0")


def new_slots(count: int) -> Int64Array:
    """Return slots for a number of games."""
    return np.zeros((count, SLOT_FIELDS), dtype=np.int64)


@kernel
def advance(state: Block, slots: Int64Array, lanes: int, rules: Rules) -> None:
    """Update the slots after a round of KQJ: scores, pending gratuity and winner."""
    for i in range(lanes):
        slot = state[ORIGINAL_LANE + i]
        taken = state[SENDER + i] >= 0
        best, at, shared = -1, -1, False
        for score in range(SEATS):
            place = wrap_seat(score + SEATS - 1 - state[DEALER + i], SEATS)
            team = team_of(state[PLAYERS + i], place) if rules.random_partners else score
            if team < rules.teams:
                if taken:
                    slots[slot, SCORE + score] += state[_ROUND_SCORE + team * STRIDE + i]
                value = slots[slot, SCORE + score]
                shared = (shared and value <= best) or value == best
                if value > best:
                    best, at = value, score
        slots[slot, WINNER] = at if best >= rules.target and not shared else -1
        slots[slot, PENDING_NEXT] = state[(_PENDING_AFTER if taken else PENDING) + i]
        slots[slot, NEXT_DEALER] = wrap_seat(state[DEALER + i] + 1, SEATS)
        slots[slot, PLAYED_ROUNDS] += taken
        slots[slot, ROUND] += 1


@kernel
def drop_finished(slots: Int64Array, lanes: int) -> int:
    """Remove the slots whose games are over; return the number of the others."""
    slot = 0
    while slot < lanes:
        if slots[slot, WINNER] < 0:
            slot += 1
        else:
            lanes -= 1
            slots[slot] = slots[lanes]
    return lanes


ADVANCE_SIGNATURE = types.void(types.int64[::1], types.int64[:, ::1], types.int64, typeof(NO_RULES))
"""The signature of a game's `advance`."""
call_advance = make_address_caller(ADVANCE_SIGNATURE)
"""Call a game's `advance`: (address, (block, slots, lanes, rules))."""


@block_loop
def start_game(slots: Int64Array, slot: int, game: int, seed: int, rules: Rules) -> None:
    """Begin a game in a slot: its first dealer is drawn at random."""
    slots[slot, :] = 0
    slots[slot, GAME] = game
    slots[slot, WINNER] = -1
    dealer = rng.scale_below(
        rng.draw(rng.derive_deal_key(seed, game * MAX_ROUNDS), rng.FIRST_DEALER), rules.seats
    )
    slots[slot, FIRST_DEALER] = slots[slot, NEXT_DEALER] = dealer
    for score in range(SEATS):
        slots[slot, SCORE + score] = rules.start_score


@kernel
def start_games(slots: Int64Array, lanes: int, first: int, seed: int, rules: Rules) -> None:
    """Begin the games `first` to `first + lanes - 1` in the first slots."""
    for slot in range(lanes):
        start_game(slots, slot, first + slot, seed, rules)


@kernel
def assign_rounds(state: Block, slots: Int64Array, lanes: int) -> None:
    """Assign the next round of each slot to the lanes of a block."""
    for i in range(pad_lanes(lanes)):
        slot = min(i, lanes - 1)
        state[DEAL_NUMBER + i] = slots[slot, GAME] * MAX_ROUNDS + slots[slot, ROUND]
        state[DEALER + i] = slots[slot, NEXT_DEALER]
        state[PENDING + i] = slots[slot, PENDING_NEXT]


@kernel
def play_games(
    state: Block, slots: Int64Array, lanes: int, next_game: int, last_game: int, seed: int,
    rules: Rules, seating: Seating, advance_address: Address, deals: Int64Array,
    values: Int16Array, sender_cards: Int64Array, games: Int64Array,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Continue the games in the slots, and start further ones in slots that become free.

    Stop when all games are over or the rows are full; call again with the result.

    Args:
        state: a block.
        slots: int64 (LANES, SLOT_FIELDS), with `lanes` games in progress.
        lanes: games in progress.
        next_game, last_game: the games still to start, `last_game` excluded.
        seed, rules, seating: the experiment.
        advance_address: address of the game's `ADVANCE_SIGNATURE` kernel.
        deals: int64 (chunk,), values: int16 (columns * chunk,): the rows.
        sender_cards: empty, or int64 (chunk,), filled by `core.columns.write_sender_cards`.
        games: int64 (chunk, SLOT_FIELDS): the finished games.

    Returns:
        lanes, next_game, rows written, games written, error, deal of the error.
    """
    log = np.empty(0, np.int64)
    rows, finished = 0, 0
    while lanes > 0 and rows + LANES <= deals.shape[0]:
        assign_rounds(state, slots, lanes)
        play_block(state, lanes, seed, rules, seating, log)
        illegal = find_illegal_choice(state, lanes)
        if illegal >= 0:
            return lanes, next_game, rows, finished, ILLEGAL_CHOICE, illegal
        write_rows(state, lanes, seating.wanted, deals, values, rows)
        if sender_cards.shape[0] > 0:
            write_sender_cards(state, lanes, sender_cards, rows)
        rows += lanes
        call_advance(advance_address, (state, slots, lanes, rules))
        for slot in range(lanes):
            if slots[slot, WINNER] >= 0:
                games[finished] = slots[slot]
                finished += 1
                if next_game < last_game:
                    start_game(slots, slot, next_game, seed, rules)
                    next_game += 1
            elif slots[slot, ROUND] >= MAX_ROUNDS:
                deal = slots[slot, GAME] * MAX_ROUNDS + MAX_ROUNDS - 1
                return lanes, next_game, rows, finished, TOO_LONG, int(deal)
        lanes = drop_finished(slots, lanes)
    return lanes, next_game, rows, finished, NO_ERROR, -1
