"""Games of Kwajongen: from ten points down to none, by the kernels of `core.games`.

A round that is passed out counts as a round, but the same dealer deals again.
"""

from __future__ import annotations

from kqj_sim.core.block import ORIGINAL_LANE, SENDER, STRIDE
from kqj_sim.core.games import (
    PENDING_NEXT,
    PLAYED_ROUNDS,
    ROUND,
    SCORE,
    WINNER,
    make_game_kernels,
)
from kqj_sim.core.jit import kernel
from kqj_sim.core.kwajongen.cards import SEATS, KwajongenCoreRules, column_offset
from kqj_sim.core.kwajongen.round import play_block
from kqj_sim.core.types import Block, Int64Array

START_SCORE = 10
"""The score with which each team begins."""
TEAMS = 2

_PENDING_AFTER = column_offset("pending_after")
_ROUND_SCORE = column_offset("score_0")


@kernel
def advance(
    state: Block, slots: Int64Array, lanes: int, rules: KwajongenCoreRules, target: int
) -> None:
    """Update the slots after a round: scores, the raising of the next and the winner."""
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


start_game, assign_rounds, play_games = make_game_kernels(
    "kwajongen",
    seats=SEATS,
    scores=TEAMS,
    start_score=START_SCORE,
    dealer_field=PLAYED_ROUNDS,
    play_block=play_block,
    advance=advance,
)
