"""Signs that the encoding of stdout does not have."""

from __future__ import annotations

import subprocess

import pytest

from kqj_sim.output.signs import replace_signs
from tests.command_line import ENVIRONMENT, PROGRAM


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "take ♥: 71.0% ±0.4 …"),
        ("latin-1", "take h: 71.0% ±0.4 ..."),
        ("ascii", "take h: 71.0% +/-0.4 ..."),
        ("cp1252", "take h: 71.0% ±0.4 …"),
    ],
)
def test_only_missing_signs_are_replaced(encoding: str, shown: str) -> None:
    assert replace_signs("take ♥: 71.0% ±0.4 …", encoding) == shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_screen_is_written_in_the_encoding_of_stdout(encoding: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "simulate", "--deals", "300", "--policy", "greedy", "--by", "contract"],
        env={**ENVIRONMENT, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode(encoding)
    assert "?" not in text
    sign = "+/-" if encoding == "ascii" else "±"
    lines = text.splitlines()
    (spades,) = (line for line in lines if line.startswith("s "))
    assert sign in spades
    rule = next(line for line in lines if set(line) == {"-"})
    assert max(map(len, lines[lines.index(rule) :])) == len(rule)
