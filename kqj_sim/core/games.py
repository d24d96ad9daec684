"""Games to a target score: rounds that follow each other, many games side by side.

A slot is a game in progress.  Slots are an array of their own, int64 (LANES, SLOT_FIELDS), since
the lanes of a block are exchanged while its rounds are played.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
from kqj_sim.core.types import Block, CoreRules, Int16Array, Int64Array, Kernel

MAX_ROUNDS = 10_000
"""Deal number of a round: game * MAX_ROUNDS + round.  A game that is not over by then is an
error."""

NO_ERROR, ILLEGAL_CHOICE, TOO_LONG = range(3)

GAME, ROUND, PLAYED_ROUNDS, FIRST_DEALER, PENDING_NEXT, WINNER = range(6)
SCORE = 6
"""Scores, by team, or by seat with random partners: `SEATS` fields."""
SLOT_FIELDS = SCORE + SEATS

_PENDING_AFTER = column_offset("pending_after")
_ROUND_SCORE = column_offset("score_0")


def new_slots(count: int) -> Int64Array:
    """Return slots for a number of games."""
    return np.zeros((count, SLOT_FIELDS), dtype=np.int64)


@kernel
def advance(state: Block, slots: Int64Array, lanes: int, rules: Rules, target: int) -> None:
    """Update the slots after a round: scores, pending gratuity and winner."""
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


class GameKernels(NamedTuple):
    """The kernels that play games of rounds."""

    start_game: Kernel
    assign_rounds: Kernel
    play_games: Kernel


def make_game_kernels(
    game: str,
    *,
    seats: int,
    scores: int,
    start_score: int,
    dealer_field: int,
    play_block: Kernel,
    advance: Kernel,
) -> GameKernels:
    """Return the kernels of a game.

    Args:
        game: its name; compiled code is kept on disk by it.
        seats: of a round.
        scores: fields from SCORE on that a game uses.
        start_score: the score with which a game begins.
        dealer_field: the field that counts the rounds after which the deal moves on.
        play_block, advance: kernels of the game.
    """

    @kernel(name=f"{game}_start_game")
    def start_game(slots: Int64Array, slot: int, game: int, seed: int) -> None:
        """Begin a game in a slot: its first dealer is drawn at random."""
        slots[slot, :] = 0
        slots[slot, GAME] = game
        slots[slot, WINNER] = -1
        slots[slot, FIRST_DEALER] = rng.scale_below(
            rng.draw(rng.derive_deal_key(seed, game * MAX_ROUNDS), rng.FIRST_DEALER), seats
        )
        for score in range(scores):
            slots[slot, SCORE + score] = start_score

    @kernel(name=f"{game}_assign_rounds")
    def assign_rounds(state: Block, slots: Int64Array, lanes: int) -> None:
        """Assign the next round of each slot to the lanes of a block."""
        for i in range(pad_lanes(lanes)):
            slot = min(i, lanes - 1)
            state[DEAL_NUMBER + i] = slots[slot, GAME] * MAX_ROUNDS + slots[slot, ROUND]
            state[DEALER + i] = (slots[slot, FIRST_DEALER] + slots[slot, dealer_field]) % seats
            state[PENDING + i] = slots[slot, PENDING_NEXT]

    @kernel(name=f"{game}_play_games")
    def play_games(
        state: Block, slots: Int64Array, lanes: int, next_game: int, last_game: int, seed: int,
        rules: CoreRules, target: int, seating: Seating, deals: Int64Array, values: Int16Array,
        games: Int64Array,
    ) -> tuple[int, int, int, int, int, int]:  # fmt: skip
        """Continue the games in the slots, and start further ones in slots that become free.

        Stop when all games are over or the rows are full; call again with the result.

        Args:
            state: a block.
            slots: int64 (LANES, SLOT_FIELDS), with `lanes` games in progress.
            lanes: games in progress.
            next_game, last_game: the games still to start, `last_game` excluded.
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
                    return (
                        lanes,
                        next_game,
                        rows,
                        finished,
                        ILLEGAL_CHOICE,
                        int(state[DEAL_NUMBER + i]),
                    )
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

    return GameKernels(start_game, assign_rounds, play_games)


start_game, assign_rounds, play_games = make_game_kernels(
    "kqj",
    seats=SEATS,
    scores=SEATS,
    start_score=0,
    dealer_field=ROUND,
    play_block=play_block,
    advance=advance,
)
