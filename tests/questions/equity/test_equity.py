"""The command `equity`, its result, and odds by the chance to win the game."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.core import call_odds as core
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.positions.measures import GameMeasure
from kqj_sim.questions.equity import LEAST_DEALS
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.stats.equity import MIN_DEALS, Equity, EquityTable, load_rounds
from tests.command_line import run

NINE, CLUBS = "9h 8h Ah Ks 4d", "Hh Hc 4c 8d 6c Tc 7c Ac"


def test_few_deals_are_enough_for_an_interval() -> None:
    assert LEAST_DEALS == MIN_DEALS
    estimate = kqj.equity(policy="greedy", deals=LEAST_DEALS).chance((500, 500))
    assert 0 < estimate.low < estimate.value < estimate.high < 1


def test_table_has_each_score_and_dealer() -> None:
    result = kqj.equity()
    frame = result.frame()
    assert list(frame.columns[:4]) == ["dealer", "score_0", "score_1", "game_share"]
    assert len(frame) == 200 and result.deals == 1_000_000
    row = frame[(frame.dealer == 1) & (frame.score_0 == 600) & (frame.score_1 == 800)].iloc[0]
    assert row.game_share == pytest.approx(result.chance("600:800", dealer=3).value)
    assert row.game_share_low < row.game_share < row.game_share_high
    assert "Your side deals" in result.key and "±0.1 at most" in result.key


def test_scores_have_a_row_for_each_side_and_dealer() -> None:
    result = kqj.equity(scores="900:850:500", teams=3, pending=100)
    assert result.headline.startswith("At 900:850:500, with 100 pending, your side wins")
    shares = result.frame().set_index(["dealer", "side"]).game_share
    assert shares.groupby("dealer").sum().to_numpy() == pytest.approx([1, 1, 1], abs=1e-5)
    assert result.chance((900, 850, 500), dealer=4, pending=100, side=1).value == shares[1, 1]
    earlier = result.chance((800, 850, 500), dealer=4, pending=100, side=1).value
    assert earlier > shares[1, 1]
    with pytest.raises(kqj.InputError, match="leave out `scores`"):
        result.plot()


def test_players_who_differ_are_played() -> None:
    result = kqj.equity(policy=["team0=standard", "team1=random"], deals=3_000)
    assert result.deals == 3_000 and result.chance((0, 0)).value > 0.6
    assert result.chance((500, 500), side=0).value == pytest.approx(
        1 - result.chance((500, 500), side=1).value, abs=1e-5
    )


def test_players_with_random_partners_have_their_own_chances() -> None:
    settings: Any = {"policy": "standard", "partners": "random", "deals": 4800}
    result = kqj.equity(scores="640:880:500:370:90:960", **settings)
    frame = result.frame()
    assert [*frame.columns[:2]] == ["dealer", "seat"] and len(frame) == 36
    assert (frame.groupby("dealer").game_share.sum() - 1).abs().max() < 1e-9
    best = frame.sort_values("game_share", ascending=False).groupby("dealer").seat.first()
    assert set(best) == {5}
    assert result.chance("640:880:500:370:90:960", dealer=2, side=4).high > 0
    assert "At 640:880:500:370:90:960 you win " in str(result)


@pytest.mark.parametrize(("words", "text"), [
    ("equity --partners random", "one of each player"),
    ("equity --pending 120", "--pending is for --scores"),
    ("equity --scores 640", "--scores: each of 2 teams has a score"),
    (f"odds {NINE} --return 7h --scores 640:1000", "not a multiple of 10 below the target"),
    (f"odds {NINE} --return 7h --scores 0:0 --partners random", "only `equity` knows"),
])  # fmt: skip
def test_errors_are_one_line(words: str, text: str) -> None:
    done = run(*words.split())
    assert done.exit_code == 2 and text in done.stderr and done.stderr.count("\n") == 1


def make_measure(team: int, pending: int) -> GameMeasure:
    experiment = Experiment(KqjRules())
    counted = load_rounds(experiment)
    assert counted is not None
    scores = (640, 880)
    equity = Equity(EquityTable(experiment, counted), team, scores, pending)
    return GameMeasure(equity, scores, dealer=5)


@pytest.mark.parametrize("team", [0, 1])
def test_measure_is_the_chance_after_the_round(team: int) -> None:
    outcomes = np.zeros((1, 4, core.OUTCOME_SIZE), np.int16)
    outcomes[0, :, core.RESULT] = [MADE, MADE, LITIGATION, PASSED_OUT]
    outcomes[0, 0, core.TEAM_SCORES :] = 360, 0, 0
    outcomes[0, 1, core.TEAM_SCORES :] = 0, 110, 0
    found = make_measure(team, 120)(np.moveaxis(outcomes, -1, 0))[0]
    equity = kqj.equity(scores="640:880")
    expected = [
        float(team == 0),
        equity.chance((640, 990), side=team).value,
        *[equity.chance((640, 880), pending=120, side=team).value] * 2,
    ]
    assert found == pytest.approx(expected, abs=1e-6)
    nothing = make_measure(team, 0)(np.moveaxis(outcomes, -1, 0))[0]
    assert nothing[3] == pytest.approx(equity.chance((640, 880), side=team).value, abs=1e-6)


def test_odds_rank_by_the_game_if_the_scores_are_known() -> None:
    settings = {"bidding": "auction", "deals": 2_000}
    behind = kqj.odds(CLUBS, scores="500:900", **settings)  # type: ignore[arg-type]
    points = kqj.odds(CLUBS, **settings)  # type: ignore[arg-type]
    assert behind.best.name == "400 NT capot" != points.best.name
    assert behind.best.game is not None and behind.best.game_lead is None
    assert points.best.game is None
    assert "In points" in behind.headline and "at 500:900 you win" in behind.headline
    frame = behind.frame()
    assert (frame.game_share.diff().dropna() < 0.02).all()
    assert frame.game_lead_share.iloc[1] == pytest.approx(
        frame.game_share.iloc[0] - frame.game_share.iloc[1]
    )
    assert frame.lead.iloc[1] < 0
    assert behind.options[1].game_lead is not None and behind.options[1].game_lead.low > 0
    run_values = json.loads(behind.to_json())
    assert run_values["scores"] == [500, 900] and run_values["equity_deals"] == 1_000_000


def test_odds_of_cards_know_the_game_too() -> None:
    played = (
        "Ad 9d 8d Qd Hd 5d, Ac Jc Kc 6h 8c 5c, 8s Qs 4s 4d 6s As, 9s Ks Hs Js 4c 7s, "
        "5s 6d Th 8h Jd Ts, Qc Hc Qh 9c 6c Kh, 4h Kd"
    )
    result = kqj.odds(
        "Ah Hh", return_card="Th", heard="take h", played=played, policy="always+greedy",
        scores=(700, 900),
    )  # fmt: skip
    assert result.best.name == "Hh"
    assert result.options[1].game_lead is not None and result.options[1].game_lead.value > 0
