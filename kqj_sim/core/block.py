"""The block: up to 256 deals side by side in one flat int64 array, one row per quantity.

Row r of lane (deal) i is `state[r * STRIDE + i]`.  Rows at constant offsets in one array let LLVM
prove that they do not overlap and turn a stage's loop into vector instructions.  Rows addressed by
a variable (hands, cards of the trick) need a check at run time, so few of them should meet in one
loop.

*Place* rows are counted from the opener (0) to the dealer (5).  *Position* rows are counted from
the leader of the current trick and are rotated when a trick ends, so that the player at position p
of every deal is found in the same row.

Lanes can be exchanged, so that loops run only over the deals that go on.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.core import types as t
from kqj_sim.core.jit import block_loop, scalar

LANES = 256
"""Deals in a block."""

STRIDE = LANES + 8
"""Numbers from one row to the next.  Not a power of two: rows 4096 bytes apart would share one set
of the first-level cache, and dealing would take three times as long."""

LANE_MULTIPLE = 32
"""Loops run over multiples of this, so that none has a scalar remainder."""

SEATS = 6
TRICKS = 8

_row_count = 0


def _reserve_rows(count: int = 1) -> t.RowOffset:
    global _row_count
    offset = _row_count * STRIDE
    _row_count += count
    return offset


# Rows that belong to a lane from the deal to the end of the round.
DEAL_NUMBER = _reserve_rows()
KEY = _reserve_rows()
DEALER = _reserve_rows()
PENDING = _reserve_rows()
"""Litigation gratuity carried into the round."""
PLAYERS = _reserve_rows()
"""Team and policy of each place, packed (`team_of`, `policy_of`)."""
FIRST_FIVE = _reserve_rows(6)
"""First five cards of each place, natural coding."""
UPCARD = _reserve_rows()
"""The Return."""
REMAINING_CARDS = _reserve_rows()
"""The cards not dealt before the taking."""
SENDER = _reserve_rows()
"""Place of the Sender, or of the last bidder; -1 while there is none."""
CONTRACT = _reserve_rows()
LAP = _reserve_rows()
CALL_COUNT = _reserve_rows()
ORIGINAL_LANE = _reserve_rows()
"""Number of the lane before lanes were exchanged."""
ILLEGAL = _reserve_rows()
"""1 where a policy made an illegal choice."""
TAKING_ROWS = _row_count
"""Rows above move when lanes are exchanged after the taking; elsewhere all up to AUCTION_ROWS."""
FURTHER_CARDS = _reserve_rows(6)
"""Three further cards of each place; two for the dealer, who lacks the Return."""
AMOUNT = _reserve_rows()
CAPOT = _reserve_rows()
STAKE = _reserve_rows()
OPENING_AMOUNT = _reserve_rows()
BID_COUNT = _reserve_rows()
LAST_BIDS = _reserve_rows()
"""Last bid of each place, packed (`core.views.replace_last_bid`)."""
AUCTION_ROWS = _row_count

# Calls.
PASS_COUNT = _reserve_rows()
"""Passes since the last bid."""
STILL_CALLING = _reserve_rows()
"""1 while calls go on."""
CALL = _reserve_rows()
"""Answer of the player asked; -1 where nobody was asked."""
MAY_COUNTER = _reserve_rows()
"""1 where the player is asked to counter."""
AWAITS_REPLY = _reserve_rows()
"""1 where this turn's bid or counter awaits a reply."""

# Play.
TRUMPS = _reserve_rows()
"""Suit mask of trumps; 0 at All-Trumps and No-Trump."""
MUST_BEAT = _reserve_rows()
"""Suits in which players must beat: trumps, or all at All-Trumps."""
POINT_PLANES = _reserve_rows(5)
"""Bit planes of the card points: a card scores the sum of 2**k over the planes that hold it."""
LEADER = _reserve_rows()
"""Place of the leader."""
SENDER_TEAM = _reserve_rows()
PLAYERS_BY_POSITION = _reserve_rows()
"""PLAYERS by position, with the suits that each is known not to hold (`voids_of`)."""
LED = _reserve_rows()
"""Suit mask of the suit led."""
MUST_BEAT_LED = _reserve_rows()
"""The same if players must beat in that suit, else 0."""
WINNING = _reserve_rows()
"""The cards that would become master."""
MASTER_SHIFT = _reserve_rows()
"""PLAYER_BITS times the position of the player of the master."""
PLAYED_CARDS = _reserve_rows()
"""Cards of the finished tricks."""
UPPER_PLAYED_EARLIER = _reserve_rows()
"""Cards whose upper neighbour was played in an earlier trick than they were."""
WON_CARDS = _reserve_rows(2)
"""Cards won by team 0 and by team 1."""
DEALT = _reserve_rows(6)
"""Eight cards of each place: natural coding; by strength from the start of the play."""

LEGAL = _reserve_rows()
"""Cards that the follower to move may play."""
REPLACEMENT_CARD = _reserve_rows()
"""The card that the dealer holds in place of the Return."""
SCRATCH = _reserve_rows(12)
HISTORY_ROWS = SEATS + 1
"""Rows of a trick in TRICK_HISTORY, in Kwajongen too."""
TRICK_HISTORY = _reserve_rows(TRICKS * HISTORY_ROWS)
"""For each finished trick its leader's place, then the six cards in the order played; kept if
`core.types.Seating.keeps_history` is 1."""
COLUMN_ROWS = _reserve_rows(len(KQJ_COLUMNS))
"""One row per column of the results."""

TRICK_CARDS = _reserve_rows(SEATS)
"""Card of each position in the current trick."""
HAND = _reserve_rows(SEATS)
"""Hand of each position."""

ROW_COUNT = _row_count


def allocate_block() -> t.Block:
    """Return a block of zeros, aligned to 64 bytes: vectors across cache lines cost a third."""
    numbers = np.zeros(ROW_COUNT * STRIDE + 8, dtype=np.int64)
    start = -numbers.ctypes.data % 64 // 8
    return numbers[start : start + ROW_COUNT * STRIDE]


allocate_inner_block = scalar(allocate_block)
"""`allocate_block` for kernels."""


def column_offset(name: str) -> t.RowOffset:
    """Return the offset of the row of a results column."""
    return COLUMN_ROWS + KQJ_COLUMN_NUMBERS[name] * STRIDE


@scalar
def history_offset(trick: int, card: int) -> t.RowOffset:
    """Return the offset of a trick's row: `card` 0 the leader's place, 1 to 6 cards in order."""
    return TRICK_HISTORY + (HISTORY_ROWS * trick + card) * STRIDE


@scalar
def pad_lanes(lanes: int) -> int:
    """Return `lanes` rounded up to the multiple that loops run over."""
    return (lanes + LANE_MULTIPLE - 1) & -LANE_MULTIPLE


@scalar
def fill_vectors(lanes: int) -> int:
    """Return `lanes` rounded up to one vector, for loops too long for LLVM to unroll.

    The lanes beyond the last deal cost as much there as others.
    """
    return (lanes + 7) & -8


@scalar
def wrap_seat(place: int, seats: int) -> t.Seat:
    """Return a place or seat, 0 to 2 * seats - 1, modulo `seats`."""
    # The minimum of unsigned numbers is one vector instruction.
    return np.int64(min(np.uint64(place), np.uint64(place - seats)))


@scalar
def wrap_number(number: int, seats: int) -> t.Seat:
    """Return a number, 0 to 511, modulo `seats`, without a division, which no vector can do."""
    return number - seats * ((number * (65536 // seats + 1)) >> 16)


@scalar
def cell_index(offset: t.RowOffset, lane: t.Lane) -> np.uint64:
    """Return the index of a lane in a row whose offset is not a constant.

    It is unsigned, as numba's check for negative indices would end vectorisation.
    """
    return np.uint64(offset + lane)


PLAYER_BITS = 9
"""Bits per player in PLAYERS and PLAYERS_BY_POSITION: team 2, policy 3, void suits 4."""


@scalar
def team_at(players: t.PackedPlayers, shift: int) -> t.Team:
    """Return the team of a place or position, 0 to 2; `shift` is PLAYER_BITS times it."""
    # Unsigned, as AVX2 has no arithmetic shift by a variable.
    return np.int64(np.uint64(players) >> np.uint64(shift)) & 3


@scalar
def team_of(players: t.PackedPlayers, position: t.Position) -> t.Team:
    """Return the team of a place or position, 0 to 2."""
    return team_at(players, PLAYER_BITS * position)


@scalar
def policy_of(players: t.PackedPlayers, position: t.Position) -> int:
    """Return the policy number of a place or position, 0 to 5."""
    return (players >> (PLAYER_BITS * position + 2)) & 7


@scalar
def voids_of(players: t.PackedPlayers, position: t.Position) -> int:
    """Return the suits a position is known not to hold, one bit per suit mask by strength."""
    return (players >> (PLAYER_BITS * position + 5)) & 15


@scalar
def select_by_team(team: t.Team, first: int, second: int, third: int) -> int:
    """Return the value of a team.

    It is a sum, as LLVM makes a switch of nested choices, which ends vectorisation.
    """
    return first * (team == 0) + second * (team == 1) + third * (team == 2)


@scalar
def rotate_players(players: t.PackedPlayers, shift: int) -> t.PackedPlayers:
    """Return packed players counted from position `shift` / PLAYER_BITS onwards."""
    later = np.int64(np.uint64(players) >> np.uint64(shift))  # Unsigned, as in `team_at`.
    return (later | (players << (SEATS * PLAYER_BITS - shift))) & ((1 << SEATS * PLAYER_BITS) - 1)


_SWAP_FROM, _SWAP_TO = SCRATCH, SCRATCH + STRIDE


@block_loop
def pair_selected_lanes(state: t.Block, lanes: int, selected_row: t.RowOffset) -> tuple[int, int]:
    """Pair the lanes to exchange, with `swap_lanes`, for the selected ones to come first.

    `selected_row` is above 0 in the selected lanes.  Return their number and that of the pairs.
    """
    first = 0
    for i in range(lanes):
        first += state[cell_index(selected_row, i)] > 0
    in_place = 0
    for i in range(first):
        in_place += state[cell_index(selected_row, i)] > 0
    if in_place == first:
        return first, 0
    pairs = 0
    for i in range(first):
        state[cell_index(_SWAP_FROM, pairs)] = i
        pairs += state[cell_index(selected_row, i)] <= 0
    pairs = 0
    for i in range(first, lanes):
        state[cell_index(_SWAP_TO, pairs)] = i
        pairs += state[cell_index(selected_row, i)] > 0
    return first, pairs


@scalar
def _swap_cells(state: t.Block, row: t.RowOffset, one: t.Lane, other: t.Lane) -> None:
    here, there = cell_index(row, one), cell_index(row, other)
    state[here], state[there] = state[there], state[here]


@block_loop
def swap_lanes(state: t.Block, pairs: int, row: t.RowOffset, rows: int) -> None:
    """Exchange paired lanes in `rows` rows from an offset on, few at a time for the cache."""
    end = row + rows * STRIDE
    start = row
    # Four rows at a time: the numbers of the lanes are read once.
    while start + 4 * STRIDE <= end:
        for pair in range(pairs):
            one, other = state[_SWAP_FROM + pair], state[_SWAP_TO + pair]
            _swap_cells(state, start, one, other)
            _swap_cells(state, start + STRIDE, one, other)
            _swap_cells(state, start + 2 * STRIDE, one, other)
            _swap_cells(state, start + 3 * STRIDE, one, other)
        start += 4 * STRIDE
    while start < end:
        for pair in range(pairs):
            _swap_cells(state, start, state[_SWAP_FROM + pair], state[_SWAP_TO + pair])
        start += STRIDE
