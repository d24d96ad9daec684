"""What a round of Kwajongen is worth (RULES.md section 10)."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import popcount
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.kwajongen.state import SEATS, TRICKS, result
from kqj_sim.core.points import points_of
from kqj_sim.core.state import PENDING, POINTS, SENDER_TEAM, STRIDE, WON, padded

MADE, FAILED, TIE, PASSED_OUT = range(4)

_RESULT = result("result")
_CARD_POINTS = result("card_points_0")
_TRICKS = result("tricks_0")
_SCORE = result("score_0")
_PENDING_AFTER = result("pending_after")


@scalar
def change(own: int, other: int, tricks: int, caller: bool, raised: int) -> int:
    """What a team's score changes by; negative is good.

    Args:
        own, other: card points of the team and of the other one.
        tricks: tricks of the team.
        caller: it said play.
        raised: 1 in a raised round, else 0.
    """
    down = -1 - (tricks == TRICKS) - raised
    up = 1 if caller else 0
    return down if own > other else up


@stage
def score_rounds(state: Any, lanes: int) -> None:
    """Card points, tricks, result and scores, from the cards won."""
    n = padded(lanes)
    for i in range(n):
        p1 = state[POINTS + i]
        p2 = state[POINTS + STRIDE + i]
        p4 = state[POINTS + 2 * STRIDE + i]
        points_0 = points_of(state[WON + i], p1, p2, p4, 0, 0)
        points_1 = points_of(state[WON + STRIDE + i], p1, p2, p4, 0, 0)
        tricks_0 = popcount(state[WON + i]) // SEATS
        tricks_1 = TRICKS - tricks_0
        first = state[SENDER_TEAM + i] == 0
        own = points_0 if first else points_1
        other = points_1 if first else points_0
        raised = state[PENDING + i]
        state[_CARD_POINTS + i] = points_0
        state[_CARD_POINTS + STRIDE + i] = points_1
        state[_TRICKS + i] = tricks_0
        state[_TRICKS + STRIDE + i] = tricks_1
        state[_RESULT + i] = FAILED * (own < other) + TIE * (own == other)
        state[_SCORE + i] = change(points_0, points_1, tricks_0, first, raised)
        state[_SCORE + STRIDE + i] = change(points_1, points_0, tricks_1, not first, raised)
        state[_PENDING_AFTER + i] = 0
