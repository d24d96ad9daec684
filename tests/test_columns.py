from __future__ import annotations

import pytest

from kqj_sim.games import GAMES, get_column_numbers, get_columns


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_columns_of_one_name_each(game: str) -> None:
    columns, numbers = get_columns(game), get_column_numbers(game)
    assert [columns[numbers[column.name]] for column in columns] == list(columns)
    assert len(numbers) == len(columns)
    for column in columns:
        assert column.low <= column.high and column.meaning
        if column.labels:
            assert (column.low, column.high) == (0, len(column.labels) - 1)
