"""The plan of an estimate: the deals that it may spend, and what is enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from kqj_sim.errors import InputError
from kqj_sim.plan import Plan, check_range
from kqj_sim.positions.search import Deadline
from kqj_sim.simulation.experiment import MAX_DEAL
from kqj_sim.simulation.workers import count_processors
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE

DEFAULT_DEALS = 10_000
"""Deals that value each option, unless asked otherwise."""

MAX_DEALS = 1_000_000
"""Deals after which a search for certainty ends."""

CERTAIN = 0.999
"""The confidence that an option is the best with which the choice ends early.  It does not depend
on the confidence of the results, which changes no choice."""

_CHOOSING_TIME_SHARE = 1 / 3
"""Share of a limit of time that the choice may take: about that of the deals."""


class Limits(NamedTuple):
    """The end of a series of deals, unless one option is certain to be the best before.

    Attributes:
        deals: number of deals.
        width: half-width of the best option's chance to win that is small enough; 0 to stop only
            when the best option is certain, None to do neither.
        deadline: the moment at which it ends.
        confidence: confidence of that width, and of that certainty.
        effective_deals: effective number of deals, at least; there is no end before.
    """

    deals: int
    width: float | None = None
    deadline: Deadline = Deadline()
    confidence: float = DEFAULT_CONFIDENCE
    effective_deals: float = 0.0


def count_choosing_deals(deals: int) -> int:
    """Return how many deals choose the best option, at most, where `deals` value all of them."""
    return math.ceil(deals / 2)


@dataclass(frozen=True, kw_only=True)
class EstimatePlan(Plan):
    """The precision of an answer, and the means to find it.

    Deals value each option, rounded up to whole blocks of 256 for calls; half as many others at
    most, fewer where one option is clearly the best, choose the best.  By default they are
    `DEFAULT_DEALS`, with a precision `MAX_DEALS`.  The precision is that of the best option's
    chance to win, or it is enough that the best option is certain; intervals then hold at every
    moment.  A third of the time at most is for choosing.  The same seed gives the same numbers,
    whatever the threads.

    Attributes:
        ignore_calls: True for hidden cards that need not agree with the calls.
        ignore_plays: True for hidden cards that are not weighed by the chances of the plays.
        threads: number of threads; None for all processors.
        progress: called now and then with the answer so far: first by the deals that choose, with
            `choosing_deals` 0, then by those that value.
        searching: called with the number of hands tried so far, while hidden cards are searched.
    """

    ignore_calls: bool = False
    ignore_plays: bool = False
    threads: int | None = None
    progress: Callable[[Any], None] | None = None
    searching: Callable[[int], None] | None = None
    start_time: float = field(default_factory=monotonic, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("deals", self.max_deals, 1, MAX_DEAL >> 2)
        check_range("threads", self.thread_count, 1, 1 << 10)
        if self.precision is not None and self.precision >= 1:
            raise InputError(
                f"precision is {self.precision}: it lies between 0 and 1, such as 0.005"
            )

    @property
    def max_deals(self) -> int:
        """The number of deals that value each option, at most."""
        if self.deals is not None:
            return self.deals
        return DEFAULT_DEALS if self.precision is None else MAX_DEALS

    @property
    def thread_count(self) -> int:
        """The number of threads."""
        return count_processors() if self.threads is None else self.threads

    @property
    def choosing_limits(self) -> Limits:
        """The end of the choice: at twice the width, it has about half as many deals."""
        deadline = self._get_deadline(_CHOOSING_TIME_SHARE)
        deals = count_choosing_deals(self.max_deals)
        return Limits(deals, 2 * (self.precision or 0.0), deadline, CERTAIN)

    @property
    def valuing_limits(self) -> Limits:
        """The end of the deals that value every option."""
        return Limits(self.max_deals, self.precision, self._get_deadline(1), self.confidence)

    def _get_deadline(self, share: float) -> Deadline:
        return Deadline() if self.time is None else Deadline(self.start_time + share * self.time)
