"""Pictures of estimates: the same bytes again, legible, on any background."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

from kqj_sim.output.figures import (
    RESULT_COLOURS,
    Chart,
    Drawing,
    compute_error_lengths,
    make_distribution,
    make_dots,
    make_heat_maps,
    make_lines,
    make_message,
)
from kqj_sim.output.page import INK
from kqj_sim.stats.intervals import Estimate
from kqj_sim.suffixes import PLOT_SUFFIXES
from tests.output.images import SIGNATURES, read_texts

HALF = Estimate(0.5, 0.4, 0.6, 100)
LITTLE = Estimate(0.01, 0.005, 0.02, 100)
NOTHING = Estimate(math.nan, math.nan, math.nan, 0)
LEAD = Estimate(-12.0, -13, -11, 90)
STACKS = {"made": {100: LITTLE, 110: HALF}, "failed": {90: HALF}}

RARE = Estimate(0.7, 0.6, 0.8, 5)
LEADS = {("9", 1): LEAD, ("8", 1): Estimate(40.4, 39, 42, 90)}

CHARTS: dict[str, Chart | None] = {
    "heat": make_heat_maps(
        "made", "", {"made": {("9", 1): HALF, ("9", 2): LITTLE, ("8", 1): RARE}},
        ("top", ["9", "8"]), ("trumps", [1, 2, 3]), min_observations=30,
    ),
    "gains": make_heat_maps(
        "gains", "", {"a": LEADS, "b": LEADS},
        ("top", ["9", "8"]), ("n", [1]), "points", diverging=True,
    ),
    "dots": make_dots(
        "laps", "", {"lap 1": {0: HALF, 1: LITTLE}, "lap 2": {0: NOTHING, 1: HALF}}, "% of deals",
        names={0: "opener", 1: "2nd"}, numbered=True,
    ),
    "far apart": make_dots(
        "far", "", {"all": {"a": HALF, "b": Estimate(0.0, 0.0, 0.01, 9)}}, "%", logarithmic=True,
        numbered=True,
    ),
    "stacks": make_distribution(
        "totals", "", STACKS, "total", "% of deals", step=10, threshold=(123.0, "123: half")
    ),
    "totals": make_distribution(
        "points", "", {"wins": {1: HALF}}, "points", "%", totals={1: HALF, 2: NOTHING}
    ),
    "lines": make_lines(
        "shares", "", {"taken": {0: HALF, 10: LITTLE}, "made": {0: LITTLE, 10: HALF}}, "take", "%",
        "share", names={0: "none", 10: "ten"},
    ),
    "bands": make_lines(
        "leads", "", {"": {1000: LEAD, 5000: LEAD}}, "deals", "points", band=True, logarithmic=True,
        tolerance=0.5,
    ),
}  # fmt: skip


def svg(name: str) -> str:
    chart = CHARTS[name]
    assert chart is not None
    return chart.make_picture().svg


def texts(svg: str) -> list[str]:
    return [
        text.text or "" for text in ElementTree.fromstring(svg).iter() if text.tag.endswith("}text")
    ]


def test_error_bars_reach_the_bounds_that_there_are() -> None:
    unbounded = Estimate(0.5, -math.inf, math.inf, 1)
    below, above = compute_error_lengths([Estimate(0.5, 0.4, 0.8, 100), unbounded], 100)
    assert below == pytest.approx([10, 0])
    assert above == pytest.approx([30, 0])


@pytest.mark.parametrize("name", CHARTS)
def test_pictures_are_the_same_bytes_for_any_background(name: str) -> None:
    """Everything that must be seen on any background has the colour of the text."""
    picture = svg(name)
    assert picture == svg(name)
    assert INK in picture
    for element in ElementTree.fromstring(picture).iter():
        style = element.get("style", "")
        if element.tag.endswith("}text") and "#" in style:
            assert INK in style or name in ("heat", "gains", "far apart"), style
    # No group is there for its name alone.
    assert not re.search(r"<g( id=[^>]*)?>", picture)


def test_cells_are_numbers_and_those_of_few_deals_stay_empty() -> None:
    heat = texts(svg("heat"))
    assert {"50.0", "1.0", "made", "top", "trumps"} <= {*heat}
    assert "8" not in heat  # a row without a cell
    gains = texts(svg("gains"))
    assert gains.count("-12") == 2 and "+40" in gains


def test_numbers_are_written_beside_their_marks() -> None:
    assert {"50.0% ±10.0", "1.0% (0.5 to 2.0)"} <= {*texts(svg("dots"))}
    assert {"50.0% ±10.0", "none"} <= {*texts(svg("far apart"))}
    assert "50.0" in texts(svg("totals"))
    assert {"1,000", "2,000", "5,000", "within ±0.5: equal"} <= {*texts(svg("bands"))}
    assert {"none", "ten", "taken", "made"} <= {*texts(svg("lines"))}


def test_nothing_to_show_is_no_error() -> None:
    assert texts(make_distribution("totals", "", {}, "total", "%").make_picture().svg)
    assert make_dots("made", "", {"made": {"a": HALF, "b": NOTHING}}, "%") is None
    assert make_heat_maps("made", "", {"made": {}}, ("a", []), ("b", [])) is None


def test_bars_of_nothing_and_of_the_tails_are_not_drawn() -> None:
    nothing, rare = Estimate(0.0, 0, 0.01, 9), Estimate(0.0004, 0, 0.01, 9)
    stacks = {"made": {0: nothing, 10: HALF, 20: HALF, 900: rare}, "failed": {0: nothing}}
    drawn = make_distribution("totals", "", stacks, "total", "%", step=10).make_picture().svg
    # One for each of the two, and one in the legend.
    assert drawn.count(f"fill: {RESULT_COLOURS['made'].lower()}") == 3
    assert not {"900", "failed"} & {*texts(drawn)}


def test_distributions_of_the_same_scales_have_the_same_ticks() -> None:
    tall = {"made": {10: HALF, 50: HALF}}
    one = make_distribution("one", "", tall, "", "", step=10, alike=[STACKS])
    other = make_distribution("other", "", STACKS, "", "", step=10, alike=[tall])
    one_texts, other_texts = (texts(chart.make_picture().svg) for chart in (one, other))
    assert [*filter(str.isdigit, one_texts)] == [*filter(str.isdigit, other_texts)]


@pytest.mark.parametrize("format", PLOT_SUFFIXES.values())
def test_drawings_come_in_every_format_and_have_everything(format: str) -> None:
    charts = [chart for chart in CHARTS.values() if chart is not None]
    drawing = Drawing(["A headline.", "A run."], [charts[0]._replace(title="Made."), *charts[1:]])
    picture = drawing.render(format)
    assert picture.startswith(SIGNATURES[format])
    if format == "svg":
        words = {"A headline.", "A run.", "50.0% ±10.0", "lap 1", "within ±0.5: equal"}
        assert words <= read_texts(picture)
    assert Drawing([], [make_message("nothing")]).render(format).startswith(SIGNATURES[format])
