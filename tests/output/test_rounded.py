"""Chances and points in sentences."""

from __future__ import annotations

import math

import pytest

from kqj_sim.output.sentences import (
    format_chance,
    format_gap,
    format_half,
    format_points,
    format_with_half,
)
from kqj_sim.stats.intervals import Estimate


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.9984, 0.997, 0.999, "99.8%"),
        (0.712, 0.70, 0.72, "71%"),
        # A chance is never rounded to certainty.
        (0.9999, 0.999, 1.0, "more than 99.9%"),
        (0.996, 0.98, 1.0, "more than 99%"),
        (0.0001, 0.0, 0.001, "less than 0.1%"),
        (1.0, 0.999, 1.0, "100%"),
        (0.0, math.nan, math.nan, "0%"),
    ],
)
def test_chances(value: float, low: float, high: float, text: str) -> None:
    assert format_chance(Estimate(value, low, high, 1000)) == text


@pytest.mark.parametrize(
    ("value", "half", "most", "points", "width", "gap"),
    [
        (1218.4, 3.14, 600, "1,218", "3.1", "1,218.4 ±3.1"),
        (218.4, 0.3, 600, "218.4", "0.3", "218.4 ±0.3"),
        (-9.46, 12.2, 600, "-9.5", "12", "9.5 ±12"),
        (-0.04, 0.001, 600, "0.0", "0.1", "0.0 ±0.1"),
        (12.0, math.nan, 600, "12", "", "12.0"),
        (12.5, math.inf, 600, "12", "?", "12.5 ±?"),
        (0.5, 0.012, 4, "0.50", "0.01", "0.50 ±0.01"),
        (0.5, 0.0042, 4, "0.50", "0.004", "0.50 ±0.004"),
    ],
)
def test_points(value: float, half: float, most: int, points: str, width: str, gap: str) -> None:
    estimate = Estimate(value, value - half, value + half, 1000)
    assert format_points(estimate, most) == points
    assert format_half(estimate, most) == width
    assert format_gap(estimate, most) == gap
    assert format_with_half(estimate, most) == (f"{points} (±{width})" if width else points)
