"""Tables of games, and reviews, of Kwajongen; what every game has is tested with the questions."""

from __future__ import annotations

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.questions.review.hindsight import compute_differences
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.tally import Tally


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
