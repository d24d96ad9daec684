"""Cases of what players may hold, and all layouts of the hidden cards by plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.hidden_hands import EXCLUDED, HAND_SIZES, KNOWLEDGE_SIZE, UNSEEN
from kqj_sim.rules import SEATS

World = tuple[int, ...]


class Known(NamedTuple):
    """The number of cards of each player, and those that they cannot hold (bits 0, 1, ...)."""

    counts: tuple[int, ...]
    lacks: tuple[int, ...]

    @property
    def unseen(self) -> int:
        """As many cards as are held: the lowest bits."""
        return (1 << sum(self.counts)) - 1

    def array(self) -> NDArray[np.int64]:
        known = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
        known[UNSEEN] = self.unseen
        known[HAND_SIZES : HAND_SIZES + SEATS] = self.counts
        known[EXCLUDED : EXCLUDED + SEATS] = self.lacks
        return known


CASES = {
    "nothing": Known((0, 1, 2, 1, 1, 1), (0,) * 6),
    "one bound": Known((1, 2, 0, 2, 2, 1), (0, 0b1111, 0, 0, 0, 0)),
    "two bound": Known((0, 2, 2, 2, 1, 1), (0, 0b1111, 0, 0b110001, 0, 0)),
    "the last two bound": Known((2, 1, 0, 2, 2, 0), (0, 0, 0, 0b11, 0b1100, 0)),
    "each bound": Known((2, 2, 0, 1, 2, 1), (0b11, 0b101, 0, 0b11110, 0b1000, 0b1100000)),
    "one card has one holder": Known((0, 2, 2, 2, 1, 1), (-1, 1, 0, 1, 1, 1)),
    "only a circle of three": Known((0, 1, 0, 1, 0, 1), (-1, 0b100, 0, 0b001, 0, 0b010)),
    "only a circle of five": Known((1, 1, 1, 1, 0, 1), (0b11100, 0b11001, 0b10011, 0b00111, 0, 14)),
    "circle and pair": Known((0, 1, 1, 1, 1, 1), (0, 0b11100, 0b11001, 0b11010, 0b00111, 0b00111)),
    "forced": Known((0, 1, 1, 1, 0, 0), (0, 0b110, 0b100, 0, 0, 0)),
    "impossible": Known((0, 1, 1, 1, 0, 0), (0, 0b110, 0b110, 0, 0, 0)),
    "a card that nobody may hold": Known((0, 1, 1, 1, 0, 0), (1, 1, 1, 1, 1, 1)),
    "three tricks left": Known((0, 3, 3, 2, 2, 2), (0, 0x3FF, 0x3F, 0xF8, 0xC3F, 0)),
}
"""By what binds the players."""


def iterate_worlds(known: Known) -> Iterator[World]:
    """Yield every layout: for each player in turn every choice of cards."""

    def deal(player: int, left: frozenset[int]) -> Iterator[World]:
        if player == SEATS:
            yield ()
            return
        may = [card for card in left if not known.lacks[player] >> card & 1]
        for hand in combinations(may, known.counts[player]):
            for rest in deal(player + 1, left - set(hand)):
                yield (sum(1 << card for card in hand), *rest)

    yield from deal(0, frozenset(range(sum(known.counts))))


@lru_cache(maxsize=4)
def slow_worlds(known: Known) -> frozenset[World]:
    return frozenset(iterate_worlds(known))


def has_several_worlds(known: Known) -> bool:
    """Return True if there are two layouts or more, without finding them all."""
    return len([*islice(iterate_worlds(known), 2)]) > 1
