"""The pictures of odds show what was estimated."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from kqj_sim.notation.typed import read_typed_position
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.odds import Odds
from kqj_sim.questions.odds.screen import list_charts
from kqj_sim.rules import KqjRules


@pytest.fixture(scope="module")
def odds() -> Odds:
    """The odds of a pass and of the calls to choose from in the second lap."""
    heard = ", ".join(["pass"] * 6)
    situation = read_typed_position("9h 8h Ah Ks 4d", KqjRules(), return_card="7h", heard=heard)
    return estimate_position(situation, "points+greedy", deals=256)


def draw(odds: Odds, name: str) -> Axes:
    (chart,) = (chart for chart in list_charts(odds) if chart.name == name)
    axes = Figure().subplots()
    chart.parts[0](axes)
    return axes


@pytest.mark.parametrize(
    ("name", "measure", "scale"), [("values", RANKING_MEASURE, 1), ("wins", "win_share", 100)]
)
def test_every_option_has_its_dot(odds: Odds, name: str, measure: str, scale: int) -> None:
    (dots,) = draw(odds, name).containers
    assert isinstance(dots, ErrorbarContainer)
    right = [scale * odds.estimate(measure, option).value for option in odds.ranking]
    assert len(right) > 3
    assert np.asarray(dots.lines[0].get_xdata()) == pytest.approx(right)


def test_the_totals_of_a_contract_hold_every_deal(odds: Odds) -> None:
    assert odds.get_text(odds.best).startswith("take")
    bars = draw(odds, f"total-{odds.best}").patches
    heights = [each.get_height() for each in bars if isinstance(each, Rectangle)]
    assert sum(heights) == pytest.approx(100)
