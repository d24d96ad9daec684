"""Every table against pandas on the same rows; merging; groups and choices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import GameRows, Rows
from kqj_sim.simulation.run import iterate_row_chunks, simulate
from kqj_sim.stats import tally as tallies
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table, TableRow, describe_distribution, list_deviation_notes
from kqj_sim.stats.tally import JointCounts, Tally, TooManyCombinations
from tests.frames import make_plain_frame
from tests.games.every import SHARED
from tests.slow import slow_after
from tests.stats import by_pandas
from tests.variants import OTHER_GAMES, lively

VARIANTS = {
    "two teams, taking": KqjRules(),
    "auctions with litigation": KqjRules(
        teams=3, bidding="auction", must_outscore=True, amount_uses="rounded"
    ),
    "random partners": KqjRules(partners="random"),
    "three teams, taking": KqjRules(teams=3),
    "three teams, random partners": KqjRules(teams=3, partners="random"),
    "auctions": KqjRules(bidding="auction"),
}
"""The first four, which are fast, have every table between them."""
WHERE = 'lap != 1 and contract in ("s", "h")'


def draw_games(rules: KqjRules, games: int, seed: int) -> GameRows:
    random = np.random.default_rng(seed)
    rounds = random.integers(10, 60, games)
    return GameRows(
        game=np.arange(games),
        rounds=rounds,
        played_rounds=rounds - random.integers(0, 9, games),
        first_dealer=random.integers(0, 6, games),
        winner=random.integers(0, rules.score_count, games),
        first_dealer_side_won=random.integers(0, 2, games),
        score=random.integers(0, 110, (games, rules.score_count)) * 10,
    )


def part(rows: Rows, which: slice) -> Rows:
    """Some of the rows, their matrix no longer contiguous."""
    return Rows(rows.deal[which], rows.values[:, which])


def tallied(
    of: Experiment, by: tuple[str, ...] = (), where: str | None = None, **more: bool
) -> Tally:
    tally = Tally(of, by, where, **more)
    for rows in iterate_row_chunks(of, 1, 700):
        tally.add(rows)
    return tally


def by_name(tables: list[Table]) -> dict[str, Table]:
    named = {table.name: table for table in tables}
    assert len(named) == len(tables)
    return named


def records(table: Table) -> Iterator[Any]:
    yield from table.frame.itertuples()


def check(tables: list[Table], frame: pd.DataFrame, of: Experiment, by: tuple[str, ...]) -> None:
    """Hold every row of the tables against pandas, and see that none is missing."""
    groups = list(frame.groupby(list(by), sort=True, observed=True)) if by else [((), frame)]
    for table in tables:
        assert table.groups[: len(by)] == by
        found = {
            (row[: len(table.groups)], row[len(table.groups)]): row[len(table.groups) + 1 :]
            for row in table.frame.itertuples(index=False, name=None)
        }
        assert len(found) == len(table.frame)
        right = {
            ((*group, *inner), quantity): estimate
            for group, rows in groups
            for inner, quantity, estimate in SHARED[of.rules.game].list_numbers(
                table.name, rows, of
            )
            if estimate.observations or not by or table.name.startswith("taking")
            or len(rows[rows["taken"] == 1])
        }  # fmt: skip
        assert found.keys() == right.keys(), table.name
        for key, estimate in right.items():
            unit, *numbers, deals = found[key]
            assert deals == estimate.observations, (table.name, key)
            expected = [each if np.isfinite(each) else np.nan for each in estimate[:3]]
            assert numbers == pytest.approx(expected, nan_ok=True, rel=1e-9), (table.name, key)
            assert unit in ("share", "points", "count", "amount", "rounds")
            assert (unit == "share") == ("share" in key[1])


@pytest.mark.parametrize("where", [None, WHERE])
@pytest.mark.parametrize("by", slow_after(1, [("kind", "sender_voids"), (), ("dealer",)]))
@pytest.mark.parametrize("variant", slow_after(4, VARIANTS))
def test_numbers_are_those_of_pandas(variant: str, by: tuple[str, ...], where: str | None) -> None:
    rules = VARIANTS[variant]
    of = lively(rules, deals=1700)
    tables = by_name(tallied(of, by, where, detail=True).tables())
    assert ("margins" in tables) == (rules.teams == 3 or rules.bidding == "auction")
    frame = make_plain_frame(simulate(of))
    check([*tables.values()], frame if where is None else frame.query(where), of, by)


@pytest.mark.parametrize(
    ("rules", "by"),
    [
        pytest.param(rules, by, marks=[pytest.mark.slow] * (number > 0))
        for rules in OTHER_GAMES.values()
        for number, by in enumerate(SHARED[rules.game].GROUPINGS)
    ],
    ids=str,
)
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("games", [None, 60])
def test_every_number_of_played_rounds_is_that_of_pandas(
    rules: GameRules, games: int | None, by: tuple[str, ...], filtered: bool
) -> None:
    of = Experiment(rules, ("random",) * rules.seats, 1500, 3, games=games)
    where = SHARED[rules.game].WHERE if filtered else None
    tally = tallied(of, by, where, detail=True)
    tables = [table for table in tally.tables() if not table.name.startswith("games")]
    frame = make_plain_frame(simulate(of))
    check(tables, frame if where is None else frame.query(where), of, by)


def test_waiting_gratuities_of_games() -> None:
    of = lively(KqjRules(), games=100)
    # No games are added here; their tables have a test of their own.
    tables = [table for table in tallied(of).tables() if not table.name.startswith("games")]
    check(tables, make_plain_frame(simulate(of)), of, ())
    assert len(by_name(tables)["pending"].frame) == 6


def test_table_grouped_by_its_own_column_is_left_out() -> None:
    of = lively(KqjRules(), deals=1500, seed=4)
    by_contract = by_name(tallied(of, ("contract",)).tables())
    assert "contracts_by_contract" not in by_contract
    plain = by_name(tallied(of).tables())["contracts_by_contract"]
    pd.testing.assert_frame_equal(by_contract["contracts"].frame, plain.frame)


def test_titles_and_quantities_tell_of_which_deals() -> None:
    taken = 0
    for table in tallied(lively(KqjRules(), deals=900, seed=3)).tables():
        for row in records(table):
            heading = find_quantity(str(row.quantity), table.game).heading
            if "all deals" in heading or "mean per deal" in heading:
                assert row.deals == 900
            elif row.unit == "share":
                taken = taken or int(row.deals)
                assert "taken deals" in heading
                assert row.deals == taken < 900 or "_by_" in table.name


@pytest.mark.parametrize("dense_cells", slow_after(1, [100, tallies.DENSE_CELLS, 0]))
@pytest.mark.parametrize("by", slow_after(1, [(), ("sender_trumps", "dealer")]))
def test_order_and_parts_and_storage_leave_no_trace(
    by: tuple[str, ...], dense_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = KqjRules()
    of = lively(rules, games=50)
    rows = simulate(lively(rules, deals=1200, seed=7))
    games = draw_games(rules, 60, seed=7)
    whole = Tally(of, by)
    whole.add(rows)
    whole.add_games(games)
    monkeypatch.setattr(tallies, "DENSE_CELLS", dense_cells)
    cuts = (0, 1, 300, 1200)
    for order in itertools.permutations(range(3)):
        parts = []
        for start, end in itertools.pairwise(cuts):
            tally = Tally(of, by)
            tally.add(part(rows, slice(start, end)))
            parts.append(tally)
        parts[order[0]].add_games(games)
        first, second, third = (parts[place] for place in order)
        second.merge(third)
        merged = Tally(of, by)
        for tally in (first, second):
            merged.merge(tally)
        assert merged.deals == whole.deals == 1200
        for mine, right in zip(merged.tables(), whole.tables(), strict=True):
            assert mine.name == right.name
            pd.testing.assert_frame_equal(mine.frame, right.frame, check_exact=True)


def test_tallies_of_different_things_do_not_merge() -> None:
    of = lively(KqjRules())
    for other in (
        Tally(of, ("lap",)), Tally(of, (), "lap == 1"), Tally(of, detail=True),
        Tally(lively(KqjRules(), seed=2)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="same experiment, by and where"):
            Tally(of).merge(other)


def test_no_rows_give_tables_without_numbers() -> None:
    for table in Tally(lively(KqjRules())).tables():
        assert (table.frame["deals"] == 0).all()
        assert not table.frame["value"].notna().any()


@pytest.mark.parametrize("partners, player", [("fixed", "team"), ("random", "seat")])
def test_games_are_those_of_pandas(partners: Any, player: str) -> None:
    rules = KqjRules(partners=partners)
    of = lively(rules, games=1200)
    games = draw_games(rules, 1200, seed=3)
    tally = Tally(of, ("lap",), "lap == 1")
    tally.add_games(games)
    tables = by_name(tally.tables())
    found = {row.quantity: row for row in records(tables["games"])}
    assert found["games_count"].value == 1200
    won = pd.Series(games.first_dealer_side_won == 1)
    rows = {"first_dealer_won_share": by_pandas.share(won)}
    for name, sample in (("rounds", games.rounds), ("played_rounds", games.played_rounds)):
        rows |= dict(by_pandas.spread(name, pd.Series(sample)))
    assert found.keys() == {"games_count", *rows}
    for quantity, right in rows.items():
        row = found[quantity]
        assert (row.value, row.low, row.high, row.deals) == pytest.approx(tuple(right))
    by_player = tables[f"games_by_{player}"]
    assert len(by_player.frame) == 2 * rules.score_count
    for number in range(rules.score_count):
        won_by, score = (row for row in records(by_player) if getattr(row, player) == number)
        assert won_by.value == pytest.approx((games.winner == number).mean())
        assert score.value == pytest.approx(games.score[:, number].mean())
        assert score.low < score.value < score.high and score.deals == 1200


@pytest.mark.slow
def test_share_intervals_of_tables_hold_the_truth_in_95_of_100_seeds() -> None:
    # Each of the six is asked twice.
    chance, held = 1 - 0.93**12, 0
    for seed in range(250):
        of = Experiment(players=("random:take=0.07",) * 6, deals=300, seed=seed)
        row = next(records(by_name(tallied(of).tables())["taking"]))
        held += row.low <= chance <= row.high
    assert 0.9 <= held / 250 <= 0.99


@pytest.mark.parametrize("value", [-2, 7])
def test_value_outside_its_column_raises(value: int) -> None:
    of = lively(KqjRules(), deals=100)
    rows = simulate(of)
    rows.values[KQJ_COLUMN_NUMBERS["place"], 50] = value
    with pytest.raises(ValueError, match="place leaves its range -1 to 5"):
        Tally(of).add(rows)


def test_too_many_groups_are_refused() -> None:
    wide = tuple(column.name for column in KQJ_COLUMNS if column.high > 200)
    with pytest.raises(TooManyCombinations, match="group by fewer columns"):
        Tally(lively(KqjRules()), wide)


@pytest.mark.parametrize("dense_cells", [tallies.DENSE_CELLS, 0])
def test_cells_are_the_marginal_counts(dense_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "DENSE_CELLS", dense_cells)
    rows = simulate(lively(KqjRules(), deals=1000, seed=9))
    joint = JointCounts([("lap", "place", "contract")])
    kept = rows.column("dealer") < 3
    joint.add(rows, kept)
    values, numbers = joint.get_cells(("contract", "place"))
    right = make_plain_frame(rows)[kept].assign(contract=rows.column("contract")[kept])
    expected = right.groupby(["contract", "place"]).size()
    assert [tuple(value) for value in values.tolist()] == list(expected.index)
    assert numbers.tolist() == expected.tolist()
    assert numbers.dtype == np.int64


@pytest.mark.parametrize("deals, told", [(0, False), (999, False), (1000, True)])
def test_tables_say_why_a_standard_deviation_is_missing(deals: int, told: bool) -> None:
    histogram = {value: deals // 10 for value in range(9)} | {9: deals - 9 * (deals // 10)}
    lines: list[TableRow] = [
        ((), name, estimate) for name, estimate in describe_distribution("total", histogram, 0.95)
    ]
    missing = [
        line for line in lines if line[1] == "total_standard_deviation" and np.isnan(line[2].value)
    ]
    assert bool(missing) is not told
    notes = list_deviation_notes(lines)
    expected = "No standard deviation is given for fewer than 1,000 observations."
    assert notes == ([expected] if 0 < deals < 1000 else [])


def test_too_many_groups_are_refused_as_soon_as_they_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = lively(KqjRules(), deals=2000)
    rows = simulate(experiment)
    by = ("contracting_total", "defending_total")
    counted = Tally(experiment, by)
    counted.add(rows)
    occur = len(counted._counts.get_cells(by)[0])
    assert counted.tables()
    monkeypatch.setattr(tallies, "MOST_GROUPS", occur - 1)
    told = rf"more than {occur - 1:,} groups occur, of \d+,\d+ possible ones \(contracting_total"
    with pytest.raises(TooManyCombinations, match=told):
        Tally(experiment, by).add(rows)
    # Tallies of which none has so many may have them together.
    with pytest.raises(TooManyCombinations, match=told):
        counted.tables()


def test_games_by_their_rounds() -> None:
    of = Experiment(players=("random",) * 6, games=100)
    tally = Tally(of, detail=True)
    games = draw_games(KqjRules(), 100, seed=6)
    tally.add_games(games)
    (table,) = [each for each in tally.tables() if each.name == "games_by_rounds"]
    shares = table.estimates("share_of_games")
    assert sum(each.value for each in shares.values()) == pytest.approx(1)
    assert shares[(int(games.rounds[0]),)].value == (games.rounds == games.rounds[0]).mean()


def test_further_tables_are_those_of_reports() -> None:
    of = lively(KqjRules(teams=3), deals=300, seed=7)
    plain, detailed = (tallied(of, detail=flag) for flag in (False, True))
    further = by_name(detailed.tables()).keys() - by_name(plain.tables()).keys()
    assert further == {
        "take_rate", "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
        "contracts_by_sender_points", "totals", "margins",
    }  # fmt: skip
