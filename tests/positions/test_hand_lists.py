"""Hidden hands drawn from lists, against all distributions; in which order questions are asked."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Literal

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.games.kqj import card_sampler
from kqj_sim.games.kqj.card_sampler import HandDraws, KqjCardSampler
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.auction_state import ObservedCall, order_rarest_first
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Search, SearchEnded
from kqj_sim.questions.review.cross_fitting import average
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import GradePlan, draw_deals, play_all, sample_decision

Bidding = Literal["take", "auction"]

EXACT = GradePlan(deals=1, reference="points+greedy", max_layouts=20_000)
SAMPLED = GradePlan(deals=1, reference="points+greedy", max_layouts=0)


def find_decisions(bidding: Bidding, trick: int) -> list[Decision]:
    records = kqj.records(deals=2, policy="points+greedy", bidding=bidding)
    rounds = [RecordedRound(record, line) for line, record in enumerate(records, start=1)]
    return [each for played in rounds for each in played.decisions if each.trick == trick]


@pytest.mark.parametrize("bidding", ["take", "auction"])
def test_means_are_those_of_all_distributions(bidding: Bidding) -> None:
    compared = 0
    for decision in find_decisions(bidding, 6):
        everything = play_all(sample_decision(decision, EXACT, 1, False))
        sampler = sample_decision(decision, SAMPLED, 1, False)
        assert isinstance(sampler, KqjCardSampler)
        if everything is None or sampler.hand_lists is None:
            continue
        draws = draw_deals(sampler, 0, 4000)
        for option in range(len(draws.values)):
            exact = everything.weights @ everything.values[option] / everything.weights.sum()
            found = average(draws.weights, draws.values[option])
            assert abs(found.value - exact) < 4.5 * found.error + 1e-9, decision.at
        compared += 1
        if compared == 4:
            return
    raise AssertionError("too few decisions have lists and few distributions")


def test_draws_are_functions_of_their_numbers() -> None:
    sampler = sample_decision(find_decisions("take", 6)[0], SAMPLED, 1, False)
    search = Search(sampler.question_count)
    one, other = sampler.play_chunk(search, 0, 300), sampler.play_chunk(search, 100, 200)
    count = len(other.weights)
    assert count > 100
    assert np.array_equal(one.weights[-count:], other.weights)
    assert np.array_equal(one.hands[:, -count:], other.hands)
    assert np.array_equal(one.outcomes[:, -count:], other.outcomes)


def test_players_who_call_at_random_are_not_listed() -> None:
    plan = GradePlan(deals=1, reference="random:take=0.3+greedy", max_layouts=0)
    (decision, *_) = find_decisions("take", 6)
    sampler = sample_decision(decision, plan, 1, False)
    assert isinstance(sampler, KqjCardSampler)
    assert sampler.hand_lists is None


def test_long_lists_are_not_made() -> None:
    (decision, *_) = find_decisions("take", 2)
    sampler = sample_decision(decision, SAMPLED, 1, False)
    assert isinstance(sampler, KqjCardSampler)
    assert sampler.hand_lists is None


def test_calls_that_no_hand_makes_need_no_search() -> None:
    plan = GradePlan(deals=1, reference="never+greedy", max_layouts=0, error_rate=0.0)
    bidders = find_decisions("auction", 6)[0].knowledge.calls
    assert bidders is not None and any(call.call == "bid" for call in bidders)
    with pytest.raises(SearchEnded):
        sample_decision(find_decisions("auction", 6)[0], plan, 1, False)


def draw_some(sampler: KqjCardSampler) -> HandDraws:
    return sampler.draw_hands(Search(sampler.question_count, math.inf), 0, 256)


def test_the_order_of_a_players_questions_changes_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    record = kqj.records(deals=1, policy="points+greedy", bidding="auction")[0]
    (decision, *_) = [each for each in RecordedRound(record, 1).decisions if not each.is_call]
    players = [parse_player("points+greedy")] * 6
    sampler = KqjCardSampler(decision.knowledge, players, EstimatePlan(error_rate=0.0))

    def reverse_by_player(calls: list[ObservedCall]) -> list[ObservedCall]:
        places = list(dict.fromkeys(each.place for each in order_rarest_first(calls)))
        return sorted(reversed(calls), key=lambda each: places.index(each.place))

    monkeypatch.setattr(card_sampler, "order_rarest_first", reverse_by_player)
    other = KqjCardSampler(decision.knowledge, players, EstimatePlan(error_rate=0.0))
    texts = [[each.text for each in one.observed_calls] for one in (sampler, other)]
    assert texts[0] != texts[1]
    found, again = draw_some(sampler), draw_some(other)
    assert len(found.keys) > 0
    assert np.array_equal(found.hands, again.hands)
    assert np.array_equal(found.weights, again.weights)
    assert found.counts[:, 0].sum() < again.counts[:, 0].sum()


def test_bids_come_before_passes_and_these_before_counters_not_made() -> None:
    record = kqj.records(deals=1, policy="points+greedy", bidding="auction")[0]
    decision = RecordedRound(record, 1).decisions[-1]
    sampler = KqjCardSampler(
        decision.knowledge, [parse_player("points+greedy")] * 6, EstimatePlan()
    )
    for _, calls in groupby(sampler.observed_calls, lambda each: each.place):
        texts = [each.text for each in calls]
        ranks = [{"pass": 1, "no counter": 2, "no overcounter": 2}.get(text, 0) for text in texts]
        assert ranks == sorted(ranks)
