"""Kwajongen's tables of games; those of rounds are held against pandas in tests/stats."""

from __future__ import annotations

import pytest

from kqj_sim.games.kwajongen import KwajongenRules
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
