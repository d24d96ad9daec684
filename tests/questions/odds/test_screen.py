"""Odds on a screen of 80 columns, at most 30 lines, and their pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from kqj_sim.notation.typed import read_typed_position
from kqj_sim.output.formats import render
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.odds import Odds
from kqj_sim.questions.odds.screen import list_charts, make_odds_screen
from kqj_sim.rules import GameRules, KqjRules
from tests.games.every import SHARED
from tests.variants import OTHER_GAMES

MOST_LINES, WIDTH = 30, 80
FIVE, EIGHT = "9h 8h Ah Ks 4d", "9h 8h Ah Kh Qh 5d 6c Ac"
PLAYER = "points+greedy"


def check_screen(odds: Any) -> None:
    lines = render(make_odds_screen(odds), "table", width=WIDTH).decode().splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(("rules", "hand", "known"), [
    (KqjRules(), FIVE, {"return_card": "7h", "heard": "pass, pass, pass, pass, pass, pass"}),
    (KqjRules(teams=3, partners="random"), FIVE, {"return_card": "7h"}),
    (KqjRules(bidding="auction"), EIGHT, {"heard": "pass, 120 s, pass"}),
    (KqjRules(bidding="auction", teams=3, partners="random"), EIGHT, {}),
    *(
        (
            rules, (shared := SHARED[rules.game]).HAND[0],
            {"return_card": shared.HAND[2], "place": 1, "pending": shared.PENDING[1]},
        )
        for rules in OTHER_GAMES.values()
    ),
])  # fmt: skip
def test_calls_fit_a_screen(rules: GameRules, hand: str, known: dict[str, Any]) -> None:
    player = PLAYER if isinstance(rules, KqjRules) else "random"
    check_screen(estimate_position(read_typed_position(hand, rules, **known), player, deals=512))


@pytest.mark.parametrize("ignore_calls", [True, False])
@pytest.mark.parametrize(("rules", "hand", "heard", "return_card"), [
    (KqjRules(), EIGHT, "take s", "7s"),
    (KqjRules(bidding="auction"), EIGHT, "120 s, pass, pass, pass, pass, pass", None),
])  # fmt: skip
def test_cards_fit_a_screen(
    rules: GameRules, hand: str, heard: str, return_card: str | None, ignore_calls: bool
) -> None:
    """Eight legal cards, on the lead of a suit that the player does not hold."""
    position = read_typed_position(hand, rules, played="4s", heard=heard, return_card=return_card)
    found = estimate_position(position, PLAYER, deals=300, ignore_calls=ignore_calls)
    assert len(found.options) == 8
    check_screen(found)


@pytest.fixture(scope="module")
def odds() -> Odds:
    """The odds of a pass and of the calls to choose from in the second lap."""
    heard = ", ".join(["pass"] * 6)
    situation = read_typed_position(FIVE, KqjRules(), return_card="7h", heard=heard)
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
    right = [scale * odds.estimate(measure, option).value for option in odds.rows]
    assert len(right) > 3
    assert np.asarray(dots.lines[0].get_xdata()) == pytest.approx(right)


def test_the_totals_of_a_contract_hold_every_deal(odds: Odds) -> None:
    assert odds.get_text(odds.best).startswith("take")
    bars = draw(odds, f"total-{odds.best}").patches
    heights = [each.get_height() for each in bars if isinstance(each, Rectangle)]
    assert sum(heights) == pytest.approx(100)
