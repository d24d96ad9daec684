"""Games of Kwajongen: from ten down to nothing, by the loop of `core.games`.

Rounds that are passed out are rounds of the game: the same dealer deals again.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import games, rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    DEALER,
    ORIGINAL_LANE,
    PENDING,
    SENDER,
    STRIDE,
    pad_lanes,
)
from kqj_sim.core.games import (
    FIRST_DEALER,
    GAME,
    MAX_ROUNDS,
    PENDING_NEXT,
    PLAYED_ROUNDS,
    ROUND,
    SCORE,
    WINNER,
)
from kqj_sim.core.jit import kernel, rebind_globals
from kqj_sim.core.kwajongen.cards import SEATS, KwajongenCoreRules, column_offset
from kqj_sim.core.kwajongen.round import play_block

START_SCORE = 10
"""The score with which each team begins."""
TEAMS = 2

_PENDING_AFTER = column_offset("pending_after")
_ROUND_SCORE = column_offset("score_0")


@kernel
def start_game(slots: Any, slot: int, game: int, seed: int) -> None:
    """Begin a game: its first dealer is drawn at random."""
    slots[slot, :] = 0
    slots[slot, GAME] = game
    slots[slot, WINNER] = -1
    slots[slot, FIRST_DEALER] = rng.scale_below(
        rng.draw(rng.derive_deal_key(seed, game * MAX_ROUNDS), rng.FIRST_DEALER), SEATS
    )
    for team in range(TEAMS):
        slots[slot, SCORE + team] = START_SCORE


@kernel
def assign_rounds(state: Any, slots: Any, lanes: int) -> None:
    """Say which rounds the lanes of a block are to play: the next one of each slot."""
    for i in range(pad_lanes(lanes)):
        slot = min(i, lanes - 1)
        state[DEAL_NUMBER + i] = slots[slot, GAME] * MAX_ROUNDS + slots[slot, ROUND]
        state[DEALER + i] = (slots[slot, FIRST_DEALER] + slots[slot, PLAYED_ROUNDS]) % SEATS
        state[PENDING + i] = slots[slot, PENDING_NEXT]


@kernel
def advance(state: Any, slots: Any, lanes: int, rules: KwajongenCoreRules, target: int) -> None:
    """After a round: scores, whether the next is raised, and who has won."""
    for i in range(lanes):
        slot = state[ORIGINAL_LANE + i]
        taken = state[SENDER + i] >= 0
        for team in range(TEAMS):
            if taken:
                slots[slot, SCORE + team] += state[_ROUND_SCORE + team * STRIDE + i]
            if slots[slot, SCORE + team] <= target:
                slots[slot, WINNER] = team
        # After a round that nobody plays the next is raised.
        slots[slot, PENDING_NEXT] = state[_PENDING_AFTER + i] if taken else 1
        slots[slot, PLAYED_ROUNDS] += taken
        slots[slot, ROUND] += 1


play_games = kernel(
    rebind_globals(
        "kwajongen_play_games",
        games.play_games,
        start_game=start_game,
        assign_rounds=assign_rounds,
        play_block=play_block,
        advance=advance,
    )
)
