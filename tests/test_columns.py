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


def test_a_quantity_of_both_games_has_one_name() -> None:
    both = {*get_column_numbers("kqj")} & {*get_column_numbers("kwajongen")}
    assert both >= {
        "dealer", "taken", "place", "sender", "contracting_team", "result", "pending_after",
        "contracting_card_points", "contracting_tricks", "contracting_score", "defending_score",
        "capot_contracting", "capot_defending", "sender_trumps", "score_0", "team_of_seat_3",
    }  # fmt: skip
