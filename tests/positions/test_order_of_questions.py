"""The order in which observed calls are asked about: it saves time, and changes no draw."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.games.kqj import card_sampler
from kqj_sim.games.kqj.card_sampler import HandDraws, KqjCardSampler
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.auction_state import ObservedCall, order_rarest_first
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Search
from kqj_sim.questions.review.decisions import RecordedRound


def draw(sampler: KqjCardSampler) -> HandDraws:
    return sampler.draw_hands(Search(sampler.question_count, math.inf), 0, 256)


def test_the_order_of_a_players_questions_changes_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    record = kqj.records(deals=1, policy="points+greedy", bidding="auction")[0]
    (decision, *_) = [each for each in RecordedRound(record, 1).decisions if not each.is_call]
    players = [parse_player("points+greedy")] * 6
    sampler = KqjCardSampler(decision.knowledge, players, EstimatePlan())

    def reverse_by_player(calls: list[ObservedCall]) -> list[ObservedCall]:
        places = list(dict.fromkeys(each.place for each in order_rarest_first(calls)))
        return sorted(reversed(calls), key=lambda each: places.index(each.place))

    monkeypatch.setattr(card_sampler, "order_rarest_first", reverse_by_player)
    other = KqjCardSampler(decision.knowledge, players, EstimatePlan())
    texts = [[each.text for each in one.observed_calls] for one in (sampler, other)]
    assert texts[0] != texts[1]
    found, again = draw(sampler), draw(other)
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
