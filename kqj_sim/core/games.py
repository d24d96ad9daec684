"""Games to the target: rounds that follow each other, many games side by side, a lane a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.compile import kernel, scalar
from kqj_sim.core.round import play_block
from kqj_sim.core.rows import write_rows
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    DEAL,
    DEALER,
    FIRST_DEALER,
    GAME,
    ILLEGAL,
    LANE_ROWS,
    LANES,
    PENDING,
    PLAYED_ROUNDS,
    ROUND,
    SCORE,
    SEATS,
    STRIDE,
    padded,
    result,
)

ROUNDS = 10_000
"""Deal number of a round: game * ROUNDS + round.  A game that is not over by then is given up."""

NO_ERROR, ILLEGAL_CHOICE, ENDLESS = range(3)

GAME_ROWS = 5 + SEATS
"""Numbers told of a finished game: game, rounds, rounds played, first dealer, winner, scores."""

_PENDING_AFTER = result("pending_after")
_TAKEN = result("taken")
_ROUND_SCORE = result("score_0")
_TEAM_OF_SEAT = result("team_of_seat_0")


@scalar
def _start_game(state: Any, lane: int, game: int, seed: int) -> None:
    first = game * ROUNDS
    dealer = rng.below(rng.draw(rng.deal_key(seed, first), rng.FIRST_DEALER), SEATS)
    state[GAME + lane] = game
    state[ROUND + lane] = 0
    state[PLAYED_ROUNDS + lane] = 0
    state[FIRST_DEALER + lane] = dealer
    state[DEALER + lane] = dealer
    state[DEAL + lane] = first
    state[PENDING + lane] = 0
    for seat in range(SEATS):
        state[SCORE + seat * STRIDE + lane] = 0


@kernel
def start_games(state: Any, first: int, count: int, seed: int) -> None:
    """Begin the games `first` to `first + count - 1` in the first lanes."""
    for lane in range(padded(count)):
        _start_game(state, lane, first + lane, seed)


@kernel
def advance_games(state: Any, lanes: int, rules: Rules) -> None:
    """After a round: scores, pending gratuity, the next dealer and the next deal."""
    for i in range(lanes):
        for score in range(SEATS):
            team = state[_TEAM_OF_SEAT + score * STRIDE + i] if rules.random_partners else score
            if team < rules.teams:
                state[SCORE + score * STRIDE + i] += state[_ROUND_SCORE + team * STRIDE + i]
        state[PENDING + i] = state[_PENDING_AFTER + i]
        state[PLAYED_ROUNDS + i] += state[_TAKEN + i]
        state[ROUND + i] += 1
        state[DEAL + i] += 1
        dealer = state[DEALER + i] + 1
        state[DEALER + i] = 0 if dealer == SEATS else dealer


@kernel
def winner(state: Any, lane: int, target: int) -> int:
    """The number of the score that has won a lane's game, -1 if it goes on."""
    best, at, shared = -1, -1, False
    for score in range(SEATS):
        value = state[SCORE + score * STRIDE + lane]
        if value > best:
            best, at, shared = value, score, False
        elif value == best:
            shared = True
    return at if best >= target and not shared else -1


@scalar
def _replace_lane(state: Any, lane: int, by: int) -> None:
    """Put another lane in the place of one whose game is over."""
    for row in range(LANE_ROWS):
        state[row * STRIDE + lane] = state[row * STRIDE + by]


@kernel
def drop_finished(state: Any, lanes: int, target: int) -> int:
    """Close up the lanes whose games are over; how many go on."""
    lane = 0
    while lane < lanes:
        if winner(state, lane, target) < 0:
            lane += 1
        else:
            lanes -= 1
            _replace_lane(state, lane, lanes)
    return lanes


@kernel
def play_games(
    state: Any, lanes: int, next_game: int, last_game: int, seed: int, rules: Rules, target: int,
    table: Table, deals: Any, values: Any, games: Any,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Go on with the games in the lanes, and with further ones in lanes that become free.

    Stops when all games are over or the rows are full; call again with what it returns.

    Args:
        state: a block with `lanes` games begun.
        lanes: how many games are going on.
        next_game, last_game: the games still to begin, `last_game` excluded.
        seed, rules, target, table: the experiment.
        deals: int64 (chunk,), values: int16 (columns * chunk,): the rows.
        games: int64 (chunk, GAME_ROWS): the finished games.

    Returns:
        lanes, next_game, rows written, games written, error, deal of the error.
    """
    log = np.empty(0, np.int64)
    rows, finished = 0, 0
    while lanes > 0 and rows + LANES <= deals.shape[0]:
        play_block(state, lanes, seed, rules, table, log)
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return lanes, next_game, rows, finished, ILLEGAL_CHOICE, int(state[DEAL + i])
        write_rows(state, lanes, deals, values, rows)
        rows += lanes
        advance_games(state, lanes, rules)
        lane = 0
        while lane < lanes:
            won_by = winner(state, lane, target)
            if won_by < 0:
                if state[ROUND + lane] >= ROUNDS:
                    return lanes, next_game, rows, finished, ENDLESS, int(state[DEAL + lane]) - 1
                lane += 1
                continue
            games[finished, 0] = state[GAME + lane]
            games[finished, 1] = state[ROUND + lane]
            games[finished, 2] = state[PLAYED_ROUNDS + lane]
            games[finished, 3] = state[FIRST_DEALER + lane]
            games[finished, 4] = won_by
            for score in range(SEATS):
                games[finished, 5 + score] = state[SCORE + score * STRIDE + lane]
            finished += 1
            if next_game < last_game:
                _start_game(state, lane, next_game, seed)
                next_game += 1
                lane += 1
            else:
                lanes -= 1
                _replace_lane(state, lane, lanes)
    return lanes, next_game, rows, finished, NO_ERROR, -1
