"""The count by which `standard` accepts: points for the cards held and for the card shown.

The weights are those of `kqj_sim.training.accept`, a least squares fit on random deals of how much
better it is for a team to play than to pass.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import EACH_LANE, popcount
from kqj_sim.core.compile import scalar
from kqj_sim.core.kwajongen.bits import LANE, TRUMPS
from kqj_sim.policies.parameters import Parameter, number


def _points(default: float, meaning: str) -> Parameter:
    return number(default, meaning, -100, 100)


COUNT = {
    "nine": _points(1.2, "points of the nine of trump"),
    "ten": _points(1.5, "points of the ten of trump"),
    "jack": _points(2.8, "points of the jack of trump"),
    "queen": _points(4.5, "points of the queen of trump"),
    "king": _points(7.5, "points of the king of trump"),
    "ace": _points(12.5, "points of the ace of trump"),
    "plain_king": _points(0.5, "points of a plain king"),
    "plain_ace": _points(4.2, "points of a plain ace"),
    "void": _points(2.4, "points of each suit that one has none of, if one has a trump"),
    "two": _points(5.6, "further points for two trumps"),
    "three": _points(10.1, "further points for three trumps"),
    "four": _points(13.0, "further points for four trumps"),
    "shown": _points(
        0.67,
        "share of what the shown card is worth more than a nine that is added if it is the "
        "partner's, and taken off if it is an opponent's",
    ),
    "first": _points(22.9, "points with which the first to speak plays"),
    "second": _points(16.3, "points with which the second to speak plays"),
    "third": _points(19.5, "points with which the third to speak plays"),
    "dealer": _points(18.6, "points with which the dealer plays"),
    "raised": _points(2.9, "by so many points less one plays in a raised round"),
}
"""Parameters of the count."""


@scalar
def _trump_points(cards: int, values: Any) -> float:
    """The points of the trumps of a set."""
    ranks = cards >> 48
    return (
        values.nine * (ranks & 1)
        + values.ten * (ranks >> 1 & 1)
        + values.jack * (ranks >> 2 & 1)
        + values.queen * (ranks >> 3 & 1)
        + values.king * (ranks >> 4 & 1)
        + values.ace * (ranks >> 5 & 1)
    )


@scalar
def count(hand: int, turned: int, place: int, values: Any) -> float:
    """The points of a hand, coded by strength, with those for the shown card.

    Args:
        hand: the four cards.
        turned: the card that is shown.
        place: 0 the dealer's left to 3 the dealer.
        values: the parameters.
    """
    plain = hand & ~TRUMPS
    trumps = popcount(hand & TRUMPS)
    voids = 1 * (hand & LANE == 0) + 1 * (hand & LANE << 16 == 0) + 1 * (hand & LANE << 32 == 0)
    points = _trump_points(hand, values)
    points += values.plain_king * popcount(plain & EACH_LANE << 4)
    points += values.plain_ace * popcount(plain & EACH_LANE << 5)
    points += values.void * voids if trumps > 0 else 0.0
    points += values.two if trumps == 2 else 0.0
    points += values.three if trumps == 3 else 0.0
    points += values.four if trumps == 4 else 0.0
    shown = values.shown * (_trump_points(turned, values) - values.nine)
    side = 0.0 if place == 3 else (1.0 if place == 1 else -1.0)
    return points + side * shown


@scalar
def accepts(hand: int, turned: int, place: int, raised: int, values: Any) -> bool:
    """Whether one plays by the count."""
    wanted = values.first if place == 0 else values.second
    wanted = wanted if place < 2 else values.third
    wanted = wanted if place < 3 else values.dealer
    return count(hand, turned, place, values) >= wanted - values.raised * raised
