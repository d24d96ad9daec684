"""Figures in the documents are those of the benchmarks' results, and none contradicts another."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
Row = list[str]


def read_page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def read_rows(name: str) -> list[Row]:
    """Return the cells of all rows of a document's tables."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in lines if "|" in line]


RESULTS = read_rows("benchmarks/RESULTS.md")
STRENGTH = read_rows("docs/strength.md")


def find(rows: list[Row], *cells: str) -> Row:
    """Return what follows these cells in the first row that begins with them."""
    return next(row[len(cells) :] for row in rows if row[: len(cells)] == [*cells])


def measure(what: str, column: int = 0) -> Decimal:
    return Decimal(find(RESULTS, what)[column].replace(",", ""))


def round_to(number: Decimal | str, step: str = "1") -> str:
    """Return a number as people round it: halves go up."""
    steps = Decimal(str(number).replace(",", "")) / Decimal(step)
    return f"{steps.quantize(Decimal(1), ROUND_HALF_UP) * Decimal(step):,}"


SPELLED = {"6": "six", "7": "seven", "8": "eight", "9": "nine", "10": "ten", "11": "eleven"}


def range_of(column: int) -> str:
    """Return the least and the most of `x 1.94` in a column of the table of variants."""
    cells = [row[column] for row in RESULTS if len(row) > column and row[column][:2] == "x "]
    return f"{min(cells)[2:]} to {max(cells)[2:]}"


FIRST_RUN = SPELLED[round_to(measure("first run ever of simulate, s"))]
MANY = "kqj-sim simulate --policy random:take=0.09 --deals 100000000"
HELP, ODDS, AUCTION, SIMULATE = (
    round_to(measure(what), "0.01")
    for what in (
        "--help, s", "warm odds with 10,000 deals, s", "the same in an auction, s",
        "the same with the default player, s",
    )
)  # fmt: skip
NUMBA, PYTHON = (find(RESULTS, each)[1] for each in ("numba, a deal at a time", "plain Python"))
ENGINE, ROWS, TABLES, PARQUET = (
    Decimal(find(RESULTS, "two teams, taking", "random:take=0.09")[at]) for at in (1, 4, 5, 8)
)
DEFAULT, FAST = (
    Decimal(find(RESULTS, "two teams, taking", each)[1].replace(",", ""))
    for each in ("points+network", "points+greedy")
)
AVX2, NO_PDEP = (measure(each) / measure("as it is") for each in ("AVX2", "AVX2, no pdep"))
TWO, THREE = (
    round(Decimal(row[1].partition(" ")[0]))
    for row in STRENGTH
    if row[0] == "learned" and " ±" in row[1]
)
SENTENCES = {
    "README.md": [f"The first run compiles the engine, which takes about {FIRST_RUN} seconds."],
    "docs/quick_start.md": [f"compiles the engine, which takes about {FIRST_RUN} seconds."],
    "docs/speed.md": [
        f"compiling the engine | about {FIRST_RUN} seconds, once |",
        f"hundred million deals of random players {SPELLED[round_to(measure(MANY, 1))]}.",
        f"`kqj-sim --help` takes {HELP} s, an `odds` of a hand {ODDS} s and in an auction "
        f"{AUCTION} s, and `simulate --deals 100000` {SIMULATE} s with the default players.",
        f"{NUMBA} ns in numba one deal at a time, and {PYTHON} ns in plain Python.",
        f"Two threads play {range_of(5)} times as fast as one, with all tables {range_of(9)} times",
        f"| tables, without groups | {round_to(TABLES - ENGINE)} ns per deal |",
        f"| rows of all columns, in memory | {round_to(ROWS - ENGINE)} ns per deal |",
        f"Parquet file, 17 bytes per deal | about {round_to(PARQUET - ENGINE, '100')} ns per deal",
        f"| memory | {measure('peak memory, a million deals, MB')} MB, for a million deals as",
        f"deals of the fastest players take {round_to(AVX2, '0.1')} times as long",
        f"without the instruction `pdep`, {round_to(NO_PDEP, '0.1')} times.",
        f"`--policy points+greedy` is {round_to(DEFAULT / FAST)} times as fast",
    ],
    "docs/strength.md": [
        f"scores {TWO} points a round more than `points` with two teams, and {THREE} with three."
    ],
}
"""What documents say, with the figures of the results."""


@pytest.mark.parametrize("page", SENTENCES)
def test_sentences_have_the_figures_of_the_results(page: str) -> None:
    text = read_page(page)
    assert [sentence for sentence in SENTENCES[page] if sentence not in text] == []


def test_the_page_on_speed_has_the_rates_of_the_results() -> None:
    rows = [row for row in read_rows("docs/speed.md") if len(row) == 5 and row[2][:1].isdigit()]
    assert len(rows) == 11
    for variant, policy, *rates in rows:
        _, nanoseconds, deals, _, _, tables, *_ = find(RESULTS, variant, policy)
        step = f"1{'0' * (len(deals.replace(',', '')) - 3)}"
        assert rates == [round_to(nanoseconds), round_to(deals, step), tables]


def test_no_page_has_another_time_of_the_first_run() -> None:
    pattern = re.compile(r"first run\b[^.]{0,80}?\b(\w+) (?:seconds|s)\b", re.IGNORECASE)
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        times = {*pattern.findall(read_page(str(page.relative_to(ROOT))))}
        assert times <= {FIRST_RUN}, page.name
