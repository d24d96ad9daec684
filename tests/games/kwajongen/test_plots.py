"""The picture of Kwajongen shows what was counted."""

from __future__ import annotations

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.plots import count_by_result, count_callers, count_tricks
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.tally import Tally
from tests.output.images import read_texts, render_simulation
from tests.output.tables import run

EXPERIMENT = Experiment(KwajongenRules(), ("random",) * 4, 3000, 5)
RUN = run(rules=KwajongenRules(), policies=("random",) * 4, deals=3000)


def counted() -> Tally:
    counts = Tally(EXPERIMENT)
    counts.add(simulate(EXPERIMENT, threads=1))
    return counts


def test_counts_are_those_of_the_rows() -> None:
    counts, rows = counted(), simulate(EXPERIMENT, threads=1)
    places, deals = count_callers(counts)
    assert deals == 3000 and sum(places.values()) == int(rows.column("taken").sum())
    assert places[3] == int((rows.column("place") == 3).sum())
    made = count_by_result(counts, "sender_trumps")["made"]
    right = (rows.column("result") == 0) & (rows.column("sender_trumps") == 2)
    assert made[2] == int(right.sum())
    assert sum(count_tricks(counts).values()) == sum(places.values())


def test_who_says_play_is_a_share_of_those_asked_and_of_all_deals() -> None:
    counts = counted()
    places, deals = count_callers(counts)
    found = read_texts(render_simulation(counts, RUN, "svg"))
    asked = deals - sum(places[place] for place in range(3))
    assert {f"{100 * places[3] / of:.1f}" for of in (asked, deals)} <= found


def test_picture_of_nothing_is_a_sentence() -> None:
    empty = Tally(EXPERIMENT)
    assert "no rounds were played" in read_texts(render_simulation(empty, RUN, "svg"))
