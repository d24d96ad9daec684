"""Features of a call in an auction, as `network` sees one contract.

A turn is looked at once for each contract.  The four suits stand in an order that depends on the
hand only: the suit of the contract first, then the others, the longer before the shorter.  So the
suits have one set of weights, and No-Trump and All-Trumps one each.

A feature is the number of a row of the first hidden layer.  Each part of `PARTS` gives as many
features as it is read times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import NO_TRUMP, SUIT_MASK, popcount
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import (
    CardSet,
    Contract,
    Flag,
    Int64Pointer,
    PackedBids,
    PackedPlayers,
    Place,
)
from kqj_sim.core.views import last_bid_amount, last_bid_contract
from kqj_sim.policies.tools import is_partner

TO_BID, TO_COUNTER, TO_OVERCOUNTER = range(3)
"""The questions of an auction."""

_SUITS = 4
_HALF_BITS = 6
_HALVES = 1 << _HALF_BITS
_LENGTHS = 9
_LENGTH_SLOTS = 3
_CALLS = 8
"""Calls of a player: not yet asked, passed so far, or the contract of the last bid: this one, the
other suits in their order, those without a trump suit."""
_KINDS = 3
"""No bid, one in this contract, one in another."""
_AMOUNTS = 16
_LOWEST = 32
_BIDDERS = 1 + 2 * SEATS
_CONTRACTS = 6
_LAPS = 3

PARTS: dict[str, tuple[int, int]] = {
    **{f"half_{k}": (_HALVES, 1) for k in range(2 * _SUITS)},
    **{f"length_{k}": (_LENGTHS, 1) for k in range(_LENGTH_SLOTS)},
    **{f"call_{k}": (2 * _CALLS, 1) for k in range(1, SEATS)},
    "amount": (2 * _KINDS * _AMOUNTS, SEATS - 1),
    "own_call": (_CALLS, 1),
    "own_amount": (_KINDS * _AMOUNTS, 1),
    "bidder": (_BIDDERS * _CONTRACTS, 1),
    "lowest": (3 * _LOWEST, 1),
    "place": (_LAPS * SEATS, 1),
    "question": (6, 1),
}
"""Rows of each part, and how many of them a turn reads:

* half_0 to half_7: ranks 4 to 9, then J to A, of each suit in its order
* length_0 to length_2: cards of the first three suits
* call_1 to call_5: last call of the players to the left, partner or opponent
* amount: amount of each one's last bid
* own_call, own_amount: the player's own last bid
* bidder: place of the last bidder to the left, partner or opponent, and their contract
* lowest: the lowest amount that may be bid, and whether an opponent bid last
* place: the player's place, and the lap
* question: the question, and whether Capot is announced
"""

FEATURES = sum(reads for _, reads in PARTS.values())
"""Features of a turn in the view of a contract."""
ROWS = sum(rows for rows, _ in PARTS.values())
"""Rows of the first hidden layer."""


def _find_start(name: str) -> int:
    """Return the number of the first row of a part."""
    start = 0
    for part, (rows, _) in PARTS.items():
        if part == name:
            return start
        start += rows
    raise KeyError(name)


(
    _HALF, _LENGTH, _CALL, _AMOUNT, _OWN_CALL, _OWN_AMOUNT, _BIDDER, _LOWEST_AMOUNT, _PLACE,
    _QUESTION,
) = (
    _find_start(name)
    for name in (
        "half_0", "length_0", "call_1", "amount", "own_call", "own_amount", "bidder", "lowest",
        "place", "question",
    )
)  # fmt: skip


class CallTurn(NamedTuple):
    """A question of an auction."""

    hand: CardSet
    """The eight cards held, in natural coding."""
    place: Place
    turn: int
    """Turns before this one; for a counter or an overcounter the least possible number."""
    question: int
    """TO_BID, TO_COUNTER or TO_OVERCOUNTER."""
    bidder: Place
    """Place of the last bidder; -1 if there is none."""
    amount: int
    """Amount of the last bid; 0 if there is none."""
    contract: Contract
    """Contract of the last bid; -1 if there is none."""
    capot: Flag
    """1 if Capot is announced."""
    last_bids: PackedBids
    players: PackedPlayers
    team_count: int


@scalar
def make_bid_turn(view: Any) -> CallTurn:
    """Return a turn to bid, a `BidView`."""
    return CallTurn(
        view.hand, view.place, view.turn, TO_BID, view.bidder, view.amount, view.contract, 0,
        view.last_bids, view.players, view.team_count,
    )  # fmt: skip


@scalar
def make_counter_turn(view: Any, question: int) -> CallTurn:
    """Return a chance to counter or to overcounter, a `CounterView`."""
    return CallTurn(
        view.hand, view.place, view.bidder + 1, question, view.bidder, view.amount, view.contract,
        view.capot, view.last_bids, view.players, view.team_count,
    )  # fmt: skip


@scalar
def get_minimum_amount(team_count: int) -> int:
    """Return the lowest amount of a first bid by the usual rules."""
    return 120 if team_count == 2 else 80


@scalar
def order_suits(hand: CardSet) -> int:
    """Return the suits from the longest to the shortest, packed, four bits each."""
    order = 0
    for suit in range(_SUITS):
        cards = (hand >> 16 * suit) & SUIT_MASK
        key = (popcount(cards) << 12 | cards) << 2 | suit
        rank = 0
        for other in range(_SUITS):
            others = (hand >> 16 * other) & SUIT_MASK
            rank += 1 if (popcount(others) << 12 | others) << 2 | other > key else 0
        order |= suit << 4 * rank
    return order


@scalar
def put_suit_first(order: int, contract: Contract) -> int:
    """Return packed suits with that of a contract first; at No-Trump and All-Trumps as they are."""
    if contract >= NO_TRUMP:
        return order
    moved, at = contract, 1
    for slot in range(_SUITS):
        suit = (order >> 4 * slot) & 15
        moved |= (suit << 4 * at) if suit != contract else 0
        at += 1 if suit != contract else 0
    return moved


@scalar
def number_contracts(suits: int, contract: Contract) -> int:
    """Return the number of each contract in the view of one, packed, four bits each.

    That contract has 0, the other suits follow in their order, then those without a trump suit.
    """
    numbers = 0
    at = 1 if contract >= NO_TRUMP else 0
    for slot in range(_SUITS):
        numbers |= (slot + at) << 4 * ((suits >> 4 * slot) & 15)
    at += _SUITS
    for other in range(NO_TRUMP, _CONTRACTS):
        numbers |= (at << 4 * other) if other != contract else 0
        at += 1 if other != contract else 0
    return numbers


@scalar
def _find_call(turn: CallTurn, place: Place, numbers: int) -> int:
    """Return the last call of a place: 0 to `_CALLS` - 1."""
    contract = last_bid_contract(turn.last_bids, place)
    bid = 2 + ((numbers >> 4 * max(contract, 0)) & 15)
    return bid if contract >= 0 else (1 if place < turn.turn else 0)


@scalar
def _find_amount(turn: CallTurn, place: Place, call: int) -> int:
    """Return the row of the amount of a place's last bid among those of a relation."""
    above = last_bid_amount(turn.last_bids, place) - get_minimum_amount(turn.team_count)
    tens = min(max(above // 10, 0), _AMOUNTS - 1)
    return 0 if call < 2 else (1 if call == 2 else 2) * _AMOUNTS + tens


@scalar
def write_call_features(
    turn: CallTurn, order: int, contract: Contract, features: Int64Pointer
) -> None:
    """Write the features of a turn in the view of a contract.

    Args:
        turn: the turn.
        order: `order_suits` of the hand.
        contract: the contract, 0 to 5.
        features: gets `FEATURES` numbers.
    """
    suits = put_suit_first(order, contract)
    numbers = number_contracts(suits, contract)
    at = 0
    for slot in range(_SUITS):
        cards = (turn.hand >> 16 * ((suits >> 4 * slot) & 15)) & SUIT_MASK
        features[at] = _HALF + 2 * slot * _HALVES + (cards & (_HALVES - 1))
        features[at + 1] = _HALF + (2 * slot + 1) * _HALVES + (cards >> _HALF_BITS)
        at += 2
    for slot in range(_LENGTH_SLOTS):
        cards = (turn.hand >> 16 * ((suits >> 4 * slot) & 15)) & SUIT_MASK
        features[at] = _LENGTH + slot * _LENGTHS + popcount(cards)
        at += 1
    for step in range(1, SEATS):
        other = turn.place + step
        other -= SEATS if other >= SEATS else 0
        call = _find_call(turn, other, numbers)
        partner = 1 if is_partner(turn.players, other, turn.place) else 0
        features[at] = _CALL + (2 * (step - 1) + partner) * _CALLS + call
        features[at + 1] = _AMOUNT + partner * _KINDS * _AMOUNTS + _find_amount(turn, other, call)
        at += 2
    own = _find_call(turn, turn.place, numbers)
    features[at] = _OWN_CALL + own
    features[at + 1] = _OWN_AMOUNT + _find_amount(turn, turn.place, own)
    bidder, relation = 0, 0
    if turn.bidder >= 0:
        step = turn.bidder - turn.place
        step += SEATS if step < 0 else 0
        relation = 2 if is_partner(turn.players, turn.bidder, turn.place) else 1
        bidder = 1 + 2 * step + relation - 1
    named = (numbers >> 4 * max(turn.contract, 0)) & 15
    features[at + 2] = _BIDDER + bidder * _CONTRACTS + (named if turn.bidder >= 0 else 0)
    tens = (turn.amount - get_minimum_amount(turn.team_count)) // 10 + 1
    tens = 0 if turn.bidder < 0 else min(max(tens, 0), _LOWEST - 1)
    features[at + 3] = _LOWEST_AMOUNT + relation * _LOWEST + tens
    features[at + 4] = _PLACE + min(turn.turn // SEATS, _LAPS - 1) * SEATS + turn.place
    features[at + 5] = _QUESTION + 2 * turn.question + turn.capot
