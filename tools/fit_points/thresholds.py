"""Thresholds of taking: the count from which to take, by lap and place.

For each turn, from the dealer's second back to the opener's first, deals are drawn in which all
before the player pass.  There the player takes, and in the same deals passes and the others go on
by their own thresholds.  The gain from taking, in score less the others', rises with the player's
count; its root is the threshold.  This is repeated with the new thresholds until each is the best
response to the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, trailing_zeros
from kqj_sim.core.jit import kernel
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.policies.points import count_points
from kqj_sim.rules import KqjRules
from tools.fit_points.imposed import ImposedRounds

LAP_COUNT = 2
MIN_DEALS = 5000
"""Fewest deals to find a threshold from."""

FLOOR_STEP = 5.0
"""Step by which the counts of those who passed are raised until that many deals are found."""

FIT_WINDOW = 25.0
"""Largest distance from a threshold of the counts that it is found from."""


@kernel
def _fill_best_counts(
    five: Any, upcards: Any, other: int, no_trump: int, all_trumps: int, parameters: Any,
    counts: Any, contracts: Any,
) -> None:  # fmt: skip
    """Fill counts and contracts of each place: in the Return's suit, and the best of all."""
    for i in range(upcards.shape[0]):
        suit = trailing_zeros(upcards[i]) >> 4
        for place in range(SEATS):
            hand = five[place, i] | upcards[i]
            best, choice = count_points(hand, suit, parameters), suit
            counts[0, place, i] = best
            contracts[0, place, i] = suit
            for contract in range(ALL_TRUMPS + 1):
                more = other
                if contract >= NO_TRUMP:
                    more = no_trump if contract == NO_TRUMP else all_trumps
                value = count_points(hand, contract, parameters) + more
                if contract != suit and value > best:
                    best, choice = value, contract
            counts[1, place, i] = best
            contracts[1, place, i] = choice


@dataclass(frozen=True)
class Threshold:
    """The best response at one turn.

    Attributes:
        lap, place: the turn; laps from 1.
        count: the count at which taking gains nothing.
        error: its standard error.
        deals: number of rounds it was found from.
        weakest: gain from taking with the weakest tenth of the hands, in points.
        weakest_error: its standard error.
    """

    lap: int
    place: int
    count: float
    error: float
    deals: int
    weakest: float
    weakest_error: float


def fit_root(counts: Float64Array, gains: Float64Array) -> tuple[float, float]:
    """Return the root of a straight line through the gains near it, and its standard error."""
    near = np.full(len(counts), True)
    root, error = np.nan, np.nan
    for _ in range(4):
        x, y = counts[near], gains[near]
        if len(x) < 100 or np.ptp(x) == 0:
            break
        matrix = np.column_stack([np.ones(len(x)), x])
        (base, slope), *_ = np.linalg.lstsq(matrix, y)
        noise = np.var(y - base - slope * x) * np.linalg.inv(matrix.T @ matrix)
        if slope <= 0:
            break
        root = -base / slope
        gradient = np.array([-1 / slope, base / slope**2])
        error = float(np.sqrt(gradient @ noise @ gradient))
        near = np.abs(counts - np.clip(root, counts.min(), counts.max())) <= FIT_WINDOW
    return float(root), error


@dataclass(frozen=True)
class TakingSample:
    """Deals with known counts, in which to find best responses.

    Attributes:
        given: the player and the deals.
        counts: float64 (laps, places, n), the best count that may be named in each lap.
        contracts: int64 (laps, places, n), its contract.
    """

    given: ImposedRounds
    counts: Float64Array
    contracts: Int64Array

    @classmethod
    def of(
        cls, teams: int, policy: str, seed: int, deals: int, offsets: dict[str, int],
        parameters: Any,
    ) -> TakingSample:  # fmt: skip
        """Count the hands of the first deals of a seed, with these parameters of `points`."""
        given = ImposedRounds(KqjRules.from_dict({"teams": teams}), policy, seed)
        hands = given.hands(np.arange(deals))
        counts = np.zeros((LAP_COUNT, SEATS, deals))
        contracts = np.zeros((LAP_COUNT, SEATS, deals), dtype=np.int64)
        _fill_best_counts(
            hands.five, hands.upcards, offsets["other"], offsets["no_trump"],
            offsets["all_trumps"], parameters, counts, contracts,
        )  # fmt: skip
        return cls(given, counts, contracts)

    def _value_of_takes(
        self, deals: Int64Array, turns: Int64Array, teams: NDArray[Any]
    ) -> Float64Array:
        """Return the score of the given teams, ahead of the others, if the given turns take.

        Turns are 0 to 11, 12 for nobody.
        """
        value = np.zeros(len(deals))
        taken = np.flatnonzero(turns < LAP_COUNT * SEATS)
        laps, places = np.divmod(turns[taken], SEATS)
        contracts = self.contracts[laps, places, deals[taken]]
        nothing = np.zeros(len(taken), dtype=np.int64)
        score = self.given.play(deals[taken], places, contracts, nothing).score
        own = score[teams[taken], np.arange(len(taken))]
        value[taken] = own - (score.sum(axis=0) - own) / (len(score) - 1)
        return value

    def gains(
        self, turn: int, thresholds: Float64Array, max_deals: int
    ) -> tuple[Float64Array, Float64Array]:
        """Return counts at a turn (0 to 11), and the gains from taking there.

        Args:
            turn: the turn.
            thresholds: (12,), by which the others take.  If those before the turn seldom all pass,
            they
                are assumed to have passed with higher counts, as far as needed.
            max_deals: most deals to play.
        """
        flat = self.counts.reshape(LAP_COUNT * SEATS, -1)
        takes = flat >= thresholds[:, None]
        floor, deals = 0.0, np.empty(0, dtype=np.int64)
        while len(deals) < min(MIN_DEALS, max_deals):
            passed = flat[:turn] < np.maximum(thresholds[:turn, None], floor)
            deals = np.flatnonzero(passed.all(axis=0))[:max_deals]
            floor += FLOOR_STEP
        after = np.vstack([takes[turn + 1 :, deals], np.full((1, len(deals)), True)])
        following = turn + 1 + after.argmax(axis=0)
        teams = np.full(len(deals), turn % SEATS % self.given.rules.teams)
        gained = self._value_of_takes(deals, np.full(len(deals), turn), teams)
        gained -= self._value_of_takes(deals, following, teams)
        return flat[turn, deals], gained


def find_best_responses(
    sample: TakingSample, start: Float64Array, max_deals: int, sweeps: int
) -> list[Threshold]:
    """Find thresholds of the twelve turns that are best responses to each other.

    Args:
        sample: the deals.
        start: (12,), thresholds to begin with.
        max_deals: deals to play for each turn.
        sweeps: passes over all turns.
    """
    thresholds = start.astype(np.float64).copy()
    found: list[Threshold] = []
    for _ in range(sweeps):
        found = []
        for turn in reversed(range(LAP_COUNT * SEATS)):
            counts, gained = sample.gains(turn, thresholds, max_deals)
            root, error = fit_root(counts, gained)
            weak = gained[counts <= np.quantile(counts, 0.1)]
            mean, deviation = float(weak.mean()), float(weak.std(ddof=1) / np.sqrt(len(weak)))
            lap, place = turn // SEATS + 1, turn % SEATS
            found.append(Threshold(lap, place, root, error, len(counts), mean, deviation))
            if np.isfinite(root):
                thresholds[turn] = root
        found.reverse()
    return found
