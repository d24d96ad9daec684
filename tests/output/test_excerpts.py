"""Excerpts show some columns and rows of a table, with short numbers."""

from __future__ import annotations

import math

import pytest

from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.grid import format_symmetric
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow

LOSSES = {"calls": 12.34, "1": 2.0, "2": 30.0}


def _make_table() -> Table:
    lines: list[TableRow] = []
    for trick, loss in LOSSES.items():
        lines.append((("", trick), "loss_points", Estimate(loss, loss - 12.5, loss + 12.5, 50)))
        lines.append((("", trick), "mistakes", Estimate(3, math.nan, math.nan, 50)))
    return Table("losses", "Losses", ("best", "trick"), lines, "A note.", counted=False, game="kqj")


def _read(excerpt: Excerpt) -> list[list[str]]:
    (grid,) = excerpt.make_grids({"losses": _make_table()})
    return [list(grid.headings), *([str(cell) for cell in row] for row in grid.rows)]


def test_columns_come_in_the_order_asked_for_and_unknown_ones_are_left_out() -> None:
    excerpt = Excerpt("losses", ("mistakes", "result", "loss_points"), without=("best",))
    assert _read(excerpt) == [
        ["trick", "mistakes", "points lost"],
        ["calls", "3", "12 ±12"],
        ["1", "3", "2 ±12"],
        ["2", "3", "30 ±12"],
    ]


def test_the_largest_rows_come_first() -> None:
    excerpt = Excerpt("losses", ("loss_points",), ("best",), most=2, sorted_by="loss_points")
    assert [row[0] for row in _read(excerpt)[1:]] == ["2", "calls"]


def test_title_and_note_are_those_of_the_table_unless_others_are_given() -> None:
    tables = {"losses": _make_table()}
    (grid,) = Excerpt("losses", ("mistakes",)).make_grids(tables)
    assert (grid.title, grid.note) == ("Losses", "A note.")
    (grid,) = Excerpt("losses", ("mistakes",), title="", note="Another.").make_grids(tables)
    assert (grid.title, grid.note) == ("", "Another.")
    assert Excerpt("players", ("rounds",)).make_grids(tables) == []


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        ((0.02, 0.0, 0.05), "<5.0%"),
        ((0.02, -0.01, 0.05), "2.0% ±3.0"),
        ((-0.3, -0.4, -0.2), "-30% ±10"),
    ],
)
def test_only_a_share_is_written_as_a_bound(
    estimate: tuple[float, float, float], text: str
) -> None:
    """A difference of shares may be near zero, or below."""
    assert str(format_symmetric(Estimate(*estimate, 100), "share")) == text
