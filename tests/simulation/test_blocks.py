"""Rows of one thread: they have the columns that are wanted, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.games import get_columns
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.blocks import CHUNK_ROWS, BlockPlayer
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows, copy_rows
from tests.variants import AUCTION_3, OTHER_GAMES

EXPERIMENTS = {
    "taking": Experiment(KqjRules(), ("random:take=0.09",) * 6),
    "auctions": Experiment(AUCTION_3, ("random",) * 6),
    "games": Experiment(KqjRules(partners="random"), ("random:take=0.3",) * 6, games=40),
    **{
        f"{title}{' games' * (games is not None)}": Experiment(
            rules, ("random",) * rules.seats, games=games
        )
        for title, rules in OTHER_GAMES.items()
        for games in (None, 40)
    },
}
COUNT = 700


def played(experiment: Experiment, wanted: frozenset[str] | None) -> list[Rows]:
    """Rows of the first deals, or of all the games."""
    worker = BlockPlayer(experiment, experiment.compile_seating(), CHUNK_ROWS, columns=wanted)
    # What was there before is no column's value, and no two times the same.
    worker.values[:] = np.random.default_rng().integers(-32768, -10000, len(worker.values))
    return [copy_rows(rows) for rows in worker.play(0, experiment.games or COUNT)]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_wanted_columns_are_those_of_the_whole_rows(name: str) -> None:
    experiment = EXPERIMENTS[name]
    names = [column.name for column in get_columns(experiment.rules.game)]
    whole = played(experiment, None)
    for wanted in (names[:1], names[2::3], names[-1:], []):
        some = played(experiment, frozenset(wanted))
        assert [len(rows) for rows in some] == [len(rows) for rows in whole]
        for rows, of_all in zip(some, whole, strict=True):
            assert (rows.deal == of_all.deal).all()
            for each in wanted:
                assert (rows.column(each) == of_all.column(each)).all(), each
            for each in set(names) - set(wanted):
                with pytest.raises(KeyError, match=each):
                    rows.column(each)
            games, all_games = rows.finished_games, of_all.finished_games
            if games is not None and all_games is not None:
                assert (games.score == all_games.score).all()
                assert (games.played_rounds == all_games.played_rounds).all()
