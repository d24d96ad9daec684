"""The block: many deals side by side, one flat int64 array, a row a quantity.

Row r of lane (deal) i is `state[r * STRIDE + i]`.  Constant row offsets in one array are what lets
LLVM prove that rows do not overlap and turn a stage's loop into vector instructions.

*Place* rows are counted from the opener (0) to the dealer (5).  *Position* rows are counted from
the leader of the current trick and are turned when a trick ends, so that the player at position p
of every deal is found in the same row.

LLVM checks at run time that rows which are addressed by a variable (hands, cards of the trick) do
not overlap with others, so few of them should meet in one loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import COLUMN_NUMBER, COLUMNS
from kqj_sim.core.compile import scalar

LANES = 256
"""Deals of a block."""

STRIDE = LANES + 8
"""Numbers from a row to the next.  Not a power of two: rows 4096 bytes apart would share one set
of the processor's first cache, and dealing would take three times as long."""

VECTOR = 32
"""Loops run over multiples of this, so that none has a scalar rest."""

SEATS = 6
TRICKS = 8

_rows = 0


def _row(count: int = 1) -> int:
    """Reserve rows; the offset of the first."""
    global _rows
    offset = _rows * STRIDE
    _rows += count
    return offset


# What belongs to a lane from the deal to the end of the round.
DEAL = _row()
KEY = _row()
DEALER = _row()
PENDING = _row()
"""Litigation gratuity that waits before the round."""
PLAYERS = _row()
"""What is known of each place, packed: team, policy (`team_of`, `policy_of`)."""
FIVE = _row(6)
"""The first five cards of each place, natural coding."""
TURNED = _row()
"""The Return."""
EXTRA = _row(6)
"""The three further cards of each place; the dealer's are two (he lacks the Return)."""
SENDER = _row()
"""Place of the Sender, or of the last bidder; -1 while there is none."""
CONTRACT = _row()
LAP = _row()
CALL_COUNT = _row()
ORIGIN = _row()
"""The lane's number before lanes were exchanged."""
ILLEGAL = _row()
"""1 where a policy chose what is not allowed."""
TAKING_ROWS = _rows
"""Rows up to here move with a lane when lanes are exchanged; with auctions also those below."""
AMOUNT = _row()
CAPOT = _row()
STAKE = _row()
OPENING = _row()
BIDS = _row()
LAST_BIDS = _row()
"""The last bid of each place, packed ten bits a place: amount / 10, then contract + 1."""
AUCTION_ROWS = _rows

# The calls.
PASSES = _row()
"""Passes since the last bid."""
OPEN = _row()
"""1 while the calling goes on."""
CALL = _row()
"""What the player asked answered; -1 where nobody was asked."""
ASKED = _row()
"""1 where a counter is asked for."""
NEWS = _row()
"""1 where this turn's bid, or counter, is to be answered."""

# The play.
TRUMPS = _row()
"""The trump suit's lane; 0 at All-Trumps and No-Trump."""
CLIMBING = _row()
"""Lanes in which one must beat the cards of the suit led: trump, or all at All-Trumps."""
POINTS = _row(5)
"""Bit planes of the card points: a card's points are the sum of 2**k over the planes it is in."""
LEADER = _row()
"""Place of the leader."""
SENDER_TEAM = _row()
AT_TABLE = _row()
"""PLAYERS turned to positions, and the suits which each is known not to hold."""
LED = _row()
"""Lane of the suit led."""
CLIMB_LED = _row()
"""The same if one must beat in it, else 0."""
MASTER = _row()
MASTER_TEAM = _row()
PLAYED = _row()
"""Cards of the finished tricks."""
BEFORE = _row()
"""Bit q: a card whose upper neighbour was played in an earlier trick than itself."""
WON = _row(2)
"""Cards won by team 0 and by team 1."""
TRICK = _row()
"""The cards of the trick so far."""
DEALT = _row(6)
"""The eight cards of each place: natural coding, by strength from the start of the play on."""

GIVEN = _row()
"""The card that the dealer has in place of the Return."""
SCRATCH = _row(12)
HISTORY = _row(TRICKS * (SEATS + 1))
"""For each finished trick the place of its leader, then the six cards in the order played; kept
where `core.rules.Table.memory` says so."""
RESULT = _row(len(COLUMNS))
"""What goes into the rows, a row a column."""

CARDS = _row(SEATS)
"""The cards of the trick by position."""
HAND = _row(SEATS)
"""Cards in hand by position."""

ROWS = _rows


def new_state() -> NDArray[np.int64]:
    """An empty block, at a multiple of 64 bytes: vectors that cross cache lines cost a third."""
    numbers = np.zeros(ROWS * STRIDE + 8, dtype=np.int64)
    start = -numbers.ctypes.data % 64 // 8
    return numbers[start : start + ROWS * STRIDE]


new_block = scalar(new_state)
"""The same for kernels."""


def result(name: str) -> int:
    """The offset of a column's row."""
    return RESULT + COLUMN_NUMBER[name] * STRIDE


@scalar
def history(trick: int, card: int) -> int:
    """The offset of a row of a trick: 0 for its leader's place, 1 to 6 for the cards in order."""
    return HISTORY + ((SEATS + 1) * trick + card) * STRIDE


@scalar
def padded(lanes: int) -> int:
    """The number of lanes that loops run over."""
    return (lanes + VECTOR - 1) & -VECTOR


@scalar
def filled(lanes: int) -> int:
    """The number of lanes for loops of which one pass takes a whole vector, so long are they.

    LLVM does not unroll these, and the lanes behind the last of a round cost as much as others.
    """
    return (lanes + 7) & -8


@scalar
def around(place: int, seats: int) -> int:
    """A place (or seat) from 0 to 2 * seats - 1, counted around the table."""
    # As unsigned numbers, of which a vector takes the less at once.
    return np.int64(min(np.uint64(place), np.uint64(place - seats)))


@scalar
def index(offset: int, lane: int) -> Any:
    """The index of a lane in a row whose offset is not a constant.

    Unsigned, so that numba does not look for negative indices, which would end vectorisation.
    """
    return np.uint64(offset + lane)


ABOUT = 9
"""Bits a player takes in PLAYERS and AT_TABLE: team 2, policy 3, suits he lacks 4."""


@scalar
def team_of(players: int, position: int) -> int:
    """The team of a place or position, 0 to 2."""
    # Unsigned: AVX2 shifts nothing else by a variable in one instruction.
    return np.int64(np.uint64(players) >> np.uint64(ABOUT * position)) & 3


@scalar
def policy_of(players: int, position: int) -> int:
    """The number of the policy of a place or position, 0 to 5."""
    return (players >> (ABOUT * position + 2)) & 7


@scalar
def voids_of(players: int, position: int) -> int:
    """The suits that a position is known not to hold: bit l is lane l, by strength."""
    return (players >> (ABOUT * position + 5)) & 15


@scalar
def turned(players: int, positions: int) -> int:
    """Packed players counted from a position (0 to 5) onwards."""
    low = ABOUT * positions
    return ((players >> low) | (players << (SEATS * ABOUT - low))) & ((1 << SEATS * ABOUT) - 1)
