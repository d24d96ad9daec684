"""The command that makes reports: its files agree, come again, and open in a browser."""

from __future__ import annotations

import base64
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import pytest

from kqj_sim.output.grid import NO_INTERVAL, make_grids
from kqj_sim.questions.report import play
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import estimate_share
from kqj_sim.stats.tables import Table
from tests.command_line import run
from tests.games.every import SHARED
from tests.output.html_tree import read_html
from tests.output.tables import line
from tests.variants import OTHER_GAMES
from tests.web.browser import Browser, needs_browser

POLICIES = Path(__file__).resolve().parent.parent.parent / "reports" / "policies"
SMALL = (
    "--policy", "random", "--deals", "2000", "--games", "20", "--chart-deals", "900",
)  # fmt: skip
COMPARED = ("--compare", "random", "--compare", "greedy", "--compare-deals", "120")


def read_tables(html: str) -> list[tuple[str, list[list[str]]]]:
    """Return the tables of a page: the label of the region, and rows of cells."""
    return [
        (region.attrib["aria-label"], [["".join(cell.itertext()) for cell in row] for row in rows])
        for region in read_html(html).iter()
        if region.get("class") == "scroll" and (rows := [*region.iter("tr")])
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "out"
    done = run("report", "--out", str(out), "--threads", "1", *SMALL, *COMPARED, "--save-rows")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{out / 'report.html'}\n"
    return out


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder; the time of making is left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC, in \d+ s", b"TIME", path.read_bytes())
            found[path.relative_to(folder).as_posix()] = text
    return found


def told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return found


def _read_number(text: str) -> float:
    return float(text or "nan")


def csv_tables(folder: Path) -> list[Table]:
    """The tables of a report from their CSV files, with the titles of the JSON."""
    report = told(folder)
    tables = []
    for each in report["tables"]:
        path = folder / "tables" / f"{each['name']}.csv"
        groups = tuple(each["groups"])
        texts = dict.fromkeys(
            (group for group in groups if isinstance(each["rows"][0][group], str)), "str"
        )
        frame = pd.read_csv(
            path, dtype=texts, keep_default_na=False,
            # Python reads decimals exactly, whatever the version of pandas.
            converters={column: _read_number for column in ("value", "low", "high")},
        )  # fmt: skip
        columns = [*groups, "quantity", "value", "low", "high", "deals"]
        rows = frame[columns].itertuples(index=False, name=None)
        lines = [line(len(groups), *row) for row in rows]
        # Of two policies compared, each has a column; their deals are said once.
        spread = "policy" if each["name"] == "compared_why" else ""
        counted = each["name"] not in ("compared_why", "compared_largest")
        table = Table(
            each["name"], each["title"], groups, lines, each["note"], counted, spread,
            game=report["game"],
        )  # fmt: skip
        tables.append(table)
    return tables


def cells(table: Table) -> list[tuple[str, list[list[str]]]]:
    """Return the cells of a table on a page."""
    return [
        (
            grid.title,
            [
                [heading.replace("_", " ") for heading in grid.headings],
                *([str(cell) for cell in row] for row in grid.rows),
            ],
        )
        for grid in make_grids(table)
    ]


def test_folder_has_all_files_that_are_named(made: Path) -> None:
    there = content(made)
    assert {"report.html", "report.md", "report.json", "rows.parquet"} <= there.keys()
    report = told(made)
    tables = {f"tables/{table['name']}.csv" for table in report["tables"]}
    pictures = {picture for section in report["sections"] for picture in section["pictures"]}
    assert tables | pictures == there.keys() - {
        "report.html", "report.md", "report.json", "rows.parquet",
    }  # fmt: skip
    markdown = there["report.md"].decode()
    assert {*re.findall(r"\]\((pictures/\S+)\)", markdown)} == pictures
    assert len(pictures) > 10
    assert [section["name"] for section in report["sections"]] == [
        "short", "compared", "taking", "contracts", "hands", "totals", "take_chart", "bonuses",
        "litigation", "scores", "games",
    ]  # fmt: skip


def test_every_number_of_the_page_is_that_of_the_csv(made: Path) -> None:
    html = (made / "report.html").read_text(encoding="utf-8")
    # The CSV does not say why there is no interval.
    shown = [
        (title, [[cell.removesuffix(f" {NO_INTERVAL}") for cell in row] for row in rows])
        for title, rows in read_tables(html)
    ]
    tables = csv_tables(made)
    right = [grid for table in tables if table.name != "compared_matrix" for grid in cells(table)]
    for title, rows in shown:
        if title != "Key figures":
            assert (title, rows) in right, title
    assert len(shown) > 25
    everything = {cell for _, rows in right for row in rows for cell in row}
    key_figures = dict(shown)["Key figures"][1:]
    assert {value for _, value in key_figures} <= everything
    text = " ".join(
        sentence
        for section in told(made)["sections"]
        for sentence in section["text"]
        if section["name"] not in ("compared", "short")
    )
    numbers = re.findall(r"[\d,.]+%? (?:±[\d.]+\d|\([\d.]+ to [\d.]+\))", text)
    assert len(numbers) > 15
    assert {*numbers} <= everything
    for sentence in re.findall(r"<p>(.*?)</p>", html)[:5]:
        words = re.sub("</?code>", "`", unescape(sentence)).replace("\u00a0", " ")
        assert words in (made / "report.md").read_text(encoding="utf-8")


def test_json_has_the_numbers_of_the_csv(made: Path) -> None:
    for table, as_json in zip(csv_tables(made), told(made)["tables"], strict=True):
        rows = table.frame.astype(object).where(table.frame.notna(), None).to_dict("records")
        assert rows == as_json["rows"], table.name


def test_report_says_how_it_was_made(made: Path) -> None:
    report = told(made)
    assert report["rules"] == KqjRules().to_dict()
    assert (report["seed"], report["deals"], report["games"]) == (1, 2000, 20)
    assert report["policies"] == ["random"] * 6
    words = shlex.split(report["command"])
    assert words[:2] == ["kqj-sim", "report"]
    assert words[words.index("--deals") :][:2] == ["--deals", "2000"]
    assert words.count("--compare") == 2
    assert "--threads" not in words
    html = (made / "report.html").read_text(encoding="utf-8")
    for what in ("Wilson", "seed 1", "all rules", "kqj-sim report --out"):
        assert what in html
    assert html.count(report["made"]) == 1


def test_command_makes_the_same_again_but_for_the_time(made: Path, tmp_path: Path) -> None:
    before = content(made)
    words = shlex.split(told(made)["command"])
    copy = tmp_path / "copy"
    made.rename(copy)
    try:
        assert run(*words[1:], "--threads", "2").exit_code == 0
        again = content(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        copy.rename(made)
    assert again.keys() == before.keys()
    assert [name for name in again if again[name] != before[name]] == []


def test_a_committed_report_comes_again(tmp_path: Path) -> None:
    words = shlex.split(told(POLICIES)["command"])
    out = tmp_path / "out"
    words[words.index("--out") + 1] = str(out)
    assert run(*words[1:]).exit_code == 0
    again = {
        name: text.replace(str(out).encode(), b"reports/policies")
        for name, text in content(out).items()
    }
    committed = content(POLICIES)
    assert again.keys() == committed.keys()
    assert [name for name in again if again[name] != committed[name]] == []


def test_rows_are_those_of_the_deals(made: Path) -> None:
    file = pyarrow.parquet.ParquetFile(made / "rows.parquet")
    rows = file.read()
    assert rows.num_rows == 2000
    assert json.loads(file.metadata.metadata[b"kqj_sim"])["deals"] == 2000
    taken = pd.read_csv(made / "tables" / "taking.csv").set_index("quantity")["value"]
    assert rows.column("taken").to_pandas().mean() == taken["taken_share"]


def test_report_from_a_file_of_options_shows_the_file_and_comes_again(tmp_path: Path) -> None:
    config = tmp_path / "variants.toml"
    config.write_text(
        'policy = "random"\n[report]\ndeals = 300\ngames = 0\nchart-deals = 0\nteams = 3\n'
    )
    out, again = tmp_path / "out", tmp_path / "again"
    assert run("report", "--config", str(config), "--out", str(out), "--seed", "7").exit_code == 0
    report = told(out)
    assert (report["rules"]["teams"], report["deals"], report["seed"]) == (3, 300, 7)
    assert "chart-deals = 0" in (out / "report.html").read_text(encoding="utf-8")
    command = shlex.split(report["command"])
    assert "--deals" not in command
    out.rename(again)
    assert run(*command[1:]).exit_code == 0
    assert content(again) == content(out)


def test_interrupted_report_holds_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(play, "play_take_chart", interrupt)
    out = tmp_path / "out"
    done = run("report", "--out", str(out), *SMALL)
    assert done.exit_code == 130
    assert "Interrupted" in done.stderr
    assert told(out)["interrupted"] is True
    assert "The run was interrupted" in (out / "report.html").read_text(encoding="utf-8")
    assert not (out / "tables" / "take_chart.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--deals", "1", "--policy", "random"],
        ["--deals", "1", "--policy", "random", "--bidding", "auction"],
        ["--deals", "20", "--policy", "never+random", "--games", "0"],
        ["--deals", "20", "--policy", "never+random", "--games", "0", "--bidding", "auction"],
        ["--deals", "20", "--policy", "random", "--impose", "opener:h", "--partners", "random"],
        *(
            [*words, "--game", rules.game]
            for rules in OTHER_GAMES.values()
            for words in (
                ["--deals", "1", "--policy", "random"],
                ["--deals", "20", "--policy", SHARED[rules.game].NEVER, "--games", "0"],
            )
        ),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_report_of_next_to_nothing_can_be_made(arguments: list[str], tmp_path: Path) -> None:
    few = ("--games", "1", "--chart-deals", "1")
    done = run("report", "--out", str(tmp_path / "out"), *few, *arguments)
    assert done.exit_code == 0, done.output
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "nan" not in report.lower()
    if "0" in arguments and "--impose" not in arguments:
        assert "Every deal is passed out." in report


@pytest.fixture
def page(made: Path) -> Iterator[Browser]:
    """The page of the report in a browser that notes what it logs."""
    browser = Browser((made / "report.html").as_uri())
    browser.send("Log.enable")
    yield browser
    assert not browser.errors
    browser.close()


MEASURE = """(() => {
const all = (query) => [...document.querySelectorAll(query)];
all("details").forEach(e => { e.open = true; });
const wide = all("body *").filter(e =>
  !e.closest(".scroll, svg, pre, .unseen") && e.getBoundingClientRect().right > innerWidth + 1);
const small = all("svg text").map(e => e.getBoundingClientRect().height).filter(h => h > 0);
const cut = all(".scroll").filter(e => e.scrollWidth > e.clientWidth + 1);
const apart = all("td > .interval").filter(e => {
  const number = document.createRange();
  number.selectNode(e.previousSibling);
  return Math.abs(number.getBoundingClientRect().y - e.getBoundingClientRect().y) > 9; });
const left = all("figure:nth-of-type(2)").map(e => e.getBoundingClientRect().left);
return {
  inner: innerWidth, scroll: document.documentElement.scrollWidth,
  wide: wide.map(e => e.tagName), text: Math.min(...small), apart: apart.length,
  cut: cut.map(e => e.getAttribute("aria-label")), left,
  sections: all("section").map(e => e.id)}; })()"""
"""JavaScript that opens all folds and returns what does not fit."""


@needs_browser
def test_page_opens_in_a_browser_without_errors_and_fits(made: Path, page: Browser) -> None:
    for width in (390, 1280):
        page.resize(width, 900)
        sizes = page.run(MEASURE)
        assert sizes["inner"] == width
        assert sizes["scroll"] <= width, sizes
        assert sizes["wide"] == []
        assert sizes["text"] > 9
        assert sizes["apart"] == 0
        if width == 390:
            assert sizes["cut"] == []
        else:
            assert min(sizes["left"]) > width / 2 - 50
        assert sizes["sections"] == [*(each["name"] for each in told(made)["sections"]), "made"]


@needs_browser
def test_printed_page_is_a_summary_of_a_few_sheets(page: Browser) -> None:
    def count_sheets() -> int:
        pdf = base64.b64decode(page.send("Page.printToPDF")["data"])
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    assert count_sheets() == 4
    # Folds that the reader opened are printed.
    page.run(MEASURE)
    assert count_sheets() > 4


def test_the_result_of_a_comparison_is_title_and_first_headline(made: Path) -> None:
    html = (made / "report.html").read_text(encoding="utf-8")
    assert "<h1>greedy is better than random</h1>" in html
    headlines = re.findall(r'<p class="headline">(.*?)</p>', html)
    sentence, players, *_ = told(made)["headlines"]
    assert players == "With random at every seat:"
    assert headlines[0].replace("\u00a0", " ") == sentence
    assert html.count(headlines[0]) == 1
    assert (made / "report.md").read_text(encoding="utf-8").count(sentence) == 1


def test_an_index_lists_the_reports_of_a_folder_and_they_link_to_it(tmp_path: Path) -> None:
    few = ("--policy", "random", "--deals", "200", "--games", "0", "--chart-deals", "0", "--index")
    for name in ("one", "two & three"):
        assert run("report", "--out", str(tmp_path / name), *few, "--title", name).exit_code == 0
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<h2><a href="(.*?)">(.*?)</a></h2>', index)
    assert links == [
        ("one/report.html", "one"), ("two%20%26%20three/report.html", "two &amp; three"),
    ]  # fmt: skip
    page = (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    assert '<a href="../index.html">All reports</a>' in page


def test_intervals_have_the_confidence_asked_for(tmp_path: Path) -> None:
    few = ("--policy", "random", "--deals", "200", "--games", "0", "--chart-deals", "0")
    assert run("report", "--out", str(tmp_path), *few, "--confidence", "50%").exit_code == 0
    (rows,) = (each["rows"] for each in told(tmp_path)["tables"] if each["name"] == "taking")
    for row in rows:
        right = estimate_share(round(200 * row["value"]), 200, 0.5)
        assert (row["value"], row["low"], row["high"]) == pytest.approx(right[:3])
