"""Measure reviews: bias of the losses where they can be computed, and the order of the policies.

    python benchmarks/review.py [--rounds 300] [--reviewed 40] [--parts 1000]

Part one grades trick 7 of rounds of `network` three times: exactly, by cross-fitting, and by
reading the best option and its value off the same deals.  Part two reviews rounds of four ways to
play and prints what they lose a round.  Part three adds up the parts of the results of rounds of
each variant and prints the largest deviation, the largest remainder and the mean luck of the deal.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import (
    GradePlan,
    derive_seed,
    draw_deals,
    grade_decisions,
    sample_decision,
)
from kqj_sim.questions.review.play import review_round
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

REFERENCE = "learned+network"
VARIANTS: tuple[GameRules, ...] = (
    KqjRules(),
    KqjRules(teams=3),
    KqjRules(bidding="auction"),
    KqjRules(teams=3, bidding="auction"),
    KwajongenRules(),
)
POLICIES = ("points+greedy", "points+standard", "learned+network")


def print_mean(name: str, values: list[float]) -> None:
    """Print a mean with its 95% interval."""
    mean, half = np.mean(values), 1.96 * np.std(values) / len(values) ** 0.5
    print(f"{name:32} {mean:8.3f} ± {half:.3f}   ({len(values)})", flush=True)


def measure_bias(policy: str, rounds: int, deals: int = 128) -> None:
    """Print the mean loss of a decision in trick 7: exact, by cross-fitting, and naive."""
    plan = GradePlan(deals=1, reference=REFERENCE, threads=2, max_layouts=20_000)
    exact, fitted, naive, differences = [], [], [], []
    experiment = Experiment(KqjRules(), (policy,) * 6, deals=rounds, seed=11)
    for line, record in enumerate(play_records(experiment), start=1):
        late = [each for each in RecordedRound(record, line).decisions if each.trick == 7]
        known = [grade for grade, _ in grade_decisions(late, plan)]
        wanted = replace(plan, max_layouts=0)
        sampled = [grade for grade, _ in grade_decisions(late, wanted)]
        for one, other in zip(known, sampled, strict=True):
            if one.layouts is None:
                continue
            own_seed = derive_seed("naive", line, other.decision.at)
            sampler = sample_decision(other.decision, wanted, own_seed, False)
            draws = draw_deals(sampler, 0, deals)
            exact.append(one.loss.points.value)
            fitted.append(other.loss.points.value)
            differences.append(other.loss.points.value - one.loss.points.value)
            choice = other.names.index(other.decision.choice)
            means = draws.values @ draws.weights / draws.weights.sum()
            naive.append(float(means.max() - means[choice]))
    print(f"Trick 7 of {policy}, points lost a decision")
    for name, values in (
        ("exact", exact),
        ("cross-fitted", fitted),
        ("naive", naive),
        ("cross-fitted minus exact", differences),
    ):
        print_mean(name, values)


def measure_order(rounds: int, samples: int) -> None:
    """Print what each policy loses a round, cards alone."""
    print("Points lost a round, all six players, cards")
    plan = GradePlan(deals=samples, reference=REFERENCE, threads=2)
    for policy in POLICIES:
        lost, effects = [], []
        experiment = Experiment(KqjRules(), (policy,) * 6, deals=rounds, seed=12)
        for line, record in enumerate(play_records(experiment), start=1):
            cards = [each for each in RecordedRound(record, line).decisions if not each.is_call]
            grades = [grade for grade, _ in grade_decisions(cards, plan)]
            lost.append(sum(grade.loss.points.value for grade in grades))
            effects.append(sum(grade.effect.value for grade in grades))
        print_mean(policy, lost)
        print_mean(f"{policy}, against reference", effects)


def measure_parts(rules: GameRules, rounds: int) -> None:
    """Print how exactly the parts of results add up, and the luck of the deal."""
    kqj = isinstance(rules, KqjRules)
    plan = GradePlan(
        deals=1, reference="points+greedy" if kqj else "standard", threads=2, ignore_calls=True,
        ignore_plays=True, max_layouts=0,
    )  # fmt: skip
    policy = "points+standard" if kqj else "standard"
    worst, remainder = 0.0, 0.0
    luck: list[float] = []
    experiment = Experiment(rules, (policy,) * rules.seats, deals=rounds, seed=13)
    for line, record in enumerate(play_records(experiment), start=1):
        review = review_round(RecordedRound(record, line), plan)
        for part in review.parts or ():
            total = part.average.value + part.deal_luck + part.own_decisions.value
            total += part.own_luck + part.others_decisions + part.remainder
            worst = max(worst, abs(total - part.result))
            remainder = max(remainder, abs(part.remainder))
        if review.parts:
            luck.append(review.parts[0].deal_luck)
    print(f"{rules}: largest deviation {worst:.1e}, largest remainder {remainder:.1e}")
    print_mean("luck of the deal, seat 0", luck)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--reviewed", type=int, default=40)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--parts", type=int, default=1000)
    chosen = parser.parse_args()
    if chosen.rounds:
        measure_bias("learned+network", chosen.rounds)
        measure_bias("points+greedy", chosen.rounds // 4)
    if chosen.reviewed:
        measure_order(chosen.reviewed, chosen.samples)
    for variant in VARIANTS if chosen.parts else ():
        measure_parts(variant, chosen.parts)
