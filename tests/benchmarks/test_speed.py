"""The measure of speed: what the engine is held against is the same work, and tables are whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import reference, scalar, sheets
from benchmarks.results import Loops, Process, Processor, Reference, Results, Speed, Stage, Timing
from benchmarks.speed import RANDOM, combine_speeds
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate

COUNT, FEW = 60_000, 1_500
UNLIKELY = 4.5
"""Standard errors by which an estimate is never off."""


@pytest.mark.slow
def test_rounds_a_deal_at_a_time_are_those_of_the_engine() -> None:
    rows = simulate(Experiment(players=(RANDOM,) * 6, deals=COUNT, seed=5))
    taken = rows.column("taken") == 1
    made = (rows.column("result") == 0)[taken]
    total = rows.column("contracting_total")[taken].astype(float)
    score = (rows.column("score_0") + rows.column("score_1"))[taken].astype(float)
    number, made_there, points, totals, scores = scalar.play_rounds(COUNT, 5, 0.09).tolist()
    assert points == 236 * number
    for own, sum_there, rounds in (
        (taken.astype(float), number, COUNT),
        (made.astype(float), made_there, number),
        (total, totals, number),
        (score, scores, number),
    ):
        error = math.sqrt(2) * float(np.std(own)) / math.sqrt(len(own))
        assert abs(sum_there / rounds - float(np.mean(own))) < UNLIKELY * error


def test_rounds_in_plain_python_are_those_of_the_engine() -> None:
    taken, made = reference.play_rounds(FEW, 5, 0.09)
    for found, of, share in ((taken, FEW, 1 - 0.91**12), (made, taken, 0.537)):
        assert abs(found / of - share) < UNLIKELY * math.sqrt(share * (1 - share) / of)


def test_every_table_is_written() -> None:
    timing = Timing(100.0, 0.01)
    speeds = [Speed("two teams, taking", name, 0.68, timing, timing) for name in ("one", "two")]
    names = "first odds_first start warm warm_random odds odds_auction help million hundred_million"
    processes = {name: Process("kqj-sim", 1, 1.0, 0.0, 150.0) for name in names.split()}
    loops = Loops("deal", 0, [], ["no reason"], "none", True)
    results = Results(
        machine={"processor": "any"},
        processes=processes,
        speeds=speeds,
        references=[Reference("plain Python", Timing(1000.0, 0.0), 0.68)],
        stages={"random": [Stage("dealing", 75.0), Stage("calls", 25.0)]},
        processors=[Processor("as it is", [100.0, 90.0], "ab"), Processor("AVX2", [1, 2], "cd")],
        vectors=[loops],
    )
    text = sheets.to_markdown("Speed", "a command", sheets.make(results))
    for line in (
        "| plain Python | 68% | 1,000 | 1,000,000 | 10 | 0% |",
        "| dealing | 75.0 | 75% |",
        "| AVX2 | 1 | 2 | NO |",
        "| deal | 0 |  | none | YES | no reason |",
    ):
        assert line in text, text


def test_the_least_time_of_the_passes_counts() -> None:
    slow = Speed("two teams", "one", 0.68, Timing(30.0, 0.1), Timing(90.0, 0.0), Timing(20.0, 0.0))
    fast = Speed("two teams", "one", 0.68, Timing(25.0, 0.2), Timing(95.0, 0.2), Timing(20.0, 0.0))
    found = combine_speeds([slow, fast])
    assert (found.engine.ns, found.tables.ns, found.parquet) == (25.0, 90.0, None)
    # Medians: 33 and 30, mean 31.5; 90 and 114, mean 102.
    assert found.engine.spread == pytest.approx(31.5 / 25 - 1)
    assert found.tables.spread == pytest.approx(102 / 90 - 1)
    assert found.engine_2 == Timing(20.0, 0.0)
