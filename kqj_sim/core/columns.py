"""The rows: what a finished round puts into each column of `kqj_sim.columns`."""

from __future__ import annotations

from typing import Any

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.core.block import (
    AMOUNT,
    BID_COUNT,
    CAPOT,
    COLUMN_ROWS,
    CONTRACT,
    DEAL_NUMBER,
    DEALER,
    DEALT,
    LAP,
    OPENING_AMOUNT,
    PENDING,
    PLAYERS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SEATS,
    SENDER,
    SENDER_TEAM,
    STAKE,
    STRIDE,
    TRICKS,
    UPCARD,
    cell_index,
    column_offset,
    pad_lanes,
    team_of,
    wrap_seat,
)
from kqj_sim.core.cards import (
    ALL_TRUMPS,
    EACH_SUIT,
    NO_TRUMP,
    SUIT_MASK,
    TOP_SUIT,
    count_card_points,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.rules import Rules
from kqj_sim.core.scoring import (
    BID_SUIT,
    KIND_ALL_TRUMPS,
    KIND_NO_TRUMP,
    NO_KIND,
    OTHER_SUIT,
    PASSED_OUT,
    RETURN_SUIT,
)

_NO_SUIT, _NO_RANK, _NO_CONTRACT = 4, 12, 6
_ACE = 11

_COLUMN_OFFSETS = {column.name: column_offset(column.name) for column in KQJ_COLUMNS}
"""Offsets of the columns' rows."""

(
    _DEALER, _TAKEN, _LAP, _PLACE, _SENDER, _TEAM, _CONTRACT, _KIND, _RETURN_SUIT, _RETURN_RANK,
    _BIDS, _OPENING, _AMOUNT, _CAPOT_ANNOUNCED, _STAKE, _RESULT, _CONTRACTING_CARD_POINTS,
    _CONTRACTING_TRICKS, _CONTRACTING_SCORE, _DEFENDING_SCORE, _LAST_TRICK, _CAPOT_CONTRACTING,
    _CAPOT_DEFENDING, _PENDING_BEFORE, _PENDING_AFTER, _TRUMPS, _TRUMP_POINTS, _SENDER_POINTS,
    _ACES, _VOIDS, _LONGEST, _CARD_POINTS, _TRICKS, _SCORE, _TEAM_OF_SEAT,
) = (
    _COLUMN_OFFSETS[name]
    for name in (
        "dealer", "taken", "lap", "place", "sender", "contracting_team", "contract", "kind",
        "return_suit", "return_rank", "bids", "opening_amount", "amount", "capot_announced",
        "stake", "result", "contracting_card_points", "contracting_tricks", "contracting_score",
        "defending_score", "last_trick_contracting", "capot_contracting", "capot_defending",
        "pending_before", "pending_after", "sender_trumps", "sender_trump_points",
        "sender_points", "sender_aces", "sender_voids", "sender_longest", "card_points_0",
        "tricks_0", "score_0", "team_of_seat_0",
    )
)  # fmt: skip

_PLAYED_COLUMNS = tuple(
    _COLUMN_OFFSETS[column.name]
    for column in KQJ_COLUMNS
    if column.name.startswith(
        ("contracting_", "defending_", "last_", "capot_contr", "capot_def", "kq", "low_",
         "trickless_", "gratuity_", "total_", "card_points_", "tricks_", "score_", "sender_")
    )
    and column.name not in ("contracting_team", "sender")
)  # fmt: skip
"""Columns that only a played round fills."""


@scalar
def _read_team_value(state: Any, offset: int, team: int, lane: int) -> int:
    """The value of a team from three rows that follow each other."""
    first = state[cell_index(offset, lane)]
    second = state[cell_index(offset + STRIDE, lane)]
    third = state[cell_index(offset + 2 * STRIDE, lane)]
    return first * (team == 0) + second * (team == 1) + third * (team == 2)


@block_loop
def fill_call_columns(state: Any, lanes: int, rules: Rules) -> None:
    """The columns on the deal and the calls; seats from places."""
    n = pad_lanes(lanes)
    for i in range(n):
        dealer = state[DEALER + i]
        sender = state[SENDER + i]
        contract = state[CONTRACT + i]
        taken = sender >= 0
        seat = wrap_seat(sender + dealer + 1, SEATS)
        state[_DEALER + i] = dealer
        state[_TAKEN + i] = 1 if taken else 0
        state[_LAP + i] = state[LAP + i]
        state[_PLACE + i] = sender
        state[_SENDER + i] = seat if taken else -1
        state[_CONTRACT + i] = contract if taken else _NO_CONTRACT
        lowest = trailing_zeros(state[UPCARD + i])
        suit, rank = lowest >> 4, lowest & 15
        state[_RETURN_SUIT + i] = _NO_SUIT if rules.auction else suit
        state[_RETURN_RANK + i] = _NO_RANK if rules.auction else rank
        named = RETURN_SUIT if contract == suit else OTHER_SUIT
        kind = BID_SUIT if rules.auction else named
        kind = KIND_NO_TRUMP if contract == NO_TRUMP else kind
        kind = KIND_ALL_TRUMPS if contract == ALL_TRUMPS else kind
        state[_KIND + i] = kind if taken else NO_KIND
        state[_BIDS + i] = state[BID_COUNT + i]
        state[_OPENING + i] = state[OPENING_AMOUNT + i]
        state[_AMOUNT + i] = state[AMOUNT + i]
        state[_CAPOT_ANNOUNCED + i] = state[CAPOT + i]
        state[_STAKE + i] = state[STAKE + i]
        state[_PENDING_BEFORE + i] = state[PENDING + i]
    for seat in range(SEATS):
        there = _TEAM_OF_SEAT + seat * STRIDE
        for i in range(n):
            place = seat - state[DEALER + i] - 1
            place = place + SEATS if place < 0 else place
            state[cell_index(there, i)] = team_of(state[PLAYERS + i], place)


@block_loop
def fill_play_columns(state: Any, lanes: int, rules: Rules) -> None:
    """The columns on the contracting side and on the Sender's hand, for played rounds."""
    n = pad_lanes(lanes)
    for i in range(n):
        team = state[SENDER_TEAM + i]
        state[_TEAM + i] = team
        state[_CONTRACTING_CARD_POINTS + i] = _read_team_value(state, _CARD_POINTS, team, i)
        tricks = _read_team_value(state, _TRICKS, team, i)
        state[_CONTRACTING_TRICKS + i] = tricks
        score = _read_team_value(state, _SCORE, team, i)
        state[_CONTRACTING_SCORE + i] = score
        state[_DEFENDING_SCORE + i] = (
            state[_SCORE + i] + state[_SCORE + STRIDE + i] + state[_SCORE + 2 * STRIDE + i] - score
        )
        state[_LAST_TRICK + i] = 1 if team_of(state[PLAYERS_BY_POSITION + i], 0) == team else 0
        state[_CAPOT_CONTRACTING + i] = 1 if tricks == TRICKS else 0
        most = max(
            max(state[_TRICKS + i], state[_TRICKS + STRIDE + i]), state[_TRICKS + 2 * STRIDE + i]
        )
        state[_CAPOT_DEFENDING + i] = 1 if (most == TRICKS) & (tricks == 0) else 0
    for i in range(n):
        sender = state[SENDER + i]
        hand = (
            state[DEALT + i] * (sender == 0)
            | state[DEALT + STRIDE + i] * (sender == 1)
            | state[DEALT + 2 * STRIDE + i] * (sender == 2)
            | state[DEALT + 3 * STRIDE + i] * (sender == 3)
            | state[DEALT + 4 * STRIDE + i] * (sender == 4)
            | state[DEALT + 5 * STRIDE + i] * (sender == 5)
        )
        contract = state[CONTRACT + i]
        p1 = state[POINT_PLANES + i]
        p2 = state[POINT_PLANES + STRIDE + i]
        p4 = state[POINT_PLANES + 2 * STRIDE + i]
        p8 = state[POINT_PLANES + 3 * STRIDE + i]
        p16 = state[POINT_PLANES + 4 * STRIDE + i]
        trumps = hand & (TOP_SUIT if contract < NO_TRUMP else -1)
        trumps = 0 if contract == NO_TRUMP else trumps
        state[_TRUMPS + i] = popcount(trumps)
        state[_TRUMP_POINTS + i] = count_card_points(trumps, p1, p2, p4, p8, p16)
        state[_SENDER_POINTS + i] = count_card_points(hand, p1, p2, p4, p8, p16)
        state[_ACES + i] = popcount(hand & ~trumps & (EACH_SUIT << _ACE))
        a = popcount(hand & SUIT_MASK)
        b = popcount(hand & (SUIT_MASK << 16))
        c = popcount(hand & (SUIT_MASK << 32))
        d = popcount(hand & (SUIT_MASK << 48))
        state[_VOIDS + i] = 1 * (a == 0) + 1 * (b == 0) + 1 * (c == 0) + 1 * (d == 0)
        state[_LONGEST + i] = max(max(a, b), max(c, d))


@block_loop
def fill_passed_out_columns(state: Any, lanes: int, played: int) -> None:
    """The columns of the lanes from `played` on, in which nobody took."""
    for offset in _PLAYED_COLUMNS:
        for i in range(played, lanes):
            state[cell_index(offset, i)] = 0
    for i in range(played, lanes):
        state[_TEAM + i] = -1
        state[_TRUMPS + i] = -1
        state[_RESULT + i] = PASSED_OUT
        state[_PENDING_AFTER + i] = state[PENDING + i]


@block_loop
def write_rows(state: Any, lanes: int, wanted: Any, deals: Any, values: Any, first: int) -> None:
    """Copy the lanes to the rows from `first` on.

    Args:
        state: the block.
        lanes: how many.
        wanted: int64, numbers of the columns to copy.
        deals: int64 (chunk,).
        values: int16 (columns * chunk,), a column after the other.
        first: where to write.
    """
    chunk = deals.shape[0]
    for i in range(lanes):
        deals[first + i] = state[DEAL_NUMBER + i]
    for which in range(wanted.shape[0]):
        column = wanted[which]
        there = column * chunk + first
        here = COLUMN_ROWS + column * STRIDE
        for i in range(lanes):
            values[cell_index(there, i)] = state[cell_index(here, i)]
