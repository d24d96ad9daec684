"""The tables that Kwajongen has; their numbers are held against pandas in tests/stats."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally

TABLES = {
    "calls", "calls_by_place", "results", "results_by_place", "results_by_turned_rank", "capot",
    "tricks", "card_points", "scores", "scores_by_team",
}  # fmt: skip
DETAIL = {
    "results_by_sender_trumps", "results_by_place_and_sender_trumps", "results_by_dealer_trumps",
    "points", "margins",
}  # fmt: skip
RAISED = {"raised", "results_by_raised"}


def experiment(games: int | None = None) -> Experiment:
    return Experiment(KwajongenRules(), ("random",) * 4, 1500, 3, games=games)


@cache
def played(games: int | None = None) -> Rows:
    """The rows, of deals or of games."""
    return simulate(experiment(games))


def tables(games: int | None = None, by: tuple[str, ...] = ()) -> dict[str, Table]:
    tally = Tally(experiment(games), by, detail=True)
    tally.add(played(games))
    # No games are added here; their tables have a test of their own.
    return {table.name: table for table in tally.tables() if not table.name.startswith("games")}


def test_tables_of_raised_rounds_are_of_games_only() -> None:
    assert tables().keys() == TABLES | DETAIL
    assert tables(60).keys() == TABLES | DETAIL | RAISED
    plain = Tally(experiment())
    plain.add(played())
    assert {table.name for table in plain.tables()} == TABLES


def test_a_table_grouped_by_its_own_column_is_left_out() -> None:
    by_place = tables(by=("place",))
    assert not {"calls_by_place", "results_by_place"} & by_place.keys()
    plain = tables()["results_by_place"].frame
    pd.testing.assert_frame_equal(by_place["results"].frame, plain)


def test_tables_of_games_have_their_lengths() -> None:
    tally = Tally(experiment(60))
    ended = played(60).finished_games
    assert ended is not None
    tally.add_games(ended)
    games, by_team = (table for table in tally.tables() if table.name.startswith("games"))
    (rounds,) = games.estimates("rounds_mean").values()
    assert rounds.value == pytest.approx(ended.rounds.mean()) and rounds.observations == 60
    scores = by_team.estimates("final_score_mean")
    assert [each.value for each in scores.values()] == pytest.approx(list(ended.score.mean(axis=0)))
