"""What was found out about calls: quantities of each, their intervals, which call is best."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import sequences
from kqj_sim.analysis.heard import Situation
from kqj_sim.analysis.intervals import CONFIDENCE, Estimate, weighted_share, within
from kqj_sim.analysis.sampled import Block
from kqj_sim.analysis.standing import Asked, Option
from kqj_sim.analysis.weighted import ROUNDING, Objective, WeightedSums
from kqj_sim.core import odds as core
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.state import TRICKS
from kqj_sim.policies.specification import Player
from kqj_sim.rules import MOST

QUANTITIES: dict[str, bool] = {
    "wins": True,
    "difference": False,
    "makes": True,
    "plays": True,
    "litigation": True,
    "passed_out": True,
    "total": False,
    "capot": True,
    "kq": True,
    "kqj": True,
}
"""What is known of each call, and whether it is a share:

* wins: the own side scores more than every other one
* difference: the own side's score less that of the best other side, in points
* makes, plays: the own side makes a contract, plays one
* litigation, passed_out: how the round ends
* total: the own side's card points and bonuses
* capot, kq, kqj: the own side has this bonus
"""
WON, LOST, DRAWN, OUT = range(4)
"""How a round ends for the own side: won, lost, a litigation, passed out."""


class Answer(ABC):
    """What was found out about calls: means of quantities of each.

    A game's answer has the quantities, and whether each is a share.

    Attributes:
        situation: what the player knows; has `rules` and his `hand`.
        players: who calls and plays at each place.
        seed: seed of the deals.
        options: the calls, and what else was tried out; each has a `text`.
        calls: how many of `options`, the first, are calls.
        sequential: whether intervals hold at every moment.
        ignore_calls: as asked.
        ended: why it ended: "deals", "until", "time", "search" (for agreeing deals) or
            "interrupted".
        stopped: which call made the search for agreeing deals end; "" if it did not.
        sums: quantities by option.
        order: the calls in the order that other deals chose, the best first; empty as long as
            these deals are choosing themselves.
        choosing_deals: how many deals chose it.
    """

    quantities: ClassVar[Mapping[str, bool]]
    situation: Any
    players: tuple[Player, ...]
    seed: int
    options: Sequence[Any]
    calls: int
    sequential: bool
    ignore_calls: bool
    ended: str
    stopped: str = ""
    sums: WeightedSums
    order: tuple[int, ...]
    choosing_deals: int

    @property
    @abstractmethod
    def agreeing(self) -> float:
        """Share of all deals in which the others would have said what they said."""

    @property
    def most_points(self) -> int:
        """The most that a round is worth to a side."""
        most: int = self.situation.rules.most_points
        return most

    @abstractmethod
    def add(self, block: Any) -> None:
        """Take in a block of deals."""

    def number(self, quantity: str) -> int:
        """The number of a quantity."""
        return list(self.quantities).index(quantity)

    @property
    def deals(self) -> int:
        """Deals that were drawn."""
        return self.sums.deals

    @property
    @abstractmethod
    def looked_at(self) -> int:
        """Hands, or deals, that were looked at for those that agree; 0 if nothing was said."""

    def agreeing_estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """Share of all deals in which the others would have said what they said."""
        sums = self.sums
        return agreeing_estimate(
            self.looked_at, sums.weights, sums.squares, confidence, self.sequential
        )

    @property
    def effective(self) -> float:
        """The number of deals without weights that would tell as much."""
        return self.sums.effective

    def estimate(
        self, quantity: str, option: int, confidence: float = CONFIDENCE, less: int | None = None
    ) -> Estimate:
        """A quantity of an option, or with `less` what it exceeds that of another one by."""
        return self.sums.mean(
            self.number(quantity),
            option,
            confidence,
            less=less,
            sequential=self.sequential,
            is_share=self.quantities[quantity] and less is None,
            bound=1.0 if self.quantities[quantity] else self.most_points,
        )

    @property
    def objective(self) -> Objective:
        """What makes a call the best."""
        value, share = self.number("difference"), self.number("wins")
        return Objective(value, share, self.calls, self.most_points)

    @property
    def ranking(self) -> list[int]:
        """The calls, the best first: by mean difference of scores in the deals that chose.

        Their values (`estimate`) are those of other deals, so neighbours may have them in another
        order.
        """
        return list(self.order or self.sums.ranking(self.objective))

    @property
    def best(self) -> int:
        """The call that the deals that chose name."""
        return self.ranking[0]

    def decided(self, width: float, confidence: float) -> bool:
        """Whether the best call is sure, or its chance to win known to `width` on either side."""
        return self.sums.decided(self.best, self.objective, width, confidence)


@dataclass
class Odds(Answer):
    """What each call is worth.

    Attributes:
        situation: what the player knows.
        players: who calls and plays at each place.
        seed: seed of the deals.
        options: the calls, then (auctions) the contracts if they are played.
        calls: how many of `options` are calls.
        asked: what others answered, in the order in which hands were drawn.
        answers: int64 (asked, 2), hands that were asked, and that answered as heard.
        sums: quantities (`QUANTITIES`) by option.
        totals: float64 (options, 4, 601), weights by ending (`WON` to `OUT`) and own total.
        squares: float64 (options, 601), squares of the weights by own total.
        sequential: whether intervals hold at every moment.
        ended, stopped, order, choosing_deals: as of `Answer`.
        pending, ignore_calls: as asked.
    """

    quantities = QUANTITIES

    situation: Situation
    players: tuple[Player, ...]
    seed: int
    options: list[Option]
    calls: int
    asked: list[Asked]
    sequential: bool
    pending: int = 0
    ignore_calls: bool = False
    ended: str = "deals"
    stopped: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    sums: WeightedSums = field(init=False)

    def __post_init__(self) -> None:
        self.sums = WeightedSums()
        self.answers = np.zeros((len(self.asked), 2), dtype=np.int64)
        self.totals = np.zeros((len(self.options), 4, MOST + 1))
        self.squares = np.zeros((len(self.options), MOST + 1))

    def add(self, block: Block) -> None:
        """Take in a block of deals."""
        self.answers += block.counts
        self.sums.add(block.deals, block.weights, _values(block.outcomes))
        squares = block.weights**2
        for option, outcome in enumerate(block.outcomes):
            total = outcome[:, core.OWN_TOTAL].astype(np.int64)
            place = _ending(outcome) * (MOST + 1) + total
            flat = self.totals[option].reshape(-1)
            flat += np.bincount(place, block.weights, minlength=flat.size)
            self.squares[option] += np.bincount(total, squares, minlength=MOST + 1)

    @property
    def looked_at(self) -> int:
        """Hands that were looked at for the first player who spoke."""
        return int(self.answers[0, 0]) if len(self.answers) else 0

    @property
    def agreeing(self) -> float:
        """Share of all deals in which the others would have said what they said."""
        return agreeing_share(self.answers, self.sums.weights)

    def reaches(self, option: int, amount: int, confidence: float = CONFIDENCE) -> Estimate:
        """The chance that the own side's total is at least an amount."""
        above = float(self.totals[option, :, amount:].sum())
        squares = float(self.squares[option, amount:].sum())
        return self.sums.share(above, squares, confidence, self.sequential)


def agreeing_share(answers: NDArray[np.int64], weights: float) -> float:
    """Share of hidden hands with which the others would have said what they said.

    Each hand that is looked at for the first player who spoke either does not agree with what he
    said, or is that of a deal, whose weight is the share of what agrees of the others' hands: so
    it is the sum of the weights a hand looked at.  (Deals for which none was found count with
    their hands.)

    Args:
        answers: int64 (questions, 2), hands that were asked, and that answered as heard.
        weights: sum of the weights of all draws.
    """
    return float(weights / answers[0, 0]) if len(answers) else 1.0


def agreeing_estimate(
    looked_at: int,
    weights: float,
    squares: float,
    confidence: float = CONFIDENCE,
    sequential: bool = False,
) -> Estimate:
    """The same share, from the sums of the weights and of their squares, with its interval.

    The mean of what is known of each hand looked at: nothing of it agrees, or a share as large as
    its weight.  That varies no more than hands of which each agrees or not; the interval is
    that of a share of as many of these as would tell as much, or holds at every moment
    (`sequential`).
    """
    if looked_at == 0:
        return Estimate(1.0, math.nan, math.nan, 0)
    if sequential:
        found = sequences.mean(looked_at, weights, squares, confidence, bound=1.0)
        return within(found, (0.0, 1.0))
    value = min(1.0, weights / looked_at)
    variance = squares / looked_at - value**2
    alike = value * (1 - value) / variance if variance > ROUNDING else 1.0
    return weighted_share(value, alike * looked_at, looked_at, confidence)


def _ending(outcome: NDArray[np.int16]) -> NDArray[np.int64]:
    """How rounds (n, OUTCOME) ended for the own side."""
    result = outcome[:, core.RESULT]
    decided = np.where(outcome[:, core.OWN_SCORE] > outcome[:, core.OTHER_SCORE], WON, LOST)
    drawn = np.where(result == PASSED_OUT, OUT, DRAWN)
    return np.where((result == PASSED_OUT) | (result == LITIGATION), drawn, decided)


def _values(outcomes: NDArray[np.int16]) -> NDArray[np.float64]:
    """The quantities (quantities, options, n) of outcomes (options, n, OUTCOME)."""
    result = outcomes[:, :, core.RESULT]
    score, other = outcomes[:, :, core.OWN_SCORE], outcomes[:, :, core.OTHER_SCORE]
    plays = outcomes[:, :, core.OWN_PLAYS] != 0
    named = {
        "wins": score > other,
        "difference": score.astype(np.float64) - other,
        "makes": plays & (result == MADE),
        "plays": plays,
        "litigation": result == LITIGATION,
        "passed_out": result == PASSED_OUT,
        "total": outcomes[:, :, core.OWN_TOTAL],
        "capot": outcomes[:, :, core.OWN_TRICKS] == TRICKS,
        "kq": outcomes[:, :, core.OWN_KQ] > 0,
        "kqj": outcomes[:, :, core.OWN_KQJ] > 0,
    }
    return np.stack([named[name].astype(np.float64) for name in QUANTITIES])
