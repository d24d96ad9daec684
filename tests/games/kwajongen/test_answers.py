"""Tables, odds, reviews and searches of Kwajongen; what all games share is tested elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.questions.review.hindsight import compute_differences
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.tally import Tally

GAME = Path(__file__).parent / "golden" / "game.jsonl"


def test_tables_of_games_have_their_lengths() -> None:
    experiment = Experiment(KwajongenRules(), ("random",) * 4, 1500, 3, games=60)
    tally, ended = Tally(experiment), simulate(experiment).finished_games
    assert ended is not None
    tally.add_games(ended)
    games, by_team = (table for table in tally.tables() if table.name.startswith("games"))
    (rounds,) = games.estimates("rounds_mean").values()
    assert rounds.value == pytest.approx(ended.rounds.mean()) and rounds.observations == 60
    scores = by_team.estimates("final_score_mean")
    assert [each.value for each in scores.values()] == pytest.approx(list(ended.score.mean(axis=0)))


def test_differences_are_good_for_the_side_that_goes_down() -> None:
    changes = np.array([[-2.0, 0.0], [1.0, -1.0]])
    assert compute_differences(changes, KwajongenRules()).tolist() == [[2, -2], [-2, 2]]


def test_nobody_loses_thirty_points_in_a_round() -> None:
    found = kqj.review(game="kwajongen", policy="random", deals=3, samples=40)
    decisions = found.tables["decisions"]
    shares = decisions[decisions.quantity == "large_loss_share"]
    assert (shares.choice.astype(str) != shares.best.astype(str)).any()
    assert (shares.value == 0).all() and shares.high.isna().all()


def test_questions_of_a_quiz_have_no_links_as_the_page_does_not_know_the_game(
    tmp_path: Path,
) -> None:
    quiz = tmp_path / "quiz.json"
    kqj.review(game="kwajongen", policy="random", deals=3, samples=200, quiz=quiz)
    questions = json.loads(quiz.read_text(encoding="utf-8"))["questions"]
    assert questions and not any(question["link"] for question in questions)


def test_a_typed_position_has_the_answer_of_the_record() -> None:
    recorded = kqj.odds(record=GAME, line=3, at="1.2", policy="random", deals=300)
    typed = kqj.odds(
        "Ac Jc Kh Td", return_card="Ks", heard="play", played="Js", game="kwajongen",
        policy="random", deals=300,
    )  # fmt: skip
    assert recorded.best == typed.best and recorded.frame().equals(typed.frame())


@pytest.mark.parametrize(
    ("cards", "turned", "place", "sign", "decision"),
    [
        ("As Ks Qs Js", "9s", "opener", 1, "Play: you win 100% of the rounds and gain 2 points on"),
        ("9h Th 9c Tc", "Js", "2nd", -1, "Pass: you win 20% of the rounds and lose 0.15 points to"),
    ],
)
def test_a_value_is_gained_or_lost(
    cards: str, turned: str, place: str, sign: int, decision: str
) -> None:
    odds = kqj.odds(
        cards, return_card=turned, place=place, policy="random", game="kwajongen", deals=300
    )
    assert odds.headline.startswith(decision) and sign * odds.best.value > 0


def test_tune_finds_that_a_player_says_play_too_often() -> None:
    tuned = kqj.tune(
        "random:accept=0.9", "accept=0:1", game="kwajongen", opponents="random:accept=0.4",
        deals=100, generations=3, confirm=800, seed=23,
    )  # fmt: skip
    assert tuned.gain.low > 0 and tuned.best["accept"] < 0.9


@pytest.mark.parametrize("is_first", [True, False])
def test_rounds_of_each_game_have_its_default_player_as_reference(
    is_first: bool, tmp_path: Path
) -> None:
    games = [GAME, Path(__file__).parents[2] / "golden" / "capot.jsonl"]
    path = tmp_path / "both.jsonl"
    lines = [game.read_text().splitlines()[0] for game in games[:: 1 if is_first else -1]]
    path.write_text("\n".join(lines))
    for review in json.loads(kqj.review(path, samples=40).to_json())["rounds"]:
        game = review["record"]["game"]
        expected = "standard" if game == "kwajongen" else "learned+network"
        commands = [grade["command"] for grade in review["decisions"]]
        assert commands and all(f"--policy {expected}" in command for command in commands)
