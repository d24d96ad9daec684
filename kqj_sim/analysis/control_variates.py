"""Means with less luck in them: the same deals played by a fast policy as a control variate.

What a team scores more than the others, Y, depends on the cards more than on who plays them.  The
same deals played by one policy at every seat give X with the same luck: by how much a team's score,
and its total, exceed the others'.  Turning the table by a seat makes each team the next one, so
that the mean of X over the dealers is 0 for every team, whatever the policy and the rules.
Y - b X has the mean of Y, for any b that is fitted on other deals, and less variance.
Source: B. L. Nelson, "Control variate remedies", Operations Research 38 (1990); coefficients from
the other half of the sample as in A. N. Avramidis and J. R. Wilson, "A splitting scheme for control
variates", Operations Research Letters 14 (1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.intervals import (
    DEFAULT_CONFIDENCE,
    Estimate,
    estimate_mean_from_sums,
    student_quantile,
)
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.block_player import DealReplayer
from kqj_sim.columns import get_column_numbers
from kqj_sim.experiment import ExperimentError

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import GameRows, Rows
    from kqj_sim.rules import GameRules

_VARIABLE_COUNT = 3
"""Y, and what it is corrected by: score and total of the same deal played by the control."""
NEGLIGIBLE_SPREAD = 1e-12
"""A variance is taken for 0 below this share of the plain one: what rounding leaves of it."""


class AdjustedEstimate(NamedTuple):
    """A mean, with and without the correction.

    Attributes:
        plain: the mean of Y and its interval.
        corrected: the mean of Y - b X over the dealers, each counting the same.
        relative_efficiency: how many times as many deals the plain mean needs for the same error;
            NaN where the deals do not tell.
    """

    plain: Estimate
    corrected: Estimate
    relative_efficiency: float


def compute_team_leads(rows: Rows, rules: GameRules, column: str) -> NDArray[np.int64]:
    """By how much each team's number is better than the mean of the others', times their number.

    Args:
        rows: n rows.
        rules: their rules.
        column: `score` or `total`; in a game without totals these are the card points.

    Returns:
        int64 (teams, n), or (seats, n) with random partners: the team of the player at the seat.
    """
    sign = rules.score_sign if column == "score" else 1
    if f"{column}_0" not in get_column_numbers(rules.game):
        column = "card_points"
    teams = rules.team_count
    numbers = sign * np.stack([rows.column(f"{column}_{team}") for team in range(teams)])
    lead: NDArray[np.int64] = teams * numbers.astype(np.int64) - numbers.sum(axis=0)
    if rules.partners == "fixed":
        return lead
    of_seat = np.stack([rows.column(f"team_of_seat_{seat}") for seat in range(rules.seats)])
    found: NDArray[np.int64] = np.take_along_axis(lead, of_seat.astype(np.int64), axis=0)
    return found


def compute_scatter_matrix(
    count: int, sums: NDArray[np.int64], products: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of products of deviations from the means, (k, k), of `count` observations.

    Args:
        count: how many there are, one or more.
        sums: int64 (k,), the sums of the observations.
        products: int64 (k, k), the sums of their products.
    """
    # In whole numbers of any size: what is left may be far smaller than what is subtracted.
    totals = [int(value) for value in sums]
    return np.array(
        [
            [
                (count * int(product) - one * other) / count
                for other, product in zip(totals, row, strict=True)
            ]
            for one, row in zip(totals, products, strict=True)
        ]
    )


class ControlTally:
    """Sums of an experiment's leads in score, and of the same deals played by a control.

    Takes part in `simulation.reduce_rows`, each thread with its own, of single deals; the sums are
    whole numbers, so that threads and chunks cannot matter.

    Args:
        experiment: the experiment whose rows are added.
        control: specification of the policy that plays its deals again, at every seat.

    Raises:
        ExperimentError: the experiment is one of games.
        PolicyError: the control cannot be used.
    """

    columns: frozenset[str] | None = None

    def __init__(self, experiment: Experiment, control: str) -> None:
        if experiment.games is not None:
            raise ExperimentError("a control corrects means of deals: leave games out")
        self.rules = experiment.rules
        again = replace(experiment, policies=(control,) * self.rules.seats)
        # A half of the deals, and a dealer in it: the number of the deal modulo this.
        self._strata = 2 * self.rules.seats
        self.control = again.players[0].name
        self._replay = DealReplayer(again)
        shape = (self._strata, self.rules.score_count, _VARIABLE_COUNT)
        self._counts = np.zeros(self._strata, np.int64)
        self._sums = np.zeros(shape, np.int64)
        self._products = np.zeros((*shape, _VARIABLE_COUNT), np.int64)

    def add(self, rows: Rows) -> None:
        """Take in the rows of consecutive deals, in any order; the control plays them again."""
        first = int(rows.deal.min())
        again = self._replay.play(first, len(rows))
        values = np.stack(
            [
                compute_team_leads(rows, self.rules, "score")[:, np.argsort(rows.deal)],
                compute_team_leads(again, self.rules, "score"),
                compute_team_leads(again, self.rules, "total"),
            ],
            axis=1,
        )
        for start in range(min(self._strata, len(rows))):
            stratum = (first + start) % self._strata
            part = values[:, :, start :: self._strata]
            self._counts[stratum] += part.shape[2]
            self._sums[stratum] += part.sum(axis=2)
            self._products[stratum] += part @ part.transpose(0, 2, 1)

    def add_games(self, games: GameRows) -> None:
        """Nothing: there are no games."""

    def merge(self, other: ControlTally) -> None:
        """Add the sums of `other`."""
        self._counts += other._counts
        self._sums += other._sums
        self._products += other._products

    @property
    def layout(self) -> str:
        """What is summed, in words that are the same only where `numbers` can be added."""
        return f"{self.control} {self._sums.shape}"

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """The sums, as arrays by name."""
        return {"counts": self._counts, "sums": self._sums, "products": self._products}

    def add_numbers(self, numbers: Mapping[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of sums with the same `layout` gave; raises KeyError."""
        self._counts += numbers["counts"]
        self._sums += numbers["sums"]
        self._products += numbers["products"]

    def corrected(self, number: int, confidence: float = DEFAULT_CONFIDENCE) -> AdjustedEstimate:
        """What a team, or the player at a seat with random partners, scores more than the others.

        In points, mean a deal; the interval is Student's.  Fewer than two deals of a dealer in a
        half of the deals give no corrected mean.
        """
        scale, seats = 1 / (self.rules.team_count - 1), self.rules.seats
        counts = [int(count) for count in self._counts]
        deals = sum(counts)
        total, squares = (
            sum(int(value) for value in values)
            for values in (self._sums[:, number, 0], self._products[:, number, 0, 0])
        )
        plain = estimate_mean_from_sums(deals, total, squares, confidence).scaled(scale)
        if min(counts) < 2:
            return AdjustedEstimate(plain, Estimate(math.nan, math.nan, math.nan, deals), math.nan)
        scatter = np.array(
            [
                compute_scatter_matrix(counts[stratum], self._sums[stratum, number],
                           self._products[stratum, number])
                for stratum in range(self._strata)
            ]
        )  # fmt: skip
        value = variance = 0.0
        for half in (0, 1):
            own = range(half * seats, (half + 1) * seats)
            others = scatter[(1 - half) * seats : (2 - half) * seats].sum(axis=0)
            # The least squares of least norm: a control without spread corrects nothing.
            fitted = np.linalg.lstsq(others[1:, 1:], others[1:, 0], rcond=None)[0]
            weights = np.concatenate(([1.0], -fitted))
            share = sum(counts[stratum] for stratum in own) / deals
            for stratum in own:
                count = counts[stratum]
                means = self._sums[stratum, number] / count
                value += share / seats * float(weights @ means)
                spread = max(0.0, float(weights @ scatter[stratum] @ weights)) / (count - 1)
                variance += (share / seats) ** 2 * spread / count
        half_width = student_quantile(deals - self._strata, confidence) * math.sqrt(variance)
        corrected = Estimate(value, value - half_width, value + half_width, deals).scaled(scale)
        plain_variance = (squares / deals - (total / deals) ** 2) / (deals - 1)
        if variance <= NEGLIGIBLE_SPREAD * plain_variance:
            return AdjustedEstimate(
                plain, corrected._replace(low=math.nan, high=math.nan), math.nan
            )
        return AdjustedEstimate(plain, corrected, plain_variance / variance)

    def table(self, confidence: float = DEFAULT_CONFIDENCE) -> Table:
        """The corrected means beside the plain ones."""
        rules = self.rules
        random = rules.partners == "random"
        player = "seat" if random else "team"
        total = "total" if "total_0" in get_column_numbers(rules.game) else "card points"
        # Of two teams the one is the other with the sign changed.
        numbers = range(1 if not random and rules.team_count == 2 else rules.score_count)
        lines: list[TableRow] = []
        for number in numbers:
            found = self.corrected(number, confidence)
            factor = Estimate(
                found.relative_efficiency, math.nan, math.nan, found.plain.observations
            )
            lines += [
                ((number,), "plain, mean a deal", "points", found.plain),
                ((number,), "corrected, mean a deal", "points", found.corrected),
                ((number,), "worth times as many deals", "count", factor),
            ]
        return make_table(
            "scores_corrected",
            f"Score of a round less the others', by {player}, corrected",
            (player,),
            lines,
            f"Corrected by regression on score and {total} of the same deals played by "
            f"{self.control} at every seat, whose mean over the dealers is 0; the coefficients for "
            "each half of the deals are fitted on the other half.",
        )
