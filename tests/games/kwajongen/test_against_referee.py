"""The engine against the referee: both void rules, every kind of player, rounds and games.

ROUNDS in the environment sets the rounds of each table, for a longer run than the tests make.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from kqj_sim.core.block import LANES, PENDING
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block, play_records
from tests.variants import told

ROUNDS = int(os.environ.get("ROUNDS", "600"))
GAMES = 40
SEED = 7
TABLES = {
    "random": ("random",) * 4,
    "standard": ("standard",) * 4,
    "mixed": ("random:accept=0.6", "standard", "random:accept=0.1+standard", "random"),
}
RULES = [KwajongenRules(void_rule="must_trump"), KwajongenRules(void_rule="free")]


def rounds_of(records: list[Record]) -> Counter[str]:
    """Hold rounds against the referee; what occurred."""
    seen: Counter[str] = Counter()
    for record in records:
        assert check_record(record) == [], told(record, *check_record(record))
        seen[record.result] += 1
        seen["raised"] += record.pending_before
        seen["all tricks"] += 4 in record.trick_counts
        seen[f"trump {record.contract}"] += 1
        seen[f"dealer {record.dealer}"] += 1
    return seen


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.void_rule)
@pytest.mark.parametrize("table", TABLES)
def test_rounds_agree_with_the_referee(table: str, rules: KwajongenRules) -> None:
    deals = ROUNDS if table != "mixed" else ROUNDS // 10
    seen = rounds_of(list(play_records(Experiment(rules, TABLES[table], deals, SEED))))
    assert seen["raised"] == 0
    if table == "random":
        wanted = {"made", "failed", "tie", "passed_out", "all tricks", "trump None"}
        wanted |= {f"trump {suit}" for suit in "shdc"} | {f"dealer {seat}" for seat in range(4)}
        assert all(seen[each] > 0 for each in wanted), seen


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.void_rule)
def test_raised_rounds_agree_with_the_referee(rules: KwajongenRules) -> None:
    block = make_recording_block(Experiment(rules, ("random",) * 4, seed=SEED))
    block.game.start_deals(block.state, 0, LANES)
    block.state[PENDING : PENDING + LANES] = 1
    block.play(LANES)
    seen = rounds_of([block.read_record(lane) for lane in range(LANES)])
    assert seen["raised"] == LANES
    assert all(seen[each] > 0 for each in ("made", "failed", "tie", "passed_out", "all tricks"))


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.void_rule)
@pytest.mark.parametrize("table", ["random", "standard"])
def test_games_agree_with_the_referee(table: str, rules: KwajongenRules) -> None:
    records = list(play_records(Experiment(rules, TABLES[table], seed=SEED, games=GAMES)))
    assert rounds_of(records)["raised"] > 0
    for line, wrong in check_records(enumerate(records)):
        pytest.fail(told(records[line], wrong))
    games: dict[int | None, list[Record]] = {}
    for record in records:
        games.setdefault(record.game_id, []).append(record)
    assert list(games) == list(range(GAMES))
    for rounds in games.values():
        assert rounds[0].score_before == [10, 10]
        assert [record.round for record in rounds] == list(range(len(rounds)))
        for record in rounds:
            over = min(record.score_after or []) <= 0
            assert over == (record is rounds[-1]), told(record)
    first_dealers = Counter(rounds[0].dealer for rounds in games.values())
    assert set(first_dealers) == set(range(4))
