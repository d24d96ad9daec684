"""Choose the best option on deals of its own, so that the deals that value it are fresh.

The largest of several estimates is too large, the more so the closer the options are: whoever
names the best by some deals and reads its value off the same deals tells its luck with it.  So
every answer that names a best option rests on two kinds of deals.  Some choose: they rank the
options, and nothing else is read off them.  The others, which had no say in that, give every
number shown, so that the interval of the option named is as good as that of any option named
beforehand, and so is that of its lead over the next one.

Splitting is preferred to cross-fitting, in which each half chooses for the other one and the two
values are averaged: the halves may name two options, of which one is told, and with equal options
their two values are correlated (0.3 with two of them), which Student's interval does not know of.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from typing import NamedTuple, TypeVar

from kqj_sim.analysis.weighted_means import Objective, WeightedMoments

B = TypeVar("B")

FIRST_CHOOSING = 1 << 58
"""The deals from this number on choose the best option; those from 0 on value all of them."""

CERTAIN = 0.999
"""With this confidence an option must be the best for the choice to end early.  It does not depend
on the confidence of what is shown, which changes no choice."""

_TIME_SHARE = 1 / 3
"""Share of a limit of time that the choice may take: about that of the deals."""


class Limits(NamedTuple):
    """When a choice ends, unless one option is certain to be the best before.

    Attributes:
        deals: after so many deals.
        width: once the share of the best is known to this on either side; 0 for never.
        deadline: at this moment of the monotonic clock; infinity for never.
    """

    deals: int
    width: float
    deadline: float


def limits(deals: int, until: float | None, seconds: float | None, start: float) -> Limits:
    """Return the limits of a choice: half as many deals as value the options, at most.

    Args:
        deals: the most deals that value the options.
        until: the half-width at which these end, or None; at twice the width, and at the
            confidence `CERTAIN`, a choice has about half as many deals.
        seconds: the limit of time of the whole answer, or None.
        start: when it began, of the monotonic clock.
    """
    deadline = math.inf if seconds is None else start + _TIME_SHARE * seconds
    return Limits(math.ceil(deals / 2), 2 * (until or 0.0), deadline)


def choose(
    source: Generator[B],
    add: Callable[[B], None],
    sums: WeightedMoments,
    by: Objective,
    ends: Limits,
) -> tuple[int, ...]:
    """Return the options in order, the best first, by deals that value none of them.

    Args:
        source: blocks of deals in order, as many as the limits ask for or more; it is closed.
        add: takes a block into `sums`.
        sums: sums without deals.
        by: what makes an option the best.
        ends: when the choice ends.
    """
    try:
        for block in source:
            add(block)
            if time.monotonic() > ends.deadline:
                break
            if sums.weights == 0:
                continue
            best = sums.best(by)
            if sums.deals >= ends.deals or sums.is_conclusive(best, by, ends.width, CERTAIN):
                break
    finally:
        source.close()
    return sums.ranking(by)
