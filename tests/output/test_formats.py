"""Every format holds the same numbers, and the run."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from kqj_sim.output.formats import make_long_frame, render
from kqj_sim.output.grid import make_grids
from kqj_sim.output.screen import Screen
from kqj_sim.rules import KqjRules
from kqj_sim.suffixes import FORMATS, TABLE_SUFFIXES, choose_by_suffix
from kqj_sim.version import __version__
from tests.output.tables import REPORT, run

NUMBERS = ["table", "lap", "contract", "quantity", "unit", "value", "low", "high", "deals"]


def written(format: str) -> bytes:
    return render(REPORT, format)


def plain_rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The numbers of a long form, None for what is missing."""
    frame = frame[NUMBERS].astype(object)
    return [
        tuple(None if pd.isna(value) else value for value in row)
        for row in frame.itertuples(index=False)
    ]


def test_csv_json_and_parquet_hold_the_same_numbers() -> None:
    expected = plain_rows(make_long_frame(REPORT))
    assert len(expected) == 9
    from_csv = pd.read_csv(StringIO(written("csv").decode()))
    from_parquet = pq.read_table(BytesIO(written("parquet"))).to_pandas()
    from_json = pd.concat(
        pd.DataFrame(table["rows"]).assign(table=table["name"])
        for table in json.loads(written("json"))["tables"]
    )
    assert plain_rows(from_csv) == expected
    assert plain_rows(from_parquet) == expected
    assert plain_rows(from_json) == expected


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_formats_for_people_show_every_number(format: str) -> None:
    text = written(format).decode()
    for table in REPORT.tables:
        assert table.title in text
        for grid in make_grids(table):
            for row in grid.rows:
                for cell in row[grid.keys :]:
                    assert str(cell) in text


def test_parquet_carries_the_run_and_csv_holds_numbers_only() -> None:
    expected = REPORT.run.to_dict()
    assert "run" not in pd.read_csv(StringIO(written("csv").decode()))
    assert "{" not in written("csv").decode()
    metadata = pq.read_metadata(BytesIO(written("parquet"))).metadata
    assert json.loads(metadata[b"kqj_sim"]) == expected


def test_markdown_and_table_name_the_run() -> None:
    markdown, table = (written(format).decode() for format in ("markdown", "table"))
    for text in (markdown, table):
        assert "KQJ, two teams, fixed partners, taking" in text
        assert "1,000,000 deals" in text
    assert __version__ in markdown
    assert '- policies: `"standard"`, 6 times\n' in markdown
    odd = render(Screen(run(policies=("random", "standard") * 3), []), "markdown").decode()
    assert '- policies: `["random", "standard", "random", ' in odd


def test_summary_names_what_differs_from_the_default() -> None:
    odd = run(
        rules=KqjRules(teams=3, bidding="auction", must_outscore=True),
        policies=("random", "standard") * 3,
        imposed="opener:h:80",
        where="lap == 2",
    )
    assert odd.describe() == (
        "KQJ, three teams, fixed partners, auctions, must_outscore true; the opener plays 80 ♥; "
        "random at seats 0 2 4, standard at seats 1 3 5; 1,000,000 deals, seed 1; "
        "where lap == 2"
    )


@pytest.mark.parametrize("format", FORMATS)
def test_no_tables_are_no_error(format: str) -> None:
    assert render(Screen(run(), []), format) is not None


@pytest.mark.parametrize(
    ("path", "format"), [("a.b/out.JSON", "json"), ("out.md", "markdown"), ("out.txt", "table")]
)
def test_format_follows_from_the_suffix(path: str, format: str) -> None:
    assert choose_by_suffix(path, TABLE_SUFFIXES) == format
