"""Every table of Kwajongen against pandas, on the rows of rounds that were played."""

from __future__ import annotations

import math
from functools import cache

import pandas as pd
import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally
from kqj_sim.stats.where import compile_expression
from tests.frames import make_plain_frame
from tests.games.kwajongen import by_pandas
from tests.slow import slow_after

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


@cache
def frame(games: int | None = None) -> pd.DataFrame:
    return make_plain_frame(played(games))


def tables(
    games: int | None = None, by: tuple[str, ...] = (), where: str | None = None
) -> dict[str, Table]:
    tally = Tally(experiment(games), by, where, detail=True)
    tally.add(played(games))
    # No games are added here; their tables have a test of their own.
    return {table.name: table for table in tally.tables() if not table.name.startswith("games")}


@pytest.mark.parametrize("where", [None, "taken == 1 and place != 3 and trump in ('h', 's')"])
@pytest.mark.parametrize("by", slow_after(1, [("dealer", "raised"), (), ("turned_rank",)]))
@pytest.mark.parametrize("games", [None, 60])
def test_every_number_is_that_of_pandas(
    games: int | None, by: tuple[str, ...], where: str | None
) -> None:
    rows = frame(games) if where is None else frame(games).query(where)
    groups = list(rows.groupby(list(by), sort=True, observed=True)) if by else [((), rows)]
    for table in tables(games, by, where).values():
        right = {
            ((*group, *inner), quantity): estimate
            for group, part in groups
            for inner, quantity, estimate in by_pandas.numbers(table.name, part)
            if estimate.observations
        }
        found = {
            (row[: len(table.groups)], row[len(table.groups)]): row[len(table.groups) + 1 :]
            for row in table.frame.itertuples(index=False, name=None)
            if row[-1] > 0
        }
        assert found.keys() == right.keys(), table.name
        for key, estimate in right.items():
            unit, *numbers, deals = found[key]
            assert deals == estimate.observations, (table.name, key)
            expected = [each if math.isfinite(each) else math.nan for each in estimate[:3]]
            assert numbers == pytest.approx(expected, nan_ok=True), (table.name, key)
            assert unit in ("share", "points") and (unit == "share") == ("share" in key[1])


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


def test_expressions_and_groups_know_the_games_own_columns() -> None:
    expression = compile_expression("sender_trumps >= 2 or turned_rank == 'A'", game="kwajongen")
    rows = frame()
    right = (rows["sender_trumps"] >= 2) | (rows["turned_rank"] == "A")
    assert expression.mask(played()).tolist() == right.tolist()
