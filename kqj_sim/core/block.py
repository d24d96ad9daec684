"""The block: many deals side by side, one flat int64 array, a row a quantity.

Row r of lane (deal) i is `state[r * STRIDE + i]`.  Constant row offsets in one array are what lets
LLVM prove that rows do not overlap and turn a stage's loop into vector instructions.

*Place* rows are counted from the opener (0) to the dealer (5).  *Position* rows are counted from
the leader of the current trick and are turned when a trick ends, so that the player at position p
of every deal is found in the same row.

LLVM checks at run time that rows which are addressed by a variable (hands, cards of the trick) do
not overlap with others, so few of them should meet in one loop.

Lanes of a block exchanged, so that loops run over those alone with which it goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.types import Kernel, PackedPlayers

LANES = 256
"""Deals of a block."""

STRIDE = LANES + 8
"""Numbers from a row to the next.  Not a power of two: rows 4096 bytes apart would share one set
of the processor's first cache, and dealing would take three times as long."""

LANE_MULTIPLE = 32
"""Loops run over multiples of this, so that none has a scalar rest."""

SEATS = 6
TRICKS = 8

_row_count = 0


def _reserve_rows(count: int = 1) -> int:
    """Reserve rows; the offset of the first."""
    global _row_count
    offset = _row_count * STRIDE
    _row_count += count
    return offset


# What belongs to a lane from the deal to the end of the round.
DEAL_NUMBER = _reserve_rows()
KEY = _reserve_rows()
DEALER = _reserve_rows()
PENDING = _reserve_rows()
"""Litigation gratuity that waits before the round."""
PLAYERS = _reserve_rows()
"""What is known of each place, packed: team, policy (`team_of`, `policy_of`)."""
FIRST_FIVE = _reserve_rows(6)
"""The first five cards of each place, natural coding."""
UPCARD = _reserve_rows()
"""The Return."""
FURTHER_CARDS = _reserve_rows(6)
"""The three further cards of each place; the dealer's are two (he lacks the Return)."""
SENDER = _reserve_rows()
"""Place of the Sender, or of the last bidder; -1 while there is none."""
CONTRACT = _reserve_rows()
LAP = _reserve_rows()
CALL_COUNT = _reserve_rows()
ORIGINAL_LANE = _reserve_rows()
"""The lane's number before lanes were exchanged."""
ILLEGAL = _reserve_rows()
"""1 where a policy chose what is not allowed."""
TAKING_ROWS = _row_count
"""Rows up to here move with a lane when lanes are exchanged; with auctions also those below."""
AMOUNT = _reserve_rows()
CAPOT = _reserve_rows()
STAKE = _reserve_rows()
OPENING_AMOUNT = _reserve_rows()
BID_COUNT = _reserve_rows()
LAST_BIDS = _reserve_rows()
"""The last bid of each place, packed ten bits a place: amount / 10, then contract + 1."""
AUCTION_ROWS = _row_count

# The calls.
PASS_COUNT = _reserve_rows()
"""Passes since the last bid."""
STILL_CALLING = _reserve_rows()
"""1 while the calling goes on."""
CALL = _reserve_rows()
"""What the player asked answered; -1 where nobody was asked."""
MAY_COUNTER = _reserve_rows()
"""1 where a counter is asked for."""
AWAITS_REPLY = _reserve_rows()
"""1 where this turn's bid, or counter, is to be answered."""

# The play.
TRUMPS = _reserve_rows()
"""The trump suit's lane; 0 at All-Trumps and No-Trump."""
MUST_BEAT = _reserve_rows()
"""Lanes in which one must beat the cards of the suit led: trump, or all at All-Trumps."""
POINT_PLANES = _reserve_rows(5)
"""Bit planes of the card points: a card's points are the sum of 2**k over the planes it is in."""
LEADER = _reserve_rows()
"""Place of the leader."""
SENDER_TEAM = _reserve_rows()
PLAYERS_BY_POSITION = _reserve_rows()
"""PLAYERS turned to positions, and the suits which each is known not to hold."""
LED = _reserve_rows()
"""Lane of the suit led."""
MUST_BEAT_LED = _reserve_rows()
"""The same if one must beat in it, else 0."""
OBLIGED_CARDS = _reserve_rows()
"""Kwajongen: the cards of which a player who is void must play one, the trumps or none."""
MASTER = _reserve_rows()
MASTER_TEAM = _reserve_rows()
PLAYED_CARDS = _reserve_rows()
"""Cards of the finished tricks."""
UPPER_PLAYED_EARLIER = _reserve_rows()
"""Bit q: a card whose upper neighbour was played in an earlier trick than itself."""
WON_CARDS = _reserve_rows(2)
"""Cards won by team 0 and by team 1."""
TRICK_SET = _reserve_rows()
"""The cards of the trick so far."""
DEALT = _reserve_rows(6)
"""The eight cards of each place: natural coding, by strength from the start of the play on."""

REPLACEMENT_CARD = _reserve_rows()
"""The card that the dealer has in place of the Return."""
SCRATCH = _reserve_rows(12)
HISTORY_ROWS = SEATS + 1
"""Rows of a trick in TRICK_HISTORY, in Kwajongen too."""
TRICK_HISTORY = _reserve_rows(TRICKS * HISTORY_ROWS)
"""For each finished trick the place of its leader, then the six cards in the order played; kept
where `core.rules.Seating.memory` says so."""
COLUMN_ROWS = _reserve_rows(len(KQJ_COLUMNS))
"""What goes into the rows, a row a column."""

TRICK_CARDS = _reserve_rows(SEATS)
"""The cards of the trick by position."""
HAND = _reserve_rows(SEATS)
"""Cards in hand by position."""

ROW_COUNT = _row_count


def allocate_block() -> NDArray[np.int64]:
    """An empty block, at a multiple of 64 bytes: vectors that cross cache lines cost a third."""
    numbers = np.zeros(ROW_COUNT * STRIDE + 8, dtype=np.int64)
    start = -numbers.ctypes.data % 64 // 8
    return numbers[start : start + ROW_COUNT * STRIDE]


allocate_inner_block = scalar(allocate_block)
"""The same for kernels."""


def column_offset(name: str) -> int:
    """The offset of a column's row."""
    return COLUMN_ROWS + KQJ_COLUMN_NUMBERS[name] * STRIDE


@scalar
def history_offset(trick: int, card: int) -> int:
    """The offset of a row of a trick: 0 for its leader's place, 1 to 6 for the cards in order."""
    return TRICK_HISTORY + (HISTORY_ROWS * trick + card) * STRIDE


@scalar
def pad_lanes(lanes: int) -> int:
    """The number of lanes that loops run over."""
    return (lanes + LANE_MULTIPLE - 1) & -LANE_MULTIPLE


@scalar
def fill_vectors(lanes: int) -> int:
    """The number of lanes for loops of which one pass takes a whole vector, so long are they.

    LLVM does not unroll these, and the lanes behind the last of a round cost as much as others.
    """
    return (lanes + 7) & -8


@scalar
def wrap_seat(place: int, seats: int) -> int:
    """A place (or seat) from 0 to 2 * seats - 1, counted around the table."""
    # As unsigned numbers, of which a vector takes the less at once.
    return np.int64(min(np.uint64(place), np.uint64(place - seats)))


@scalar
def cell_index(offset: int, lane: int) -> Any:
    """The index of a lane in a row whose offset is not a constant.

    Unsigned, so that numba does not look for negative indices, which would end vectorisation.
    """
    return np.uint64(offset + lane)


PLAYER_BITS = 9
"""Bits a player takes in PLAYERS and PLAYERS_BY_POSITION: team 2, policy 3, suits he lacks 4."""


@scalar
def team_of(players: int, position: int) -> int:
    """The team of a place or position, 0 to 2."""
    # Unsigned: AVX2 shifts nothing else by a variable in one instruction.
    return np.int64(np.uint64(players) >> np.uint64(PLAYER_BITS * position)) & 3


@scalar
def policy_of(players: int, position: int) -> int:
    """The number of the policy of a place or position, 0 to 5."""
    return (players >> (PLAYER_BITS * position + 2)) & 7


@scalar
def voids_of(players: int, position: int) -> int:
    """The suits that a position is known not to hold: bit l is lane l, by strength."""
    return (players >> (PLAYER_BITS * position + 5)) & 15


def make_rotate_players(seats: int) -> Kernel:
    """Return `rotate_players` for a number of seats."""

    @scalar
    def rotate_players(players: PackedPlayers, positions: int) -> PackedPlayers:
        """Count packed players from a position (0 to seats - 1) onwards."""
        low = PLAYER_BITS * positions
        return ((players >> low) | (players << (seats * PLAYER_BITS - low))) & (
            (1 << seats * PLAYER_BITS) - 1
        )

    return rotate_players


rotate_players = make_rotate_players(SEATS)


_SWAP_FROM, _SWAP_TO = SCRATCH, SCRATCH + STRIDE
"""Pairs of lanes to exchange."""


@block_loop
def pair_selected_lanes(state: Any, lanes: int, selected_row: int) -> tuple[int, int]:
    """Which lanes are to be exchanged for those to come first that a row of 0 and 1 chooses.

    Args:
        state: a block.
        lanes: how many.
        selected_row: the row's offset; above 0 counts as 1.

    Returns:
        The number chosen and the number of pairs, for `swap_lanes`.
    """
    first = 0
    for i in range(lanes):
        first += state[cell_index(selected_row, i)] > 0
    pairs = 0
    for i in range(first):
        state[cell_index(_SWAP_FROM, pairs)] = i
        pairs += state[cell_index(selected_row, i)] <= 0
    pairs = 0
    for i in range(first, lanes):
        state[cell_index(_SWAP_TO, pairs)] = i
        pairs += state[cell_index(selected_row, i)] > 0
    return first, pairs


@block_loop
def swap_lanes(state: Any, pairs: int, row: int, rows: int) -> None:
    """Exchange the lanes of pairs in a number of rows, from an offset on.

    Row by row, which keeps to one row of the cache at a time.
    """
    for start in range(row, row + rows * STRIDE, STRIDE):
        for pair in range(pairs):
            here = cell_index(start, state[_SWAP_FROM + pair])
            there = cell_index(start, state[_SWAP_TO + pair])
            state[here], state[there] = state[there], state[here]


@block_loop
def restore_lane_order(state: Any, lanes: int, rows: int) -> None:
    """Exchange lanes until each is where it began (ORIGINAL_LANE), in the first rows."""
    for lane in range(lanes):
        origin = state[ORIGINAL_LANE + lane]
        while origin != lane:
            for row in range(rows):
                here = cell_index(row * STRIDE, lane)
                there = cell_index(row * STRIDE, origin)
                state[here], state[there] = state[there], state[here]
            origin = state[ORIGINAL_LANE + lane]
