"""Pictures of estimates: the same bytes again, legible, on any background."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

from kqj_sim.output.figures import RESULT_COLOURS, compute_error_lengths
from kqj_sim.output.page import INK
from kqj_sim.output.views import make_distribution, make_dots, make_heat_maps
from kqj_sim.stats.intervals import Estimate

HALF = Estimate(0.5, 0.4, 0.6, 100)
LITTLE = Estimate(0.01, 0.005, 0.02, 100)
NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


def heat() -> str:
    cells = {("9", 1): HALF, ("9", 2): LITTLE, ("8", 1): Estimate(0.7, 0.6, 0.8, 5)}
    picture = make_heat_maps(
        "made", "", {"made": cells}, ("top", ["9", "8"]), ("trumps", [1, 2, 3]), min_observations=30
    )
    return picture.svg


def gains() -> str:
    cells = {("9", 1): Estimate(-12.0, -13, -11, 90), ("8", 1): Estimate(40.4, 39, 42, 90)}
    panels = {"a": cells, "b": cells}
    return make_heat_maps(
        "gains", "", panels, ("top", ["9", "8"]), ("n", [1]), "points", diverging=True
    ).svg


def dotted() -> str:
    series = {"lap 1": {0: HALF, 1: LITTLE}, "lap 2": {0: NOTHING, 1: HALF}}
    return make_dots("laps", "", series, "% of deals", names={0: "opener", 1: "2nd"}).svg


def far_apart() -> str:
    series = {"all": {"a": HALF, "b": Estimate(0.0, 0.0, 0.01, 9)}}
    return make_dots("far", "", series, "%", logarithmic=True).svg


def stacked() -> str:
    stacks = {"made": {100: LITTLE, 110: HALF}, "failed": {90: HALF}}
    return make_distribution(
        "totals", "", stacks, "total", "% of deals", step=10, threshold=(123.0, "123: half")
    ).svg


ALL = [heat, gains, dotted, far_apart, stacked]


def texts(svg: str) -> list[str]:
    """The texts of a picture."""
    return [
        text.text or "" for text in ElementTree.fromstring(svg).iter() if text.tag.endswith("}text")
    ]


def test_error_bars_reach_the_bounds_that_there_are() -> None:
    unbounded = Estimate(0.5, -math.inf, math.inf, 1)
    below, above = compute_error_lengths([Estimate(0.5, 0.4, 0.8, 100), unbounded], 100)
    assert below == pytest.approx([10, 0])
    assert above == pytest.approx([30, 0])


@pytest.mark.parametrize("draw", ALL)
def test_same_numbers_give_the_same_bytes(draw: object) -> None:
    assert callable(draw)
    assert draw() == draw()


@pytest.mark.parametrize("draw", ALL)
def test_nothing_but_a_mark_is_black_or_white(draw: object) -> None:
    """Everything that must be seen on any background has the colour of the text."""
    assert callable(draw)
    svg = draw()
    assert INK in svg
    for element in ElementTree.fromstring(svg).iter():
        style = element.get("style", "")
        if element.tag.endswith("}text") and "#" in style:
            in_cell = draw in (heat, gains)
            assert INK in style or in_cell, style


def test_cells_are_numbers_and_those_of_few_deals_stay_empty() -> None:
    assert {"50.0", "1.0", "made", "top", "trumps"} <= {*texts(heat())}
    assert "70.0" not in texts(heat())
    assert "8" not in texts(heat())  # a row without a cell
    assert texts(gains()).count("-12") == 2
    assert "+40" in texts(gains())


def test_nothing_to_show_is_no_error() -> None:
    assert texts(make_distribution("totals", "", {}, "total", "%").svg)
    assert make_dots("made", "", {"made": {"a": HALF, "b": NOTHING}}, "%").svg == ""
    assert make_heat_maps("made", "", {"made": {}}, ("a", []), ("b", [])).svg == ""


def test_bars_of_nothing_and_of_the_tails_are_not_drawn() -> None:
    nothing, rare = Estimate(0.0, 0, 0.01, 9), Estimate(0.0004, 0, 0.01, 9)
    picture = make_distribution(
        "totals", "", {"made": {0: nothing, 10: HALF, 20: HALF, 900: rare}}, "total", "%", step=10
    )
    svg = picture.svg
    colour = RESULT_COLOURS["made"].lower()
    # One for each of the two, none in a legend.
    assert svg.count(f"fill: {colour}") == 2
    assert "900" not in texts(svg)


@pytest.mark.parametrize("draw", ALL)
def test_no_group_is_there_for_its_name_alone(draw: object) -> None:
    assert callable(draw)
    assert not re.search(r"<g( id=[^>]*)?>", draw())
