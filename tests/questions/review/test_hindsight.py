"""The cards as they were: values of decisions, the average of a place, and how a round goes on."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from kqj_sim.cards import Card
from kqj_sim.core import rng
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Deadline
from kqj_sim.questions.review import hindsight
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import sample_decision
from kqj_sim.questions.review.hindsight import (
    Continuation,
    compute_differences,
    estimate_average,
    find_actual_hands,
)
from kqj_sim.record import Record
from kqj_sim.referee.base import PlayedTrick
from kqj_sim.rules import GameRules, KqjRules
from tests.questions.review.rounds import TABLES, find_reference, list_rounds, make_settings
from tests.slow import slow_after
from tests.variants import OTHER_GAMES, TAKE_2


def test_differences_are_good_for_the_side_that_wins() -> None:
    scores = np.array([[100.0, 60.0, 20.0], [0.0, 0.0, 130.0]])
    assert compute_differences(scores, KqjRules()).tolist() == [[60, 0, -60], [-65, -65, 130]]


@pytest.mark.parametrize("timing", slow_after(1, ["any", "turn"]))
def test_a_player_at_random_is_asked_with_the_random_bits_of_its_round(
    timing: Literal["any", "turn"],
) -> None:
    rules = KqjRules(bidding="auction", counter_timing=timing)
    player, seen = "random:bid=0.4,counter=0.4,capot=0.2", set()
    for played in list_rounds(rules, player, 40):
        assert isinstance(played.source, Record)
        key = rng.derive_deal_key(played.source.seed, played.source.deal)
        for decision in played.decisions:
            position = decision.knowledge.rotate_to_places() if decision.is_call else None
            if position is not None:
                sampler = KqjCallSampler(position, [parse_player(player)] * 6, EstimatePlan())
                assert sampler.ask(np.array([key])) == [decision.choice], decision.at
                seen.add((position.question, decision.choice.split()[0]))
    assert {("counter", "counter"), ("overcounter", "overcounter")} < seen


@pytest.mark.parametrize(
    "rules", slow_after(0, [KqjRules(), KqjRules(teams=3), *OTHER_GAMES.values()]), ids=str
)
def test_luck_of_the_deal_has_mean_zero(rules: GameRules) -> None:
    """The average of a place is that of the values of deals: these come from records."""
    settings, reference = make_settings(rules), parse_player(find_reference(rules), rules.game)
    expected = estimate_average(rules, reference, 0, None)
    assert expected is not None
    means, errors = expected
    by_place: dict[int, list[float]] = {}
    for played in list_rounds(rules, "random", 400):
        first = played.decisions[0]
        sampler = sample_decision(first, settings, 1, ignore_calls=True)
        actual = find_actual_hands(played, 1, random=False)
        assert actual is not None
        options = [str(option) for option in sampler.options]
        scores = sampler.score(actual)[0][options.index(sampler.ask(actual.keys[:1])[0])]
        values = compute_differences(scores, rules).mean(axis=0)
        for place in range(rules.seats):
            value = float(values[played.teams[played.seat_of(place)]])
            by_place.setdefault(place, []).append(value - means[place])
    for place, values in by_place.items():
        error = float(np.std(values)) / len(values) ** 0.5
        assert abs(float(np.mean(values))) < 4 * error + 4 * errors[place]


@pytest.mark.parametrize(
    "rules", slow_after(1, [*OTHER_GAMES.values(), KqjRules(), KqjRules(teams=3)]), ids=str
)
def test_decisions_of_the_reference_player_are_worth_the_score(rules: GameRules) -> None:
    settings = make_settings(rules)
    for played in list_rounds(rules, count=8):
        actual = find_actual_hands(played, 1, random=False)
        assert actual is not None and isinstance(played.source, Record)
        for decision in played.decisions:
            sampler = sample_decision(decision, settings, 1, ignore_calls=True)
            options = [str(option) for option in sampler.options]
            (scores,) = sampler.score(actual)[0][options.index(str(decision.choice))]
            assert scores.tolist() == played.source.scores, decision.at


def test_the_default_players_average_is_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, bytes] = {}
    monkeypatch.setattr(hindsight, "keep", kept.__setitem__)
    monkeypatch.setattr(hindsight, "read_kept", lambda name: memoryview(kept.get(name, b"damaged")))
    found = []
    for policy in (None, None, "points+greedy"):
        monkeypatch.setattr(hindsight, "_averages", {})
        found.append(estimate_average(KqjRules(), parse_player(policy), 0, None, deals=1 << 10))
        assert len(kept) == 1
    one, other, _ = found
    assert one is not None and other is not None
    assert np.array_equal(one, other)


def test_an_average_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hindsight, "_averages", {})
    over, reference = Deadline(0, lambda: 1), parse_player(find_reference(TAKE_2))
    assert hindsight.estimate_average(TAKE_2, reference, 0, None, over, 1 << 10) is None
    found = hindsight.estimate_average(TAKE_2, reference, 0, None, None, 1 << 10)
    assert found is not None
    assert hindsight.estimate_average(TAKE_2, reference, 0, None, over, 1 << 10) is found


def score(played: RecordedRound, decision: Decision, tricks: list[PlayedTrick]) -> np.ndarray:
    """The score difference of each team after these tricks, by the referee."""
    before = decision.knowledge.tricks[: decision.trick - 1]
    referee, contract = decision.knowledge.referee, decision.knowledge.contract
    finished = [
        PlayedTrick(leader, cards, referee.find_trick_winner(leader, cards, contract.contract))
        for leader, cards in (*before, *(trick[:2] for trick in tricks))
    ]
    assert finished[decision.trick - 1 :] == tricks
    hands: list[set[Card]] = [set() for _ in range(played.rules.seats)]
    for trick in finished:
        for step, card in enumerate(trick.cards):
            hands[(trick.leader + step) % played.rules.seats].add(card)
    found = referee.score_round(
        played.teams, contract, hands, finished, played.record.pending_before
    )
    return compute_differences(np.array(found.scores, dtype=np.float64), played.rules)


@pytest.mark.parametrize("table", TABLES)
def test_the_cards_that_follow_end_in_the_value_in_hindsight(table: str) -> None:
    rules = TABLES[table]
    reference, compared = parse_player(find_reference(rules), rules.game), 0
    for played in list_rounds(rules, count=2):
        actual = find_actual_hands(played, 1, False)
        assert actual is not None
        going_on = Continuation(played, reference, seed=1)
        for decision in [each for each in played.decisions if not each.is_call][::4]:
            sampler = sample_decision(decision, make_settings(rules), 1, True)
            values = compute_differences(sampler.score(actual)[0], rules).mean(axis=1)
            for number in {0, len(values) - 1}:
                card = sampler.options[number]
                tricks = going_on.list_tricks(decision, card)
                place = len(decision.knowledge.tricks[-1][1])
                assert tricks[0].cards[place] == card
                assert score(played, decision, tricks).tolist() == values[number].tolist()
                compared += 1
    assert compared > 3


def test_a_line_of_the_choice_is_the_round_itself_if_the_reference_played_it() -> None:
    (played,) = list_rounds(TAKE_2)
    going_on = Continuation(played, parse_player(find_reference(TAKE_2)), seed=1)
    first = next(decision for decision in played.decisions if not decision.is_call)
    tricks = going_on.list_tricks(first, first.knowledge.referee.card_by_text[first.choice])
    recorded = [list(trick.cards) for trick in played.record.tricks][first.trick - 1 :]
    assert [[str(card) for card in trick.cards] for trick in tricks] == recorded
