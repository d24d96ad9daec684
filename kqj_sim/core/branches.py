"""Branches of a round: lanes of one block carried on in another with a card of one's choice."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.state import (
    CARDS,
    GIVEN,
    ROWS,
    STRIDE,
    index,
    padded,
    result,
)
from kqj_sim.core.turn import put_follow, put_lead

_SCORE = result("score_0")
_TOTAL = result("total_0")


@stage
def branch(state: Any, inner: Any, sources: Any, lanes: int) -> None:
    """Copy lanes in the middle of a trick: lane i of `inner` becomes lane `sources[i]` of `state`.

    What is left out are results, history and the rows that stages use among themselves.  Loops run
    over whole vectors, so the lanes behind are filled, and `sources` with them.
    """
    n = padded(lanes)
    for i in range(lanes, n):
        sources[i] = sources[0]
    for row in range(GIVEN // STRIDE):
        for i in range(n):
            inner[index(row * STRIDE, i)] = state[index(row * STRIDE, sources[i])]
    for row in range(CARDS // STRIDE, ROWS):
        for i in range(n):
            inner[index(row * STRIDE, i)] = state[index(row * STRIDE, sources[i])]


@stage
def put_cards(state: Any, lanes: int, position: int) -> None:
    """Put the cards which CARDS names for a position on the table."""
    for i in range(padded(lanes)):
        card = state[index(CARDS + position * STRIDE, i)]
        if position == 0:
            put_lead(state, i, card)
        else:
            put_follow(state, i, position, card)


@scalar
def worth(state: Any, lane: int, team: int, teams: int) -> float:
    """What a scored round is worth to a team, in points: what those maximise who play to win.

    Half the difference of the scores and half that of the totals, to the other team or the mean of
    the two others.  Scores alone are what counts, but say little of a single card.
    """
    own = others = 0
    for each in range(teams):
        value = (
            state[index(_SCORE + each * STRIDE, lane)] + state[index(_TOTAL + each * STRIDE, lane)]
        )
        own += value if each == team else 0
        others += value if each != team else 0
    return 0.5 * (own - others / (teams - 1))
