"""The commands that vary and search a policy's parameters."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.screen import MAX_SHOWN_SETTINGS
from tests.command_line import run, run_json
from tests.variants import LIVELY

POLICY = f"{LIVELY}+greedy"
SWEEP = ("sweep", POLICY, "--opponents", POLICY, "--vary", "take=0.1:0.5:0.2", "--deals", "600")
TUNE = (
    "tune", POLICY, "--opponents", POLICY, "--parameters", "take=0.1:0.9,bid", "--deals", "50",
    "--generations", "2", "--candidates", "4", "--confirm", "300", "--quiet",
)  # fmt: skip


def test_sweep_names_the_best_and_the_run() -> None:
    # So few deals that nothing can be told apart.
    few = ("--deals", "60", "--teams", "3", "--seed", "6", "--first", "9", "--confidence", "90%")
    found = run_json(*SWEEP, *few)
    assert (found["seed"], found["first"], found["deals"]) == (6, 9, 60)
    assert found["rules"]["teams"] == 3 and found["confidence"] == 0.9
    assert found["vary"] == {"take": ["0.1", "0.3", "0.5"]}
    assert found["rounds_a_deal_and_set"] == 3
    table, others = found["tables"]
    best = [row for row in table["rows"] if row["status"] == "best"]
    assert {row["take"] for row in best} == {*found["best"]}
    assert found["answer"] == ["All 3 are statistically tied."]
    assert len(best) == 4 and len(table["rows"]) == 12
    assert {row["quantity"] for row in others["rows"]} == {"lead_over_best_other_per_round"}


def test_sweep_is_written_for_people_and_programs(tmp_path: Path) -> None:
    shown = run(*SWEEP).stdout
    assert re.match(r"take=0.5 is best; 0.3 is \d\.\d ±\d\.\d points a round less\.\n", shown)
    assert "\ntake=0.5 is at the edge of the range: try higher values.\n" in shown
    assert max(len(line) for line in shown.splitlines()) <= 100
    path = tmp_path / "sweep.csv"
    assert run(*SWEEP, "--out", str(path), "--quiet").output == ""
    frame = pd.read_csv(StringIO(path.read_text(encoding="utf-8")))
    assert list(frame["take"].dropna().unique()) == [0.1, 0.3, 0.5]


@pytest.mark.parametrize("more", [[], ["--vary", "bid=0.1,0.2"]])
def test_sweep_is_drawn(more: list[str], tmp_path: Path) -> None:
    path = tmp_path / "sweep.png"
    done = run(*SWEEP, *more, "--plot", str(path))
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_large_sweep_shows_the_best_on_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kqj_sim.commands.output.screen_width", lambda: 80)
    arguments = (*SWEEP[:-2], "--vary", "take2=0:1:0.1", "--deals", "50")
    sweep = [each.replace("take2", "bid").replace("0.5:0.2", "0.5:0.1") for each in arguments]
    shown = run(*sweep).stdout
    assert len(shown.splitlines()) <= 35
    words = " ".join(shown.split())
    assert f"The best {MAX_SHOWN_SETTINGS} of 55; the table sweep has all." in words
    assert shown.count(" tied ") == MAX_SHOWN_SETTINGS - 1
    everything = run(*sweep, "--tables", "sweep").stdout
    assert everything.count("   tied   ") + everything.count("   best   ") == 55


def test_many_ties_are_told_by_the_values_that_they_share() -> None:
    values = ("--vary", "take=30,31,32,33,34,150,200", "--vary", "lap2=30,40,200", "--deals", "400")
    line = run("sweep", "standard", *values, "--opponents", "standard").stdout.replace("\n", " ")
    assert line.startswith(
        "12 of 21 are statistically tied for best, all with take 30 to 33; take=34"
    )


def test_tune_writes_a_player_that_can_be_seated(tmp_path: Path) -> None:
    path, plot = tmp_path / "better.toml", tmp_path / "search.svg"
    deals = ("--seed", "6", "--first", "9")
    found = run_json(*TUNE, *deals, "--save", str(path), "--plot", str(plot))
    assert (found["seed"], found["first"]) == (6, 9)
    assert parse_player(str(path)) == parse_player(found["found"])
    take = found["parameters"]["take"]
    assert take["low"] == 0.1 <= take["found"] <= take["high"] == 0.9
    assert found["confirmed_on"] == 300 and found["generations"] == 2
    assert found["commands"] == [f"kqj-sim compare {path} {POLICY}"]
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert re.match(r"# Made by: kqj-sim tune random.* --generations 2 ", first)
    assert "--quiet" not in first and "--save" not in first


def test_tune_reports_each_generation(tmp_path: Path) -> None:
    done = run(*TUNE[:-1], "--save", str(tmp_path / "better.toml"))
    assert done.exit_code == 0, done.output
    assert "generation 2 of 2: take=0." in done.stderr
    told = r"take=0\.\d+, bid=0(\.\d+)? scores \d+\.\d ±\d\.\d points a round more than take=0.3, "
    edge = r"(bid=0 is at the edge of .*\n)?"
    assert re.match(
        rf"{told}bid=0.3, on 300 fresh deals\.\n{edge}Saved in .*better.toml\.\n", done.stdout
    ), done.stdout
    assert len(done.stdout.splitlines()) <= 35
