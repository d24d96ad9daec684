"""Experiments, reducers, chunks and rows: what runs an experiment, in how many threads."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.errors import RunError
from kqj_sim.games import KQJ, get_columns
from kqj_sim.places import name_places
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.blocks import CHUNK_ROWS, BlockPlayer
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.rows import GameRows, Rows, copy_rows
from kqj_sim.simulation.run import iterate_row_chunks, reduce_rows, simulate
from kqj_sim.simulation.workers import MIN_RANGES_PER_THREAD, map_in_threads
from tests.variants import AUCTION_2, AUCTION_3, LIVELY, OTHER_GAMES, TAKE_2, TAKE_3, lively

NEVER = ("random:take=0,bid=0",) * 6


class Kept:
    """A reducer that keeps every deal's number and every game's, and adds up the rows."""

    def __init__(self) -> None:
        self.deals: list[int] = []
        self.games: list[int] = []
        self.sums = np.zeros(1, np.int64)
        self.threads: set[int] = set()
        self.merged = 0

    columns = None

    def add(self, rows: Rows) -> None:
        self.deals += rows.deal.tolist()
        self.sums = self.sums + rows.values.sum(axis=1, dtype=np.int64)
        self.threads.add(threading.get_ident())

    def add_games(self, games: GameRows) -> None:
        self.games += games.game.tolist()

    def merge(self, other: Kept) -> None:
        self.deals += other.deals
        self.games += other.games
        self.sums = self.sums + other.sums
        self.threads |= other.threads
        self.merged += 1


@pytest.mark.parametrize("games", [None, 40])
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("chunk", [1, 7, 300, None])
def test_fold_takes_in_every_deal_and_game_once(
    threads: int, chunk: int | None, games: int | None
) -> None:
    told: list[int] = []
    rules = replace(TAKE_3, target=500) if games else TAKE_2
    experiment = lively(rules, deals=500, games=games, first=30)
    folded = reduce_rows(experiment, Kept, threads, chunk, told.append)
    rows = simulate(experiment)
    assert sorted(folded.result.deals) == rows.deal.tolist()
    assert sorted(folded.result.games) == list(range(30, 30 + (games or 0)))
    assert (folded.result.sums == rows.values.sum(axis=1, dtype=np.int64)).all()
    assert folded.deals == len(rows) and sum(told) == (games or 500)
    assert min(told) > 0 and not folded.interrupted
    assert folded.result.merged == threads
    assert len(folded.result.threads) <= threads
    assert threading.get_ident() not in folded.result.threads


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("games", [None, 60])
def test_an_interrupted_fold_holds_what_is_finished(threads: int, games: int | None) -> None:
    told: list[int] = []

    def interrupt(count: int) -> None:
        told.append(count)
        if len(told) == 3:
            raise KeyboardInterrupt

    rules = replace(TAKE_2, target=500)
    experiment = lively(rules, deals=10_000, games=games)
    folded = reduce_rows(experiment, Kept, threads, 2 if games else 50, interrupt)
    assert folded.interrupted
    assert len(told) == 3
    found = folded.result.deals
    assert len(found) == len(set(found)) == folded.deals
    assert 0 < folded.deals < (10_000 if games is None else len(simulate(experiment)))
    if games is None:
        assert folded.deals >= sum(told)
        assert folded.deals % 50 == 0
    else:
        assert sum(told) <= len(folded.result.games) < games


def test_a_summary_that_fails_ends_the_fold() -> None:
    class Failing(Kept):
        def add(self, rows: Rows) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reduce_rows(lively(TAKE_2, deals=1000), Failing, threads=2, chunk=10)
    assert _workers_are_gone()


def _workers_are_gone() -> bool:
    for _ in range(50):
        if not any("ThreadPool" in thread.name for thread in threading.enumerate()):
            return True
        time.sleep(0.02)
    return False


def test_row_chunks_may_be_left_early() -> None:
    chunks = iterate_row_chunks(lively(TAKE_2, deals=10**9), threads=2, chunk=100)
    assert next(chunks).deal.tolist() == list(range(100))
    chunks.close()  # type: ignore[attr-defined]
    assert _workers_are_gone()


def test_rows_have_the_described_form() -> None:
    rows = simulate(lively(TAKE_2, deals=300))
    assert len(rows) == 300
    assert rows.deal.dtype == np.int64
    assert rows.values.dtype == np.int16
    assert rows.values.shape == (len(KQJ_COLUMNS), 300)
    assert rows.values.flags.c_contiguous
    assert rows.game is None and rows.round is None
    for number, column in enumerate(KQJ_COLUMNS):
        assert np.array_equal(rows.column(column.name), rows.values[number])
    with pytest.raises(KeyError):
        rows.column("no_such_column")


def test_a_frame_shows_labels_and_numbers() -> None:
    rows = simulate(lively(TAKE_3, deals=400))
    frame = rows.frame()
    assert list(frame.columns) == ["deal", *(column.name for column in KQJ_COLUMNS)]
    assert frame["deal"].tolist() == rows.deal.tolist()
    for column in KQJ_COLUMNS:
        values = rows.column(column.name).tolist()
        if column.labels or column.name == "place":
            texts = [text for text in column.labels or name_places(6) if text != "none"]
            assert frame[column.name].dtype == pd.CategoricalDtype(texts, column.is_ordered)
            values = [dict(enumerate(texts)).get(value) for value in values]
        nothing = {"lap": 0, "amount": 0, "opening_amount": 0}.get(column.name, -1)
        absent = rows.column("result") == 3 if column.is_of_taken else [False] * len(rows)
        if column.has_null:
            values = [
                None if gone or value == nothing else value
                for value, gone in zip(values, absent, strict=True)
            ]
        shown = frame[column.name].astype(object).where(frame[column.name].notna(), None)
        assert shown.tolist() == values
    assert {"place", "return_rank"} == {each.name for each in KQJ_COLUMNS if each.is_ordered}


@pytest.mark.parametrize("rules", [TAKE_3, AUCTION_2, *OTHER_GAMES.values()])
def test_flags_of_a_frame_choose_rows_and_numbers_do_not_overflow(rules: GameRules) -> None:
    policy = LIVELY if rules.game == KQJ.name else "standard"
    rows = simulate(Experiment(rules, (policy,) * rules.seats, deals=3000))
    frame = rows.frame()
    for column in rows.columns:
        kind = "Int32" if column.has_null else "bool" if column.is_flag else "int32"
        kind = "category" if column.categories else kind
        assert str(frame[column.name].dtype) == kind, column.name
        assert str(rows.column(column.name).dtype) == ("bool" if column.is_flag else "int32")
        if kind == "int32":
            truth = [int(value) for value in frame[column.name]]
            assert (frame[column.name] ** 2).sum() == sum(value**2 for value in truth)
            assert (rows.column(column.name) * 200).tolist() == [200 * value for value in truth]
    assert len(frame[frame["taken"]]) == (frame["result"] != "passed_out").sum() > 0
    assert len(frame[~frame["taken"]]) == (frame["result"] == "passed_out").sum() > 0


def test_a_column_is_a_copy() -> None:
    rows = simulate(lively(TAKE_2, deals=20))
    rows.column("dealer")[:] = 9
    assert set(rows.column("dealer")) == set(range(6))


def test_a_frame_of_games_names_game_and_round() -> None:
    rows = simulate(lively(replace(TAKE_2, target=500), games=5))
    frame = rows.frame()
    assert list(frame.columns[:3]) == ["deal", "game", "round"]
    assert rows.game is not None and rows.round is not None
    assert frame["game"].tolist() == rows.game.tolist()
    assert frame["round"].tolist() == rows.round.tolist()
    assert (frame.groupby("game")["round"].max() + 1 == frame.groupby("game").size()).all()


class Games(Kept):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, tuple[Any, ...]] = {}

    def add_games(self, games: GameRows) -> None:
        columns = (
            games.rounds, games.played_rounds, games.first_dealer, games.winner,
            games.first_dealer_side_won, games.score,
        )  # fmt: skip
        assert {len(column) for column in columns} <= {len(games)}
        for at, number in enumerate(games.game.tolist()):
            assert number not in self.found
            self.found[number] = tuple(column[at].tolist() for column in columns)

    def merge(self, other: Any) -> None:
        assert not self.found.keys() & other.found.keys()
        self.found |= other.found


@pytest.mark.parametrize(
    "rules", [TAKE_2, TAKE_3, replace(TAKE_2, partners="random"), AUCTION_2, AUCTION_3]
)
def test_finished_games_are_what_their_rows_add_up_to(rules: KqjRules) -> None:
    rules = replace(rules, target=500)
    experiment = lively(rules, games=120, seed=4)
    found = reduce_rows(experiment, Games, 2, 9).result.found
    frame = simulate(experiment).frame()
    assert sorted(found) == list(range(120))
    for number, rounds in [(number, frame[frame["game"] == number]) for number in range(120)]:
        length, played, first_dealer, winner, side_won, score = found[number]
        expected = [0] * rules.score_count
        for _, row in rounds.iterrows():
            for side in range(rules.score_count):
                team = row[f"team_of_seat_{side}"] if rules.partners == "random" else side
                expected[side] += row[f"score_{team}"]
        assert score == expected, number
        assert length == len(rounds)
        assert played == rounds["taken"].sum()
        assert first_dealer == rounds["dealer"].iloc[0]
        assert score[winner] == max(score) >= 500
        assert score.count(max(score)) == 1
        side = first_dealer if rules.partners == "random" else first_dealer % rules.teams
        assert side_won == (side == winner)


@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2])
def test_endless_game_raises(rules: KqjRules) -> None:
    experiment = Experiment(rules, NEVER, seed=3, games=2, first=5)
    with pytest.raises(RunError, match=r"game 5 of seed 3 is not over after 10000 rounds"):
        simulate(experiment)
    with pytest.raises(RunError, match=r"game 5 of seed 3"):
        reduce_rows(experiment, Kept)
    with pytest.raises(RunError, match=r"game 5 of seed 3"):
        list(play_records(experiment))


def test_policies_belong_to_seats_not_to_places() -> None:
    """A seat that always passes is never Sender, wherever the dealer sits."""
    policies = [LIVELY] * 6
    policies[2] = policies[4] = "random:take=0,bid=0"
    for rules in (TAKE_2, AUCTION_2):
        rows = simulate(Experiment(rules, tuple(policies), 2000))
        assert set(rows.column("sender")) == {-1, 0, 1, 3, 5}


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
            for each in set(names) - {*wanted, "taken"}:
                with pytest.raises(KeyError, match=each):
                    rows.column(each)
            games, all_games = rows.finished_games, of_all.finished_games
            if games is not None and all_games is not None:
                assert (games.score == all_games.score).all()
                assert (games.played_rounds == all_games.played_rounds).all()


SIZE = 10
END = 2000 * SIZE + 3


def _play(threads: int, seconds: float, min_seconds: float) -> list[tuple[int, int]]:
    """Return the ranges that threads were given, each of which takes some time."""

    def work(first: int, count: int) -> tuple[int, int]:
        time.sleep(seconds)
        return first, count

    return list(map_in_threads([work] * threads, 0, END, SIZE, min_seconds=min_seconds))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("min_seconds", [0.0, 1e-5, 1.0])
def test_every_number_is_in_one_range_in_order(threads: int, min_seconds: float) -> None:
    following = 0
    for first, count in _play(threads, 0.0, min_seconds):
        assert first == following
        assert count % SIZE == 0 or first + count == END
        following = first + count
    assert following == END


def test_short_ranges_follow_together_but_not_so_many_that_threads_wait() -> None:
    counts = [count for _, count in _play(2, 0.001, 0.05)]
    assert counts[0] == SIZE
    assert max(counts) > 10 * SIZE
    assert max(counts) <= END // (2 * MIN_RANGES_PER_THREAD)
    assert counts[-2] == SIZE


def test_long_ranges_stay_alone() -> None:
    assert {count for _, count in _play(5, 0.0002, 0.0)} == {SIZE, END % SIZE}
