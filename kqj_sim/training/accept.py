"""The count of Kwajongen's `standard`: a least squares fit on random deals.

Every deal is played once with a caller; who called does not change how `standard` plays, so one
play tells what the round is worth to either team whoever calls.  For each place the difference of
that between playing and passing, where those behind call by the count, is fitted in deals in which
those before pass by it: a scale for the place times the points of the hand, and of the shown card,
less what is wanted there.  The points are the same for all places.  Counts and calls are found in
turn until they agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.kwajongen.bits import by_strength
from kqj_sim.core.kwajongen.state import SEATS, TRICKS
from kqj_sim.core.state import CONTRACT, DEALT, LANES, STRIDE, TURNED, WON
from kqj_sim.experiment import Experiment
from kqj_sim.records import block_of
from kqj_sim.rules import KwajongenRules

POINTS = (
    "nine", "ten", "jack", "queen", "king", "ace", "plain_king", "plain_ace", "void", "two",
    "three", "four",
)  # fmt: skip
"""The parameters of the count that are points of a hand."""
WANTED = ("first", "second", "third", "dealer")
"""Those that a place wants."""
SCALE = 10.0
"""Points of a count that are, for the dealer, worth a point of the score, nearly."""

_TRUMP_RANKS = 6
_ROUNDS = 6
_TURNS = 3
_SIDE = (-1.0, 1.0, -1.0, 0.0)
"""Whose the shown card is, by place: the partner's or an opponent's; the dealer counts his hand."""

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Deals:
    """Deals and what came of them.

    Attributes:
        hands: int64 (4, n), the hands by place, coded by strength.
        turned: int64 (n,), the shown cards.
        points: int64 (2, n), card points of the places 0 and 2, and of 1 and 3.
        tricks: int64 (2, n), tricks of the same.
    """

    hands: Whole
    turned: Whole
    points: Whole
    tricks: Whole


def play_deals(rules: KwajongenRules, deals: int, seed: int, plays: str = "standard") -> Deals:
    """Play deals in which the first to speak plays, all cards by one policy."""
    block = block_of(Experiment(rules, (f"random:accept=1+{plays}",) * SEATS, deals, seed))
    hands = np.empty((SEATS, deals), dtype=np.int64)
    turned = np.empty(deals, dtype=np.int64)
    won = np.empty((2, deals), dtype=np.int64)
    for first in range(0, deals, LANES):
        lanes = min(LANES, deals - first)
        block.game.start_deals(block.state, first, lanes)
        block.play(lanes)
        rows = slice(first, first + lanes)
        for place in range(SEATS):
            hands[place, rows] = _row(block.state, DEALT + place * STRIDE, lanes)
        trumps = _row(block.state, CONTRACT, lanes)
        turned[rows] = by_strength.py_func(_row(block.state, TURNED, lanes), trumps)
        # The team of seat 0 sits at the places 0 and 2 if the dealer's seat is odd.
        even = _row(block.state, block.game.column("dealer"), lanes) % 2 == 0
        for side in range(2):
            teams = [_row(block.state, WON + team * STRIDE, lanes) for team in range(2)]
            won[side, rows] = np.where(even, teams[1 - side], teams[side])
    return Deals(hands, turned, _card_points(won), np.bitwise_count(won) // SEATS)


def _row(state: Whole, offset: int, lanes: int) -> Whole:
    return state[offset : offset + lanes]


def _card_points(cards: Whole) -> Whole:
    """The card points of sets of cards."""
    ranks = np.int64(0x0001000100010001)
    points = np.zeros(cards.shape, dtype=np.int64)
    for rank in range(2, 6):
        points += (rank - 1) * np.bitwise_count(cards & (ranks << rank)).astype(np.int64)
    return points


def worth(deals: Deals, caller: int, raised: int) -> Floats:
    """What the rounds are worth to the team of a calling place, less what to the other, (n,)."""
    own, other = caller % 2, 1 - caller % 2
    ahead = deals.points[own] > deals.points[other]
    behind = deals.points[own] < deals.points[other]
    won = 1.0 + raised + (deals.tricks[own] == TRICKS)
    lost = 2.0 + raised + (deals.tricks[other] == TRICKS)
    return np.where(ahead, won, np.where(behind, -lost, -1.0))


def features(hand: Whole) -> Floats:
    """The numbers of a hand that the `POINTS` multiply, (n, points)."""
    trumps = hand >> 48
    plain = hand & ~(np.int64(0x3F) << 48)
    count = np.bitwise_count(trumps)
    voids = sum(((hand >> 16 * lane) & 0x3F == 0).astype(np.int64) for lane in range(3))
    ranks = [(trumps >> rank) & 1 for rank in range(_TRUMP_RANKS)]
    kings, aces = (np.bitwise_count(plain & (np.int64(0x0001000100010001) << r)) for r in (4, 5))
    long = [count == number for number in (2, 3, 4)]
    return np.column_stack([*ranks, kings, aces, voids * (count > 0), *long]).astype(np.float64)


@dataclass(frozen=True)
class _Places:
    """What is fitted for each place: worth = scale * (points + side * shown - wanted)."""

    scale: Floats
    shown: Floats
    wanted: Floats


def fit(deals: Deals) -> dict[str, float]:
    """The parameters of the count."""
    normal, places = _fit(deals, 0)
    raised = _fit(deals, 1)[1]
    found = dict(zip(POINTS, normal * SCALE, strict=True))
    found["shown"] = float(places.shown[: SEATS - 1].mean())
    found |= dict(zip(WANTED, places.wanted * SCALE, strict=True))
    found["raised"] = float((places.wanted - raised.wanted).mean() * SCALE)
    return {name: round(float(value), 2) for name, value in found.items()}


def _fit(deals: Deals, raised: int) -> tuple[Floats, _Places]:
    """The points, and what belongs to the places, in rounds that are raised or not."""
    held = [features(hand) for hand in deals.hands]
    values = [worth(deals, caller, raised) for caller in range(SEATS)]
    plays: list[Flags] = [np.bitwise_count(hand >> 48) >= 2 for hand in deals.hands]
    points = np.concatenate([[0.2, 0.2, 0.3, 0.5, 0.8, 1.2], [0.1, 0.5, 0.2, 0.5, 0.8, 0.9]])
    for _ in range(_ROUNDS):
        asked = []
        for place in range(SEATS):
            passed = ~np.any(plays[:place], axis=0) if place else np.ones(len(values[0]), bool)
            gain = values[place] - _passing(values, plays, place)
            asked.append((held[place][passed], _shown(deals, points)[passed], gain[passed]))
        for _ in range(_TURNS):
            places = _fit_places(points, asked)
            points = _fit_points(places, asked)
        shown = _shown(deals, points)
        plays = [
            held[place] @ points + places.shown[place] * _SIDE[place] * shown > places.wanted[place]
            for place in range(SEATS)
        ]
    return points, places


def _passing(values: list[Floats], plays: list[Flags], place: int) -> Floats:
    """What it is worth to the team of a place to pass, (n,): those behind call."""
    worth_of_pass = np.zeros(len(values[0]))
    silent = np.ones(len(values[0]), dtype=bool)
    for caller in range(place + 1, SEATS):
        speaks = silent & plays[caller]
        sign = 1.0 if (caller - place) % 2 == 0 else -1.0
        worth_of_pass[speaks] = sign * values[caller][speaks]
        silent &= ~plays[caller]
    return worth_of_pass


def _shown(deals: Deals, points: Floats) -> Floats:
    """What the shown cards are worth more than a nine, (n,)."""
    rank = np.log2((deals.turned >> 48).astype(np.float64)).astype(np.int64)
    return points[rank] - points[0]


Asked = list[tuple[Floats, Floats, Floats]]


def _fit_places(points: Floats, asked: Asked) -> _Places:
    """Scale, share of the shown card and what is wanted, given the points."""
    scale, shares, wanted = np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS)
    for place, (held, shown, gain) in enumerate(asked):
        columns = [np.ones(len(gain)), held @ points]
        columns += [shown] if _SIDE[place] else []
        constant, slope, *rest = np.linalg.lstsq(np.column_stack(columns), gain, rcond=None)[0]
        scale[place], wanted[place] = slope, -constant / slope
        shares[place] = rest[0] / slope * _SIDE[place] if rest else 0.0
    return _Places(scale, shares, wanted)


def _fit_points(places: _Places, asked: Asked) -> Floats:
    """The points, given what belongs to the places."""
    rows, gains = [], []
    for place, (held, shown, gain) in enumerate(asked):
        scale = places.scale[place]
        constant = places.shown[place] * _SIDE[place] * shown - places.wanted[place]
        rows.append(held * scale)
        gains.append(gain - scale * constant)
    found: Floats = np.linalg.lstsq(np.concatenate(rows), np.concatenate(gains), rcond=None)[0]
    return found
