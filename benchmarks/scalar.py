"""A reference for the engine's speed: the same rounds in numba, a deal at a time.

Written as somebody would who wants them fast and looks no further: cards are bits, choices are
branches, and nothing is shared with the engine.  Two teams, taking, random players who take with
a given chance.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

SUIT = (1 << 12) - 1
"""The twelve cards of a suit; a rank is a bit, 4 5 6 7 8 9 J Q K H T A from the lowest."""

_NT, _AT = 4, 5

_NATURAL = np.arange(12)
_TRUMP = np.array([0, 1, 2, 9, 10, 11, 3, 4, 5, 6, 7, 8])
"""How strong a rank is within its suit."""

_PLAIN_POINTS = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 10, 12])
_TRUMP_POINTS = np.array([0, 0, 0, 14, 22, 27, 3, 4, 5, 7, 10, 12])
_NT_POINTS = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 17, 20])
_AT_POINTS = np.array([0, 0, 0, 7, 14, 17, 1, 2, 3, 4, 5, 6])

_JACK, _QUEEN, _KING = 6, 7, 8


@numba.njit(error_model="numpy")
def _in_trump_order(suit: int, contract: int) -> bool:
    return contract == _AT or suit == contract


@numba.njit(error_model="numpy")
def _strength(card: int, contract: int) -> int:
    """Return a number greater for the stronger of two cards of a suit; trumps beat all others."""
    suit, rank = card // 12, card % 12
    if _in_trump_order(suit, contract):
        return _TRUMP[rank] + (12 if suit == contract else 0)
    return _NATURAL[rank]


@numba.njit(error_model="numpy")
def _points(card: int, contract: int) -> int:
    suit, rank = card // 12, card % 12
    if contract == _NT:
        return _NT_POINTS[rank]
    if contract == _AT:
        return _AT_POINTS[rank]
    return _TRUMP_POINTS[rank] if suit == contract else _PLAIN_POINTS[rank]


@numba.njit(error_model="numpy")
def _better(hand: int, suit: int, master: int, contract: int) -> int:
    """Return the cards of a suit in a hand that beat the master, of the suit led or a trump."""
    found = 0
    for card in range(12 * suit, 12 * suit + 12):
        if hand >> card & 1:
            same = suit == master // 12
            if not same or _strength(card, contract) > _strength(master, contract):
                found |= 1 << card
    return found


@numba.njit(error_model="numpy")
def _legal(hand: int, led: int, master: int, partner: bool, contract: int) -> int:
    """Return the legal cards of a player who follows."""
    following = hand & (SUIT << 12 * led)
    if following:
        if not _in_trump_order(led, contract) or (contract < _NT and master // 12 != led):
            return following
        higher = _better(hand, led, master, contract)
        return higher if higher else following
    if partner or contract >= _NT:
        return hand
    higher = _better(hand, contract, master, contract)
    return higher if higher else hand


@numba.njit(error_model="numpy")
def _random_card(cards: int) -> int:
    number = 0
    rest = cards
    while rest:
        rest &= rest - 1
        number += 1
    for _ in range(np.random.randint(0, number)):
        cards &= cards - 1
    card = 0
    while not cards >> card & 1:
        card += 1
    return card


@numba.njit(error_model="numpy")
def _bonuses(hands: Any, played_in: Any, contract: int, totals: Any) -> None:
    """Count KQ and KQJ, in trump suits: the cards must be played from the highest down."""
    for suit in range(4):
        if not _in_trump_order(suit, contract):
            continue
        jack, queen, king = 12 * suit + _JACK, 12 * suit + _QUEEN, 12 * suit + _KING
        for seat in range(6):
            if not (hands[seat] >> king & 1 and hands[seat] >> queen & 1):
                continue
            if played_in[king] < played_in[queen]:
                three = hands[seat] >> jack & 1 and played_in[queen] < played_in[jack]
                totals[seat % 2] += 50 if three else 20


@numba.njit(error_model="numpy")
def play_rounds(count: int, seed: int, take: float) -> Any:
    """Play rounds; return int64 (5,): taken, made, and sums over the taken ones.

    The sums are those of both teams' card points, of the contracting team's total and of the
    scores.
    """
    np.random.seed(seed)
    sums = np.zeros(5, np.int64)
    pack = np.arange(48)
    dealt, hands = np.zeros(6, np.int64), np.zeros(6, np.int64)
    played_in = np.zeros(48, np.int64)
    points, totals, tricks = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for deal in range(count):
        for place in range(47, 0, -1):
            other = np.random.randint(0, place + 1)
            pack[place], pack[other] = pack[other], pack[place]
        opener = (deal + 1) % 6
        sender, contract = -1, -1
        for turn in range(12):
            if np.random.random() < take:
                sender = (opener + turn) % 6
                contract = pack[30] // 12 if turn < 6 else np.random.randint(0, 6)
                break
        if sender < 0:
            continue
        following = 31
        for seat in range(6):
            hand = 0
            for card in pack[5 * seat : 5 * seat + 5]:
                hand |= 1 << card
            more = 3
            if seat == sender:
                hand |= 1 << pack[30]
                more = 2
            for card in pack[following : following + more]:
                hand |= 1 << card
            following += more
            dealt[seat] = hand
            hands[seat] = hand
        points[:] = 0
        tricks[:] = 0
        leader = opener
        for trick in range(8):
            master, winner, worth, led = -1, leader, 0, -1
            for position in range(6):
                seat = (leader + position) % 6
                legal = hands[seat]
                if position:
                    legal = _legal(legal, led, master, winner % 2 == seat % 2, contract)
                card = _random_card(legal)
                hands[seat] &= ~(1 << card)
                played_in[card] = trick
                worth += _points(card, contract)
                suit = card // 12
                if position == 0:
                    led, master = suit, card
                elif suit == master // 12:
                    if _strength(card, contract) > _strength(master, contract):
                        master, winner = card, seat
                elif suit == contract:
                    master, winner = card, seat
            points[winner % 2] += worth
            tricks[winner % 2] += 1
            leader = winner
        totals[:] = points
        totals[leader % 2] += 10
        for team in range(2):
            if tricks[team] == 8:
                totals[team] += 154
        _bonuses(dealt, played_in, contract, totals)
        own, others = totals[sender % 2], totals[1 - sender % 2]
        sums[0] += 1
        sums[1] += own > others
        sums[2] += points[0] + points[1]
        sums[3] += own
        if own != others:
            sums[4] += (max(own, others) + 5) // 10 * 10
    return sums
