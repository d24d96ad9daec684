"""Games of Kwajongen: from ten down to nothing, by the loop of `core.games`.

Rounds that are passed out are rounds of the game: the same dealer deals again.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import games, rng
from kqj_sim.core.compile import kernel, variant
from kqj_sim.core.games import (
    FIRST_DEALER,
    GAME,
    PLAYED_ROUNDS,
    ROUND,
    ROUNDS,
    SCORE,
    WAITING,
    WINNER,
)
from kqj_sim.core.kwajongen.round import play_block
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.state import SEATS, result
from kqj_sim.core.state import DEAL, DEALER, ORIGIN, PENDING, SENDER, STRIDE, padded

START = 10
"""The score with which each team begins."""
TEAMS = 2

_PENDING_AFTER = result("pending_after")
_ROUND_SCORE = result("score_0")


@kernel
def start_game(slots: Any, slot: int, game: int, seed: int) -> None:
    """Begin a game: its first dealer is drawn at random."""
    slots[slot, :] = 0
    slots[slot, GAME] = game
    slots[slot, WINNER] = -1
    slots[slot, FIRST_DEALER] = rng.below(
        rng.draw(rng.deal_key(seed, game * ROUNDS), rng.FIRST_DEALER), SEATS
    )
    for team in range(TEAMS):
        slots[slot, SCORE + team] = START


@kernel
def name_rounds(state: Any, slots: Any, lanes: int) -> None:
    """Say which rounds the lanes of a block are to play: the next one of each slot."""
    for i in range(padded(lanes)):
        slot = min(i, lanes - 1)
        state[DEAL + i] = slots[slot, GAME] * ROUNDS + slots[slot, ROUND]
        state[DEALER + i] = (slots[slot, FIRST_DEALER] + slots[slot, PLAYED_ROUNDS]) % SEATS
        state[PENDING + i] = slots[slot, WAITING]


@kernel
def advance(state: Any, slots: Any, lanes: int, rules: Rules, target: int) -> None:
    """After a round: scores, whether the next is raised, and who has won."""
    for i in range(lanes):
        slot = state[ORIGIN + i]
        taken = state[SENDER + i] >= 0
        for team in range(TEAMS):
            if taken:
                slots[slot, SCORE + team] += state[_ROUND_SCORE + team * STRIDE + i]
            if slots[slot, SCORE + team] <= target:
                slots[slot, WINNER] = team
        # After a round that nobody plays the next is raised.
        slots[slot, WAITING] = state[_PENDING_AFTER + i] if taken else 1
        slots[slot, PLAYED_ROUNDS] += taken
        slots[slot, ROUND] += 1


play_games = kernel(
    variant(
        "kwajongen_play_games",
        games.play_games,
        start_game=start_game,
        name_rounds=name_rounds,
        play_block=play_block,
        advance=advance,
    )
)
