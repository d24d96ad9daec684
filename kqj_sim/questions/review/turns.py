"""Decisions as the kernels take them: options played out in sampled or in the actual hands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kqj_sim.core.rng import fill_keys
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.sampling import CardSampler, Deadline, Sampler, Search, SearchEnded

MAX_REJECTED = 1 << 21
"""Hands that are tried before the first one agrees with the calls, at most."""

MIN_EFFECTIVE_DEALS = 30
"""With fewer effective deals a search goes on, and has no result if it ends."""

ASKED = 8
"""Times that the reference player is asked, to see whether it chooses at random."""

_ASKED_AGAIN = 128
"""Times that a player who chooses at random is asked, for the chance of each option."""


@dataclass(frozen=True)
class ActualHands:
    """All cards of a recorded round, in natural coding, by place; several times with other keys.

    Attributes:
        first: int64 (n, places), the cards of the calls: five with taking, eight in auctions, four
            in Kwajongen.
        further: int64 (n, places), the cards dealt later; 0 where there are none.
        hands: int64 (n, places), the cards with which play began; None if nobody took.
        keys: int64 (n,), keys of the draws.
    """

    first: Int64Array
    further: Int64Array
    hands: Int64Array | None
    keys: Int64Array


@dataclass(frozen=True)
class Draws:
    """Outcomes of options in sampled hands.

    Attributes:
        weights: float64 (n,).
        values: float64 (options, n), points.
        wins: float64 (options, n), 1 for a round that is won.
    """

    weights: Float64Array
    values: Float64Array
    wins: Float64Array


def derive_keys(seed: int, count: int) -> Int64Array:
    """Return the keys of the deals 0 to `count` - 1 of a seed."""
    keys = np.zeros(count, dtype=np.int64)
    fill_keys(0, seed, keys)
    return keys


class ReviewedSampler(Sampler):
    """A sampler that also asks the player, and scores its options in known hands."""

    @abstractmethod
    def with_numbers(self, numbers: Sequence[int]) -> Sampler:
        """Return a sampler that plays out only these options, by their numbers."""

    @abstractmethod
    def ask(self, keys: Int64Array) -> list[str]:
        """Return what the player chooses with each key, as text."""

    @abstractmethod
    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each option in known hands: (options, keys, teams)."""


@dataclass(frozen=True)
class Turn:
    """A decision whose options can be played out.

    Attributes:
        options: the options, the choice among them.
        sampler: samples hidden hands and plays out the options.
    """

    options: list[str]
    sampler: ReviewedSampler

    def find_reference(self, seed: int) -> dict[int, float]:
        """Return the options that the reference player may choose, with their chances."""
        names = self._ask(derive_keys(seed, ASKED))
        if len(set(names)) > 1:
            names = self._ask(derive_keys(seed, _ASKED_AGAIN))
        return {
            self.options.index(name): names.count(name) / len(names)
            for name in dict.fromkeys(names)
        }

    def _ask(self, keys: Int64Array) -> list[str]:
        """Return the reference player's choice with each key; unlisted bids as the first option."""
        names = self.sampler.ask(keys)
        return [name if name in self.options else self.options[0] for name in names]


def draw_deals(sampler: Sampler, first: int, deals: int, deadline: Deadline | None = None) -> Draws:
    """Play out the options of a sampler in so many deals, from the number `first` on.

    After the deadline there are as many as were found by then.

    Raises:
        SearchEnded: hidden hands that agree with the calls are too rare, or too few were found
            before the deadline.
        InputError: no hidden hands agree with the plays; a policy chose what is not allowed.
    """
    deadline = deadline or Deadline()
    search = deadline.limit(Search(sampler.question_count, None, None, MAX_REJECTED))
    value = sampler.measures[RANKING_MEASURE].compute
    wins = sampler.measures["win_share"].compute
    size = min(sampler.chunk_size, max(sampler.min_chunk_size, deals))
    found: list[Draws] = []
    done, total, squares = 0, 0.0, 0.0
    while done < deals or total * total < MIN_EFFECTIVE_DEALS * squares or total == 0:
        try:
            playouts = sampler.play_chunk(search, first, size)
        except SearchEnded:
            if total * total < MIN_EFFECTIVE_DEALS * squares or total == 0:
                raise
            break
        first += size
        columns = np.moveaxis(playouts.outcomes, -1, 0)
        found.append(
            Draws(
                playouts.weights,
                value(columns).astype(np.float64),
                wins(columns).astype(np.float64),
            )
        )
        total += float(playouts.weights.sum())
        squares += float((playouts.weights**2).sum())
        done += size if sampler.counts_rejected else len(playouts.weights)
        try:
            search.finish_chunk(playouts.counts, len(playouts.weights))
        except SearchEnded:
            # Hands that agree with the calls are rare: be content with what was found.
            if total * total < MIN_EFFECTIVE_DEALS * squares or total == 0:
                raise
            break
        if deadline.has_passed:
            if total * total < MIN_EFFECTIVE_DEALS * squares or total == 0:
                raise SearchEnded(by_time=True)
            break
    deadline.release(search)
    return Draws(
        np.concatenate([each.weights for each in found]),
        np.concatenate([each.values for each in found], axis=1),
        np.concatenate([each.wins for each in found], axis=1),
    )


def list_all(sampler: CardSampler, seed: int) -> Draws | None:
    """Play out every listed distribution; None if there are none, or players choose at random."""
    count = sampler.layout_count
    if count == 0 or sampler.keeps_history:
        return None
    value, wins = sampler.measures[RANKING_MEASURE].compute, sampler.measures["win_share"].compute

    def play(seed: int, count: int) -> np.ndarray:
        size = sampler.chunk_size
        starts = range(0, count, size)
        parts = [sampler.play_listed(seed, at, min(size, count - at)) for at in starts]
        return np.concatenate(parts, axis=1)

    outcomes = play(seed, count)
    again = min(count, _REPEATED)
    for repeat in range(1, 1 + max(1, _REPEATED // again)):
        if not np.array_equal(play(seed ^ repeat, again), outcomes[:, :again]):
            return None
    ways = sampler.count_ways(seed).astype(np.float64)
    if not ways.any():
        ways[:] = 1.0
    ways = ways * sampler.weigh_listed_by_plays()
    columns = np.moveaxis(outcomes, -1, 0)
    return Draws(ways, value(columns).astype(np.float64), wins(columns).astype(np.float64))


_REPEATED = 256
"""Playouts that show whether players choose at random."""
