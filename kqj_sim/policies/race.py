"""A race of candidate cards over common worlds: worlds are added only while the best is in doubt.

After each stage a card is dropped if the leading card is ahead of it by some standard errors of
their paired differences (Maron and Moore 1994, "Hoeffding races").  A prior counts as so many
worlds, both in the lead and in its standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import LANES, TRICKS
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Float64Array, Int64Array, Key, Lane

MAX_CARDS = TRICKS
"""Most cards to choose from."""
_PAIRS = MAX_CARDS * MAX_CARDS


class Race(NamedTuple):
    """The candidates of each lane of a block, by number, and sums over the worlds tried.

    Attributes:
        running: int64 (LANES,), the numbers still in doubt, one bit each.
        worlds: float64 (LANES,), sum of the worlds' weights.
        squares: float64 (LANES,), sum of their squares.
        sums: float64 (LANES * MAX_CARDS,), weighted sums of the values.
        products: float64 (LANES * MAX_CARDS**2,), weighted sums of products of two values.
        priors: float64 (LANES * MAX_CARDS,), the prior's values.
    """

    running: Int64Array
    worlds: Float64Array
    squares: Float64Array
    sums: Float64Array
    products: Float64Array
    priors: Float64Array


@scalar
def new_race() -> Race:
    """Return a race that nobody runs in."""
    return Race(
        np.zeros(LANES, np.int64),
        np.zeros(LANES),
        np.zeros(LANES),
        np.zeros(LANES * MAX_CARDS),
        np.zeros(LANES * _PAIRS),
        np.zeros(LANES * MAX_CARDS),
    )


@scalar
def is_running(race: Race, lane: Lane, which: int) -> bool:
    """Return True if a candidate is still in doubt."""
    return (race.running[lane] >> which) & 1 != 0


@scalar
def in_doubt(race: Race, lane: Lane) -> bool:
    """Return True if more than one candidate is left."""
    running = race.running[lane]
    return running & (running - 1) != 0


@scalar
def add_world(race: Race, lane: Lane, values: Any, first: int, weight: float) -> None:
    """Add a world in which the running candidates have some values, in order from `first` on."""
    race.worlds[lane] += weight
    race.squares[lane] += weight * weight
    at = first
    for one in range(MAX_CARDS):
        if is_running(race, lane, one):
            weighted = weight * values[at]
            race.sums[lane * MAX_CARDS + one] += weighted
            other_at = first
            for other in range(one + 1):
                if is_running(race, lane, other):
                    pair = lane * _PAIRS + one * MAX_CARDS + other
                    race.products[pair] += weighted * values[other_at]
                    other_at += 1
            at += 1


@scalar
def find_leader(race: Race, lane: Lane, prior_worlds: float) -> int:
    """Return the number of the running candidate of the greatest value, of equal ones the first."""
    best, best_value = -1, 0.0
    for which in range(MAX_CARDS):
        at = lane * MAX_CARDS + which
        value = race.sums[at] + prior_worlds * race.priors[at]
        if is_running(race, lane, which) and (best < 0 or value > best_value):
            best, best_value = which, value
    return best


@scalar
def drop_beaten(race: Race, lane: Lane, prior_worlds: float, margin: float) -> None:
    """Drop the candidates that the leader is ahead of by `margin` standard errors.

    The standard error is that of the mean of weighted differences; worlds without weight, and the
    prior's, count as if they differed as much.  A card that is behind by the same in every world is
    dropped at any margin.
    """
    leader = find_leader(race, lane, prior_worlds)
    worlds = race.worlds[lane]
    if worlds <= 0.0:
        return
    effective = worlds * worlds / race.squares[lane]
    start, pairs = lane * MAX_CARDS, lane * _PAIRS
    dropped = 0
    for which in range(MAX_CARDS):
        if which == leader or not is_running(race, lane, which):
            continue
        difference = race.sums[start + leader] - race.sums[start + which]
        mean = difference / worlds
        prior_difference = race.priors[start + leader] - race.priors[start + which]
        lead = (difference + prior_worlds * prior_difference) / (worlds + prior_worlds)
        high, low = max(leader, which), min(leader, which)
        square = (
            race.products[pairs + leader * MAX_CARDS + leader]
            - 2.0 * race.products[pairs + high * MAX_CARDS + low]
            + race.products[pairs + which * MAX_CARDS + which]
        ) / worlds
        variance = max(square - mean * mean, 0.0) / (effective + prior_worlds)
        dropped |= 1 << which if lead >= margin * np.sqrt(variance) else 0
    race.running[lane] &= ~dropped


@scalar
def count_stages(worlds: int, first_worlds: int) -> int:
    """Return the number of stages, of which each doubles the worlds and the first has
    at most `first_worlds`."""
    stages = 1
    while -(-worlds >> (stages - 1)) > first_worlds:
        stages += 1
    return stages


@scalar
def place_marks(key: Key, stages: int, stage: int) -> tuple[int, int]:
    """Return step and offset of the marks of a stage among those of a systematic sample.

    Each stage has evenly spaced marks, and so have all stages up to it together: every one of them
    is a systematic sample of its own.
    """
    step = 1 << (stages - 1)
    offset = rng.scale_below(rng.draw(key, rng.CARD + 1), step)
    if stage > 0:
        half = step >> stage
        step = 2 * half
        offset = (offset + half) % step
    return step, offset


@scalar
def count_marks(end: int, step: int, offset: int) -> int:
    """Return the number of marks before mark number `end` that belong to a stage."""
    return (end - offset - 1) // step + 1
