"""The Sender's cards of rows, as text and as conditions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import RANKS, SUITS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, SUIT_MASK
from kqj_sim.core.columns import CONTRACT_SHIFT
from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.policies.card_sets import RANK_ORDERS, split_cards

_TRUMP_SUIT = 3
"""The number of the trump suit in coding by strength."""


def format_sender_hands(cards: Int64Array, game: str) -> NDArray[np.object_]:
    """Return each Sender's cards, `As 7s Jh 9d`, or None where everybody passed; (rows,).

    Args:
        cards: int64 (rows,), as `core.columns.write_sender_cards` writes them.
        game: the game.
    """
    texts = _list_suit_texts(game)
    contract = _read_contracts(cards)
    hands: Any = np.full(len(cards), "", object)
    for suit in range(len(SUITS)):
        number = np.where(contract < NO_TRUMP, (suit - contract - 1) % len(SUITS), suit)
        is_trump = (contract == ALL_TRUMPS) | (contract < NO_TRUMP) & (number == _TRUMP_SUIT)
        hands = hands + texts[is_trump.astype(int), suit, cards >> 16 * number & SUIT_MASK]
    return np.array([hand[:-1] or None for hand in hands], object)


@cache
def _list_suit_texts(game: str) -> NDArray[np.object_]:
    """Return the cards of every set of a suit in natural and in trump order, each with a blank
    behind it; (2, suits, sets)."""
    texts = np.empty((2, len(SUITS), SUIT_MASK + 1), object)
    for trumps, order in enumerate(RANK_ORDERS[game]):
        for cards in range(1 << len(order)):
            ranks = sorted((order[bit] for bit in split_cards(cards)), key=RANKS.index)
            for number, suit in enumerate(SUITS):
                texts[trumps, number, cards] = "".join(f"{rank}{suit} " for rank in ranks)
    return texts


def find_held_trumps(cards: Int64Array, ranks: str, game: str) -> BoolArray:
    """Return whether each Sender holds these ranks of the trump suit, (rows,).

    At All-Trumps one of the suits must have them all; at No-Trump there are no trumps.

    Args:
        cards: as in `format_sender_hands`.
        ranks: the ranks.
        game: the game.
    """
    order = RANK_ORDERS[game][1]
    wanted = sum(1 << order.index(rank) for rank in ranks)
    suits = [(cards >> 16 * number & wanted) == wanted for number in range(len(SUITS))]
    contract = _read_contracts(cards)
    anywhere: BoolArray = np.logical_or.reduce(suits)
    in_trumps: BoolArray = np.where(contract < NO_TRUMP, suits[_TRUMP_SUIT], False)
    return np.where(contract == ALL_TRUMPS, anywhere, in_trumps)


def _read_contracts(cards: Int64Array) -> Int64Array:
    """Return the numbers of the contracts."""
    return cards >> CONTRACT_SHIFT & 7
