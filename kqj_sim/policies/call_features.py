"""Features of a call in an auction, as `learned` sees one contract.

A turn is looked at once for each contract.  The four suits stand in an order that depends on the
hand only: the suit of the contract first, then the others, the longer before the shorter.  So the
suits have one set of weights, and No-Trump and All-Trumps one each.

A feature is the number of a row.  Each part of `PARTS` gives as many
features as it is read times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core import types as t
from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, SUIT_MASK, popcount, whole_tens
from kqj_sim.core.jit import scalar
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.views import last_bid_amount, last_bid_contract
from kqj_sim.policies.one_layer import make_layout
from kqj_sim.policies.tools import is_partner

TO_BID, TO_COUNTER, TO_OVERCOUNTER = range(3)
"""The questions of an auction."""

SUITS = 4
HALF_BITS = 6
HOLDINGS = 1 << HALF_BITS
LENGTHS = 9
LENGTH_SLOTS = 3
AMOUNTS = 16
CONTRACTS = 6
CALLS = 2 + CONTRACTS * AMOUNTS
"""Last calls of a player: not yet asked, passed so far, or a bid, by its contract (this one, the
other suits in their order, those without a trump suit) and amount."""
LOWEST_AMOUNTS = 32
_BIDDERS = 1 + 2 * SEATS
LAPS = 3
_QUESTIONS = 6

PARTS: dict[str, tuple[int, int]] = {
    **{f"half_{k}": (HOLDINGS, 1) for k in range(2 * SUITS)},
    **{f"length_{k}": (LENGTHS, 1) for k in range(LENGTH_SLOTS)},
    **{f"call_{k}": (2 * CALLS, 1) for k in range(1, SEATS)},
    "own_call": (CALLS, 1),
    "bidder": (_BIDDERS * CONTRACTS, 1),
    "lowest": (3 * LOWEST_AMOUNTS, 1),
    "question": (LAPS * SEATS * _QUESTIONS, 1),
}
"""Rows of each part, and how many of them a turn reads:

* half_0 to half_7: ranks 4 to 9, then J to A, of each suit in its order
* length_0 to length_2: cards of the first three suits
* call_1 to call_5: last call of the players to the left, partner or opponent
* own_call: the player's own last call
* bidder: place of the last bidder to the left, partner or opponent, and their contract
* lowest: the lowest amount that may be bid, and whether an opponent bid last
* question: the lap, the player's place, the question, and whether Capot is announced
"""

FEATURES = sum(reads for _, reads in PARTS.values())
"""Features of a turn in the view of a contract."""
ROWS = sum(rows for rows, _ in PARTS.values())

LAYOUT = make_layout(ROWS, UNITS)


def _find_start(name: str) -> int:
    """Return the number of the first row of a part."""
    start = 0
    for part, (rows, _) in PARTS.items():
        if part == name:
            return start
        start += rows
    raise KeyError(name)


(HALF_ROWS, LENGTH_ROWS, CALL_ROWS, OWN_CALL_ROWS, BIDDER_ROWS, LOWEST_ROWS, QUESTION_ROWS) = (
    _find_start(name)
    for name in ("half_0", "length_0", "call_1", "own_call", "bidder", "lowest", "question")
)


class CallTurn(NamedTuple):
    """A question of an auction."""

    hand: t.CardSet
    """The eight cards held, in natural coding."""
    place: t.Place
    turn: int
    """Turns before this one; for a counter or an overcounter the least possible number."""
    question: int
    """TO_BID, TO_COUNTER or TO_OVERCOUNTER."""
    bidder: t.Place
    """Place of the last bidder; -1 if there is none."""
    amount: int
    """Amount of the last bid; 0 if there is none."""
    contract: t.Contract
    """Contract of the last bid; -1 if there is none."""
    capot: t.Flag
    """1 if Capot is announced."""
    last_bids: t.PackedBids
    players: t.PackedPlayers
    team_count: int


@scalar
def make_bid_turn(view: Any) -> CallTurn:
    """Return a turn to bid, a `BidView`."""
    return CallTurn(
        view.hand, view.place, view.turn, TO_BID, view.bidder, view.amount, view.contract, 0,
        view.last_bids, view.players, view.team_count,
    )  # fmt: skip


@scalar
def get_minimum_tens(team_count: int) -> int:
    """Return the lowest amount of a first bid by the usual rules, in tens."""
    return 12 if team_count == 2 else 8


@scalar
def _make_key(hand: t.CardSet, suit: t.Suit) -> int:
    """Return a number that grows with the length of a suit, then with its cards."""
    cards = (hand >> 16 * suit) & SUIT_MASK
    return (popcount(cards) << 12 | cards) << 2 | suit


@scalar
def order_suits(hand: t.CardSet) -> int:
    """Return the suits from the longest to the shortest, packed, four bits each."""
    one, two = _make_key(hand, 0), _make_key(hand, 1)
    three, four = _make_key(hand, 2), _make_key(hand, 3)
    one, two = max(one, two), min(one, two)
    three, four = max(three, four), min(three, four)
    one, three = max(one, three), min(one, three)
    two, four = max(two, four), min(two, four)
    two, three = max(two, three), min(two, three)
    return one & 3 | (two & 3) << 4 | (three & 3) << 8 | (four & 3) << 12


@scalar
def find_positions(order: int) -> int:
    """Return the position of each contract, packed, four bits each: suits stand as in `order`, then
    come No-Trump and All-Trumps."""
    positions = NO_TRUMP << 4 * NO_TRUMP | ALL_TRUMPS << 4 * ALL_TRUMPS
    for position in range(SUITS):
        positions |= position << 4 * ((order >> 4 * position) & 15)
    return positions


@scalar
def number_contract(position: int, view: int) -> int:
    """Return the number of a contract in the view of one, both given by their positions.

    That one has 0, the others follow in the order of their positions.
    """
    return 0 if position == view else position + (1 if position < view else 0)


@scalar
def _find_bidder_row(turn: CallTurn) -> int:
    """Return the first row of the last bidder, whom the contract follows; 0 if there is none."""
    step = turn.bidder - turn.place
    step += SEATS if step < 0 else 0
    partner = 1 if is_partner(turn.players, max(turn.bidder, 0), turn.place) else 0
    return BIDDER_ROWS + (CONTRACTS * (1 + 2 * step + partner) if turn.bidder >= 0 else 0)


@scalar
def _find_lowest_row(turn: CallTurn) -> int:
    partner = 1 if is_partner(turn.players, max(turn.bidder, 0), turn.place) else 0
    tens = whole_tens(turn.amount) - get_minimum_tens(turn.team_count) + 1
    row = (1 + partner) * LOWEST_AMOUNTS + min(max(tens, 0), LOWEST_AMOUNTS - 1)
    return LOWEST_ROWS + (row if turn.bidder >= 0 else 0)


@scalar
def _find_question_row(turn: CallTurn) -> int:
    # Compared, as a division would end vectorisation.
    lap = (1 if turn.turn >= SEATS else 0) + (1 if turn.turn >= 2 * SEATS else 0)
    asked = 2 * turn.question + turn.capot
    return QUESTION_ROWS + (lap * SEATS + turn.place) * _QUESTIONS + asked


@scalar
def _find_call_row(turn: CallTurn, left: int, positions: int, view: int) -> int:
    """Return the row of the last call of the player a number of places to the left."""
    place = turn.place + left
    place -= SEATS if place >= SEATS else 0
    contract = last_bid_contract(turn.last_bids, place)
    number = number_contract((positions >> 4 * max(contract, 0)) & 15, view)
    tens = whole_tens(last_bid_amount(turn.last_bids, place)) - get_minimum_tens(turn.team_count)
    bid = 2 + number * AMOUNTS + min(max(tens, 0), AMOUNTS - 1)
    call = bid if contract >= 0 else (1 if place < turn.turn else 0)
    partner = 1 if is_partner(turn.players, place, turn.place) else 0
    table = OWN_CALL_ROWS if left == 0 else CALL_ROWS + (2 * (left - 1) + partner) * CALLS
    return table + call


@scalar
def write_call_features(
    turn: CallTurn, order: int, contract: t.Contract, out: t.Int64Pointer, start: int, step: int
) -> None:
    """Write the features of a turn in the view of a contract.

    Args:
        order: `order_suits` of the hand.
        out: gets `FEATURES` numbers, at `start` and every `step`th number after it.
    """
    positions = find_positions(order)
    view = (positions >> 4 * contract) & 15
    first = view if view < SUITS else 0
    at = start
    for slot in range(SUITS):
        position = first if slot == 0 else (slot - 1 if slot <= first else slot)
        cards = (turn.hand >> 16 * ((order >> 4 * position) & 15)) & SUIT_MASK
        out[at] = HALF_ROWS + 2 * slot * HOLDINGS + (cards & (HOLDINGS - 1))
        out[at + step] = HALF_ROWS + (2 * slot + 1) * HOLDINGS + (cards >> HALF_BITS)
        at += 2 * step
        if slot < LENGTH_SLOTS:
            out[at] = LENGTH_ROWS + slot * LENGTHS + popcount(cards)
            at += step
    # Written out, as the compiler leaves long loops within loops as they are.
    out[at] = _find_call_row(turn, 0, positions, view)
    out[at + step] = _find_call_row(turn, 1, positions, view)
    out[at + 2 * step] = _find_call_row(turn, 2, positions, view)
    out[at + 3 * step] = _find_call_row(turn, 3, positions, view)
    out[at + 4 * step] = _find_call_row(turn, 4, positions, view)
    out[at + 5 * step] = _find_call_row(turn, 5, positions, view)
    at += SEATS * step
    number = number_contract((positions >> 4 * max(turn.contract, 0)) & 15, view)
    out[at] = _find_bidder_row(turn) + (number if turn.bidder >= 0 else 0)
    out[at + step] = _find_lowest_row(turn)
    out[at + 2 * step] = _find_question_row(turn)
