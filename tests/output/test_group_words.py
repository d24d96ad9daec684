"""Group columns as people read them."""

from __future__ import annotations

import pytest

from kqj_sim.games import get_columns
from kqj_sim.output.group_words import format_heading, format_value
from tests.games.every import SHARED


@pytest.mark.parametrize(
    ("game", "column", "value", "shown"),
    [(game, *row) for game, shared in SHARED.items() for row in shared.WORDS],
)
def test_values_are_words(game: str, column: str, value: object, shown: str) -> None:
    assert format_value(column, value, game) == shown


def test_headings_are_words_in_every_game() -> None:
    for game, shared in SHARED.items():
        assert format_heading("sender_trumps", game) == shared.HEADING
        headings = [format_heading(column.name, game) for column in get_columns(game)]
        assert len(set(headings)) == len(headings)
        assert not any("_" in heading for heading in headings)
