"""The further tables of a report against pandas on the same rows."""

from __future__ import annotations

import pandas as pd
import pytest

from kqj_sim.columns import KQJ_COLUMNS
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally
from tests.stats.synthetic import part, synthetic_games, synthetic_rows

VARIANTS = {
    "two teams, taking": KqjRules(),
    "three teams, taking": KqjRules(teams=3),
    "auctions": KqjRules(bidding="auction"),
    "auctions by rounded totals": KqjRules(
        teams=3, bidding="auction", must_outscore=True, amount_uses="rounded"
    ),
}
DETAIL = {
    "take_rate", "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
    "contracts_by_sender_points", "totals", "margins", "games_by_rounds",
}  # fmt: skip


def experiment(rules: KqjRules) -> Experiment:
    return Experiment(rules=rules, players=("random",) * 6)


def tables(rules: KqjRules, rows: Rows, detail: bool = True) -> dict[str, Table]:
    of = experiment(rules)
    tally = Tally(of, detail=detail)
    for start in range(0, len(rows), 700):
        chunk = Tally(of, detail=detail)
        chunk.add(part(rows, slice(start, start + 700)))
        tally.merge(chunk)
    return {table.name: table for table in tally.tables()}


def frame_of(rows: Rows) -> pd.DataFrame:
    frame = rows.frame()
    labelled = [column.name for column in KQJ_COLUMNS if column.labels]
    return frame.astype({name: str for name in labelled})


def results(table: Table) -> dict[tuple[object, ...], dict[str, tuple[float, int]]]:
    """Shares and numbers of observations by group and result."""
    found: dict[tuple[object, ...], dict[str, tuple[float, int]]] = {}
    for quantity in dict.fromkeys(table.frame["quantity"]):
        for group, each in table.estimates(quantity).items():
            name = quantity.removesuffix("_share")
            found.setdefault(group, {})[name] = (each.value, each.observations)
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_contracts_by_the_senders_hand(variant: str) -> None:
    rules = VARIANTS[variant]
    rows = synthetic_rows(rules, 1500, seed=3)
    made = tables(rules, rows)
    frame = frame_of(rows)
    taken = frame[frame["taken"] == 1]
    suits = taken[taken["kind"].isin(["return", "other", "suit"])]
    for name, chosen, keys in (
        ("contracts_by_sender_trumps", suits, ["sender_trumps"]),
        ("contracts_by_sender_trumps_and_aces", suits, ["sender_trumps", "sender_aces"]),
        (
            "contracts_by_sender_points",
            taken.assign(sender_points_from=taken["sender_points"] // 10 * 10),
            ["sender_points_from"],
        ),
    ):
        found = results(made[name])
        right = {
            group: {
                result: (float((rows["result"] == result).mean()), len(rows))
                for result in found[group]
            }
            for group, rows in chosen.groupby(keys)
        }
        assert found.keys() == right.keys(), name
        for group in right:
            assert list(found[group]) == list(found[next(iter(found))])
            for result, (value, deals) in right[group].items():
                assert found[group][result][0] == pytest.approx(value), (name, group)
                assert found[group][result][1] == deals, (name, group)


@pytest.mark.parametrize("variant", VARIANTS)
def test_totals_and_margins_in_steps(variant: str) -> None:
    rules = VARIANTS[variant]
    rows = synthetic_rows(rules, 1500, seed=4)
    made = tables(rules, rows)
    taken = frame_of(rows)
    taken = taken[taken["taken"] == 1]
    total = taken["contracting_total"].astype(int)
    steps = {"totals": total}
    if rules.bidding == "auction":
        rounded = (total + 5) // 10 * 10 if rules.amount_uses == "rounded" else total
        steps["margins"] = rounded - taken["amount"].astype(int)
    elif rules.teams == 3:
        steps["margins"] = total - taken["defending_total"].astype(int)
    assert steps.keys() == made.keys() & {"totals", "margins"}
    for name, numbers in steps.items():
        counts = taken.groupby([numbers // 10 * 10, "result"]).size()
        found = results(made[name])
        assert {step for (step,) in found} == {*counts.index.get_level_values(0)}
        for (step,), shares in found.items():
            for result, (value, deals) in shares.items():
                assert deals == len(taken)
                assert value == pytest.approx(counts.get((step, result), 0) / len(taken))


def test_take_rate_counts_the_deals_in_which_a_turn_comes() -> None:
    rows = synthetic_rows(KqjRules(), 1500, seed=5)
    rate = tables(KqjRules(), rows)["take_rate"].estimates("takes_share")
    frame = rows.frame()
    turn = (frame["lap"].astype(int) - 1) * 6 + frame["place"].where(frame["taken"] == 1, 99)
    turn = turn.where(frame["taken"] == 1, 99)
    assert len(rate) == 12
    for (lap, place), each in rate.items():
        here = (lap - 1) * 6 + place
        assert each.observations == (turn >= here).sum()
        assert each.value == pytest.approx((turn == here).sum() / (turn >= here).sum())


def test_games_by_their_rounds() -> None:
    of = Experiment(players=("random",) * 6, games=100)
    tally = Tally(of, detail=True)
    games = synthetic_games(KqjRules(), 100, seed=6)
    tally.add_games(games)
    (table,) = [each for each in tally.tables() if each.name == "games_by_rounds"]
    shares = table.estimates("share_of_games")
    assert sum(each.value for each in shares.values()) == pytest.approx(1)
    assert shares[(int(games.rounds[0]),)].value == (games.rounds == games.rounds[0]).mean()


def test_only_reports_have_them() -> None:
    rows = synthetic_rows(KqjRules(teams=3), 300, seed=7)
    assert not DETAIL & tables(KqjRules(teams=3), rows, detail=False).keys()
    plain, detailed = Tally(experiment(KqjRules())), Tally(experiment(KqjRules()), detail=True)
    with pytest.raises(ValueError, match="can be merged"):
        plain.merge(detailed)


def test_estimates_are_the_numbers_of_the_frame() -> None:
    table = tables(KqjRules(), synthetic_rows(KqjRules(), 300, seed=8))["contracts_by_place"]
    row = table.frame.iloc[0]
    estimate = table.estimates(row["quantity"])[(row["place"],)]
    assert tuple(estimate) == (row["value"], row["low"], row["high"], row["deals"])
    overall = tables(KqjRules(), synthetic_rows(KqjRules(), 300, seed=8))["contracts"]
    assert set(overall.estimates(overall.frame["quantity"][0])) == {()}
