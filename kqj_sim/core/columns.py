"""Columns of the results: the rows of a finished round (`kqj_sim.columns`)."""

from __future__ import annotations

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import scoring
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.types import Block, Int16Array, Int64Array, Lane, RowOffset, Rules, Team

CONTRACT_SHIFT = 12

_NO_SUIT, _NO_RANK, _NO_CONTRACT = 4, 12, 6
_ACE = 11

_DEALER = b.column_offset("dealer")
_TAKEN = b.column_offset("taken")
_LAP = b.column_offset("lap")
_PLACE = b.column_offset("place")
_SENDER = b.column_offset("sender")
_TEAM = b.column_offset("contracting_team")
_CONTRACT = b.column_offset("contract")
_KIND = b.column_offset("kind")
_RETURN_SUIT = b.column_offset("return_suit")
_RETURN_RANK = b.column_offset("return_rank")
_BIDS = b.column_offset("bids")
_OPENING = b.column_offset("opening_amount")
_AMOUNT = b.column_offset("amount")
_CAPOT_ANNOUNCED = b.column_offset("capot_announced")
_STAKE = b.column_offset("stake")
_RESULT = b.column_offset("result")
_CONTRACTING_CARD_POINTS = b.column_offset("contracting_card_points")
_CONTRACTING_TRICKS = b.column_offset("contracting_tricks")
_CONTRACTING_SCORE = b.column_offset("contracting_score")
_DEFENDING_SCORE = b.column_offset("defending_score")
_LAST_TRICK = b.column_offset("last_trick_contracting")
_CAPOT_CONTRACTING = b.column_offset("capot_contracting")
_CAPOT_DEFENDING = b.column_offset("capot_defending")
_PENDING_BEFORE = b.column_offset("pending_before")
_PENDING_AFTER = b.column_offset("pending_after")
_TRUMPS = b.column_offset("sender_trumps")
_TRUMP_POINTS = b.column_offset("sender_trump_points")
_SENDER_POINTS = b.column_offset("sender_points")
_ACES = b.column_offset("sender_aces")
_VOIDS = b.column_offset("sender_voids")
_LONGEST = b.column_offset("sender_longest")
_CARD_POINTS = b.column_offset("card_points_0")
_TRICKS = b.column_offset("tricks_0")
_SCORE = b.column_offset("score_0")
_TEAM_OF_SEAT = b.column_offset("team_of_seat_0")

_PLAYED_COLUMNS = tuple(
    b.column_offset(column.name)
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
    return b.select_by_team(
        team,
        state[b.cell_index(offset, lane)],
        state[b.cell_index(offset + b.STRIDE, lane)],
        state[b.cell_index(offset + 2 * b.STRIDE, lane)],
    )


@block_loop
def fill_call_columns(state: Block, lanes: int, rules: Rules) -> None:
    """Fill the columns on the deal and the calls; seats follow from places."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        dealer = state[b.DEALER + i]
        sender = state[b.SENDER + i]
        contract = state[b.CONTRACT + i]
        taken = sender >= 0
        seat = b.wrap_seat(sender + dealer + 1, b.SEATS)
        state[_DEALER + i] = dealer
        state[_TAKEN + i] = 1 if taken else 0
        state[_LAP + i] = state[b.LAP + i]
        state[_PLACE + i] = sender
        state[_SENDER + i] = seat if taken else -1
        state[_CONTRACT + i] = contract if taken else _NO_CONTRACT
        lowest = c.trailing_zeros(state[b.UPCARD + i])
        suit, rank = lowest >> 4, lowest & 15
        state[_RETURN_SUIT + i] = _NO_SUIT if rules.auction else suit
        state[_RETURN_RANK + i] = _NO_RANK if rules.auction else rank
        named = scoring.RETURN_SUIT if contract == suit else scoring.OTHER_SUIT
        kind = scoring.BID_SUIT if rules.auction else named
        kind = scoring.KIND_NO_TRUMP if contract == c.NO_TRUMP else kind
        kind = scoring.KIND_ALL_TRUMPS if contract == c.ALL_TRUMPS else kind
        state[_KIND + i] = kind if taken else scoring.NO_KIND
        state[_BIDS + i] = state[b.BID_COUNT + i]
        state[_OPENING + i] = state[b.OPENING_AMOUNT + i]
        state[_AMOUNT + i] = state[b.AMOUNT + i]
        state[_CAPOT_ANNOUNCED + i] = state[b.CAPOT + i]
        state[_STAKE + i] = state[b.STAKE + i]
        state[_PENDING_BEFORE + i] = state[b.PENDING + i]
    for seat in range(b.SEATS):
        there = _TEAM_OF_SEAT + seat * b.STRIDE
        for i in range(n):
            place = seat - state[b.DEALER + i] - 1
            place = place + b.SEATS if place < 0 else place
            state[b.cell_index(there, i)] = b.team_of(state[b.PLAYERS + i], place)


@block_loop
def fill_play_columns(state: Block, lanes: int, rules: Rules) -> None:
    """Fill the columns on the contracting side and the Sender's hand, for played rounds."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        team = state[b.SENDER_TEAM + i]
        state[_TEAM + i] = team
        state[_CONTRACTING_CARD_POINTS + i] = _read_team_value(state, _CARD_POINTS, team, i)
        tricks = _read_team_value(state, _TRICKS, team, i)
        state[_CONTRACTING_TRICKS + i] = tricks
        score = _read_team_value(state, _SCORE, team, i)
        state[_CONTRACTING_SCORE + i] = score
        state[_DEFENDING_SCORE + i] = (
            state[_SCORE + i]
            + state[_SCORE + b.STRIDE + i]
            + state[_SCORE + 2 * b.STRIDE + i]
            - score
        )
        state[_LAST_TRICK + i] = 1 if b.team_of(state[b.PLAYERS_BY_POSITION + i], 0) == team else 0
        state[_CAPOT_CONTRACTING + i] = 1 if tricks == b.TRICKS else 0
        most = max(
            max(state[_TRICKS + i], state[_TRICKS + b.STRIDE + i]),
            state[_TRICKS + 2 * b.STRIDE + i],
        )
        state[_CAPOT_DEFENDING + i] = 1 if (most == b.TRICKS) & (tricks == 0) else 0
    for i in range(n):
        sender = state[b.SENDER + i]
        hand = (
            state[b.DEALT + i] * (sender == 0)
            | state[b.DEALT + b.STRIDE + i] * (sender == 1)
            | state[b.DEALT + 2 * b.STRIDE + i] * (sender == 2)
            | state[b.DEALT + 3 * b.STRIDE + i] * (sender == 3)
            | state[b.DEALT + 4 * b.STRIDE + i] * (sender == 4)
            | state[b.DEALT + 5 * b.STRIDE + i] * (sender == 5)
        )
        contract = state[b.CONTRACT + i]
        p1 = state[b.POINT_PLANES + i]
        p2 = state[b.POINT_PLANES + b.STRIDE + i]
        p4 = state[b.POINT_PLANES + 2 * b.STRIDE + i]
        p8 = state[b.POINT_PLANES + 3 * b.STRIDE + i]
        p16 = state[b.POINT_PLANES + 4 * b.STRIDE + i]
        trumps = hand & (c.TOP_SUIT if contract < c.NO_TRUMP else -1)
        trumps = 0 if contract == c.NO_TRUMP else trumps
        state[_TRUMPS + i] = c.popcount(trumps)
        state[_TRUMP_POINTS + i] = c.count_card_points(trumps, p1, p2, p4, p8, p16)
        state[_SENDER_POINTS + i] = c.count_card_points(hand, p1, p2, p4, p8, p16)
        state[_ACES + i] = c.popcount(hand & ~trumps & (c.EACH_SUIT << _ACE))
        s0 = c.popcount(hand & c.SUIT_MASK)
        s1 = c.popcount(hand & (c.SUIT_MASK << 16))
        s2 = c.popcount(hand & (c.SUIT_MASK << 32))
        s3 = c.popcount(hand & (c.SUIT_MASK << 48))
        state[_VOIDS + i] = 1 * (s0 == 0) + 1 * (s1 == 0) + 1 * (s2 == 0) + 1 * (s3 == 0)
        state[_LONGEST + i] = max(max(s0, s1), max(s2, s3))


@block_loop
def fill_passed_out_columns(state: Block, lanes: int, played: int) -> None:
    """Fill the columns of the lanes from `played` on, which were passed out."""
    for offset in _PLAYED_COLUMNS:
        for i in range(played, lanes):
            state[b.cell_index(offset, i)] = 0
    for i in range(played, lanes):
        state[_TEAM + i] = -1
        state[_TRUMPS + i] = -1
        state[_RESULT + i] = scoring.PASSED_OUT
        state[_PENDING_AFTER + i] = state[b.PENDING + i]


@block_loop
def write_sender_cards(state: Block, lanes: int, cards: Int64Array, first: int) -> None:
    """Copy the Senders' cards, coded by strength, to `cards` from index `first` on.

    The contract is in the bits from CONTRACT_SHIFT on, which no card uses; all are 0 where
    everybody passed.
    """
    for i in range(lanes):
        sender, hand = state[b.SENDER + i], 0
        for place in range(b.SEATS):
            hand |= state[b.cell_index(b.DEALT + place * b.STRIDE, i)] * (sender == place)
        contract = state[b.CONTRACT + i] << CONTRACT_SHIFT
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
        deals[first + i] = state[b.DEAL_NUMBER + i]
    for which in range(wanted.shape[0]):
        column = wanted[which]
        there = column * chunk + first
        here = b.COLUMN_ROWS + column * b.STRIDE
        for i in range(lanes):
            values[b.cell_index(there, i)] = state[b.cell_index(here, i)]
