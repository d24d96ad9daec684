"""Group columns as people read them."""

from __future__ import annotations

import pytest

from kqj_sim.games import GAMES, get_columns
from kqj_sim.output.group_words import format_heading, format_value


@pytest.mark.parametrize(
    ("column", "value", "game", "shown"),
    [
        ("contract", "h", "kqj", "♥"),
        ("contract", "NT", "kqj", "NT"),
        ("contract", "none", "kqj", "passed out"),
        ("place", 0, "kqj", "opener"),
        ("place", 5, "kqj", "dealer"),
        ("place", -1, "kqj", "passed out"),
        ("lap", 2, "kqj", "2nd"),
        ("lap", 0, "kqj", "passed out"),
        ("sender_trumps", 4, "kqj", "4"),
        ("sender_trumps", -1, "kqj", "passed out"),
        ("stake", 2, "kqj", "countered"),
        ("result", "litigation", "kqj", "litigation"),
        ("kind", "return", "kqj", "Return's suit"),
        ("policy", "standard", "kqj", "standard"),
        ("take", 30.0, "kqj", "30"),
    ],
)
def test_values_are_words(column: str, value: object, game: str, shown: str) -> None:
    assert format_value(column, value, game) == shown


def test_headings_are_words_in_every_game() -> None:
    assert format_heading("sender_trumps", "kqj") == "Sender's trumps"
    for game in GAMES:
        headings = [format_heading(column.name, game) for column in get_columns(game)]
        assert len(set(headings)) == len(headings)
        assert not any("_" in heading for heading in headings)
