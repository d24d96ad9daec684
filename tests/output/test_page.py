"""Pages: HTML that needs nothing else, Markdown that says the same."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kqj_sim.output import page
from kqj_sim.output.grid import Cell, Grid
from tests.output.html_tree import read_html

SVG = f"""<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="100pt" height="50pt" viewBox="0 0 100 50" xmlns="http://www.w3.org/2000/svg">
<metadata>who and when</metadata>
<defs><clipPath id="clip"><rect/></clipPath></defs>
<g id="figure_1"><path clip-path="url(#clip)" style="stroke: {page.INK}"/><!-- 42 --></g>
</svg>
"""
GRID = Grid(
    "Numbers & <signs>",
    ("key", "made"),
    ((Cell("a <b>"), Cell("50.0%", "±1.0")), (Cell("c"), Cell("-"))),
    note="A note.",
)
PAGE = page.Page(
    title="Hands & <tricks>",
    lead=("First.", "Second."),
    sections=(
        page.Section(
            "one",
            "The first",
            ("A sentence.",),
            (page.Picture("p1", "A picture.", SVG), page.Picture("p2", "Another.", SVG)),
            (GRID,),
            (GRID,),
            "How to read it.",
        ),
    ),
    provenance=(("command", "kqj-sim report --title 'a <b>'"),),
    listings=(("rules", '{\n "teams": 2\n}'),),
    time="today, in 3 s",
    headlines=("The finding.",),
)


HTML = page.to_html(PAGE).decode()


def test_html_is_well_formed_and_escapes_what_is_text() -> None:
    elements = [*read_html(HTML).iter()]
    assert "<title>Hands &amp; &lt;tricks&gt;</title>" in HTML
    assert '<p class="headline">The finding.</p>' in HTML
    assert "<b>" not in HTML
    ids = [element.attrib["id"] for element in elements if "id" in element.attrib]
    assert len(ids) == len({*ids})
    assert {"one", "made"} <= {*ids}
    links = [element.attrib["href"] for element in elements if element.tag == "a"]
    assert {"#", "#one", "#made"} == {*links}


def test_words_in_backticks_are_code_on_all_pages() -> None:
    sentence = "Try more `deals` than <5."
    marked = "Try more <code>deals</code> than &lt;5."
    noted = replace(PAGE.sections[0], text=(sentence,), note=sentence)
    everywhere = replace(PAGE, lead=(sentence,), headlines=(sentence,), sections=(noted,))
    assert page.to_html(everywhere).decode().count(marked) == 4
    assert page.to_html_fragment([sentence], [sentence]).count(marked) == 2


def test_html_needs_no_network_and_no_scripts() -> None:
    assert "<script" not in HTML
    assert not re.search(r"(?:src|href)=[\"'](?!#|data:)", HTML)
    assert "@import" not in HTML
    assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'", HTML)


def test_tables_have_captions_and_headings_that_say_of_what() -> None:
    tree = read_html(HTML)
    assert len(tree.findall(".//caption")) == 2
    scopes = [element.get("scope") for element in tree.iter("th")]
    assert scopes == ["col", "col", "row", "row"] * 2


def test_pictures_take_the_colour_of_the_text_and_share_no_names() -> None:
    assert page.INK not in HTML
    assert HTML.count("stroke: currentColor") == 2
    assert 'id="p1-clip"' in HTML
    assert "url(#p2-clip)" in HTML
    assert "figure_1" not in HTML
    assert "who and when" not in HTML
    assert 'viewBox="0 0 100 50"' in HTML
    assert 'width="100pt"' not in HTML
    assert "<figcaption>A picture.</figcaption>" in HTML


def test_picture_alone_is_on_white_and_has_a_title() -> None:
    alone = page.Picture("p", "A & B.", SVG).to_svg_file().decode()
    assert '<rect width="100%" height="100%" fill="#ffffff"/>' in alone
    assert "<title>A &amp; B.</title>" in alone


def test_markdown_says_the_same() -> None:
    text = page.page_to_markdown(PAGE).decode()
    assert text.startswith(
        "# Hands & &lt;tricks>\n\n**The finding.**\n\nFirst.\n\nSecond.\n\n## The first\n"
    )
    assert "![A picture.](pictures/p1.svg)" in text
    assert text.count("| a &lt;b> | 50.0% ±1.0 |") == 2
    assert "- command: `kqj-sim report --title 'a <b>'`" in text
    assert '     "teams": 2' in text
    assert text.endswith("\n")
    assert not re.search(r"\n\n\n| \n", text)


@pytest.mark.parametrize(("chapter", "titles", "short"), [
    ("Contracts made", "Contracts made, by kind|Contracts made, by place", "By kind|By place"),
    ("Takes", "Takes of the players asked|Deals taken|Deals taken, by kind",
     "Takes of the players asked|Deals taken|By kind"),
    # Another order of the same words says the same.
    ("The contracting team's total",
     "Total of the contracting team in steps of 10, by result", "In steps of 10, by result"),
    ("When to take", "Taking or passing, the opener|Taking or passing, the opener, by trumps",
     "Taking or passing, the opener|By trumps"),
    # What a title adds without a comma stays with its first words.
    ("Raised rounds", "Raised rounds and others", "Raised rounds and others"),
])  # fmt: skip
def test_titles_leave_out_what_was_said(chapter: str, titles: str, short: str) -> None:
    assert page.shorten_titles(chapter, titles.split("|")) == short.split("|")


def test_units_stand_above_the_tables() -> None:
    titles = [
        "Contracts made, taken deals (share of taken deals)",
        "Contracts made, by kind, taken deals (share of taken deals)",
        "Amount of the last bid, taken deals",
    ]
    tables = page.make_page_tables("Contracts made", [Grid(title, (), ()) for title in titles])
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
    assert page.measure_columns(narrow) == (11 + 2) + (10 + 2) + (6 + 2) + (7 + 2)
    wide = Grid("", ("figure", *names, "quantile"), ((Cell(key), *cells, Cell("1")),))
    tables = page.make_page_tables("Totals", [narrow, wide])
    assert [each.is_stacked for each in tables] == [False, True]


def test_numbers_in_sentences_stay_with_their_intervals() -> None:
    text = "With 7 trumps 99.3% (98.3 to 99.8), with 1 48.4% ±0.5 (100 deals)."
    assert page.join_intervals(text) == (
        "With 7 trumps 99.3%\u00a0(98.3 to 99.8), with 1 48.4%\u00a0±0.5 (100 deals)."
    )


def test_headings_in_styles_cannot_end_their_strings() -> None:
    assert page.quote_css('a"b\\c') == r'"a\22 b\5c c"'
