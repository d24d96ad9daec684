"""The point count: its fits find what made-up rounds were made from, and the page that tells it."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from kqj_sim.policies.points import DEFAULTS, PARAMETERS
from tools.fit_points.__main__ import main
from tools.fit_points.auctions import MIN_OCCURRENCES, fit_least_squares
from tools.fit_points.fit import round_thresholds, summarise_bands, threshold_parameters
from tools.fit_points.page import describe_first_lap
from tools.fit_points.point_count import (
    CONTRACT_SETTINGS,
    HELD_OUT_SHARE,
    KIND_OF_ROLE,
    TERMS_OF_KIND,
    ContractSetting,
    CountSample,
    compute_offsets,
    fit_count,
)
from tools.fit_points.thresholds import Threshold, fit_root

NO_TRUMP = [each for each in CONTRACT_SETTINGS if each.role == "NT"]
POINTS = np.array([27.0, 10.0, 3.0, 6.0, 12.0, 3.0])
BASES = {each: 90.0 - 10 * number for number, each in enumerate(CONTRACT_SETTINGS)}
SLOPES = {
    each: 1.0 if each == NO_TRUMP[0] else 0.8 + 0.1 * each.teams for each in CONTRACT_SETTINGS
}
NOISE = 40.0


def made_up(
    setting: ContractSetting, points: np.ndarray, rounds: int, draws: np.random.Generator
) -> CountSample:
    """Rounds whose totals are a base, a slope times the count, and noise; values are twice that."""
    terms = draws.poisson(0.7, (rounds, len(points))).astype(float)
    total = BASES[setting] + SLOPES[setting] * (terms @ points)
    total += draws.normal(0, NOISE, rounds)
    return CountSample(terms, total, 2 * total - 180, total > 100)


def test_count_is_that_of_which_the_rounds_are_made() -> None:
    draws = np.random.default_rng(5)
    fit = fit_count({each: made_up(each, POINTS, 20_000, draws) for each in NO_TRUMP}, "NT")
    assert np.array_equal(fit.whole, POINTS)
    assert np.abs((fit.points - POINTS) / fit.errors).max() < 3.5
    assert [line.setting for line in fit.lines] == NO_TRUMP
    for line in fit.lines:
        assert line.base == pytest.approx(BASES[line.setting], abs=2)
        assert line.slope == pytest.approx(SLOPES[line.setting], abs=0.04)
        assert line.value_slope == pytest.approx(2 * line.slope)
        assert line.residual == pytest.approx(NOISE, rel=0.03)
        spread = SLOPES[line.setting] * np.sqrt(0.7 * POINTS @ POINTS)
        assert line.r2 == pytest.approx(spread**2 / (spread**2 + NOISE**2), abs=0.05)
        assert line.r2_unconstrained == pytest.approx(line.r2, abs=0.01)


def test_errors_are_how_far_fits_scatter() -> None:
    """The size of the points is uncertain as well, for one setting sets it."""
    draws = np.random.default_rng(6)
    fits = [
        fit_count({each: made_up(each, POINTS, 500, draws) for each in NO_TRUMP[:2]}, "NT")
        for _ in range(300)
    ]
    scatter = np.std([fit.points for fit in fits], axis=0, ddof=1)
    told = np.mean([fit.errors for fit in fits], axis=0)
    assert told == pytest.approx(scatter, rel=0.15)


def test_fit_does_not_see_what_is_held_out() -> None:
    draws = np.random.default_rng(7)
    samples = {each: made_up(each, POINTS, 1000, draws) for each in NO_TRUMP}
    fit = fit_count(samples, "NT")
    first = round(1000 * (1 - HELD_OUT_SHARE))
    spoilt = {
        each: replace(part, total=np.concatenate([part.total[:first], -part.total[first:]]))
        for each, part in samples.items()
    }
    other = fit_count(spoilt, "NT")
    assert np.array_equal(fit.points, other.points)
    assert [line.base for line in fit.lines] == [line.base for line in other.lines]
    assert all(line.r2 > 0 > wrong.r2 for line, wrong in zip(fit.lines, other.lines, strict=True))


def test_offsets_make_scores_alike() -> None:
    """With a count and its offset another contract is worth what the Return's suit is."""
    draws = np.random.default_rng(8)
    whole = {kind: np.arange(3.0, 3 + len(terms)) for kind, terms in TERMS_OF_KIND.items()}
    samples = {
        each: made_up(each, whole[KIND_OF_ROLE[each.role]], 20_000, draws)
        for each in CONTRACT_SETTINGS
    }
    fits = {kind: fit_count(samples, kind) for kind in TERMS_OF_KIND}
    found = compute_offsets(fits, 2, 60.0)
    lines = {
        each.setting.role: each
        for fit in fits.values()
        for each in fit.lines
        if each.setting.teams == 2 and each.setting.bidding == "take"
    }
    base = lines["return"]
    for role, name in (("other", "other"), ("NT", "no_trump"), ("AT", "all_trumps")):
        worth = lines[role].value_base + lines[role].value_slope * 60
        same = base.value_base + base.value_slope * (60 + found[name])
        assert same == pytest.approx(worth, abs=base.value_slope)


def test_root_is_where_nothing_is_gained() -> None:
    draws = np.random.default_rng(9)
    counts = draws.uniform(0, 100, 5000)
    roots = []
    for _ in range(100):
        gains = 2 * (counts - 33) + draws.normal(0, 100, len(counts))
        roots.append(fit_root(counts, gains))
    found, errors = np.array(roots).T
    assert found.mean() == pytest.approx(33, abs=0.8)
    assert errors.mean() == pytest.approx(found.std(), rel=0.25)
    assert np.isnan(fit_root(counts, -counts)[0])


def test_least_squares_leave_out_what_is_hardly_seen() -> None:
    draws = np.random.default_rng(10)
    one = np.ones(4000)
    often, seldom = (draws.random(4000) < share for share in (0.3, MIN_OCCURRENCES / 4000 / 4))
    wanted = 50 - 7.0 * often + draws.normal(0, 20, 4000)
    found, errors, r2, expected = fit_least_squares(
        ["base", "often", "seldom"], [one, often, seldom], wanted
    )
    assert [*found] == ["base", "often"]
    assert found["often"] == pytest.approx(-7, abs=4 * errors["often"])
    assert errors["often"] == pytest.approx(20 / np.sqrt(4000 * 0.3 * 0.7), rel=0.05)
    assert r2 == pytest.approx(1 - np.var(wanted - expected) / np.var(wanted))


def test_bands_of_few_rounds_are_joined() -> None:
    counts = np.repeat([5.0, 12.0, 25.0, 38.0], [3, 300, 400, 10])
    value = np.repeat([-90.0, -30.0, 10.0, 80.0], [3, 300, 400, 10])
    rounds = CountSample(counts[:, None], counts, value, value > 0)
    found = summarise_bands(rounds, np.array([1]), 2)
    assert [(band.low, band.deals) for band in found] == [(10, 303), (20, 410)]
    assert [band.made for band in found] == [0, 1]
    assert found[0].value == pytest.approx((3 * -90 + 300 * -30) / 303)
    assert found[0].share == pytest.approx(303 / 713)


def test_thresholds_become_parameters() -> None:
    turns = [Threshold(1, place, 20.4 + place, 1.0, 9000, -8.0, 2.0) for place in range(6)]
    turns += [Threshold(2, place, 30.0, 1.0, 9000, 9.0 if place else -9.0, 2.0)
              for place in range(6)]  # fmt: skip
    whole = round_thresholds(turns)
    assert whole == [20, 21, 22, 23, 24, 25, 30, 0, 0, 0, 0, 0]
    found = threshold_parameters(whole)
    assert found["take"] == 20 and found["take_5"] == 5
    assert found["lap2"] == 30 and found["lap2_1"] == -30


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
