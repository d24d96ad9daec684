"""Rows against a slow function of the record of the same deal: all columns, all variants."""

from __future__ import annotations

import pytest

from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.games.every import SHARED
from tests.slow import slow_between
from tests.variants import OTHER_GAMES, VARIANTS, impositions, lively, mixed, told, with_target

OTHERS = [*OTHER_GAMES.values()]


def _assert_rows_tell_the_records(experiment: Experiment) -> None:
    rows = simulate(experiment)
    records = list(play_records(experiment))
    assert [record.deal for record in records] == rows.deal.tolist()
    values = rows.values.T.tolist()
    for record, row in zip(records, values, strict=True):
        expected = SHARED[record.game].describe_row(record)
        found = dict(zip((column.name for column in rows.columns), row, strict=True))
        assert {*found} == {*expected}
        wrong = [
            f"{name} is {found[name]}, by the record {expected[name]}"
            for name in found
            if found[name] != expected[name]
        ]
        assert not wrong, told(record, *wrong)
    if rows.game is not None and rows.round is not None:
        assert [record.game_id for record in records] == rows.game.tolist()
        assert [record.round for record in records] == rows.round.tolist()


@pytest.mark.parametrize("rules", [*slow_between(5, VARIANTS.values()), *OTHERS], ids=str)
def test_rows_of_single_rounds(rules: GameRules) -> None:
    _assert_rows_tell_the_records(lively(rules, deals=300, seed=3))
    _assert_rows_tell_the_records(mixed(rules, deals=60, seed=4))


@pytest.mark.parametrize("rules", [*VARIANTS.values(), *OTHERS], ids=str)
def test_rows_of_games(rules: GameRules) -> None:
    _assert_rows_tell_the_records(lively(with_target(rules, 500), games=5, seed=5, first=11))


@pytest.mark.parametrize(
    "variant", ["2-fixed-take-second_lap", "3-random-auction-turn-total-amount"]
)
def test_rows_of_imposed_contracts(variant: str) -> None:
    for imposed in impositions(VARIANTS[variant]):
        _assert_rows_tell_the_records(lively(VARIANTS[variant], deals=5, imposed=imposed))


@pytest.mark.parametrize("rules", [*VARIANTS.values(), *OTHERS], ids=str)
def test_values_are_within_the_described_ranges(rules: GameRules) -> None:
    rows = simulate(lively(rules, deals=5000, seed=6))
    for column, found in zip(rows.columns, rows.values, strict=True):
        assert column.low <= found.min(), column.name
        assert found.max() <= column.high, column.name
