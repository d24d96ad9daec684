"""Results of a training, measured on deals that it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kqj_sim.core.types import Float64Array
from kqj_sim.paired import measure_lead
from kqj_sim.rules import KqjRules
from kqj_sim.training import linear
from kqj_sim.training.decisions import KINDS, GainEstimate, compute_gains, estimate_gain
from kqj_sim.training.linear import FitQuality, LinearTraining
from kqj_sim.training.network import NetworkTraining, evaluate_network
from kqj_sim.training.run import (
    HELD_OUT_START,
    SEED_OFFSET,
    DecisionSource,
    TrainingPlan,
    generate_held_out,
)


@dataclass(frozen=True)
class KindReport:
    """The gain of weights in one kind of contract, or in all.

    Attributes:
        kind: one of KINDS, or "all".
        gain: of the weights, on decisions held out.
        before: of the linear weights that a network began with.
        more: the difference of the two on the same decisions.
        fit: of linear weights to the decisions they were fitted to; not for all kinds together.
    """

    kind: str
    gain: GainEstimate
    before: GainEstimate | None
    more: GainEstimate | None
    fit: FitQuality | None


def report_gains(
    learner: LinearTraining | NetworkTraining, source: DecisionSource, count: int, threads: int
) -> list[KindReport]:
    """Return a row for each kind of contract and one for all, from `count` decisions held out.

    The decisions are met, and played to the end, by the players with the trained weights.
    """
    generate = source.start(learner.name, {learner.name: learner.trained_weights()})
    decisions = generate_held_out(generate, count, threads)
    before: Float64Array | None = None
    if isinstance(learner, NetworkTraining):
        gained = compute_gains(evaluate_network(learner.trained_weights(), decisions), decisions)
        before = compute_gains(linear.evaluate_linear(learner.linear, decisions), decisions)
    else:
        gained = compute_gains(
            linear.evaluate_linear(learner.trained_weights(), decisions), decisions
        )
    rows = []
    for number, kind in enumerate((*KINDS, "all")):
        chosen = decisions.kind == number if kind in KINDS else np.full(count, True)
        fitted = isinstance(learner, LinearTraining) and kind in KINDS
        rows.append(
            KindReport(
                kind,
                estimate_gain(gained[chosen]),
                None if before is None else estimate_gain(before[chosen]),
                None if before is None else estimate_gain((gained - before)[chosen]),
                learner.fits[number] if fitted else None,  # type: ignore[union-attr]
            )
        )
    return rows


def play_match(plan: TrainingPlan, opponent: str, deals: int, threads: int) -> GainEstimate:
    """Measure the lead of the trained policy over another in the play, in points per round.

    Each deal is played once for each team, which the trained policy plays; both sides call as the
    training's players do.  Points are the side's score less the mean of the others'.  The weights
    are those in use.
    """
    rules = KqjRules(teams=plan.teams, bidding=plan.bidding)
    one, against = (f"{plan.calling}+{playing}" for playing in (plan.policy, opponent))
    seed, first = SEED_OFFSET + plan.seed, HELD_OUT_START + (1 << 40)
    lead = measure_lead(rules, one, against, deals, seed, first, single_team=True, threads=threads)
    return GainEstimate(deals, lead.mean, lead.error)
