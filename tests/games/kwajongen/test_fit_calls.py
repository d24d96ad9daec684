"""The count of Kwajongen: what is fitted, and that a fit comes near what the package has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kqj_sim.games import get_column_numbers
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.policies import COUNT_PARAMETERS, count_points
from kqj_sim.policies.binding import make_parameters_type
from kqj_sim.policies.players import parse_player
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tools.fit_kwajongen_calls import (
    POINT_PARAMETERS,
    THRESHOLD_PARAMETERS,
    PlayedDeals,
    compute_advantage,
    fit_count,
    hand_features,
    main,
    play_deals,
)

RULES = KwajongenRules()
SEED = 3


@pytest.fixture(scope="module")
def deals() -> PlayedDeals:
    return play_deals(RULES, 40_000, SEED)


def test_the_features_times_the_points_are_the_count(deals: PlayedDeals) -> None:
    values = make_parameters_type(tuple(COUNT_PARAMETERS))(
        *(float(each.default) for each in COUNT_PARAMETERS.values())
    )
    points = np.array([float(COUNT_PARAMETERS[name].default) for name in POINT_PARAMETERS])
    hands = deals.hands[3, :500]
    turned = deals.upcards[:500]
    counted = [count_points(*both, 3, values) for both in zip(hands, turned, strict=True)]
    assert np.allclose(hand_features(hands) @ points, counted)


def test_values_of_rounds_agree_with_rows(deals: PlayedDeals) -> None:
    rows = simulate(Experiment(RULES, ("random:accept=1+standard",) * 4, 2_000, SEED))
    score = [rows.column(f"score_{team}").astype(int) for team in range(2)]
    caller = rows.column("contracting_team")
    expected = np.where(caller == 0, score[1] - score[0], score[0] - score[1])
    assert "score_0" in get_column_numbers("kwajongen")
    assert np.array_equal(compute_advantage(deals, 0, 0)[:2_000], expected)
    assert np.array_equal(deals.points[0, :2_000], rows.column("contracting_card_points"))


@pytest.mark.slow
def test_a_fit_comes_near_the_package(deals: PlayedDeals) -> None:
    found = fit_count(deals)
    assert set(found) == set(COUNT_PARAMETERS)
    for name in ("ace", "king", "queen", *THRESHOLD_PARAMETERS):
        assert found[name] == pytest.approx(float(COUNT_PARAMETERS[name].default), rel=0.35), found
    assert found["ace"] > found["king"] > found["queen"] > found["jack"] > 0
    # The dealer's partner plays with less than the opponents.
    assert found["second"] < min(found["first"], found["third"])
    assert found["raised"] > 0 and 0 < found["shown"] < 1.5


def test_a_fitted_count_is_a_players_file(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--deals", "10000"])
    assert done.exit_code == 0, done.output
    path = tmp_path / "counted.toml"
    path.write_text(done.stdout, encoding="utf-8")
    ace = parse_player(str(path), "kwajongen").calling.values_by_name["ace"]
    assert isinstance(ace, float) and ace > 5
