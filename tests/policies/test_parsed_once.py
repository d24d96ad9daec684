"""A command reads each user's file and parses each specification once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kqj_sim.policies.players import parse_policy
from kqj_sim.text_files import read_bytes
from tests.command_line import run

POLICY = """\
from kqj_sim import lowest, policy

@policy("own")
def choose_card(view):
    return lowest(view.legal)
"""

COMMANDS = (
    ("simulate", "--policy", "own.py", "--deals", "300"),
    ("odds", "7h 8h 9h Ah Kh", "--return", "5s", "--policy", "own.py", "--deals", "64"),
    ("compare", "own.py", "greedy", "--deals", "64"),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: str(arguments[0]))
def test_a_command_reads_and_parses_a_policy_once(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(POLICY)
    reads: Counter[str] = Counter()
    parses: Counter[str] = Counter()

    def count_read(path: Path) -> bytes:
        reads[path.name] += 1
        return read_bytes(path)

    def count_parse(text: str, folder: Path | None = None, game: str = "kqj") -> object:
        parses[text] += 1
        return parse_policy(text, folder, game)

    monkeypatch.setattr("kqj_sim.policies.registry.read_bytes", count_read)
    monkeypatch.setattr("kqj_sim.policies.players.parse_policy", count_parse)
    done = run(*arguments, "--quiet")
    assert done.exit_code == 0, done.output
    assert reads["own.py"] == 1
    assert parses["own.py"] == 1
    assert set(parses.values()) == {1}, parses
