"""The commands about single rounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.record import to_json
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.command_line import expect_error, run, run_python
from tests.games.every import SHARED
from tests.referee.random_rounds import random_game, random_record
from tests.variants import OTHER_GAMES


def forge(path: Path, line: int, **changes: object) -> None:
    """Change keys of the record on a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **changes})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    path = tmp_path / "rounds.jsonl"
    lines = [to_json(random_record(KqjRules(), seed)) for seed in range(1, 6)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_check_of_legal_rounds_finds_nothing(rounds: Path) -> None:
    done = run("check", str(rounds))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "Records checked: 5; no discrepancies\n"
    assert run("check", "--quiet", str(rounds)).output == ""


def test_check_loads_few_files_and_no_engine(rounds: Path) -> None:
    code = (
        "import sys; from kqj_sim.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print(*sys.modules)"
    )
    loaded = run_python("-c", code, "check", "--quiet", str(rounds)).stdout.split()
    assert "kqj_sim" in loaded
    assert not {"numpy", "numba", "pandas", "kqj_sim.core", "kqj_sim.output"} & {*loaded}
    assert sum(name.startswith("kqj_sim") for name in loaded) <= 45


def test_check_reads_stdin(rounds: Path) -> None:
    forge(rounds, 2, dealer=9)
    done = run("check", "-", input=rounds.read_text(encoding="utf-8"))
    assert done.exit_code == 1
    assert done.stdout.startswith("stdin:2: dealer")


def test_check_lists_each_discrepancy_with_its_line(rounds: Path) -> None:
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


@pytest.fixture(params=[KqjRules(teams=3), *OTHER_GAMES.values()], ids=str)
def played(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of rounds that the engine played: two games, and ten deals under other rules."""
    rules: GameRules = request.param
    path = tmp_path / "played.jsonl"
    games = Experiment(KqjRules(target=500), ("random",) * 6, games=2)
    single = Experiment(rules, ("random",) * rules.seats, deals=10)
    records = [*play_records(games), *play_records(single)]
    path.write_text("".join(f"{to_json(record)}\n" for record in records), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("batch", [1, 3, 4096])
def test_check_replay_finds_what_the_referee_cannot(
    played: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kqj_sim.questions.records.rounds.BATCH", batch)
    *_, record, last = records = read_lines(played)
    count = len(records)
    done = run("check", "--replay", str(played))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (
        f"Records checked: {count}; no discrepancies\nPlayed again: {count}; all agree\n"
    )
    shared = SHARED[record["game"]]
    other = shared.ALWAYS if record["result"] == "passed_out" else shared.NEVER
    forge(played, 1, seed=2)
    forge(played, count, deal=77)
    forge(played, count - 1, players=[other] * len(last["players"]))
    assert run("check", str(played)).exit_code == 0
    done = run("check", "--replay", str(played))
    assert done.exit_code == 1
    told = [line.removeprefix(f"{played}:") for line in done.stdout.splitlines()]
    assert [line.split(":")[0] for line in told] == ["1", str(count - 1), str(count)]
    assert "seed 2, deal 0 and dealer" in told[0] and "other cards" in told[0]
    assert "the players named choose otherwise" in told[1]
    assert "deal 77" in told[2]
    assert done.stderr == (
        f"Records checked: {count}; discrepancies: 3\nPlayed again: {count}; 3 differ\n"
    )
    assert run("check", "--replay", "--quiet", str(played)).stderr == ""


@pytest.mark.parametrize("batch", [1, 3, 4096])
def test_check_replay_follows_the_rounds_of_a_game(
    played: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kqj_sim.questions.records.rounds.BATCH", batch)
    for line, key in ((3, "score_before"), (4, "score_before"), (5, "round")):
        value = read_lines(played)[line - 1][key]
        forge(played, line, **{key: value + 1 if key == "round" else [20, 30]})
    plain, replayed = run("check", str(played)), run("check", "--replay", str(played))
    told = replayed.stdout.splitlines()
    assert plain.exit_code == replayed.exit_code == 1
    assert [line for line in told if "replay differs" not in line] == plain.stdout.splitlines()
    assert any(line.startswith(f"{played}:5: replay differs in round") for line in told)


def test_check_replay_counts_what_it_cannot_play(played: Path) -> None:
    records = read_lines(played)
    count = len(records)
    forge(played, 1, players=["nobody"] * 6)
    forge(played, 2, players=["nobody"] * 6)
    forge(played, count, players=["gone.py:bold"] * len(records[-1]["players"]))
    done = run("check", "--replay", str(played), input="")
    # The rounds of the first game have other players on consecutive lines.
    assert {line.split(": ")[1] for line in done.stdout.splitlines()} == {"players"}
    told = done.stderr.splitlines()
    assert told[1] == f"Played again: {count - 3}; all agree"
    assert told[2].startswith("Not played again: 2: ") and "'nobody'" in told[2]
    assert told[3].startswith("Not played again: 1: ") and "gone.py" in told[3]
    played.write_text(
        "".join(f'{{"players": ["unknown {number}"]}}\n' for number in range(3)), encoding="utf-8"
    )
    done = run("check", "--replay", str(played))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[1:] == [
        "Played again: 0", "Not played again: 3: the line is not a record",
    ]  # fmt: skip


def test_check_replay_does_not_list_every_reason(played: Path) -> None:
    records = read_lines(played)
    for line in range(len(records) - 9, len(records) + 1):
        forge(played, line, players=[f"nobody{line}"] * len(records[-1]["players"]))
    done = run("check", "--replay", str(played))
    assert done.exit_code == 0
    assert done.stderr.splitlines()[-1] == "Not played again: 5 for 5 other reasons"


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


def test_show_warns_of_a_round_against_the_rules(rounds: Path) -> None:
    forge(rounds, 1, scores=[7, 7])
    shown = run("show", str(rounds))
    assert shown.exit_code == 0
    assert shown.stderr.startswith("Warning: against the rules: scores: [7, 7]")


def test_show_of_what_is_no_round_fails_with_its_line(rounds: Path) -> None:
    forge(rounds, 2, dealt=[["Zz"]] * 6)
    assert "'Zz' is not a card" in expect_error(run("show", str(rounds), "--line", "2"), 1)
    rounds.write_text("{}\n", encoding="utf-8")
    assert f"{rounds}:1: " in expect_error(run("show", str(rounds)), 1)


@pytest.mark.parametrize("unit", ["deals", "games"])
def test_records_show_their_progress(
    unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished: list[int] = []
    monkeypatch.setattr(Runner, "advance", lambda _, count: finished.append(count))
    options = ("--policy", "random", "--out", str(tmp_path / "rounds.jsonl"))
    assert run("records", f"--{unit}", "3", *options).output == ""
    assert sum(finished) == 3


@pytest.mark.parametrize("key", ["dealt", "hands", "tricks", "teams", "calls", "scores", "players"])
@pytest.mark.parametrize("is_inner", [False, True])
def test_a_round_with_something_missing_is_no_text(
    key: str, is_inner: bool, tmp_path: Path
) -> None:
    """The line says where, and what: half a round cannot be written."""
    record = json.loads(to_json(random_record(KqjRules(), 3)))
    inner = record[key][1] if is_inner and isinstance(record[key][1], list) else record[key]
    inner.pop()
    path = tmp_path / "rounds.jsonl"
    path.write_text(f"\n{json.dumps(record)}\n", encoding="utf-8")
    line = expect_error(run("records", "--from", str(path), "--format", "text"), 1)
    assert f"{path}:2: {key}: " in line
