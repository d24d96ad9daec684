"""Titles of a page's tables repeat nothing, and columns that do not fit are known."""

from __future__ import annotations

import pytest

from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.page import (
    join_intervals,
    make_page_tables,
    measure_columns,
    quote_css,
    shorten_titles,
)


@pytest.mark.parametrize(
    ("chapter", "titles", "short"),
    [
        (
            "Contracts made",
            ["Contracts made, by kind", "Contracts made, by lap and place"],
            ["By kind", "By lap and place"],
        ),
        (
            "Takes",
            ["Takes of the players asked", "Deals taken", "Deals taken, by kind"],
            ["Takes of the players asked", "Deals taken", "By kind"],
        ),
        # Another order of the same words says the same.
        (
            "The contracting team's total",
            ["Total of the contracting team in steps of 10, by result"],
            ["In steps of 10, by result"],
        ),
        (
            "When to take",
            ["Taking against passing, the opener", "Taking against passing, the opener, by trumps"],
            ["Taking against passing, the opener", "By trumps"],
        ),
        # What a title adds without a comma stays with its first words.
        ("Raised rounds", ["Raised rounds and others"], ["Raised rounds and others"]),
    ],
)
def test_titles_leave_out_what_was_said(chapter: str, titles: list[str], short: list[str]) -> None:
    assert shorten_titles(chapter, titles) == short


def test_units_stand_above_the_tables() -> None:
    titles = [
        "Contracts made, taken deals (share of taken deals)",
        "Contracts made, by kind, taken deals (share of taken deals)",
        "Amount of the last bid, taken deals",
    ]
    tables = make_page_tables("Contracts made", [Grid(title, (), ()) for title in titles])
    assert [(each.title, each.unit) for each in tables] == [
        ("", "share of taken deals"),
        ("By kind", "share of taken deals"),
        ("Amount of the last bid", "taken deals"),
    ]
    assert [each.heading for each in tables] == [
        "Share of taken deals",
        "By kind (share of taken deals)",
        "Amount of the last bid (taken deals)",
    ]
    assert [each.caption for each in tables] == ["", "Share of taken deals", "Taken deals"]


def test_a_table_is_stacked_if_its_columns_do_not_fit_on_a_phone() -> None:
    names = ("mean", "median", "deals")
    cells = (Cell("154.0", "±0.1"), Cell("150"), Cell("999,999"))
    key = "last trick won by the contracting team"
    # A key is broken between words: "contracting" is its longest.
    narrow = Grid("", ("figure", *names), ((Cell(key), *cells),))
    assert measure_columns(narrow) == (11 + 2) + (10 + 2) + (6 + 2) + (7 + 2)
    wide = Grid("", ("figure", *names, "quantile"), ((Cell(key), *cells, Cell("1")),))
    tables = make_page_tables("Totals", [narrow, wide])
    assert [each.is_stacked for each in tables] == [False, True]


def test_numbers_in_sentences_stay_with_their_intervals() -> None:
    text = "With 7 trumps 99.3% (98.3 to 99.8), with 1 48.4% ±0.5 (100 deals)."
    assert join_intervals(text) == (
        "With 7 trumps 99.3%\u00a0(98.3 to 99.8), with 1 48.4%\u00a0±0.5 (100 deals)."
    )


def test_headings_in_styles_cannot_end_their_strings() -> None:
    assert quote_css('a"b\\c') == r'"a\22 b\5c c"'
