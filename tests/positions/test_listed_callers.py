"""Hands that agree with several bids, drawn from lists common to a block: against rejection."""

from __future__ import annotations

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.positions.kqj_cards import KqjCardSampler, count_ways
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import GradePlan, sample_decision
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tests.slow import slow_after

PLAN = GradePlan(deals=1, reference="points+greedy", max_layouts=0)
DRAWS, TRIED = 20_000, 500_000


def find_decisions(trick: int) -> list[Decision]:
    """Decisions of a trick in rounds in which two or more others have bid; one a round."""
    found = []
    for line, record in enumerate(kqj.records(deals=12, policy=PLAN.reference, bidding="auction")):
        played = RecordedRound(record, line + 1)
        for decision in played.decisions:
            calls = decision.knowledge.calls or ()
            bidders = {call.seat for call in calls if call.call == "bid"} - {decision.seat}
            if decision.trick == trick and len(bidders) > 1:
                found.append(decision)
                break
    return found


def describe(hands: Int64Array) -> Float64Array:
    """Cards of each place in each suit, and squares of these: float64 (n, 48)."""
    suits = [(hands >> 16 * suit & 0xFFF) for suit in range(4)]
    counts = np.concatenate([np.bitwise_count(each) for each in suits], axis=1).astype(float)
    return np.concatenate([counts, counts**2], axis=1)


@pytest.mark.parametrize("trick", slow_after(1, [2, 1, 3]))
def test_means_are_those_of_rejection(trick: int) -> None:
    for decision in find_decisions(trick):
        sampler = sample_decision(decision, PLAN, 1, False)
        free = sample_decision(decision, PLAN, 2, True)
        assert isinstance(sampler, KqjCardSampler) and isinstance(free, KqjCardSampler)
        rules = encode_rules(decision.knowledge.rules)
        seating = encode_seating(decision.knowledge.rules, sampler.players, None, "rollouts")
        hands = free.draw_hands(free.start_search(None, None), 0, TRIED).hands
        ways = count_ways(sampler.turn, hands, 3, rules, seating)
        expected = describe(hands[ways > 0])
        if len(expected) < 100:
            continue
        drawn = sampler.draw_hands(sampler.start_search(None, None), 0, DRAWS)
        found, weights = describe(drawn.hands), drawn.weights / drawn.weights.sum()
        means = weights @ found
        # Draws of a block have lists in common: errors are those of blocks.
        lost = np.array(
            [
                weights[at : at + 256] @ (found[at : at + 256] - means)
                for at in range(0, len(weights), 256)
            ]
        )
        errors = (lost**2).sum(axis=0) + expected.var(axis=0) / len(expected)
        off = np.abs(means - expected.mean(axis=0)) / np.sqrt(errors + 1e-12)
        assert off.max() < 4.5, decision.at
        return
    raise AssertionError("too few hands agree in every decision")
