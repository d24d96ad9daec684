"""The command that plays deals and prints tables."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kqj_sim.output.rows import RowsFile
from kqj_sim.record import from_json
from tests.command_line import (
    ENDLESS,
    interrupt_at_terminal,
    kill_at_end,
    run,
    run_json,
    run_program,
    start,
    wait_until_written,
)
from tests.policies.files import write_policy

SMALL = ("--deals", "2000", "--policy", "random")


def simulated(*arguments: str) -> Any:
    return run_json("simulate", *SMALL, *arguments)


def test_threads_cannot_be_seen() -> None:
    assert simulated("--threads", "1") == simulated("--threads", "2")


def test_outputs_name_players_and_hold_their_parameters(tmp_path: Path) -> None:
    path = tmp_path / "bold.toml"
    path.write_text('name = "Bold one"\n[calling]\npolicy = "random"\ntake = 0.5\n')
    found = simulated("--policy", "greedy", "--policy", f"seat0={path}:bid=0.25")
    assert found["policies"] == ["Bold one:bid=0.25", *["greedy"] * 5]
    assert [*found["players"]] == ["Bold one:bid=0.25", "greedy"]
    bold, greedy = found["players"].values()
    assert bold.startswith("random:take=0.5,bid=0.25,capot=0.01,counter=0.02+")
    assert greedy.endswith("+greedy")
    again = ["--policy", greedy, "--policy", f"seat0={bold}"]
    assert simulated(*again)["tables"] == found["tables"]
    shown = run("simulate", *SMALL, "--policy", str(path)).stdout
    assert "\nKQJ, two teams, fixed partners, taking; Bold one at every seat; " in shown


@pytest.mark.slow
def test_a_mistake_in_a_users_policy_is_one_line(tmp_path: Path) -> None:
    """By a process of its own: what numba prints by itself would be seen."""
    text = "    assert view.trick_number < 3\n    return lowest(view.legal)\n"
    text = f'@policy("wrong")\ndef choose_card(view):\n{text}'
    path = write_policy(tmp_path, text, "wrong.py")
    options = ("--deals", "500", "--policy", f"random:take=0.5+{path}", "--quiet")
    done = run_program("simulate", *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(
        r"Error: .*wrong\.py:4: policy 'wrong', choose_card\(\), deal \d+ of seed 1, seat \d: "
        r"AssertionError\n",
        done.stderr,
    ), done.stderr


def test_rows_that_cannot_be_written_do_not_cost_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = RowsFile.write

    def write(self: RowsFile, rows: Any, mask: Any = None) -> None:
        if self.count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(self, rows, mask)

    monkeypatch.setattr(RowsFile, "write", write)
    rows, tables = tmp_path / "rows.csv", tmp_path / "tables.json"
    done = run("simulate", "--deals", "50000", "--policy", "random", "--rows", str(rows),
               "--out", str(tables))  # fmt: skip
    assert done.exit_code == 1
    assert "rows.csv: cannot be written: No space left on device" in done.stderr
    assert 0 < json.loads(tables.read_text(encoding="utf-8"))["deals"] < 50000
    assert [path.name for path in tmp_path.iterdir()] == ["tables.json"]


@pytest.mark.filterwarnings("default")
def test_rule_without_effect_warns() -> None:
    done = run("simulate", *SMALL, "--max-amount", "300", "--format", "csv")
    assert "--max-amount has no effect with --bidding take" in done.stderr
    quiet = run("simulate", *SMALL, "--max-amount", "300", "--format", "csv", "--quiet")
    assert quiet.stderr == ""


def test_configuration_and_variables_set_options(tmp_path: Path) -> None:
    path = tmp_path / "kqj.toml"
    path.write_text(
        'deals = 300\nteams = 3\npolicy = ["greedy", "seat1=random"]\nline = 4\n'
        '[simulate]\nformat = "json"\nseed = 8\n[records]\nseed = 9\n'
    )
    arguments = ("simulate", "--config", str(path))
    found = json.loads(run(*arguments).stdout)
    assert (found["deals"], found["seed"], found["rules"]["teams"]) == (300, 8, 3)
    assert found["policies"] == ["greedy", "random", "greedy", "greedy", "greedy", "greedy"]
    environment = {"KQJ_SIM_SIMULATE_SEED": "11", "KQJ_SIM_SIMULATE_DEALS": "200"}
    found = json.loads(run(*arguments, "--deals", "100", env=environment).stdout)
    assert (found["deals"], found["seed"]) == (100, 11)
    mine = tmp_path / "my policies" / "mine.toml"
    mine.parent.mkdir()
    mine.write_text('policy = "greedy"')
    environment = {"KQJ_SIM_SIMULATE_POLICY": f"{mine}\nseat1=random\n"}
    found = run_json("simulate", "--deals", "100", env=environment)
    assert found["policies"] == ["mine", "random", *["mine"] * 4]


def test_records_are_what_check_accepts_and_show_shows(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    options = ("--policy", "random", "--bidding", "auction", "--seed", "4")
    assert (
        run("records", "--deals", "20", "--first", "7", *options, "--out", str(path)).output == ""
    )
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [from_json(line).deal for line in lines] == list(range(7, 27))
    assert run("check", str(path)).exit_code == 0
    played = run("show", "--deal", "10", *options).stdout
    assert played == run("show", str(path), "--line", "4").stdout
    assert played.startswith("Seed 4, deal 10: ")


def interrupt_once_writing(arguments: list[str], path: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that would take for ever; press Ctrl-C once its file has grown."""
    process = start(path.parent, *arguments)
    with kill_at_end(process):
        wait_until_written(process, path.parent)
        assert not path.exists()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def test_interrupted_simulation_prints_what_is_finished(tmp_path: Path) -> None:
    run("simulate", *SMALL)  # compiled before, nothing but the progress is said at first
    arguments = ("simulate", *ENDLESS, "--format", "json", "--plot", "plot.svg")
    pattern = r"[\d,]+ of 1,000,000,000,000,000 deals.*a second"
    out, shown = interrupt_at_terminal(tmp_path, pattern, *arguments)
    found = json.loads(out)
    assert found["interrupted"] is True
    deals = found["deals"]
    assert 0 < deals < 1e15
    assert f"Interrupted: the tables hold {deals:,} of 1,000,000,000,000,000 deals\r\n" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["plot.svg"]


def test_interrupted_rows_are_whole_and_agree_with_the_tables(tmp_path: Path) -> None:
    arguments = ["simulate", *ENDLESS, "--out", "tables.json", "--rows", "rows.parquet"]
    done = interrupt_once_writing(arguments, tmp_path / "rows.parquet")
    assert done.returncode == 130, done.stderr
    deals = json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))["deals"]
    rows = pd.read_parquet(tmp_path / "rows.parquet", columns=["deal"])
    np.testing.assert_array_equal(rows["deal"], np.arange(deals))
    assert f"{deals:,} of" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.parquet", "tables.json"]


def test_interrupted_records_are_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    done = interrupt_once_writing(["records", *ENDLESS, "--out", path.name], path)
    assert done.returncode == 130, done.stderr
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [from_json(line).deal for line in lines] == list(range(len(lines)))
    assert done.stderr.endswith(f"Interrupted: {len(lines):,} records were written\n")


def test_progress_is_for_terminals() -> None:
    for arguments in ((), ("--quiet",)):
        done = run(
            "simulate", "--deals", "1e6", "--policy", "random", "--format", "csv", *arguments
        )
        assert done.stderr == ""


def test_the_sign_of_a_missing_interval_is_explained_where_it_stands() -> None:
    for deals, is_explained in (("5", True), ("2000", False)):
        for tables in ((), ("--tables", "scores")):
            shown = run("simulate", "--deals", deals, "--policy", "points", *tables).stdout
            legend, *rest = shown.partition("±?: too few deals for an interval, or all alike")
            assert bool(rest[0]) == is_explained == ("±?" in legend + rest[1]), shown
