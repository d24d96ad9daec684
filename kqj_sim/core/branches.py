"""Branches of a round: lanes of one block carried on in another with a card of one's choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.resume import PLAY_ON, resume
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    CARDS,
    DEALT,
    GIVEN,
    HAND,
    KEY,
    LANES,
    LEADER,
    ROWS,
    SEATS,
    STRIDE,
    history,
    index,
    new_block,
    padded,
    result,
)
from kqj_sim.core.turn import put_follow, put_lead

_SCORE = result("score_0")
_TOTAL = result("total_0")


class Branches(NamedTuple):
    """Lanes that wait to be carried on, and the block that they go into.

    state: the inner block.
    sources: lane of the outer block.
    cards: the card that is played.
    keys: key of the draws.
    hands: hands of the players without what lies on the table, by place, six a lane; that of who
        plays is not looked at.
    where: a number for the caller, such as where the result goes.
    """

    state: Any
    sources: Any
    cards: Any
    keys: Any
    hands: Any
    where: Any


@scalar
def new_branches() -> Branches:
    """Room for a block of waiting lanes."""
    return Branches(
        new_block(),
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(LANES, np.int64),
        np.empty(SEATS * LANES, np.int64),
        np.empty(LANES, np.int64),
    )


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


@stage
def play_branches(
    state: Any, branches: Branches, waiting: int, trick: int, position: int, rules: Rules,
    table: Table,
) -> None:  # fmt: skip
    """Play the waiting lanes on from their card to the end of the round.

    The finished tricks must have been kept in the outer block (`core.state.HISTORY`).
    """
    branch(state, branches.state, branches.sources, waiting)
    block = branches.state
    for lane in range(padded(waiting)):
        of = lane if lane < waiting else 0
        i = branches.sources[of]
        leader = state[LEADER + i]
        block[KEY + lane] = branches.keys[of]
        block[index(CARDS + position * STRIDE, lane)] = branches.cards[of]
        for other in range(SEATS):
            place = (leader + other) % SEATS
            hand = branches.hands[of * SEATS + place]
            if other != position:
                # A card stays in the hand until its trick is over.
                held = hand | (state[index(CARDS + other * STRIDE, i)] if other < position else 0)
                block[index(HAND + other * STRIDE, lane)] = held
                block[index(DEALT + place * STRIDE, lane)] = held
        for finished in range(trick):
            led_by = state[index(history(finished, 0), i)]
            for other in range(SEATS):
                place = (led_by + other) % SEATS
                card = state[index(history(finished, 1 + other), i)]
                block[index(DEALT + place * STRIDE, lane)] |= card
            if table.memory != 0:
                for row in range(1 + SEATS):
                    at = history(finished, row)
                    block[index(at, lane)] = state[index(at, i)]
    put_cards(block, waiting, position)
    resume(table.resume[PLAY_ON], (block, waiting, rules, table, trick, position + 1))


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
