"""Records of an experiment: their form, order, and what belongs to games."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import pytest

from kqj_sim.core.block import LANES
from kqj_sim.errors import RunError
from kqj_sim.imposed import ImposedContract
from kqj_sim.record import from_json, to_json
from kqj_sim.referee import check_records
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.slow import slow_between
from tests.variants import (
    AUCTION_2,
    AUCTION_3,
    LIVELY,
    TAKE_2,
    TAKE_3,
    VARIANTS,
    lively,
    rules_in,
    told,
)

FOUR = (
    "2-fixed-take-second_lap",
    "3-random-take-both_laps",
    "2-random-auction-any-total-outscore",
    "3-fixed-auction-turn-rounded-amount",
)


@pytest.mark.parametrize("variant", VARIANTS)
def test_records_read_back(variant: str) -> None:
    for record in play_records(lively(VARIANTS[variant], deals=60)):
        assert from_json(to_json(record)) == record, told(record)


def test_records_come_in_order_and_say_how_to_make_them_again() -> None:
    experiment = lively(TAKE_3, deals=LANES + 50, seed=9, first=LANES - 20)
    records = list(play_records(experiment))
    assert [record.deal for record in records] == list(range(LANES - 20, 2 * LANES + 30))
    for record in records:
        assert record.game == "kqj"
        assert record.seed == 9
        assert record.rules == TAKE_3.to_dict()
        assert record.dealer == record.deal % 6
        assert record.pending_before == 0
        assert (record.game_id, record.round) == (None, None)
        assert (record.score_before, record.score_after) == (None, None)
        assert not record.imposed
    record = records[33]
    again = Experiment(rules_in(record), tuple(record.players), 1, record.seed, record.deal)
    assert list(play_records(again)) == [record]


def test_players_are_named_by_seat() -> None:
    policies = ("greedy", "random", "standard", "random:take=0.5", "greedy", "random+greedy")
    record = next(play_records(Experiment(TAKE_2, policies, 1)))
    assert [text.split(":")[0] for text in record.players] == [
        "learned", "random", "standard", "random", "learned", "random",
    ]  # fmt: skip
    assert record.players[0].endswith("+greedy")
    assert record.players[5].endswith("+greedy")
    assert "take=0.5" in record.players[3]


@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_3])
def test_passed_out_rounds_have_nothing(rules: KqjRules) -> None:
    for record in play_records(Experiment(rules, ("random:take=0,bid=0",) * 6, 20)):
        assert record.result == "passed_out"
        assert (record.sender, record.contract, record.amount) == (None, None, None)
        assert (record.capot, record.stake) == (False, 1)
        assert (record.hands, record.tricks, record.bonuses) == (None, [], [])
        assert [call.call for call in record.calls] == ["pass"] * len(record.calls)
        assert len(record.calls) == (12 if rules.bidding == "take" else 6)
        zeros = [0] * rules.teams
        assert record.card_points == record.totals == record.scores == zeros
        assert record.gratuities == record.trick_counts == zeros


def test_imposed_rounds_say_so() -> None:
    for rules, amount in ((TAKE_2, None), (AUCTION_2, 150)):
        for record in play_records(
            lively(rules, deals=20, imposed=ImposedContract(4, "AT", amount))
        ):
            assert record.imposed
            assert record.calls == []
            assert (record.sender, record.contract) == ((record.dealer + 5) % 6, "AT")
            assert (record.amount, record.capot, record.stake) == (amount, False, 1)
            assert '"imposed":true' in to_json(record)


@pytest.mark.parametrize("variant", slow_between(2, FOUR))
def test_rounds_of_games_follow_each_other(variant: str) -> None:
    rules = replace(VARIANTS[variant], target=500)
    records = list(play_records(lively(rules, games=LANES + 5, seed=2, first=3)))
    assert not list(check_records(enumerate(records, start=1)))
    ids = [number for number, _ in groupby(record.game_id for record in records)]
    assert ids == list(range(3, LANES + 8))
    for _, each in groupby(records, key=lambda record: record.game_id):
        rounds = list(each)
        assert rounds[0].score_before == [0] * rules.score_count
        for number, record in enumerate(rounds):
            assert record.round == number
            assert record.dealer == (rounds[0].dealer + number) % 6
            assert record.score_after is not None
            last = record is rounds[-1]
            assert (max(record.score_after) >= 500) >= last, told(record)


def test_games_to_a_high_target_take_longer() -> None:
    lengths = [
        len(list(play_records(lively(replace(TAKE_2, target=target), games=20))))
        for target in (10, 500, 2000)
    ]
    assert lengths[0] < lengths[1] / 2 < lengths[2] / 4
    assert lengths[0] >= 20


def test_endless_game_raises() -> None:
    experiment = Experiment(TAKE_2, ("random:take=0",) * 6, seed=3, games=1, first=2)
    with pytest.raises(RunError, match="game 2 of seed 3"):
        list(play_records(experiment))


def test_records_are_made_as_they_are_asked_for() -> None:
    records = play_records(Experiment(TAKE_2, (LIVELY,) * 6, deals=10**12))
    assert next(records).deal == 0
