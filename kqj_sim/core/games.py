"""Games to the target: rounds that follow each other, many games side by side.

A slot is a game that goes on.  Its numbers stand in a table of their own, int64 (LANES,
SLOT_FIELDS), since the lanes of a block are exchanged while its rounds are played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    DEALER,
    ILLEGAL,
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
from kqj_sim.core.columns import write_rows
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import play_block
from kqj_sim.core.rules import Rules, Seating

MAX_ROUNDS = 10_000
"""Deal number of a round: game * MAX_ROUNDS + round.  A game that is not over by then is given
up."""

NO_ERROR, ILLEGAL_CHOICE, TOO_LONG = range(3)

GAME, ROUND, PLAYED_ROUNDS, FIRST_DEALER, PENDING_NEXT, WINNER = range(6)
SCORE = 6
"""Scores, by team, or by seat with random partners: `SEATS` fields."""
SLOT_FIELDS = SCORE + SEATS

_PENDING_AFTER = column_offset("pending_after")
_ROUND_SCORE = column_offset("score_0")


def new_slots(count: int) -> NDArray[np.int64]:
    """Room for a number of games."""
    return np.zeros((count, SLOT_FIELDS), dtype=np.int64)


@kernel
def start_game(slots: Any, slot: int, game: int, seed: int) -> None:
    """Begin a game: its first dealer is drawn at random."""
    slots[slot, :] = 0
    slots[slot, GAME] = game
    slots[slot, WINNER] = -1
    slots[slot, FIRST_DEALER] = rng.scale_below(
        rng.draw(rng.derive_deal_key(seed, game * MAX_ROUNDS), rng.FIRST_DEALER), SEATS
    )


@kernel
def assign_rounds(state: Any, slots: Any, lanes: int) -> None:
    """Say which rounds the lanes of a block are to play: the next one of each slot."""
    for i in range(pad_lanes(lanes)):
        slot = min(i, lanes - 1)
        state[DEAL_NUMBER + i] = slots[slot, GAME] * MAX_ROUNDS + slots[slot, ROUND]
        state[DEALER + i] = (slots[slot, FIRST_DEALER] + slots[slot, ROUND]) % SEATS
        state[PENDING + i] = slots[slot, PENDING_NEXT]


@kernel
def advance(state: Any, slots: Any, lanes: int, rules: Rules, target: int) -> None:
    """After a round: scores, pending gratuity, and who has won."""
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
        slots[slot, WINNER] = at if best >= target and not shared else -1
        slots[slot, PENDING_NEXT] = state[(_PENDING_AFTER if taken else PENDING) + i]
        slots[slot, PLAYED_ROUNDS] += taken
        slots[slot, ROUND] += 1


@kernel
def drop_finished(slots: Any, lanes: int) -> int:
    """Close up the slots whose games are over; how many go on."""
    slot = 0
    while slot < lanes:
        if slots[slot, WINNER] < 0:
            slot += 1
        else:
            lanes -= 1
            slots[slot] = slots[lanes]
    return lanes


@kernel
def play_games(
    state: Any, slots: Any, lanes: int, next_game: int, last_game: int, seed: int, rules: Rules,
    target: int, seating: Seating, deals: Any, values: Any, games: Any,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Go on with the games in the slots, and with further ones in slots that become free.

    Stops when all games are over or the rows are full; call again with what it returns.

    Args:
        state: a block.
        slots: int64 (LANES, SLOT_FIELDS), `lanes` games begun.
        lanes: how many games are going on.
        next_game, last_game: the games still to begin, `last_game` excluded.
        seed, rules, target, seating: the experiment.
        deals: int64 (chunk,), values: int16 (columns * chunk,): the rows.
        games: int64 (chunk, SLOT_FIELDS): the finished games.

    Returns:
        lanes, next_game, rows written, games written, error, deal of the error.
    """
    log = np.empty(0, np.int64)
    rows, finished = 0, 0
    while lanes > 0 and rows + LANES <= deals.shape[0]:
        assign_rounds(state, slots, lanes)
        play_block(state, lanes, seed, rules, seating, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return lanes, next_game, rows, finished, ILLEGAL_CHOICE, int(state[DEAL_NUMBER + i])
        write_rows(state, lanes, seating.wanted, deals, values, rows)
        rows += lanes
        advance(state, slots, lanes, rules, target)
        for slot in range(lanes):
            if slots[slot, WINNER] >= 0:
                games[finished] = slots[slot]
                finished += 1
                if next_game < last_game:
                    start_game(slots, slot, next_game, seed)
                    next_game += 1
            elif slots[slot, ROUND] >= MAX_ROUNDS:
                deal = slots[slot, GAME] * MAX_ROUNDS + MAX_ROUNDS - 1
                return lanes, next_game, rows, finished, TOO_LONG, int(deal)
        lanes = drop_finished(slots, lanes)
    return lanes, next_game, rows, finished, NO_ERROR, -1
