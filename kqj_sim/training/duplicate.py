"""Two policies on the same deals, each holding every team's cards once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.rules import KqjRules
from kqj_sim.simulation import Experiment, simulate


class Lead(NamedTuple):
    """By how many points a round one policy scores more than another; the unit is the deal.

    Attributes:
        mean: own score less that of the other team, or the mean of the two others'.
        error: its standard error.
    """

    mean: float
    error: float


def duplicate(
    rules: KqjRules, policy: str, other: str, deals: int, seed: int, first: int = 0
) -> Lead:
    """A team of one policy against teams of another, in each deal once with each team's cards.

    Args:
        rules: with fixed partners.
        policy, other: specifications.
        deals, seed, first: which deals.
    """
    leads = np.zeros(deals)
    for team in range(rules.teams):
        seats = tuple(policy if seat % rules.teams == team else other for seat in range(6))
        rows = simulate(Experiment(rules, seats, deals, seed, first), threads=1)
        scores = [rows.column(f"score_{each}").astype(np.int64) for each in range(rules.teams)]
        leads += scores[team] - (sum(scores) - scores[team]) / (rules.teams - 1)
    leads /= rules.teams
    return Lead(float(leads.mean()), float(leads.std(ddof=1) / np.sqrt(deals)))
