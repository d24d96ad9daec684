"""The score of a round of Kwajongen (RULES.md section 10), and the columns of its row."""

from __future__ import annotations

from kqj_sim.columns import KWAJONGEN_COLUMNS
from kqj_sim.core.block import (
    CONTRACT,
    DEALER,
    PENDING,
    PLAYERS,
    POINT_PLANES,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    UPCARD,
    WON_CARDS,
    cell_index,
    pad_lanes,
    team_of,
)
from kqj_sim.core.cards import count_card_points, popcount, trailing_zeros
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    SEATS,
    TRICKS,
    TRUMP_SUIT,
    column_offset,
    to_strength_order,
)
from kqj_sim.core.types import Block, CardSet, Suit

MADE, FAILED, TIE, PASSED_OUT = range(4)

_RESULT = column_offset("result")
_CARD_POINTS = column_offset("card_points_0")
_TRICKS = column_offset("tricks_0")
_SCORE = column_offset("score_0")
_PENDING_AFTER = column_offset("pending_after")


@scalar
def score_change(own: int, other: int, tricks: int, caller: bool, raised: int) -> int:
    """Return the change of a team's score; negative is good.

    Args:
        own, other: card points of the team and of the other one.
        tricks: tricks of the team.
        caller: it said play.
        raised: 1 in a raised round, else 0.
    """
    down = -1 - (tricks == TRICKS) - raised
    up = 1 if caller else 0
    return down if own > other else up


@block_loop
def score_rounds(state: Block, lanes: int) -> None:
    """Fill the card points, tricks, result and scores from the cards won."""
    n = pad_lanes(lanes)
    for i in range(n):
        p1 = state[POINT_PLANES + i]
        p2 = state[POINT_PLANES + STRIDE + i]
        p4 = state[POINT_PLANES + 2 * STRIDE + i]
        points_0 = count_card_points(state[WON_CARDS + i], p1, p2, p4, 0, 0)
        points_1 = count_card_points(state[WON_CARDS + STRIDE + i], p1, p2, p4, 0, 0)
        tricks_0 = popcount(state[WON_CARDS + i]) // SEATS
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
        state[_SCORE + i] = score_change(points_0, points_1, tricks_0, first, raised)
        state[_SCORE + STRIDE + i] = score_change(points_1, points_0, tricks_1, not first, raised)
        state[_PENDING_AFTER + i] = 0


_DEALER = column_offset("dealer")
_TAKEN = column_offset("taken")
_PLACE = column_offset("place")
_SENDER = column_offset("sender")
_TEAM = column_offset("contracting_team")
_TRUMP = column_offset("trump")
_TURNED_RANK = column_offset("turned_rank")
_OWN_POINTS = column_offset("contracting_card_points")
_OTHER_POINTS = column_offset("defending_card_points")
_OWN_TRICKS = column_offset("contracting_tricks")
_CAPOT_CONTRACTING = column_offset("capot_contracting")
_CAPOT_DEFENDING = column_offset("capot_defending")
_RAISED = column_offset("raised")
_SENDER_TRUMPS = column_offset("sender_trumps")
_DEALER_TRUMPS = column_offset("dealer_trumps")
_OWN_SCORE = column_offset("contracting_score")
_OTHER_SCORE = column_offset("defending_score")
_TEAM_OF_SEAT = column_offset("team_of_seat_0")

_PLAYED_COLUMNS = tuple(
    column_offset(column.name)
    for column in KWAJONGEN_COLUMNS
    if column.name.startswith(
        ("contracting_", "defending_", "capot_", "card_", "tricks_", "score_")
    )
    and column.name != "contracting_team"
)
"""Columns that only a played round fills."""


@scalar
def _count_trumps(hand: CardSet, trump: Suit) -> int:
    """Return the number of trumps in a hand in natural coding."""
    return popcount(to_strength_order(hand, trump) & TRUMP_SUIT)


@block_loop
def fill_call_columns(state: Block, lanes: int) -> None:
    """Fill the columns on the deal and the calls; seats from places."""
    n = pad_lanes(lanes)
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
        state[_TURNED_RANK + i] = trailing_zeros(state[UPCARD + i]) & 15
        state[_RAISED + i] = state[PENDING + i]
        state[_DEALER_TRUMPS + i] = _count_trumps(
            state[DEALT_FOUR + (SEATS - 1) * STRIDE + i], trump
        )
    for seat in range(SEATS):
        there = _TEAM_OF_SEAT + seat * STRIDE
        for i in range(n):
            place = seat - state[DEALER + i] - 1
            place = place + SEATS if place < 0 else place
            state[cell_index(there, i)] = team_of(state[PLAYERS + i], place)


@block_loop
def fill_play_columns(state: Block, lanes: int) -> None:
    """Fill the columns on the caller's side and hand, for played rounds."""
    n = pad_lanes(lanes)
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
            state[DEALT_FOUR + i] * (place == 0)
            | state[DEALT_FOUR + STRIDE + i] * (place == 1)
            | state[DEALT_FOUR + 2 * STRIDE + i] * (place == 2)
            | state[DEALT_FOUR + 3 * STRIDE + i] * (place == 3)
        )
        state[_SENDER_TRUMPS + i] = _count_trumps(hand, state[CONTRACT + i])


@block_loop
def fill_passed_out_columns(state: Block, lanes: int, played: int) -> None:
    """Fill the columns of the lanes from `played` on, in which nobody said play."""
    for offset in _PLAYED_COLUMNS:
        for i in range(played, lanes):
            state[cell_index(offset, i)] = 0
    for i in range(played, lanes):
        state[_TEAM + i] = -1
        state[_SENDER_TRUMPS + i] = -1
        state[_RESULT + i] = PASSED_OUT
        state[_PENDING_AFTER + i] = 1
