"""Checkpointed runs that are killed at random moments end with the same tables."""

from __future__ import annotations

import pytest

from benchmarks import kills
from tests.command_line import ENVIRONMENT

pytestmark = pytest.mark.slow


def test_killed_runs_end_with_the_same_tables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    kills.kills("deals", 200_000, number=2, seed=4)
    assert capsys.readouterr().out.count("; same\n") == 2
