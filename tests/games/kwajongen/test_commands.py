"""The commands with --game kwajongen, as a user has them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd

from kqj_sim.games.kwajongen import KWAJONGEN_COLUMNS
from tests.command_line import run

GAME = ("--game", "kwajongen")
RANDOM = (*GAME, "--policy", "random")
BOLD, SHY = "random:accept=0.7", "random:accept=0.2"


def told(*arguments: str) -> dict[str, Any]:
    """Run a command and return the JSON that it prints."""
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [table["name"] for table in found["tables"]]


def test_rows_picture_and_condition(tmp_path: Path) -> None:
    rows, plot = tmp_path / "rows.csv", tmp_path / "all.svg"
    condition = "taken and sender_trumps == 2"
    done = run(
        "simulate", *RANDOM, "--deals", "800", "--where", condition, "--rows", str(rows), "--plot",
        str(plot),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    frame = pd.read_csv(rows)
    assert list(frame.columns) == ["deal", *(column.name for column in KWAJONGEN_COLUMNS)]
    assert (frame["sender_trumps"] == 2).all() and len(frame) > 50
    assert "Calls of play by place" in plot.read_text(encoding="utf-8")


def test_records_are_checked_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    assert run("records", *RANDOM, "--games", "4", "--out", str(path)).exit_code == 0
    done = run("check", str(path))
    assert done.exit_code == 0 and "no discrepancies" in done.stderr
    shown = run("show", str(path), "--line", "2").stdout
    assert shown.startswith("Seed 1, deal ") and "Dealer's card: " in shown
    one = run("show", *RANDOM, "--deal", "7").stdout
    assert "Kwajongen" in one.splitlines()[0] and "change of score" in one


def test_largest_differences_are_shown_by_their_commands() -> None:
    (command, *_) = told("compare", *GAME, BOLD, SHY, "--deals", "300")["commands"]
    done = run(*shlex.split(command)[1:])
    assert done.exit_code == 0 and "Version 2" in done.stdout


def test_sweep_is_drawn(tmp_path: Path) -> None:
    plot = tmp_path / "sweep.svg"
    done = run(
        "sweep", "random", "--vary", "accept=0:1:0.5", *GAME, "--opponents", "random",
        "--deals", "200", "--plot", str(plot), "--format", "markdown",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "accept=0 is best; 0.5 is " in done.stdout
    assert "Rounds as caller, and won" in plot.read_text(encoding="utf-8")


def test_report_has_the_games_own_chapters(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(
        "report", *RANDOM, "--deals", "2000", "--games", "30", "--compare", BOLD, "--compare", SHY,
        "--compare-deals", "100", "--out", str(out),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [section["name"] for section in found["sections"]] == [
        "short", "calls", "results", "trumps", "points", "tricks", "changes", "raised", "games",
        "compared",
    ]  # fmt: skip
    assert found["game"] == "kwajongen"
    tables = {table["name"] for table in found["tables"]}
    assert {path.stem for path in (out / "tables").glob("*.csv")} == tables
    page = (out / "report.html").read_text(encoding="utf-8")
    assert '<p class="note">Kwajongen; ' in page and "games from 10 down" in page


ODDS = ("odds", "Ah Kh 9s Ts", *GAME, "--return", "Jh", "--deals", "512")


def test_odds_of_a_hand() -> None:
    found = told(*ODDS, "--place", "2nd", "--raised", "--policy", RANDOM[-1])
    assert found["game"] == "kwajongen" and found["best"] in ("play", "pass")
    assert found["hand"] == ["Ah", "Kh", "9s", "Ts"] and found["turned"] == "Jh"
    assert found["place"] == 1 and found["raised"] is True and found["deals"] == 512
    assert names(found) == ["calls", "heard"] and 0.6 < found["agreeing_share"] < 0.8
    shown = " ".join(run(*ODDS, "--policy", RANDOM[-1]).stdout.split())
    assert re.search(r"(Play|Pass): you win [\d.]+% of the rounds and (gain|lose) ", shown)
    assert "as the opener; the dealer shows J♥; nobody has called." in shown


def test_odds_of_cards(tmp_path: Path) -> None:
    """Of a record that was played, and the same as it is typed."""
    path = tmp_path / "rounds.jsonl"
    done = run("records", *GAME, "--deals", "20", "--out", str(path))
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    number, record = next(each for each in enumerate(records, 1) if each[1]["tricks"])
    of = ("odds", "--record", str(path), "--line", str(number), "--at")
    found = told(*of, "3.2")
    assert found["game"] == "kwajongen" and found["turned"] == record["turned"]
    assert found["calls_count"] is True and found["sender"] == record["sender"]
    assert found["best"] in found["hand"] and len(found["hand"]) == 2
    sampled = (*of, "1.2", "--deals", "300")
    assert told(*sampled)["deals"] == 300
    first = record["tricks"][0]
    place = (first["leader"] + 1 - record["dealer"] - 1) % 4
    heard = ", ".join(call["call"] for call in record["calls"])
    typed = told(
        "odds", " ".join(record["dealt"][(first["leader"] + 1) % 4]), *GAME, "--return",
        record["turned"], "--heard", heard, "--played", first["cards"][0], "--deals", "300",
    )  # fmt: skip
    assert typed["place"] == place and typed["tables"] == told(*sampled)["tables"]
    shown = run(*of, "4.4").stdout
    assert re.match(r"Only [\dA-Z]+[♠♥♦♣] is legal\.\n", shown)
    assert "the only layout" in shown and "Exact: no intervals." in shown
