"""Weighted means with less luck in them: deals that a control plays too, and many it plays alone.

Y is what comes of a call when the players assumed play on, X when a control, a fast policy at every
place, does in the same deals.  The mean of X is not known with a hand, but cheap: the control plays
`FURTHER` times as many other deals alone.  Then mean(Y) - b (mean(X) - mean(X in the others)) has
the mean of Y for any b that is fitted on other deals, and less variance if X goes with Y.
Source: J. Neyman, "Contribution to the theory of sampling human populations", Journal of the
American Statistical Association 33 (1938), the double sampling of W. G. Cochran, Sampling
Techniques, 3rd ed. (1977), section 12.6; coefficients from the other half as in `analysis.control`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kqj_sim.analysis import sequences
from kqj_sim.analysis.intervals import Estimate, student_quantile, weighted_share
from kqj_sim.analysis.weighted import ROUNDING, Values, WeightedSums

FURTHER = 8
"""So many deals are played by the control alone for each one that both play."""

FEW = 100
"""A half that tells as much as fewer equal deals gives no coefficient."""


class Deviations(NamedTuple):
    """Weighted means of Y and X, and sums of w w times products of the deviations from them."""

    weights: float
    y: float
    x: float
    yy: float
    xy: float
    xx: float


class Corrected(NamedTuple):
    """A corrected mean.

    Attributes:
        value: the mean.
        variance: of it, of both kinds of deals.
        plain: the variance of the mean that is not corrected.
        coefficient: the largest coefficient, as a positive number; 0 if nothing is corrected.
    """

    value: float
    variance: float
    plain: float
    coefficient: float


@dataclass
class ControlledSums(WeightedSums):
    """Sums over deals of quantities of several options, and of the same played by a control.

    Attributes:
        halves: the sums of every second deal, of the options and then of the control's.
        further: the sums of the deals that the control plays alone.
    """

    halves: tuple[WeightedSums, WeightedSums] = field(
        default_factory=lambda: (WeightedSums(), WeightedSums())
    )
    further: WeightedSums = field(default_factory=WeightedSums)

    def add_block(
        self, deals: int, weights: Values, both: Values, others: tuple[int, Values, Values]
    ) -> None:
        """Take in a block.

        Args:
            deals: deals that were drawn.
            weights: (n,), of those that have one.
            both: (quantities, 2 * options, n), the options' values and then the control's.
            others: the same three of the deals that the control alone plays, its values being
                (quantities, options, n).
        """
        self.add(deals, weights, both[:, : both.shape[1] // 2])
        for start, half in enumerate(self.halves):
            own = slice(start, None, 2)
            half.add(len(weights[own]), weights[own], both[:, :, own])
        self.further.add(*others)

    def value(self, quantity: int, option: int) -> float:
        """A corrected mean."""
        return self.corrected(quantity, option).value

    def mean(
        self, quantity: int, option: int, confidence: float, *, less: int | None = None,
        sequential: bool = False, is_share: bool = False, bound: float = 0.0,
    ) -> Estimate:  # fmt: skip
        """A corrected mean with its interval; arguments as for `WeightedSums.mean`."""
        found = self.corrected(quantity, option, less)
        value = found.value
        if found.coefficient == 0 or (is_share and not 0 < value < 1):
            return super().mean(
                quantity, option, confidence, less=less, sequential=sequential, is_share=is_share,
                bound=bound,
            )  # fmt: skip
        if sequential:
            bound = (1.0 if is_share else bound) * (1 + found.coefficient)
            unseen = sequences.UNSEEN * (bound * self.squares / self.weights**2) ** 2
            half = sequences.standard_errors(self.deals, confidence)
            half *= (found.variance + unseen) ** 0.5
        elif is_share:
            number = value * (1 - value) / found.variance
            return weighted_share(value, number, self.deals, confidence)
        else:
            half = student_quantile(int(self.effective) - 1, confidence) * found.variance**0.5
        low, high = value - half, value + half
        if is_share:
            low, high = max(0.0, low), min(1.0, high)
        return Estimate(value, low, high, self.deals)

    def worth(self, quantity: int, option: int, less: int | None = None) -> float:
        """How many times as many deals a mean needs that is not corrected; NaN without spread."""
        found = self.corrected(quantity, option, less)
        return found.plain / found.variance if found.variance > 0 else float("nan")

    def corrected(self, quantity: int, option: int, less: int | None = None) -> Corrected:
        """A mean, or what it exceeds that of another option by."""
        options = self.first.shape[1]
        found = [
            _deviations(half, options, quantity, option, less)
            for half in self.halves
            if half.weights > 0
        ]
        plain = sum(half.yy for half in found) / self.weights**2
        value = sum(half.weights * half.y for half in found) / self.weights
        if min(half.effective for half in self.halves) < FEW:
            return Corrected(value, plain, plain, 0.0)
        one, other = found
        # The means of both kinds of deals have an error: the best b is less than the regression's.
        fitted = [
            half.xy / half.xx / (1 + 1 / FURTHER) if half.xx > 0 else 0.0 for half in (other, one)
        ]
        shares = [half.weights / self.weights for half in found]
        mean = sum(share * b for share, b in zip(shares, fitted, strict=True))
        alone = _deviations(self.further, 0, quantity, option, less)
        spread = 0.0
        for half, share, b in zip(found, shares, fitted, strict=True):
            value -= share * b * half.x
            spread += max(0.0, half.yy - 2 * b * half.xy + b * b * half.xx)
        value += mean * alone.x
        variance = spread / self.weights**2 + mean**2 * alone.xx / alone.weights**2
        if variance <= 0:
            return Corrected(value, plain, plain, 0.0)
        return Corrected(value, variance, plain, max(abs(b) for b in fitted))


def _deviations(
    sums: WeightedSums, options: int, quantity: int, option: int, less: int | None
) -> Deviations:
    """Of an option as Y, and as X of that which stands `options` after it."""
    signs = {option: 1} if less is None else {option: 1, less: -1}

    def total(of: Values, shift: int) -> float:
        return float(sum(sign * of[each + shift] for each, sign in signs.items()))

    def product(row: int, column: int) -> float:
        of = sums.products[quantity]
        return float(
            sum(
                sign * times * of[one + row, other + column]
                for one, sign in signs.items()
                for other, times in signs.items()
            )
        )

    y = total(sums.first[quantity], 0) / sums.weights
    x = total(sums.first[quantity], options) / sums.weights
    crossed_y = total(sums.crossed[quantity], 0)
    crossed_x = total(sums.crossed[quantity], options)

    def spread(row: int, column: int, one: float, other: float, crossed: float) -> float:
        whole = product(row, column)
        found = whole - crossed + one * other * sums.squares
        # What is all the same differs by rounding errors only.
        return 0.0 if abs(found) <= ROUNDING * abs(whole) else found

    return Deviations(
        sums.weights, y, x,
        max(0.0, spread(0, 0, y, y, 2 * y * crossed_y)),
        spread(0, options, y, x, y * crossed_x + x * crossed_y),
        max(0.0, spread(options, options, x, x, 2 * x * crossed_x)),
    )  # fmt: skip
