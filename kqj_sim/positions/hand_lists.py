"""Lists of the hands that each player of KQJ may hold late in a round, with their factors.

A hand's factor is the number of ways in which it agrees with its holder's calls, times the chance
of the cards that they played.  Where the lists are short, hidden hands are drawn from them: nothing
has to be searched, and few draws are of little weight.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb, fsum
from typing import NamedTuple

import numpy as np

from kqj_sim.core.card_odds import CardTurn
from kqj_sim.core.knowledge import EXCLUDED, HAND_SIZES, UNSEEN
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.core.weighted_layouts import (
    MAX_RANKED_CARDS,
    FactorLists,
    draw_from_hand_lists,
    fill_tables,
    list_ranks,
)
from kqj_sim.policies.card_sets import split_cards
from kqj_sim.rules import SEATS

MAX_LISTED_HANDS = comb(25, 5)
"""The most hands of a player that are listed: those of trick 4."""
MAX_WAYS = comb(20, 4) * comb(8, 5)
"""The most ways to have got the hands of a player that are listed: those of trick 5 with taking,
where each hand may have come from many first five cards."""


class ListedHands(NamedTuple):
    """The hands that players may hold.

    Attributes:
        lists: the lists, those with the fewest likely hands first.
        places: int64 (m,), the players with hidden cards, in the order of the lists.
        unseen: all hidden cards.
    """

    lists: FactorLists
    places: Int64Array
    unseen: int

    def draw(self, keys: Int64Array) -> tuple[Int64Array, Float64Array]:
        """Return hidden hands by place, int64 (n, 6), and their weights, 0 where they do not fit.

        Each draw is a function of its key.
        """
        layouts, weights = np.zeros((len(keys), SEATS), dtype=np.int64), np.zeros(len(keys))
        draw_from_hand_lists(*self, keys, layouts, weights)
        return layouts, weights


_get_ranks = lru_cache(list_ranks)


@lru_cache
def _list_combinations(count: int, size: int) -> Int64Array:
    """Return the subsets of a size as numbers, int64 (n, size)."""
    subsets = [*combinations(range(count), size)]
    return np.array(subsets, dtype=np.int64).reshape(len(subsets), size)


def list_hands(turn: CardTurn, ways: int) -> list[Int64Array] | None:
    """Return the hands that each place may hold, in ascending order; None if a list is too long.

    Args:
        turn: the turn to play.
        ways: the most ways to have got a hand.
    """
    if int(turn.known[UNSEEN]).bit_count() > MAX_RANKED_CARDS:
        return None
    most = min(MAX_LISTED_HANDS, MAX_WAYS // ways)
    sizes = turn.known[HAND_SIZES : HAND_SIZES + SEATS].tolist()
    may = [int(turn.known[UNSEEN]) & ~int(turn.known[EXCLUDED + place]) for place in range(SEATS)]
    found = []
    for place, size in enumerate(sizes):
        if comb(may[place].bit_count(), size) > most:
            return None
        bits = np.array([1 << bit for bit in split_cards(may[place])], dtype=np.int64)
        found.append(np.sort(bits[_list_combinations(len(bits), size)].sum(axis=1)))
    return found


def join_hand_lists(
    turn: CardTurn, hands: list[Int64Array], factors: list[Float64Array]
) -> ListedHands:
    """Return lists of the hands with a factor above zero."""
    sizes = turn.known[HAND_SIZES : HAND_SIZES + SEATS]
    kept = [each > 0 for each in factors]
    likely = [fsum(each) ** 2 / max(fsum(each * each), 1e-300) for each in factors]
    places = sorted(np.flatnonzero(sizes).tolist(), key=lambda place: (likely[place], place))
    counts = [int(kept[place].sum()) for place in places]
    unseen = int(turn.known[UNSEEN])
    return ListedHands(
        make_factor_lists(
            unseen,
            np.cumsum([0, *counts], dtype=np.int64),
            np.concatenate([hands[place][kept[place]] for place in places]),
            np.concatenate([factors[place][kept[place]] for place in places]),
        ),
        np.array(places, dtype=np.int64),
        unseen,
    )


def make_factor_lists(
    unseen: int, starts: Int64Array, hands: Int64Array, factors: Float64Array
) -> FactorLists:
    """Return lists of hands.

    Args:
        unseen: all hidden cards.
        starts, factors: as of `FactorLists`.
        hands: int64 (n,), the hands in natural coding.
    """
    cards = [*split_cards(unseen)]
    sets = np.zeros_like(hands)
    for number, bit in enumerate(cards):
        sets |= (hands >> bit & 1) << number
    one_of_each = hands[starts[:-1][np.diff(starts) > 0]].tolist()
    most = max((comb(len(cards), hand.bit_count()) for hand in one_of_each), default=1)
    tables = np.zeros((len(starts) - 1, most))
    lists = FactorLists(starts, sets, factors, tables, _get_ranks())
    fill_tables(lists)
    return lists
