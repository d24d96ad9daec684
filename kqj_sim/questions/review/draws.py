"""The deals of a decision, kept one by one, as cross-fitting needs them."""

from __future__ import annotations

import math

import numpy as np

from kqj_sim.positions.estimator import add_draws
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.odds import Playouts
from kqj_sim.positions.plan import Limits
from kqj_sim.positions.sampling import Sampler, derive_keys
from kqj_sim.positions.search import Deadline, Search, SearchEnded
from kqj_sim.questions.review.cross_fitting import Draws

MAX_REJECTED = 1 << 19
"""Hands that are tried before the first one agrees with the calls, at most."""

MIN_EFFECTIVE_DEALS = 30
"""With fewer effective deals a search goes on, and has no result if it ends."""

ASKED = 8
"""Times that the reference player is asked, to see whether it chooses at random."""

_ASKED_AGAIN = 128
"""Times that a player who chooses at random is asked, for the chance of each option."""

_REPEATED = 256
"""Playouts that show whether players choose at random."""


class KeptDraws:
    """Draws of a sampler, kept one by one.

    Attributes:
        deals: number of deals.
    """

    def __init__(self, sampler: Sampler) -> None:
        self.deals = 0
        self._measures = sampler.measures
        self._parts: list[Draws] = []
        self._weight = self._squares = 0.0

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        """Add a whole chunk; return how many draws have a weight."""
        weights = playouts.weights
        columns = np.moveaxis(playouts.outcomes, -1, 0)
        names = [RANKING_MEASURE, "win_share"]
        names += [name for name in ("own_contract_share",) if name in self._measures.indices]
        found = [self._measures[name].compute(columns).astype(np.float64) for name in names]
        self._parts.append(Draws(weights, *found))
        self._weight += float(weights.sum())
        self._squares += float((weights**2).sum())
        self.deals += playouts.drawn
        return len(weights)

    def has_effective(self, least: float) -> bool:
        """Return whether there are so many effective deals, and one at least."""
        return self._weight > 0 and self._weight * self._weight >= least * self._squares

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Return False: a grade has as many deals as were planned."""
        return False

    def join(self) -> Draws:
        """Return all draws."""
        weights, *found = zip(*self._parts, strict=True)
        return Draws(np.concatenate(weights), *(np.concatenate(each, axis=1) for each in found))


def draw_deals(sampler: Sampler, first: int, deals: int, deadline: Deadline | None = None) -> Draws:
    """Play out the options of a sampler in so many deals, from the number `first` on.

    After the deadline, or where hidden hands that agree with the calls are rare, there are as many
    as were found by then.

    Raises:
        SearchEnded: these are too few.
        InputError: no hidden hands agree with the plays; a policy chose what is not allowed.
    """
    deadline = deadline or Deadline()
    search = deadline.limit(Search(sampler.question_count, math.inf, max_hands=MAX_REJECTED))
    limits = Limits(deals, deadline=deadline, effective_deals=MIN_EFFECTIVE_DEALS)
    found, reached = KeptDraws(sampler), "search"
    try:
        reached = add_draws(sampler, found, first, limits, search)
    except SearchEnded:
        if not found.has_effective(MIN_EFFECTIVE_DEALS):
            raise
    finally:
        deadline.release(search)
    if not found.has_effective(MIN_EFFECTIVE_DEALS):
        raise SearchEnded(by_time=reached == "time")
    return found.join()


def play_all(sampler: Sampler) -> Draws | None:
    """Play out every distribution of the hidden cards; None if `Sampler.play_all` does not.

    If the others would have called so with none of them, calls are left out of account.
    """
    everything = sampler.play_all(_REPEATED)
    if everything is None:
        return None
    found = KeptDraws(sampler)
    found.add(everything)
    return found.join()


def find_reference(sampler: Sampler) -> dict[int, float]:
    """Return the options that the player may choose, by their numbers, with their chances.

    Choices that are not among the options count as the first one.
    """
    options = [str(option) for option in sampler.options]
    names = sampler.ask(derive_keys(sampler.seed, 0, ASKED))
    if len({name if name in options else options[0] for name in names}) > 1:
        names = sampler.ask(derive_keys(sampler.seed, 0, _ASKED_AGAIN))
    names = [name if name in options else options[0] for name in names]
    return {options.index(name): names.count(name) / len(names) for name in dict.fromkeys(names)}
