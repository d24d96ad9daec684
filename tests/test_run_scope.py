"""A run reads each user's file and parses each specification once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from kqj_sim.cli import main
from kqj_sim.policies.configured import parse_policy
from kqj_sim.policies.spec import parse_player
from kqj_sim.run_scope import run_scope
from kqj_sim.text_files import read_bytes

POLICY = """\
from kqj_sim import {choice}, policy

@policy("own")
def choose_card(view):
    return {choice}(view.legal)
"""

COMMANDS = (
    ("simulate", "--policy", "own.py", "--deals", "300"),
    ("odds", "7h 8h 9h Ah Kh", "--return", "5s", "--policy", "own.py", "--deals", "64"),
    ("compare", "own.py", "greedy", "--deals", "64"),
)


@pytest.fixture
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(POLICY.format(choice="lowest"))


@pytest.mark.usefixtures("_in_folder")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: str(arguments[0]))
def test_a_command_reads_and_parses_a_policy_once(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: Counter[str] = Counter()
    parses: Counter[str] = Counter()

    def count_read(path: Path) -> bytes:
        reads[path.name] += 1
        return read_bytes(path)

    def count_parse(text: str, folder: Path | None = None, game: str = "kqj") -> object:
        parses[text] += 1
        return parse_policy(text, folder, game)

    monkeypatch.setattr("kqj_sim.policies.policy_files.read_bytes", count_read)
    monkeypatch.setattr("kqj_sim.policies.spec.parse_policy", count_parse)
    done = CliRunner().invoke(main, [*arguments, "--quiet"])
    assert done.exit_code == 0, done.output
    assert reads["own.py"] == 1
    assert parses["own.py"] == 1
    assert set(parses.values()) == {1}, parses


@pytest.mark.usefixtures("_in_folder")
def test_a_file_changed_during_a_run_is_read_again_after_it() -> None:
    with run_scope():
        before = parse_player("own.py").playing.policy
        Path("own.py").write_text(POLICY.format(choice="highest"))
        with run_scope():
            assert parse_player("own.py").playing.policy is before
    assert parse_player("own.py").playing.policy is not before
