"""Measure reviews: bias of the losses where they can be computed, and the order of the policies.

    python benchmarks/review.py [--rounds 300] [--reviewed 40] [--parts 1000]

Part one grades trick 7 of rounds of `network` three times: exactly, by cross-fitting, and by
reading the best option and its value off the same deals.  Part two reviews rounds of four ways to
play and prints what they lose a round.  Part three adds up the parts of the results of rounds of
each variant and prints the largest deviation, the largest remainder and the mean luck of the deal.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
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


def play_rounds(rules: GameRules, policy: str, count: int, seed: int) -> Iterator[RecordedRound]:
    """Yield rounds of a policy at all seats."""
    experiment = Experiment(rules, (policy,) * rules.seats, deals=count, seed=seed)
    for line, record in enumerate(play_records(experiment), start=1):
        yield RecordedRound(record, line)


def measure_bias(policy: str, rounds: int, deals: int = 128) -> None:
    """Print the mean loss of a decision in trick 7: exact, by cross-fitting, and naive."""
    plan = GradePlan(deals=1, reference=REFERENCE, threads=2, max_layouts=20_000)
    sampling = replace(plan, max_layouts=0)
    names = ("exact", "cross-fitted", "naive", "cross-fitted minus exact")
    losses: dict[str, list[float]] = {name: [] for name in names}
    for played in play_rounds(KqjRules(), policy, rounds, 11):
        late = [decision for decision in played.decisions if decision.trick == 7]
        grades = zip(grade_decisions(late, plan), grade_decisions(late, sampling), strict=True)
        for (known, _), (sampled, _) in grades:
            if known.layouts is None:
                continue
            seed = derive_seed("naive", played.line, sampled.decision.at)
            draws = draw_deals(sample_decision(sampled.decision, sampling, seed, False), 0, deals)
            means = draws.values @ draws.weights / draws.weights.sum()
            choice = sampled.names.index(sampled.decision.choice)
            exact, fitted = known.loss.points.value, sampled.loss.points.value
            numbers = (exact, fitted, float(means.max() - means[choice]), fitted - exact)
            for name, number in zip(names, numbers, strict=True):
                losses[name].append(number)
    print(f"Trick 7 of {policy}, points lost a decision")
    for name, values in losses.items():
        print_mean(name, values)


def measure_order(rounds: int, samples: int) -> None:
    """Print what each policy loses a round, cards alone."""
    print("Points lost a round, all six players, cards")
    plan = GradePlan(deals=samples, reference=REFERENCE, threads=2)
    for policy in POLICIES:
        lost, effects = [], []
        for played in play_rounds(KqjRules(), policy, rounds, 12):
            cards = [decision for decision in played.decisions if not decision.is_call]
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
    worst, remainder = 0.0, 0.0
    luck: list[float] = []
    for played in play_rounds(rules, "points+standard" if kqj else "standard", rounds, 13):
        review = review_round(played, plan)
        for part in review.parts or ():
            total = part.adjusted + part.deal_luck + part.own_luck + part.others_decisions
            worst = max(worst, abs(total + part.remainder - part.result))
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
