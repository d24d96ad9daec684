"""The lead of one player over another, with the sides exchanged on the same deals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kqj_sim.core.types import Int64Array
from kqj_sim.paired.match import (
    assign_players,
    compute_lead_divisor,
    compute_leads,
    list_arrangements,
)
from kqj_sim.policies.players import PlayerLike
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals


def iterate_lead_chunks(
    rules: GameRules,
    one: PlayerLike,
    other: PlayerLike,
    deals: int,
    seed: int,
    first: int = 0,
    single_team: bool = False,
    threads: int | None = None,
    chunk: int | None = None,
) -> Iterator[Int64Array]:
    """Yield the leads of one player over another, in the order of the deals, a chunk at a time.

    Leads are int64: points a round times
    `compute_lead_divisor(list_arrangements(rules, single_team))`.

    Args:
        rules: the rules of the table.
        one, other: the players.
        deals, seed, first: the deals.
        single_team: as for `list_arrangements`.
        threads, chunk: as for `kqj_sim.simulation.run.reduce_rows`, whose errors this raises.
    """
    arrangements = list_arrangements(rules, single_team)

    def add_leads(played: tuple[Rows, ...]) -> Int64Array:
        found = np.zeros(len(played[0]), dtype=np.int64)
        for rows, arrangement in zip(played, arrangements, strict=True):
            found += compute_leads(rows, arrangement)
        return found

    experiments = [
        Experiment(rules, assign_players(arrangement, one, other), deals, seed, first)
        for arrangement in arrangements
    ]
    yield from play_same_deals(experiments, add_leads, threads, chunk)


class Lead(NamedTuple):
    """The lead of one player over another, in points a round; the unit is the deal.

    Attributes:
        mean: the player's score minus that of the other team, or minus the mean of two others.
        error: its standard error.
    """

    mean: float
    error: float


def measure_lead(
    rules: GameRules,
    one: PlayerLike,
    other: PlayerLike,
    deals: int,
    seed: int,
    first: int = 0,
    single_team: bool = False,
    threads: int | None = None,
) -> Lead:
    """Return the lead of one player over another; arguments as for `iterate_lead_chunks`."""
    total = squares = 0
    for leads in iterate_lead_chunks(rules, one, other, deals, seed, first, single_team, threads):
        total += int(leads.sum())
        squares += int((leads * leads).sum())
    points = compute_lead_divisor(list_arrangements(rules, single_team))
    variance = (squares - total * total / deals) / max(deals - 1, 1)
    return Lead(total / deals / points, math.sqrt(variance / deals) / points)
