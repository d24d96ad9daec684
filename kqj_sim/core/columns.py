"""Columns of the results: the rows of a finished round (`kqj_sim.columns`)."""

from __future__ import annotations

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.core import block
from kqj_sim.core.block import (
    COLUMN_ROWS,
    SEATS,
    STRIDE,
    TRICKS,
    cell_index,
    column_offset,
    pad_lanes,
    select_by_team,
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
from kqj_sim.core.types import Block, Int16Array, Int64Array, Lane, RowOffset, Team

CONTRACT_SHIFT = 12

_NO_SUIT, _NO_RANK, _NO_CONTRACT = 4, 12, 6
_ACE = 11

_DEALER = column_offset("dealer")
_TAKEN = column_offset("taken")
_LAP = column_offset("lap")
_PLACE = column_offset("place")
_SENDER = column_offset("sender")
_TEAM = column_offset("contracting_team")
_CONTRACT = column_offset("contract")
_KIND = column_offset("kind")
_RETURN_SUIT = column_offset("return_suit")
_RETURN_RANK = column_offset("return_rank")
_BIDS = column_offset("bids")
_OPENING = column_offset("opening_amount")
_AMOUNT = column_offset("amount")
_CAPOT_ANNOUNCED = column_offset("capot_announced")
_STAKE = column_offset("stake")
_RESULT = column_offset("result")
_CONTRACTING_CARD_POINTS = column_offset("contracting_card_points")
_CONTRACTING_TRICKS = column_offset("contracting_tricks")
_CONTRACTING_SCORE = column_offset("contracting_score")
_DEFENDING_SCORE = column_offset("defending_score")
_LAST_TRICK = column_offset("last_trick_contracting")
_CAPOT_CONTRACTING = column_offset("capot_contracting")
_CAPOT_DEFENDING = column_offset("capot_defending")
_PENDING_BEFORE = column_offset("pending_before")
_PENDING_AFTER = column_offset("pending_after")
_TRUMPS = column_offset("sender_trumps")
_TRUMP_POINTS = column_offset("sender_trump_points")
_SENDER_POINTS = column_offset("sender_points")
_ACES = column_offset("sender_aces")
_VOIDS = column_offset("sender_voids")
_LONGEST = column_offset("sender_longest")
_CARD_POINTS = column_offset("card_points_0")
_TRICKS = column_offset("tricks_0")
_SCORE = column_offset("score_0")
_TEAM_OF_SEAT = column_offset("team_of_seat_0")

_PLAYED_COLUMNS = tuple(
    column_offset(column.name)
    for column in KQJ_COLUMNS
    if column.name.startswith(
        ("contracting_", "defending_", "last_", "capot_contr", "capot_def", "kq", "low_",
         "trickless_", "gratuity_", "total_", "card_points_", "tricks_", "score_", "sender_")
    )
    and column.name not in ("contracting_team", "sender")
)  # fmt: skip
"""Columns that are zero where the round was passed out."""


@scalar
def _read_team_value(state: Block, offset: RowOffset, team: Team, lane: Lane) -> int:
    """Return the value of a team from three consecutive rows."""
    return select_by_team(
        team,
        state[cell_index(offset, lane)],
        state[cell_index(offset + STRIDE, lane)],
        state[cell_index(offset + 2 * STRIDE, lane)],
    )


@block_loop
def fill_call_columns(state: Block, lanes: int, rules: Rules) -> None:
    """Fill the columns on the deal and the calls; seats follow from places."""
    n = pad_lanes(lanes)
    for i in range(n):
        dealer = state[block.DEALER + i]
        sender = state[block.SENDER + i]
        contract = state[block.CONTRACT + i]
        taken = sender >= 0
        seat = wrap_seat(sender + dealer + 1, SEATS)
        state[_DEALER + i] = dealer
        state[_TAKEN + i] = 1 if taken else 0
        state[_LAP + i] = state[block.LAP + i]
        state[_PLACE + i] = sender
        state[_SENDER + i] = seat if taken else -1
        state[_CONTRACT + i] = contract if taken else _NO_CONTRACT
        lowest = trailing_zeros(state[block.UPCARD + i])
        suit, rank = lowest >> 4, lowest & 15
        state[_RETURN_SUIT + i] = _NO_SUIT if rules.auction else suit
        state[_RETURN_RANK + i] = _NO_RANK if rules.auction else rank
        named = RETURN_SUIT if contract == suit else OTHER_SUIT
        kind = BID_SUIT if rules.auction else named
        kind = KIND_NO_TRUMP if contract == NO_TRUMP else kind
        kind = KIND_ALL_TRUMPS if contract == ALL_TRUMPS else kind
        state[_KIND + i] = kind if taken else NO_KIND
        state[_BIDS + i] = state[block.BID_COUNT + i]
        state[_OPENING + i] = state[block.OPENING_AMOUNT + i]
        state[_AMOUNT + i] = state[block.AMOUNT + i]
        state[_CAPOT_ANNOUNCED + i] = state[block.CAPOT + i]
        state[_STAKE + i] = state[block.STAKE + i]
        state[_PENDING_BEFORE + i] = state[block.PENDING + i]
    for seat in range(SEATS):
        there = _TEAM_OF_SEAT + seat * STRIDE
        for i in range(n):
            place = seat - state[block.DEALER + i] - 1
            place = place + SEATS if place < 0 else place
            state[cell_index(there, i)] = team_of(state[block.PLAYERS + i], place)


@block_loop
def fill_play_columns(state: Block, lanes: int, rules: Rules) -> None:
    """Fill the columns on the contracting side and the Sender's hand, for played rounds."""
    n = pad_lanes(lanes)
    for i in range(n):
        team = state[block.SENDER_TEAM + i]
        state[_TEAM + i] = team
        state[_CONTRACTING_CARD_POINTS + i] = _read_team_value(state, _CARD_POINTS, team, i)
        tricks = _read_team_value(state, _TRICKS, team, i)
        state[_CONTRACTING_TRICKS + i] = tricks
        score = _read_team_value(state, _SCORE, team, i)
        state[_CONTRACTING_SCORE + i] = score
        state[_DEFENDING_SCORE + i] = (
            state[_SCORE + i] + state[_SCORE + STRIDE + i] + state[_SCORE + 2 * STRIDE + i] - score
        )
        state[_LAST_TRICK + i] = (
            1 if team_of(state[block.PLAYERS_BY_POSITION + i], 0) == team else 0
        )
        state[_CAPOT_CONTRACTING + i] = 1 if tricks == TRICKS else 0
        most = max(
            max(state[_TRICKS + i], state[_TRICKS + STRIDE + i]), state[_TRICKS + 2 * STRIDE + i]
        )
        state[_CAPOT_DEFENDING + i] = 1 if (most == TRICKS) & (tricks == 0) else 0
    for i in range(n):
        sender = state[block.SENDER + i]
        hand = (
            state[block.DEALT + i] * (sender == 0)
            | state[block.DEALT + STRIDE + i] * (sender == 1)
            | state[block.DEALT + 2 * STRIDE + i] * (sender == 2)
            | state[block.DEALT + 3 * STRIDE + i] * (sender == 3)
            | state[block.DEALT + 4 * STRIDE + i] * (sender == 4)
            | state[block.DEALT + 5 * STRIDE + i] * (sender == 5)
        )
        contract = state[block.CONTRACT + i]
        p1 = state[block.POINT_PLANES + i]
        p2 = state[block.POINT_PLANES + STRIDE + i]
        p4 = state[block.POINT_PLANES + 2 * STRIDE + i]
        p8 = state[block.POINT_PLANES + 3 * STRIDE + i]
        p16 = state[block.POINT_PLANES + 4 * STRIDE + i]
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
def fill_passed_out_columns(state: Block, lanes: int, played: int) -> None:
    """Fill the columns of the lanes from `played` on, which were passed out."""
    for offset in _PLAYED_COLUMNS:
        for i in range(played, lanes):
            state[cell_index(offset, i)] = 0
    for i in range(played, lanes):
        state[_TEAM + i] = -1
        state[_TRUMPS + i] = -1
        state[_RESULT + i] = PASSED_OUT
        state[_PENDING_AFTER + i] = state[block.PENDING + i]


@block_loop
def write_sender_cards(state: Block, lanes: int, cards: Int64Array, first: int) -> None:
    """Copy the Senders' cards, coded by strength, to `cards` from index `first` on.

    The contract is in the bits from CONTRACT_SHIFT on, which no card uses; all are 0 where
    everybody passed.
    """
    for i in range(lanes):
        sender, hand = state[block.SENDER + i], 0
        for place in range(SEATS):
            hand |= state[cell_index(block.DEALT + place * STRIDE, i)] * (sender == place)
        contract = state[block.CONTRACT + i] << CONTRACT_SHIFT
        cards[first + i] = hand | contract if sender >= 0 else 0


@block_loop
def write_rows(
    state: Block, lanes: int, wanted: Int64Array, deals: Int64Array, values: Int16Array, first: int
) -> None:
    """Copy the lanes to the rows of results from `first` on.

    Args:
        wanted: int64 (n,), numbers of the columns to copy.
        deals: int64 (chunk,), filled with deal numbers.
        values: int16 (columns * chunk,), filled one column after another.
    """
    chunk = deals.shape[0]
    for i in range(lanes):
        deals[first + i] = state[block.DEAL_NUMBER + i]
    for which in range(wanted.shape[0]):
        column = wanted[which]
        there = column * chunk + first
        here = COLUMN_ROWS + column * STRIDE
        for i in range(lanes):
            values[cell_index(there, i)] = state[cell_index(here, i)]
