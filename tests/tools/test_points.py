"""The fit of the point count, and the page that tells it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kqj_sim.policies.points import DEFAULTS, PARAMETERS
from tools.fit_points.__main__ import main
from tools.fit_points.page import describe_first_lap
from tools.fit_points.thresholds import Threshold


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def turns(count: float, weakest: float) -> list[Threshold]:
    return [
        Threshold(lap, place, count, 1.5, 9000, weakest, 2.0)
        for lap in (1, 2)
        for place in range(6)
    ]


@pytest.mark.slow
def test_fit_writes_parameters_and_page(tmp_path: Path) -> None:
    given = ("--player", "random", "--deals", "3000", "--seed", "3", "--out", str(tmp_path / "a"))
    done = run(*given)
    assert done.exit_code == 0, done.output
    assert "count: 2 take return" in done.stderr
    found = tomllib.loads((tmp_path / "a/points.toml").read_text())
    for table, teams in (("two_teams", 2), ("three_teams", 3)):
        values = found["count"] | found[table]
        assert list(values) == list(PARAMETERS)
        changed = {name for name, value in values.items() if value != DEFAULTS[teams][name]}
        assert {"trump_KQ", "nt_A", "at_KQJ"} <= changed  # Bonuses and high cards, badly played.
        assert not {"base_suit", "counter", "opening"} & changed  # Those `tune` finds.
    page = (tmp_path / "a/points.md").read_text()
    assert "`python -m tools.fit_points --player random --deals 3000 --seed 3`" in page
    trump, nine = (found["count"][name] for name in ("trump", "trump_9"))
    assert f"the 9 {trump + nine:g} ({trump:g} + {nine:g})" in page
    assert page.count("| dealer |") == 4
    assert "nan" not in page
    for line in done.stdout.splitlines()[:2]:
        assert f"**{line}**" in page
    assert run(*given[:-1], str(tmp_path / "b")).exit_code == 0
    for name in ("points.toml", "points.md"):
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "a" / name).read_bytes()


def test_statement_says_whether_to_take_at_once() -> None:
    at_once = describe_first_lap(turns(-12.0, 31.25), 2)
    assert at_once.startswith("Two teams: take the suit of the Return at once with any hand")
    assert "gains 31.2 points against passing (standard error 2.0, 9,000 deals)" in at_once
    waits = describe_first_lap(turns(33.4, -8.0), 3)
    assert "do not take with any hand, but from a count of 33" in waits
    assert "loses 8.0 points" in waits
    mixed = describe_first_lap([*turns(-12.0, 31.0)[:1], *turns(20.0, -3.0)[1:]], 2)
    assert "the opener takes the suit of the Return with any hand; then the second from 20" in mixed
