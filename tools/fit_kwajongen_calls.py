"""The count of Kwajongen's `standard`: a least squares fit on random deals.

Every deal is played once with a caller; `standard` plays the same whoever called, so one play gives
the value of the round to either team for every caller.  For each place the gain of playing over
passing, where those behind call by the count, is fitted in the deals in which those before pass: a
scale for the place times the points of the hand, and of the upcard, less the place's threshold.
The points are the same for all places.  Counts and calls are fitted in turn until they agree.

    python -m tools.fit_kwajongen_calls > counted.toml
"""

from __future__ import annotations

from dataclasses import dataclass

import click
import numpy as np

from kqj_sim.core.block import CONTRACT, DEALT, LANES, STRIDE, UPCARD, WON_CARDS
from kqj_sim.core.jit import get_python_function
from kqj_sim.core.types import BoolArray, Float64Array, Int64Array, Kernel, Place
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.cards import SEATS, TRICKS, to_strength_order
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block

POINT_PARAMETERS = (
    "nine", "ten", "jack", "queen", "king", "ace", "plain_king", "plain_ace", "void", "two",
    "three", "four",
)  # fmt: skip
"""Parameters of the count that are points of a hand."""
THRESHOLD_PARAMETERS = ("first", "second", "third", "dealer")
"""Parameters that are thresholds of the places."""
POINTS_PER_SCORE = 10.0
"""Points of a count that are about one point of the score for the dealer."""

_TRUMP_RANKS = 6
_FIT_ROUNDS = 6
_FIT_SWEEPS = 3
_UPCARD_SIGN = (-1.0, 1.0, -1.0, 0.0)
"""Side of the upcard by place: 1 the partner's, -1 an opponent's; 0 for the dealer, who holds
it."""


@dataclass(frozen=True)
class PlayedDeals:
    """Deals and the results of their play.

    Attributes:
        hands: int64 (4, n), the hands by place, coded by strength.
        upcards: int64 (n,), the upcards.
        points: int64 (2, n), card points of the places 0 and 2, and of 1 and 3.
        tricks: int64 (2, n), tricks of the same.
    """

    hands: Int64Array
    upcards: Int64Array
    points: Int64Array
    tricks: Int64Array


def play_deals(
    rules: KwajongenRules, deals: int, seed: int, card_policy: str = "standard"
) -> PlayedDeals:
    """Play deals in which the first to speak plays, all cards by one policy."""
    block = make_recording_block(
        Experiment(rules, (f"random:accept=1+{card_policy}",) * SEATS, deals, seed)
    )
    hands = np.empty((SEATS, deals), dtype=np.int64)
    upcards = np.empty(deals, dtype=np.int64)
    won = np.empty((2, deals), dtype=np.int64)
    for first in range(0, deals, LANES):
        lanes = min(LANES, deals - first)
        block.game.start_deals(block.state, first, lanes)
        block.play(lanes)
        rows = slice(first, first + lanes)
        for place in range(SEATS):
            hands[place, rows] = _read_row(block.state, DEALT + place * STRIDE, lanes)
        trumps = _read_row(block.state, CONTRACT, lanes)
        to_strength: Kernel = get_python_function(to_strength_order)
        upcards[rows] = to_strength(_read_row(block.state, UPCARD, lanes), trumps)
        # The team of seat 0 sits at the places 0 and 2 if the dealer's seat is odd.
        even = _read_row(block.state, block.game.column_offset("dealer"), lanes) % 2 == 0
        for side in range(2):
            teams = [_read_row(block.state, WON_CARDS + team * STRIDE, lanes) for team in range(2)]
            won[side, rows] = np.where(even, teams[1 - side], teams[side])
    return PlayedDeals(hands, upcards, _count_card_points(won), np.bitwise_count(won) // SEATS)


def _read_row(state: Int64Array, offset: int, lanes: int) -> Int64Array:
    """Return the first lanes of a block's row."""
    return state[offset : offset + lanes]


def _count_card_points(cards: Int64Array) -> Int64Array:
    """Return the card points of sets of cards."""
    ranks = np.int64(0x0001000100010001)
    points = np.zeros(cards.shape, dtype=np.int64)
    for rank in range(2, 6):
        points += (rank - 1) * np.bitwise_count(cards & (ranks << rank)).astype(np.int64)
    return points


def compute_advantage(deals: PlayedDeals, caller: int, raised: int) -> Float64Array:
    """Return the score of a calling place's team minus the other team's in each round, float64
    (n,)."""
    own, other = caller % 2, 1 - caller % 2
    ahead = deals.points[own] > deals.points[other]
    behind = deals.points[own] < deals.points[other]
    won = 1.0 + raised + (deals.tricks[own] == TRICKS)
    lost = 2.0 + raised + (deals.tricks[other] == TRICKS)
    return np.where(ahead, won, np.where(behind, -lost, -1.0))


def hand_features(hand: Int64Array) -> Float64Array:
    """Return the numbers of a hand that the `POINT_PARAMETERS` multiply, float64 (n, points)."""
    trumps = hand >> 48
    plain = hand & ~(np.int64(0x3F) << 48)
    count = np.bitwise_count(trumps)
    voids = sum(((hand >> 16 * lane) & 0x3F == 0).astype(np.int64) for lane in range(3))
    ranks = [(trumps >> rank) & 1 for rank in range(_TRUMP_RANKS)]
    kings, aces = (np.bitwise_count(plain & (np.int64(0x0001000100010001) << r)) for r in (4, 5))
    long = [count == number for number in (2, 3, 4)]
    return np.column_stack([*ranks, kings, aces, voids * (count > 0), *long]).astype(np.float64)


@dataclass(frozen=True)
class _PlaceTerms:
    """The coefficients of each place: gain = scale * (points + side * shown - wanted)."""

    scale: Float64Array
    shown: Float64Array
    wanted: Float64Array


def fit_count(deals: PlayedDeals) -> dict[str, float]:
    """Fit the parameters of the count."""
    normal, places = _fit_terms(deals, 0)
    raised = _fit_terms(deals, 1)[1]
    found = dict(zip(POINT_PARAMETERS, normal * POINTS_PER_SCORE, strict=True))
    found["shown"] = float(places.shown[: SEATS - 1].mean())
    found |= dict(zip(THRESHOLD_PARAMETERS, places.wanted * POINTS_PER_SCORE, strict=True))
    found["raised"] = float((places.wanted - raised.wanted).mean() * POINTS_PER_SCORE)
    return {name: round(float(value), 2) for name, value in found.items()}


def _fit_terms(deals: PlayedDeals, raised: int) -> tuple[Float64Array, _PlaceTerms]:
    """Fit the points, and the coefficients of the places, for rounds that are raised or not."""
    held = [hand_features(hand) for hand in deals.hands]
    values = [compute_advantage(deals, caller, raised) for caller in range(SEATS)]
    plays: list[BoolArray] = [np.bitwise_count(hand >> 48) >= 2 for hand in deals.hands]
    points = np.concatenate([[0.2, 0.2, 0.3, 0.5, 0.8, 1.2], [0.1, 0.5, 0.2, 0.5, 0.8, 0.9]])
    for _ in range(_FIT_ROUNDS):
        asked = []
        for place in range(SEATS):
            passed = ~np.any(plays[:place], axis=0) if place else np.ones(len(values[0]), bool)
            gain = values[place] - _value_of_passing(values, plays, place)
            asked.append(
                (held[place][passed], _value_of_upcard(deals, points)[passed], gain[passed])
            )
        for _ in range(_FIT_SWEEPS):
            places = _fit_places(points, asked)
            points = _fit_points(places, asked)
        shown = _value_of_upcard(deals, points)
        plays = [
            held[place] @ points + places.shown[place] * _UPCARD_SIGN[place] * shown
            > places.wanted[place]
            for place in range(SEATS)
        ]
    return points, places


def _value_of_passing(
    values: list[Float64Array], will_play: list[BoolArray], place: Place
) -> Float64Array:
    """Return the value of passing to a place's team, (n,): those behind call."""
    worth_of_pass = np.zeros(len(values[0]))
    silent = np.ones(len(values[0]), dtype=bool)
    for caller in range(place + 1, SEATS):
        speaks = silent & will_play[caller]
        sign = 1.0 if (caller - place) % 2 == 0 else -1.0
        worth_of_pass[speaks] = sign * values[caller][speaks]
        silent &= ~will_play[caller]
    return worth_of_pass


def _value_of_upcard(deals: PlayedDeals, points: Float64Array) -> Float64Array:
    """Return the points of the upcards above those of a nine, (n,)."""
    rank = np.log2((deals.upcards >> 48).astype(np.float64)).astype(np.int64)
    return points[rank] - points[0]


PlaceSamples = list[tuple[Float64Array, Float64Array, Float64Array]]


def _fit_places(points: Float64Array, samples: PlaceSamples) -> _PlaceTerms:
    """Fit scale, share of the upcard and threshold of each place, given the points."""
    scale, shares, wanted = np.zeros(SEATS), np.zeros(SEATS), np.zeros(SEATS)
    for place, (held, shown, gain) in enumerate(samples):
        columns = [np.ones(len(gain)), held @ points]
        columns += [shown] if _UPCARD_SIGN[place] else []
        constant, slope, *rest = np.linalg.lstsq(np.column_stack(columns), gain, rcond=None)[0]
        scale[place], wanted[place] = slope, -constant / slope
        shares[place] = rest[0] / slope * _UPCARD_SIGN[place] if rest else 0.0
    return _PlaceTerms(scale, shares, wanted)


def _fit_points(places: _PlaceTerms, samples: PlaceSamples) -> Float64Array:
    """Fit the points, given the coefficients of the places."""
    rows, gains = [], []
    for place, (held, shown, gain) in enumerate(samples):
        scale = places.scale[place]
        constant = places.shown[place] * _UPCARD_SIGN[place] * shown - places.wanted[place]
        rows.append(held * scale)
        gains.append(gain - scale * constant)
    found: Float64Array = np.linalg.lstsq(np.concatenate(rows), np.concatenate(gains), rcond=None)[
        0
    ]
    return found


@click.command()
@click.option("--void-rule", type=click.Choice(["must_trump", "free"]), default="must_trump")
@click.option("--player", default="standard", show_default=True, help="Play the cards like this.")
@click.option("--deals", default=300_000, show_default=True)
@click.option("--seed", default=11, show_default=True)
def main(void_rule: str, player: str, deals: int, seed: int) -> None:
    """Fit the count by which Kwajongen's standard calls, and print it as a player's file."""
    played = play_deals(KwajongenRules.from_dict({"void_rule": void_rule}), deals, seed, player)
    lines = [f"{name} = {value}" for name, value in fit_count(played).items()]
    click.echo("\n".join(['policy = "standard"', "", "[parameters]", *lines]))


if __name__ == "__main__":
    main()
