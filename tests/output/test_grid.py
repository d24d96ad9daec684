"""Tables turned into what people read."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kqj_sim.games import get_columns
from kqj_sim.output.grid import (
    PIPED_WIDTH,
    Excerpt,
    break_long_words,
    format_heading,
    format_number,
    format_symmetric,
    format_value,
    make_grids,
    replace_signs,
    to_markdown,
    to_rich,
    to_screen,
)
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity, list_quantities
from kqj_sim.stats.tables import Table, TableRow
from tests.command_line import run_program
from tests.games.every import SHARED
from tests.output.tables import NAN, RESULTS, TAKEN, table


@pytest.mark.parametrize(("value", "low", "high", "unit", "shown"), [
    (0.671, 0.670, 0.672, "share", "67.1% ±0.1"),
    (0.67134, 0.67104, 0.67164, "share", "67.13% ±0.03"),
    (0.5, 0.4, 0.6, "share", "50.0% ±10.0"),
    (0.0, 0.0, 0.004, "share", "<0.40%"),
    (0.999999, 0.999994, 1.0, "share", ">99.99%"),
    (0.99998, 0.99985, 1.0, "share", ">99.98%"),
    (0.9, 0.6, 0.98, "share", "90.0% (60.0 to 98.0)"),
    (142.25, 142.0, 142.5, "points", "142.2 ±0.2"),
    (-1234.5, -1240.5, -1228.5, "points", "-1,234.5 ±6.0"),
    (130.0, NAN, NAN, "amount", "130"),
    (130.5, NAN, NAN, "amount", "130.5"),
    (0.25, NAN, NAN, "share", "25.0%"),
    (1_234_567.0, NAN, NAN, "count", "1,234,567"),
    (130.0, 129.0, 131.0, "points", "130 ±1"),
    (130.0, 129.0, 134.0, "points", "130 (129 to 134)"),
    (130.0, 129.0, NAN, "points", "130"),
    (7.5, 7.5, 7.5, "rounds", "7.5 ±0.0"),
    (NAN, NAN, NAN, "share", "-"),
    (-0.0004, -0.0124, 0.0116, "points", "0.00 ±0.01"),
    (-0.01, -0.04, 0.14, "points", "0.0 (0.0 to 0.1)"),
    (-0.04, NAN, NAN, "points", "0.0"),
])  # fmt: skip
def test_number_shows_as_many_decimals_as_its_interval_has_meaning_for(
    value: float, low: float, high: float, unit: str, shown: str
) -> None:
    assert str(format_number(Estimate(value, low, high, 0), unit)) == shown


def test_table_without_groups_has_a_row_a_quantity() -> None:
    (grid,) = make_grids(TAKEN)
    assert grid.headings == ("quantity", "value", "deals")
    assert [[str(cell) for cell in row] for row in grid.rows] == [
        ["taken, share of all deals", "67.1% ±0.1", "1,000,000"],
        ["passed out, share of all deals", "32.9% ±0.1", "1,000,000"],
        ["games", "1,000,000", "1,000,000"],
    ]


def test_numbers_of_deals_can_be_left_out() -> None:
    uncounted = replace(RESULTS, counted=False)
    (grid,) = make_grids(uncounted)
    assert grid.headings == ("lap", "contract", "wins", "own total")
    narrow = make_grids(uncounted, 30)
    assert [each.headings[2:] for each in narrow] == [("wins",), ("own total",)]


def test_table_with_groups_has_a_row_a_group_and_a_column_a_quantity() -> None:
    (grid,) = make_grids(RESULTS)
    assert grid.headings == ("lap", "contract", "wins", "deals", "own total", "deals")
    assert [str(cell) for cell in grid.rows[2]] == [
        "2nd", "NT", "50.0% ±10.0", "90", "120.5 ±10.0", "90",
    ]  # fmt: skip
    assert grid.note == "A note."


def test_quantities_with_the_same_observations_share_their_number() -> None:
    rows = [
        ("h", "made_share", 0.7, 0.6, 0.8, 400),
        ("h", "failed_share", 0.3, 0.2, 0.4, 400),
        ("s", "made_share", 0.5, 0.4, 0.6, 500),
    ]
    (grid,) = make_grids(table("results", ("contract",), list(rows)))
    assert grid.headings == ("contract", "made", "failed", "deals")
    assert [str(cell) for cell in grid.rows[1]] == ["♠", "50.0% ±10.0", "-", "500"]


def test_wide_tables_become_several_grids() -> None:
    names = [name for name in list_quantities("kqj") if name.startswith(("contracting", "grat"))]
    rows = [("h", name, 1000.5, 999.5, 1001.5, 9) for name in names[:12]]
    wide = table("wide", ("contract",), list(rows), note="Once.")
    grids = make_grids(wide, PIPED_WIDTH)
    assert len(grids) == 3
    shown = [heading for grid in grids for heading in grid.headings]
    headings = [find_quantity(name, "kqj").heading for name in names[:12]]
    assert [heading for heading in shown if heading in headings] == headings
    assert all(grid.headings[0] == "contract" for grid in grids)
    assert all(grid.headings[-1] == "deals" for grid in grids)
    assert [grid.note for grid in grids] == ["", "", "Once."]
    text = to_screen([to_rich(grid) for grid in grids], color=False, width=None)
    assert max(len(line) for line in text.splitlines()) <= PIPED_WIDTH
    assert "…" not in text


def test_keys_are_not_repeated_on_the_screen_and_are_in_markdown() -> None:
    (grid,) = make_grids(RESULTS)
    text = to_screen([to_rich(grid)], color=False, width=None)
    assert [line[:1] for line in text.splitlines() if "%" in line] == ["1", " ", "2"]
    assert to_markdown(grid).count("| 1st |") == 2


def test_markdown_escapes_the_bar() -> None:
    (grid,) = make_grids(table("odd", ("side",), [("a|b", "made_share", 0.5, 0.4, 0.6, 3)]))
    assert "| a\\|b | 50.0% ±10.0 | 3 |" in to_markdown(grid)


def test_colours_only_where_wanted() -> None:
    (grid,) = make_grids(TAKEN)
    assert "\x1b[" in to_screen([to_rich(grid)], color=True, width=80)
    assert "\x1b[" not in to_screen([to_rich(grid)], color=False, width=80)


def test_missing_group_is_all() -> None:
    (grid,) = make_grids(table("sum", ("lap",), [(math.nan, "made_share", 0.5, 0.4, 0.6, 3)]))
    assert str(grid.rows[0][0]) == "all"


SPEC = "points:take=45,lap2=38+policies/my_policy.py:cautious"
SPREAD = Table(
    "why",
    "Results of each policy",
    ("policy",),
    [
        (("standard",), "sender_share", Estimate(0.2, 0.19, 0.21, 500)),
        ((SPEC,), "sender_share", Estimate(0.8, 0.79, 0.81, 500)),
        (("standard",), "score_mean", Estimate(90.0, 89.0, 91.0, 500)),
        ((SPEC,), "score_mean", Estimate(70.0, 69.0, 71.0, 500)),
    ],
    spread="policy",
    game="kqj",
)


def test_a_spread_table_has_a_row_for_each_quantity_and_a_column_for_each_group() -> None:
    (grid,) = make_grids(SPREAD, 80)
    assert grid.headings == ("quantity", "standard", SPEC)
    assert [[str(cell) for cell in row] for row in grid.rows] == [
        ["takes, share of rounds", "20.0% ±1.0", "80.0% ±1.0"],
        ["score, mean per deal", "90 ±1", "70 ±1"],
        ["deals", "500", "500"],
    ]


def test_a_spread_table_of_one_quantity_names_the_other_groups_alone() -> None:
    lines: list[TableRow] = [
        ((one, other), "lead", Estimate(float(value), NAN, NAN, 9))
        for one, other, value in (("a", "b", 1), ("b", "a", -1))
    ]
    table = Table(
        "matrix", "", ("policy", "other"), lines, counted=False, spread="other", game="kqj"
    )
    (grid,) = make_grids(table)
    assert grid.headings == ("policy", "b", "a")
    assert [[str(cell) for cell in row] for row in grid.rows] == [["a", "1", "-"], ["b", "-", "-1"]]


def test_long_specifications_are_broken_and_shown_whole() -> None:
    lines = break_long_words(SPEC, 24).split("\n")
    assert "".join(lines) == SPEC
    assert max(map(len, lines)) <= 24
    shown = to_screen([to_rich(grid) for grid in make_grids(SPREAD, 80)], color=False, width=80)
    heading = shown.split("─")[0].replace("standard", "").replace("quantity", "")
    assert SPEC in "".join(heading.split())
    assert break_long_words("a sentence of short words: kept", 24) == (
        "a sentence of short words: kept"
    )


@pytest.mark.parametrize(("encoding", "shown"), [
    ("utf-8", "take ♥: 71.0% ±0.4 …"),
    ("latin-1", "take h: 71.0% ±0.4 ..."),
    ("ascii", "take h: 71.0% +/-0.4 ..."),
    ("cp1252", "take h: 71.0% ±0.4 …"),
])  # fmt: skip
def test_only_missing_signs_are_replaced(encoding: str, shown: str) -> None:
    assert replace_signs("take ♥: 71.0% ±0.4 …", encoding) == shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_screen_is_written_in_the_encoding_of_stdout(encoding: str) -> None:
    words = ("simulate", "--deals", "300", "--policy", "greedy", "--by", "contract")
    variables = {"PYTHONIOENCODING": encoding}
    text = run_program(*words, variables=variables, encoding=encoding, check=True).stdout
    assert "?" not in text
    sign = "+/-" if encoding == "ascii" else "±"
    lines = text.splitlines()
    (spades,) = (line for line in lines if line.startswith("s "))
    assert sign in spades
    rule = next(line for line in lines if set(line) == {"-"})
    assert max(map(len, lines[lines.index(rule) :])) == len(rule)


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


@pytest.mark.parametrize(("estimate", "text"), [
    ((0.0, 0.0, 0.0004), "<0.04%"), ((0.07, 0.02, 0.178), "<18%"), ((0.02, 0.0, 0.05), "<5.0%"),
    ((1.0, 0.158, 1.0), ">15%"), ((0.9999, 0.99962, 1.0), ">99.96%"),
    ((0.025, 0.013, 0.04), "2.5% ±1.5"),
    # Differences of shares may be near zero, or below.
    ((0.02, -0.01, 0.05), "2.0% ±3.0"), ((-0.3, -0.4, -0.2), "-30% ±10"),
])  # fmt: skip
def test_a_share_is_written_as_a_bound_if_its_interval_leaves_0_or_1(
    estimate: tuple[float, float, float], text: str
) -> None:
    assert str(format_symmetric(Estimate(*estimate, 100), "share")) == text


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


def test_only_a_lead_that_may_be_nothing_is_about_nothing() -> None:
    """With scores the option that wins most games may be worth clearly less in points."""
    leads = {"pass": Estimate(-1.0, -3.0, 1.0, 400), "120 ♠": Estimate(-8.0, -15.0, -1.0, 400)}
    lines = [((call,), "lead", lead) for call, lead in leads.items()]
    (grid,) = make_grids(Table("calls", "Calls", ("call",), lines, counted=False, game="kqj"))
    assert [str(cell) for _, cell in grid.rows] == ["about 0", "-8 ±7"]
