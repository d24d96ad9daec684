"""What a training has come to, told on deals that it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kqj_sim.duplicate import duplicate
from kqj_sim.rules import KqjRules
from kqj_sim.training import linear
from kqj_sim.training.decisions import KINDS
from kqj_sim.training.linear import Fit, LinearTraining
from kqj_sim.training.measure import Measure, gains, measure
from kqj_sim.training.network import NetworkTraining, values_of
from kqj_sim.training.run import HELD_OUT, SEEDS, Plan, Source, held_out


@dataclass(frozen=True)
class KindReport:
    """What weights are worth in a kind of contract, or in all.

    Attributes:
        kind: one of KINDS, or "all".
        gain: of the weights, on decisions held out.
        before: of the linear weights that a network began with.
        more: gain by gain, the difference.
        fit: of linear weights to what they were fitted to; not for all kinds together.
    """

    kind: str
    gain: Measure
    before: Measure | None
    more: Measure | None
    fit: Fit | None


def report(
    learner: LinearTraining | NetworkTraining, source: Source, count: int, threads: int
) -> list[KindReport]:
    """A row for each kind of contract and one for all, from `count` decisions held out.

    The decisions are met, and played to the end, by the players with the trained weights.
    """
    generate = source.start(learner.name, {learner.name: learner.trained()})
    decisions = held_out(generate, count, threads)
    before: NDArray[np.float64] | None = None
    if isinstance(learner, NetworkTraining):
        gained = gains(values_of(learner.trained(), decisions), decisions)
        before = gains(linear.values_of(learner.linear, decisions), decisions)
    else:
        gained = gains(linear.values_of(learner.trained(), decisions), decisions)
    rows = []
    for number, kind in enumerate((*KINDS, "all")):
        chosen = decisions.kind == number if kind in KINDS else np.full(count, True)
        fitted = isinstance(learner, LinearTraining) and kind in KINDS
        rows.append(
            KindReport(
                kind,
                measure(gained[chosen]),
                None if before is None else measure(before[chosen]),
                None if before is None else measure((gained - before)[chosen]),
                learner.fits[number] if fitted else None,  # type: ignore[union-attr]
            )
        )
    return rows


def match(plan: Plan, other: str, deals: int, threads: int) -> Measure:
    """Points a round by which the trained policy is ahead of another one that plays.

    Each deal is played once for each team, which the trained policy plays; both sides call as
    the training's players do.  Points are the own score less the mean of the others'.  The
    weights are those in use.
    """
    rules = KqjRules(teams=plan.teams, bidding=plan.bidding)
    one, against = (f"{plan.calling}+{playing}" for playing in (plan.policy, other))
    seed, first = SEEDS + plan.seed, HELD_OUT + (1 << 40)
    lead = duplicate(rules, one, against, deals, seed, first, alone=True, threads=threads)
    return Measure(deals, lead.mean, lead.error)
