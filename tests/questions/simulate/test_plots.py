"""The picture shows what was counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from kqj_sim.games.kqj.plots import (
    MAX_LAPS_SHOWN,
    count_callers,
    count_totals,
    draw_rounds,
    estimate_bonuses,
    merge_suits,
)
from kqj_sim.imposed import ImposedContract
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import reduce_rows, simulate
from kqj_sim.stats.intervals import estimate_share
from kqj_sim.stats.tally import Tally
from kqj_sim.suffixes import PLOT_SUFFIXES
from tests.output.images import SIGNATURES, read_texts, render_simulation
from tests.output.tables import run

EXPERIMENT = Experiment(players=("random",) * 6, deals=4000, seed=5)
ROWS = simulate(EXPERIMENT, threads=1)


def counted(experiment: Experiment = EXPERIMENT, by: tuple[str, ...] = ()) -> Tally:
    """The counts of an experiment."""
    return reduce_rows(experiment, lambda: Tally(experiment, by), 1).result


def test_totals_are_the_histograms_of_the_rows() -> None:
    totals = count_totals(counted())
    assert list(sorted(totals)) == sorted(["s", "h", "d", "c", "NT", "AT"])
    heart_made = (ROWS.column("contract") == 1) & (ROWS.column("result") == 0)
    expected = np.bincount(ROWS.column("contracting_total")[heart_made], minlength=601)
    np.testing.assert_array_equal(totals["h"]["made"], expected)


def test_speaking_counts_taken_deals_of_all() -> None:
    played, deals = count_callers(counted())
    assert deals == 4000
    assert sum(played.values()) == int(ROWS.column("taken").sum())
    assert played[2, 3] == int(((ROWS.column("lap") == 2) & (ROWS.column("place") == 3)).sum())


def test_bars_of_the_laps_hold_every_taken_deal() -> None:
    tally = counted(Experiment(KqjRules(bidding="auction"), ("random",) * 6, 2000))
    played, deals = count_callers(tally)
    assert max(lap for lap, _ in played) > MAX_LAPS_SHOWN
    figure = Figure()
    whole: Any = figure.subfigures()
    draw_rounds(whole, tally, 0.95)
    (axes,) = (each for each in figure.axes if each.get_title().startswith("Deals by lap"))
    heights = [each.get_height() for each in axes.patches if isinstance(each, Rectangle)]
    assert sum(heights) == pytest.approx(100 * sum(played.values()) / deals)


def test_bonuses_are_shares_of_played_rounds() -> None:
    bonuses = estimate_bonuses(counted(), 0.9)
    played = int(ROWS.column("taken").sum())
    kq = int((ROWS.column("kq_defending") > 0).sum())
    assert bonuses["KQ", "defending"] == estimate_share(kq, played, 0.9)
    lost = played - int(ROWS.column("last_trick_contracting").sum())
    assert bonuses["last trick", "defending"] == estimate_share(lost, played, 0.9)


@pytest.mark.parametrize("format", PLOT_SUFFIXES.values())
def test_picture_comes_in_every_format(format: str) -> None:
    assert render_simulation(counted(), run(), format).startswith(SIGNATURES[format])


def test_picture_names_rules_policies_deals_and_seed() -> None:
    text = " ".join(
        read_texts(render_simulation(counted(), run(policies=("random",) * 6, seed=7), "svg"))
    )
    for part in ("two teams", "random at every seat", "1,000,000 deals", "seed 7"):
        assert part in text


def test_picture_says_the_numbers() -> None:
    counts = counted()
    found = read_texts(render_simulation(counts, run(), "svg"))
    (suits,) = (
        results
        for name, results in merge_suits(count_totals(counts)).items()
        if name not in ("NT", "AT")
    )
    totals = np.repeat(np.arange(601), np.sum(list(suits.values()), axis=0))
    assert f"median {int(np.quantile(totals, 0.5, method='inverted_cdf'))}" in found
    made = suits["made"].sum() / len(totals)
    assert f"{100 * made:.1f}%" in found
    assert f"{100 * estimate_bonuses(counts, 0.95)['Capot', 'contracting'].value:#.3g}%" in found


@pytest.mark.parametrize(
    "experiment",
    [
        Experiment(KqjRules(teams=3, bidding="auction", partners="random"), ("random",) * 6, 500),
        Experiment(players=("random",) * 6, deals=50, imposed=ImposedContract(1, "NT")),
        Experiment(players=("random:take=0",) * 6, deals=50),
        Experiment(players=("random",) * 6, deals=1),
    ],
    ids=["three teams", "imposed", "all passed out", "one deal"],
)
def test_every_kind_of_experiment_can_be_drawn(experiment: Experiment, tmp_path: Path) -> None:
    found = read_texts(render_simulation(counted(experiment), run(rules=experiment.rules), "svg"))
    assert ("no rounds were played" in found) == (experiment.players[0].given == "random:take=0")


def read_picture(tally: Tally, **of_run: object) -> set[str]:
    """The texts of a picture."""
    return read_texts(render_simulation(tally, run(rules=tally.experiment.rules, **of_run), "svg"))


def test_suits_are_one_histogram_unless_the_shares_made_differ() -> None:
    totals = count_totals(counted())
    assert list(merge_suits(totals)) == ["♠ ♥ ♦ ♣", "NT", "AT"]
    merged = merge_suits(totals)["♠ ♥ ♦ ♣"]["made"].sum()
    assert merged == sum(int(totals[suit]["made"].sum()) for suit in "shdc")
    unlike = {
        "s": {"made": np.array([0, 900]), "failed": np.array([100, 0])},
        "h": {"made": np.array([0, 500]), "failed": np.array([500, 0])},
    }
    assert list(merge_suits(unlike)) == ["s", "h"]


def test_groups_are_drawn_with_their_key_figures() -> None:
    found = read_picture(counted(by=("place",)))
    rows = {text.partition(" (")[0] for text in found}
    assert {"opener", "2nd", "3rd", "4th", "5th", "dealer"} <= rows
    assert {"contracts made,", "% of taken deals"} <= found
    assert not any(text.startswith("median") for text in found)


def test_groups_of_few_deals_are_mentioned_and_not_drawn() -> None:
    tally = counted(by=("contract",))
    found = " ".join(read_picture(tally))
    assert "fewer than 30 deals" not in found
    short = Experiment(players=("random",) * 6, deals=400, seed=5)
    few = counted(short, by=("contracting_total",))
    assert "fewer than 30 deals" in " ".join(read_picture(few))


def test_games_are_drawn_above_their_rounds() -> None:
    games = Experiment(players=("greedy",) * 6, games=20, deals=1)
    found = read_picture(counted(games))
    assert {"Games won, by team (20 games)", "Rounds in a game", "team 0", "team 1"} <= found
    assert any(text.startswith("median") for text in found)


def test_single_points_are_sentences() -> None:
    found = read_picture(counted(Experiment(players=("always+random",) * 6, deals=500)))
    assert any("All takes come from the opener in lap 1: 100" in text for text in found)
    assert "Deals by lap and place of the take" not in found


def test_axes_have_no_offsets() -> None:
    svg = render_simulation(counted(by=("lap",)), run(), "svg").decode()
    assert not any("e1" in text or "e2" in text for text in read_texts(svg.encode()))


def test_contracts_of_few_rounds_are_mentioned_and_not_drawn() -> None:
    rare = Experiment(players=("random",) * 6, deals=100)
    found = " ".join(read_picture(counted(rare)))
    assert "Not drawn: " in found and "median" in found
