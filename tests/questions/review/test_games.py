"""Reviews by games won: chances as of `odds --scores`, round by round, and what has none."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.record import to_json
from tests.command_line import run
from tests.slow import slow_after

REFERENCE = "points+greedy"
SETTINGS: dict[str, Any] = {"seed": 3}


@cache
def play_game(teams: Any, bidding: Any = "take") -> Any:
    return kqj.records(games=1, policy="greedy", seed=3, teams=teams, bidding=bidding)


def review(records: Any, **settings: Any) -> tuple[Any, Any]:
    """Review records by games won; return the result and its JSON."""
    result = kqj.review(records, grade="games", reference=REFERENCE, **(SETTINGS | settings))
    return result, json.loads(result.to_json())


@pytest.mark.parametrize(("teams", "bidding"), slow_after(2, [(2, "auction"), (3, "take")]))
def test_options_win_the_games_that_odds_says(teams: int, bidding: str) -> None:
    record = play_game(teams, bidding)[-2]
    _, whole = review([record], samples=400, worst=30)
    exact = sampled = 0
    for decision in whole["rounds"][0]["decisions"]:
        if not (decision["exact"] or decision["at"] in ("c.1", "c.2", "2.3")):
            continue
        team = decision["team"]
        scores = [*record.score_before[team:], *record.score_before[:team]]
        odds = kqj.odds(
            record=record,
            at=decision["at"],
            policy=REFERENCE,
            scores=scores,
            deals=1000,
            **SETTINGS,
        )
        told = {option["name"]: option for option in decision["options"]}
        for option in odds.options:
            if option.name not in told or option.game is None:
                continue
            value, chance = told[option.name]["value"], 100 * option.game.value
            if decision["exact"]:
                assert value == pytest.approx(chance, abs=1e-6), decision["at"]
                exact += 1
            else:
                low, high = (told[option.name][f"value_{end}"] for end in ("low", "high"))
                half = (high - low) / 2 + 50 * (option.game.high - option.game.low)
                assert abs(value - chance) <= 1.5 * half, decision["at"]
                sampled += 1
    assert exact > 0
    assert sampled > 0


@pytest.mark.parametrize("teams", slow_after(1, [2, 3]))
def test_rounds_lead_from_the_first_chance_to_the_end_of_the_game(teams: int) -> None:
    """The chance after a round is that before the next; none waits for a gratuity here."""
    records = play_game(teams)
    result, whole = review(records, samples=1, ignore_calls=True, ignore_plays=True)
    assert not any(record.pending_after for record in records)
    parts = [played["luck"]["teams"] for played in whole["rounds"]]
    for before, after in pairwise(parts):
        for one, other in zip(before, after, strict=True):
            assert one["result"] == pytest.approx(other["average"], abs=1e-4)
    final = records[-1].score_after
    assert [part["result"] for part in parts[-1]] == [100.0 * (s == max(final)) for s in final]
    for part in (part for by_team in parts for part in by_team):
        names = ("average", "deal_luck", "own_decisions", "own_luck", "others_decisions")
        assert sum(part[name] for name in names) == pytest.approx(part["result"], abs=1e-6)
    frame = result.frame()
    assert {"loss_games", "loss_games_low", "hindsight_loss_games"} <= {*frame.columns}
    assert whole["rounds"][0]["totals"]["seats"][0]["loss_games"] == pytest.approx(
        frame.loc[(frame.line == 1) & (frame.seat == 0), "loss_games"].sum(), abs=1e-6
    )


def test_rounds_without_scores_are_not_graded_by_games(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    single = kqj.records(deals=1, policy="greedy")[0]
    random = kqj.records(games=1, policy="greedy", partners="random")[0]
    for record, text in ((single, "`score_before`"), (random, "random partners")):
        path.write_text(to_json(record), encoding="utf-8")
        done = run("review", str(path), "--grade", "games")
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert text in done.stderr
