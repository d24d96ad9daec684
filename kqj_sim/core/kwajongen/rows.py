"""The rows of Kwajongen: what a finished round puts into each of its columns."""

from __future__ import annotations

from typing import Any

from kqj_sim.columns import KWAJONGEN
from kqj_sim.core.bits import popcount, trailing_zeros
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.kwajongen.bits import TRUMPS, by_strength
from kqj_sim.core.kwajongen.scoring import PASSED_OUT
from kqj_sim.core.kwajongen.state import HANDS, SEATS, TRICKS, result
from kqj_sim.core.state import (
    CONTRACT,
    DEALER,
    PENDING,
    PLAYERS,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    TURNED,
    index,
    padded,
    team_of,
)

_DEALER = result("dealer")
_TAKEN = result("taken")
_PLACE = result("place")
_SENDER = result("sender")
_TEAM = result("contracting_team")
_TRUMP = result("trump")
_TURNED_RANK = result("turned_rank")
_RESULT = result("result")
_OWN_POINTS = result("contracting_card_points")
_OTHER_POINTS = result("defending_card_points")
_OWN_TRICKS = result("contracting_tricks")
_CAPOT_CONTRACTING = result("capot_contracting")
_CAPOT_DEFENDING = result("capot_defending")
_RAISED = result("raised")
_PENDING_AFTER = result("pending_after")
_CARD_POINTS = result("card_points_0")
_TRICKS = result("tricks_0")
_SCORE = result("score_0")
_SENDER_TRUMPS = result("sender_trumps")
_DEALER_TRUMPS = result("dealer_trumps")
_OWN_SCORE = result("contracting_score")
_OTHER_SCORE = result("defending_score")
_TEAM_OF_SEAT = result("team_of_seat_0")

_PLAYED_COLUMNS = tuple(
    result(column.name)
    for column in KWAJONGEN
    if column.name.startswith(
        ("contracting_", "defending_", "capot_", "card_", "tricks_", "score_")
    )
    and column.name != "contracting_team"
)
"""Columns that only a played round fills."""


@scalar
def _trumps(hand: int, trump: int) -> int:
    """How many trumps are in a hand in natural coding."""
    return popcount(by_strength(hand, trump) & TRUMPS)


@stage
def describe_calls(state: Any, lanes: int) -> None:
    """The columns on the deal and the calls; seats from places."""
    n = padded(lanes)
    for i in range(n):
        dealer = state[DEALER + i]
        sender = state[SENDER + i]
        taken = sender >= 0
        seat = sender + dealer + 1
        seat = seat - SEATS if seat >= SEATS else seat
        trump = state[CONTRACT + i]
        state[_DEALER + i] = dealer
        state[_TAKEN + i] = 1 if taken else 0
        state[_PLACE + i] = sender
        state[_SENDER + i] = seat if taken else -1
        state[_TRUMP + i] = trump
        state[_TURNED_RANK + i] = trailing_zeros(state[TURNED + i]) & 15
        state[_RAISED + i] = state[PENDING + i]
        state[_DEALER_TRUMPS + i] = _trumps(state[HANDS + (SEATS - 1) * STRIDE + i], trump)
    for seat in range(SEATS):
        there = _TEAM_OF_SEAT + seat * STRIDE
        for i in range(n):
            place = seat - state[DEALER + i] - 1
            place = place + SEATS if place < 0 else place
            state[index(there, i)] = team_of(state[PLAYERS + i], place)


@stage
def describe_play(state: Any, lanes: int) -> None:
    """The columns on the caller's side and hand, for played rounds."""
    n = padded(lanes)
    for i in range(n):
        team = state[SENDER_TEAM + i]
        first = team == 0
        state[_TEAM + i] = team
        state[_OWN_POINTS + i] = state[_CARD_POINTS + (0 if first else STRIDE) + i]
        state[_OTHER_POINTS + i] = state[_CARD_POINTS + (STRIDE if first else 0) + i]
        tricks = state[_TRICKS + (0 if first else STRIDE) + i]
        state[_OWN_TRICKS + i] = tricks
        state[_CAPOT_CONTRACTING + i] = 1 if tricks == TRICKS else 0
        state[_CAPOT_DEFENDING + i] = 1 if tricks == 0 else 0
        state[_OWN_SCORE + i] = state[_SCORE + (0 if first else STRIDE) + i]
        state[_OTHER_SCORE + i] = state[_SCORE + (STRIDE if first else 0) + i]
        place = state[SENDER + i]
        hand = (
            state[HANDS + i] * (place == 0)
            | state[HANDS + STRIDE + i] * (place == 1)
            | state[HANDS + 2 * STRIDE + i] * (place == 2)
            | state[HANDS + 3 * STRIDE + i] * (place == 3)
        )
        state[_SENDER_TRUMPS + i] = _trumps(hand, state[CONTRACT + i])


@stage
def describe_passed_out(state: Any, lanes: int, played: int) -> None:
    """The columns of the lanes from `played` on, in which nobody said play."""
    for offset in _PLAYED_COLUMNS:
        for i in range(played, lanes):
            state[index(offset, i)] = 0
    for i in range(played, lanes):
        state[_TEAM + i] = -1
        state[_SENDER_TRUMPS + i] = -1
        state[_RESULT + i] = PASSED_OUT
        state[_PENDING_AFTER + i] = 1
