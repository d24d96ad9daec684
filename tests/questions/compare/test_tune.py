"""The search for better parameters: on made-up landscapes, and with real players."""

from __future__ import annotations

import math
import re
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.paired.match import LeadTally, Match
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.play import (
    SearchPlan,
    Tuning,
    parse_search_parameter,
    search_parameters,
)
from kqj_sim.questions.compare.screen import render_player_file, write_tuning_headline
from kqj_sim.rules import DEFAULT_RULES
from kqj_sim.runner import Runner
from tests.runners import WatchedRunner
from tests.variants import LIVELY

FIELD = f"{LIVELY}+greedy"
SMALL = SearchPlan(deals=60, generations=3, candidates=4, confirm=200)


def tuned(
    policy: str = FIELD, *parameters: str, runner: Runner | None = None, **plan: Any
) -> Tuning:
    names = parameters or ("take", "bid")
    asked = replace(SMALL, **plan)
    players = parse_player(policy), parse_player(FIELD)
    return search_parameters(
        players[0], names, DEFAULT_RULES, players[1], asked, runner or Runner(threads=1)
    )


def landscape(monkeypatch: pytest.MonkeyPatch, noise: float, **peak: float) -> list[int]:
    """Make a policy worth less the further its parameters are from a peak, plus luck.

    The luck of a deal is the same for all.  Gives the numbers of the deals that were played, once
    for each player.
    """
    played: list[int] = []

    def play(self: Match, first: int, count: int, *_: object) -> Iterator[LeadTally]:
        leads = []
        for player in self.players:
            played.extend(range(first, first + count))
            under = player.under(self.rules)
            values = {**under.calling.values_by_name, **under.playing.values_by_name}
            worth = -sum(((float(values[name] or 0) - at) / 10) ** 2 for name, at in peak.items())
            # Not hash(), which differs from run to run.
            own_seed = zlib.crc32(repr(values).encode()) + first
            luck, own = (
                np.random.default_rng(seed).normal(size=count) for seed in (first, own_seed)
            )
            lead = 100 * self.lead_divisor * (worth + luck + noise * own)
            leads.append(lead.round().astype(np.int64))
        tally = self.make_tally()
        tally.leads.observe(np.stack(leads))
        yield tally

    monkeypatch.setattr(Match, "play", play)
    return played


@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_search_finds_the_peak(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    landscape(monkeypatch, noise, take=42, lap2=17)
    found = tuned(
        "points:take=20,lap2=60", "take=0:80", "lap2=0:80",
        deals=100, generations=40, candidates=None,
    )  # fmt: skip
    assert found.values == pytest.approx((42, 17), abs=4)
    assert found.conclusion == "better" and found.gain.low > 0


def test_whole_numbers_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    landscape(monkeypatch, 0.0, worlds=27)
    found = tuned("pimc:worlds=50", "worlds=1:60", generations=25, candidates=8)
    assert found.values == (27,)
    assert all(value == int(value) for each in found.generations for value in each.values)


def test_confirmation_is_on_deals_that_no_search_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    played = landscape(monkeypatch, 1.0, take=42)
    found = tuned("points:take=20", "take=0:80", first=11)
    searched = played[: 3 * 4 * 60]
    assert {*searched} == {*range(11, 11 + 3 * 60)}
    fresh = played[3 * 4 * 60 :]
    assert {*fresh} == {*range(11 + 3 * 60, 11 + 3 * 60 + 200)} and len(fresh) == 400
    assert found.leads.deals == 200


def test_seed_decides_and_threads_do_not_matter() -> None:
    one, other = tuned(), tuned(runner=Runner(threads=2))
    assert repr(one) == repr(other)  # NaN is not equal to itself.
    assert tuned(seed=2).values != one.values
    start, end = (one.leads.estimate(number).value for number in (0, 1))
    assert one.gain.value == pytest.approx(end - start)


def test_parameter_without_effect_scores_the_same() -> None:
    found = tuned(FIELD, "capot=0:1", seed=3)
    assert found.is_unchanged and found.conclusion == "open"
    told = r"capot=0\S+ scores the same as capot=0\S+ in each of 200 fresh deals\."
    assert re.fullmatch(told, write_tuning_headline(found)[0])
    assert found.gain.value == 0 and found.gain.low == -found.gain.high < 0
    assert not tuned().is_unchanged


def test_interrupted_it_gives_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    landscape(monkeypatch, 0.0, take=42)
    runner = WatchedRunner(lambda: runner.answers[-1:] == ["generation 3 of 3"])
    found = tuned("points:take=20", "take=0:80", runner=runner)
    assert found.interrupted and found.leads.deals == 0
    assert found.values == found.generations[1].values
    assert "not confirmed" in write_tuning_headline(found)[0]
    with pytest.raises(KeyboardInterrupt):
        tuned("points:take=20", "take=0:80", runner=WatchedRunner(lambda: True))


def test_interrupted_confirmation_counts_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    played = landscape(monkeypatch, 0.0, take=42)
    runner = WatchedRunner(lambda: len(played) > 3 * 4 * 60)
    found = tuned("points:take=20", "take=0:80", runner=runner)
    assert found.interrupted and 0 < found.leads.deals < 200
    assert not math.isnan(found.gain.value)


def test_values_are_those_of_the_range() -> None:
    found = parse_search_parameter("take=0:80", parse_player("points:take=45"), DEFAULT_RULES)
    assert (found.low, found.high, found.step, found.start) == (0, 80, 0.5, 45)
    assert [found.value(share) for share in (0, 0.1234, 1)] == [0, 10, 80]
    fine = parse_search_parameter("per_count", parse_player("points"), DEFAULT_RULES)
    assert fine.step == pytest.approx(0.2) and fine.value(0.52) == 0.4


def test_player_file_reads_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landscape(monkeypatch, 0.0, take=42)
    found = tuned("points:take=20+greedy", "take=0:80")
    path = tmp_path / "better.toml"
    path.write_bytes(render_player_file(found, str(path), "kqj-sim tune a\nb"))
    assert parse_player(str(path)).under(DEFAULT_RULES) == found.player.under(DEFAULT_RULES)
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    assert content["calling"]["take"] == found.values[0]
    assert f"# take={found.values[0]:g} scores " in path.read_text(encoding="utf-8")


def test_own_policy_is_found_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own" / "counter.py"
    own.parent.mkdir()
    own.write_text(
        "from kqj_sim import lowest, policy\n"
        "from kqj_sim.policies import number\n\n"
        'counter = policy("counter", least=number(4, "cards", 1, 6))\n\n\n'
        "@counter\ndef choose_card(view):\n    return lowest(view.legal)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    found = tuned("own/counter.py", "least", deals=2, generations=1, confirm=2)
    path = tmp_path / "files" / "better.toml"
    path.parent.mkdir()
    path.write_bytes(render_player_file(found, "files/better.toml", ""))
    assert parse_player(str(path)).playing.values_by_name["least"] == found.values[0]
