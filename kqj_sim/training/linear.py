"""Least squares: the linear weights that best explain the differences between candidate cards.

Most of the variance of the cards' values is common to a decision (the deal, mostly) and decides
nothing.  So the fit is one of differences from the mean of the decision's candidates:

    value_c - mean value  =  (x_c - mean x) . w  +  noise,

x_c the features of candidate c, counted.  The normal equations are sums over decisions, added up
chunk by chunk; memory does not grow with their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from kqj_sim.core.jit import kernel
from kqj_sim.core.types import Float32Array
from kqj_sim.policies.features import CARD_INDICES
from kqj_sim.training.decisions import KINDS, MAX_CANDIDATES, CardDecisions

RIDGE = 100.0
"""Ridge added to the diagonal of the normal equations.

With residuals of some 60 points it corresponds to a prior standard deviation of about 6 points for
each weight.  Only features that are hardly ever seen are affected.
"""


class FitQuality(NamedTuple):
    """The fit of linear weights to the differences between candidates.

    Attributes:
        decisions: their number.
        r2: share of the variance explained; NaN without decisions.
        residual: standard deviation of the residuals, in points; NaN without decisions.
    """

    decisions: int
    r2: float
    residual: float


class NormalEquations:
    """The sums of a least squares fit, for each kind of contract (KINDS).

    Attributes:
        matrix: float64 (kinds, indices, indices), upper triangle: products of the features.
        vector: float64 (kinds, indices): products of features and values.
        squares: float64 (kinds,): sum of the squared values.
        decisions, cards: int64 (kinds,): their numbers.
    """

    def __init__(self, card_indices: int) -> None:
        kinds = len(KINDS)
        self.matrix = np.zeros((kinds, card_indices, card_indices))
        self.vector = np.zeros((kinds, card_indices))
        self.squares = np.zeros(kinds)
        self.decisions = np.zeros(kinds, dtype=np.int64)
        self.cards = np.zeros(kinds, dtype=np.int64)

    def add(self, decisions: CardDecisions) -> None:
        """Add decisions to the sums."""
        _add_decisions(
            decisions.kind, decisions.cards, decisions.card_count, decisions.values, self.matrix,
            self.vector, self.squares,
        )  # fmt: skip
        kinds = len(KINDS)
        self.decisions += np.bincount(decisions.kind, minlength=kinds)
        counts = np.bincount(decisions.kind, weights=decisions.card_count, minlength=kinds)
        self.cards += counts.astype(np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the sums by name, not copied."""
        return dict(vars(self))

    def solve(self, ridge: float = RIDGE) -> tuple[Float32Array, list[FitQuality]]:
        """Solve for the weights, float32 (kinds, indices), in points; return them and the fit of
        each kind."""
        weights = np.zeros(self.vector.shape, dtype=np.float32)
        fits = []
        for kind, (matrix, vector) in enumerate(zip(self.matrix, self.vector, strict=True)):
            # The weights of features that never differed are zero, and need not be solved for.
            met = np.flatnonzero(matrix.diagonal())
            upper = matrix[np.ix_(met, met)]
            full = upper + np.triu(upper, 1).T
            solution = linalg.solve(full + ridge * np.eye(len(met)), vector[met], assume_a="pos")
            weights[kind, met] = solution
            left = self.squares[kind] - 2 * solution @ vector[met] + solution @ full @ solution
            free = self.cards[kind] - self.decisions[kind]
            fit = FitQuality(0, np.nan, np.nan)
            if free > 0 and self.squares[kind] > 0:
                fit = FitQuality(
                    int(self.decisions[kind]),
                    float(1 - left / self.squares[kind]),
                    float(np.sqrt(max(0.0, left) / free)),
                )
            fits.append(fit)
        return weights, fits


class LinearTraining:
    """Linear weights in training: each round fits them anew, with the last ones as the players.

    Attributes:
        name: the policy's.
        equations: the sums of this round.
        weights: float32 (kinds, CARD_INDICES), of the last finished round.
        fits: the fit of each kind; empty before the first round is finished.
    """

    def __init__(self) -> None:
        self.name = "linear"
        self.equations = NormalEquations(CARD_INDICES)
        self.weights = np.zeros((len(KINDS), CARD_INDICES), dtype=np.float32)
        self.fits: list[FitQuality] = []

    def player(self, round: int) -> str:
        """Return the policy that plays in a round, from 0."""
        return self.name if round else "standard"

    def weights_in_use(self, round: int) -> dict[str, Float32Array]:
        """Return the weights of the policies that play in a round, by policy."""
        return {"linear": self.weights} if round else {}

    def learn(self, decisions: CardDecisions, chunk: int, begin: float, end: float) -> None:
        """Add a chunk of decisions; neither its number nor the progress matters."""
        self.equations.add(decisions)

    def end_round(self) -> None:
        """Solve for the weights."""
        self.weights, self.fits = self.equations.solve()
        self.equations = NormalEquations(CARD_INDICES)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that resuming the training needs, by name, not copied."""
        return {"solved": self.weights, **self.equations.arrays()}

    def trained_weights(self) -> Float32Array:
        """Return the weights, float32 (kinds, CARD_INDICES)."""
        return self.weights


def evaluate_linear(weights: Float32Array, decisions: CardDecisions) -> Float32Array:
    """Return the candidates' values by linear weights (kinds, CARD_INDICES), float32 (n,
    MAX_CANDIDATES)."""
    values = np.zeros_like(decisions.values)
    _fill_values(weights, decisions.kind, decisions.cards, decisions.card_count, values)
    return values


@kernel
def _fill_values(weights: Any, kinds: Any, cards: Any, card_count: Any, values: Any) -> None:
    """Add the weights of the candidates' features to `values`."""
    for row in range(len(kinds)):
        for c in range(card_count[row]):
            for f in range(cards.shape[2]):
                values[row, c] += weights[kinds[row], cards[row, c, f]]


@kernel
def _add_decisions(
    kinds: Any, cards: Any, card_count: Any, values: Any, matrix: Any, vector: Any, squares: Any
) -> None:
    """Add decisions to normal equations; arguments as in `CardDecisions` and `NormalEquations`."""
    features = cards.shape[2]
    place = np.full(vector.shape[1], -1)
    indices = np.empty(MAX_CANDIDATES * features, np.int64)
    share = np.empty((MAX_CANDIDATES * features, MAX_CANDIDATES))
    difference = np.empty(MAX_CANDIDATES)
    for row in range(len(kinds)):
        kind, count = kinds[row], card_count[row]
        found = 0
        for c in range(count):
            for f in range(features):
                index = np.int64(cards[row, c, f])
                if place[index] < 0:
                    place[index] = found
                    indices[found] = index
                    share[found, :] = 0.0
                    found += 1
                share[place[index], c] += 1.0
        mean = 0.0
        for c in range(count):
            mean += values[row, c]
        mean /= count
        for c in range(count):
            difference[c] = values[row, c] - mean
            squares[kind] += difference[c] * difference[c]
        # What all candidates have alike differs in nothing: most of them, so it is left out.
        kept = 0
        for each in range(found):
            index = indices[each]
            place[index] = -1
            total, alike = 0.0, True
            for c in range(count):
                total += share[each, c]
                alike &= share[each, c] == share[each, 0]
            if not alike:
                indices[kept] = index
                for c in range(count):
                    share[kept, c] = share[each, c] - total / count
                kept += 1
        for a in range(kept):
            first = indices[a]
            product = 0.0
            for c in range(count):
                product += share[a, c] * difference[c]
            vector[kind, first] += product
            for b in range(a, kept):
                second = indices[b]
                product = 0.0
                for c in range(count):
                    product += share[a, c] * share[b, c]
                matrix[kind, min(first, second), max(first, second)] += product
