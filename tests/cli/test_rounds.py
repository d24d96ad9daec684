"""The commands about single rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kqj_sim.record import to_json
from kqj_sim.rules import KqjRules
from tests.cli.test_program import error_of, run
from tests.referee.kqj.random_rounds import random_game, random_record


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    """A file of five legal rounds."""
    path = tmp_path / "rounds.jsonl"
    lines = [to_json(random_record(KqjRules(), seed)) for seed in range(1, 6)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def forge(path: Path, line: int, **changes: object) -> None:
    """Change keys of the record on a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **changes})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_check_of_legal_rounds_finds_nothing(rounds: Path) -> None:
    done = run("check", str(rounds))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "Records checked: 5; no discrepancies\n"
    assert run("check", "--quiet", str(rounds)).output == ""


def test_check_reads_stdin(rounds: Path) -> None:
    forge(rounds, 2, dealer=9)
    done = run("check", "-", input=rounds.read_text(encoding="utf-8"))
    assert done.exit_code == 1
    assert done.stdout.startswith("stdin:2: dealer")


def test_check_tells_each_discrepancy_with_its_line(rounds: Path) -> None:
    forge(rounds, 2, scores=[7, 7], pending_after=30)
    forge(rounds, 4, turned="As", dealt=[["As"] * 5] * 6)
    done = run("check", str(rounds), str(rounds))
    assert done.exit_code == 1
    places = [line.removeprefix(f"{rounds}:").split(":")[0] for line in done.stdout.splitlines()]
    assert places == ["2", "2", "4"] * 2
    assert done.stderr == "Records checked: 10; discrepancies: 6\n"


def test_check_of_what_is_no_record_fails_with_its_line(rounds: Path) -> None:
    rounds.write_text(rounds.read_text(encoding="utf-8") + "{}\nno JSON\n", encoding="utf-8")
    done = run("check", str(rounds))
    assert done.exit_code == 1
    assert [line.split(":")[1] for line in done.stdout.splitlines()] == ["6", "7"]


def test_check_follows_the_rounds_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(map(to_json, random_game(KqjRules(), 2))), encoding="utf-8")
    assert run("check", str(path)).exit_code == 0
    forge(path, 2, dealer=0)
    assert run("check", str(path)).exit_code == 1


@pytest.mark.parametrize("command", ["check", "show"])
def test_missing_file_fails(command: str) -> None:
    assert "nowhere.jsonl: No such file" in error_of(run(command, "nowhere.jsonl"), 1)


def test_show_of_a_line(rounds: Path) -> None:
    for line in (1, 3):
        shown = run("show", str(rounds), "--line", str(line))
        assert shown.exit_code == 0
        assert shown.stdout.startswith(f"Seed {line}, deal 0: KQJ")
        assert shown.stderr == ""
    assert "\x1b[31m" in run("show", str(rounds), "--color", "always").stdout
    assert "\x1b" not in run("show", str(rounds)).stdout


def test_show_reads_stdin(rounds: Path) -> None:
    text = rounds.read_text(encoding="utf-8")
    assert run("show", "-", "--line", "2", input=text).stdout.startswith("Seed 2,")


def test_show_of_a_line_that_is_not_there_fails(rounds: Path) -> None:
    told = error_of(run("show", str(rounds), "--line", "9"), 1)
    assert "no record on line 9" in told


def test_show_warns_of_a_round_against_the_rules(rounds: Path) -> None:
    forge(rounds, 1, scores=[7, 7])
    shown = run("show", str(rounds))
    assert shown.exit_code == 0
    assert shown.stderr.startswith("Warning: against the rules: scores: [7, 7]")


def test_show_of_what_is_no_round_fails_with_its_line(rounds: Path) -> None:
    forge(rounds, 2, dealt=[["Zz"]] * 6)
    assert "'Zz' is not a card" in error_of(run("show", str(rounds), "--line", "2"), 1)
    rounds.write_text("{}\n", encoding="utf-8")
    assert f"{rounds}:1: " in error_of(run("show", str(rounds)), 1)
