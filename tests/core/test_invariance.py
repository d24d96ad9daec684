"""Rows do not depend on threads, chunks, neighbouring lanes or the policies of other seats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.players import seat_players
from kqj_sim.record import Record, to_json
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import iterate_row_chunks, simulate
from tests.policies.moments import moments
from tests.slow import slow_after, slow_between
from tests.variants import (
    AUCTION_2,
    AUCTION_3,
    FAST,
    LIVELY,
    OTHER_GAMES,
    TAKE_2,
    TAKE_3,
    VARIANTS,
    lively,
    mixed,
    told,
    with_target,
)

FOUR = {"take-2": TAKE_2, "take-3": TAKE_3, "auction-2": AUCTION_2, "auction-3": AUCTION_3}
ALL: dict[str, GameRules] = {"take-2": TAKE_2, **OTHER_GAMES, **FOUR}
"""The first of each game, which are fast, before the others."""
SEED = 13
every_game = pytest.mark.parametrize("rules", slow_after(2, ALL.values()), ids=[*ALL])


def _joined(chunks: list[Rows]) -> tuple[Any, ...]:
    return tuple(
        np.concatenate([getattr(rows, name) for rows in chunks], axis=-1)
        for name in ("deal", "values", *(("game", "round") if chunks[0].game is not None else ()))
    )


def _assert_same(found: list[Rows], expected: Rows) -> None:
    whole = _joined([expected])
    for one, other in zip(_joined(found), whole, strict=True):
        assert np.array_equal(one, other)


@every_game
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chunk", [1, 7, 1000, None])
def test_threads_and_chunks_do_not_show(rules: GameRules, threads: int, chunk: int | None) -> None:
    rounds = mixed(rules, deals=300 if chunk == 1 else 2500, seed=SEED, first=100)
    games = mixed(with_target(rules, 500), seed=SEED, games=40, first=3)
    for experiment in (rounds, games):
        expected = simulate(experiment, threads=1)
        assert experiment is games or expected.deal.tolist() == list(range(100, 100 + rounds.deals))
        _assert_same(list(iterate_row_chunks(experiment, threads, chunk)), expected)


@pytest.mark.parametrize("rules", [*VARIANTS.values(), *OTHER_GAMES.values()], ids=str)
def test_a_deal_alone_gives_its_row_of_the_long_run(rules: GameRules) -> None:
    experiment = lively(rules, deals=700, seed=SEED)
    rows = simulate(experiment)
    for deal in (0, 1, 255, 256, 511, 699):
        alone = simulate(replace(experiment, first=deal, deals=1))
        assert alone.deal.tolist() == [deal]
        assert np.array_equal(alone.values[:, 0], rows.values[:, deal]), f"seed={SEED} deal={deal}"


@pytest.mark.parametrize("variant", slow_between(5, VARIANTS))
def test_records_of_a_range_are_those_of_the_long_run(variant: str) -> None:
    experiment = lively(VARIANTS[variant], deals=300, seed=SEED)
    records = list(play_records(experiment))
    part = list(play_records(replace(experiment, first=250, deals=20)))
    assert [record.deal for record in part] == list(range(250, 270))
    for record in part:
        assert to_json(record) == to_json(records[record.deal])


@every_game
def test_a_game_alone_gives_its_rounds_of_the_long_run(rules: GameRules) -> None:
    experiment = lively(with_target(rules, 500), seed=SEED, games=400)
    rows = simulate(experiment)
    assert rows.game is not None
    records = list(play_records(replace(experiment, first=250, games=10)))
    for game in (0, 255, 256, 399):
        alone = simulate(replace(experiment, first=game, games=1))
        assert np.array_equal(alone.values, rows.values[:, rows.game == game]), game
    for game in (250, 259):
        one = list(play_records(replace(experiment, first=game, games=1)))
        same = [record for record in records if record.game_id == game]
        assert list(map(to_json, one)) == list(map(to_json, same))


def test_a_great_number_of_a_deal_and_seed() -> None:
    for seed in (0, 2**63 - 1):
        experiment = lively(TAKE_2, deals=300, seed=seed, first=2**59)
        rows = simulate(experiment)
        alone = simulate(replace(experiment, first=2**59 + 299, deals=1))
        assert np.array_equal(alone.values[:, 0], rows.values[:, 299])


def test_seeds_and_deals_give_different_rounds() -> None:
    rounds = [
        *play_records(lively(TAKE_2, deals=300, seed=SEED)),
        *play_records(lively(TAKE_2, deals=300, seed=SEED + 1)),
    ]
    assert len({str(record.dealt) for record in rounds}) == 600


def _pairs(one: Experiment, other: Experiment) -> list[tuple[Record, Record]]:
    return list(zip(play_records(one), play_records(other), strict=True))


@pytest.mark.parametrize("variant", slow_after(1, FOUR))
@pytest.mark.parametrize("seat", slow_after(1, [4, 0]))
def test_a_seats_policy_does_not_touch_the_deal(variant: str, seat: int) -> None:
    policies = [LIVELY] * 6
    one = Experiment(FOUR[variant], tuple(policies), 600, SEED)
    for policy in FAST:
        policies[seat] = policy
        for record, changed in _pairs(one, replace(one, players=seat_players(policies, one.rules))):
            assert record.dealt == changed.dealt, told(record)
            assert record.turned == changed.turned, told(record)
            assert record.teams == changed.teams, told(record)
            assert record.dealer == changed.dealer, told(record)
            if record.sender == changed.sender:
                # Cards of a hand come in the order of the contract.
                hands, others = (
                    [sorted(hand) for hand in each.hands or []] for each in (record, changed)
                )
                assert hands == others, told(record, to_json(changed))


@pytest.mark.parametrize("variant", slow_after(1, FOUR))
def test_a_seats_policy_does_not_touch_the_calls_of_others(variant: str) -> None:
    """As long as the changed seat says the same, so do all others."""
    seat, passes = 3, "random:take=0,bid=0,counter=0"
    policies = [LIVELY] * 6
    one = Experiment(FOUR[variant], tuple(policies), 1500, SEED)
    policies[seat] = passes
    compared = 0
    for record, changed in _pairs(one, replace(one, players=seat_players(policies, one.rules))):
        for call, other in zip(record.calls, changed.calls, strict=False):
            if call.seat == seat and call != other:
                break
            compared += call.seat != seat
            assert call == other, told(record, to_json(changed))
    assert compared > 2000


@pytest.mark.parametrize("variant", slow_after(1, FOUR))
def test_a_seats_policy_does_not_touch_the_draws_of_others(variant: str) -> None:
    """At the same turn, with the same choice, `random` plays the same card, whatever was before."""
    rules, seat = FOUR[variant], 3
    amount = rules.minimum_bid if rules.bidding == "auction" else None
    policies = ["random"] * 6
    one = Experiment(rules, tuple(policies), 500, SEED, imposed=ImposedContract(1, "h", amount))
    policies[seat] = "greedy"
    after_a_change = 0
    for record, changed in _pairs(one, replace(one, players=seat_players(policies, one.rules))):
        differs = False
        for play, other in zip(moments(record), moments(changed), strict=True):
            same_turn = (play.seat, play.legal) == (other.seat, other.legal)
            if play.seat != seat and same_turn:
                assert play.card == other.card, told(
                    record, play.card, other.card, to_json(changed)
                )
                after_a_change += differs and len(play.legal) > 1
            differs |= play.card != other.card
    assert after_a_change > 500
