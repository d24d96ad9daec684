"""Chances and points in sentences, with the digits that their intervals leave."""

from __future__ import annotations

import math

from kqj_sim.stats.intervals import Estimate

_FEW_POINTS = 100
"""Where a round is worth at most this, points have hundredths."""


def format_chance(estimate: Estimate) -> str:
    """Return a chance as precise as its interval: `99.8%`, `71%`, `more than 99.9%`."""
    value = 100 * estimate.value
    known = not math.isnan(estimate.low)
    digits = 0 if known and 50 * (estimate.high - estimate.low) >= 0.95 else 1
    step = 10.0**-digits
    if value < 100 and round(value, digits) == 100:
        return f"more than {100 - step:.{digits}f}%"
    if value > 0 and round(value, digits) == 0:
        return f"less than {step:.{digits}f}%"
    return f"{value:.{0 if value in (0, 100) else digits}f}%"


def format_points(estimate: Estimate, max_points: int) -> str:
    """Return points as precise as their interval: `218`, `2.7`; without one with a decimal.

    Where a round is worth few points at most, they are in hundredths.
    """
    half = (estimate.high - estimate.low) / 2
    digits = 0 if half >= 0.5 and abs(estimate.value) >= 10 else 1
    digits = 2 if max_points < _FEW_POINTS else digits
    if math.isnan(half) and float(estimate.value).is_integer():
        digits = 0
    # A zero has no sign.
    return f"{estimate.value:z,.{digits}f}"


def format_half(estimate: Estimate, max_points: int) -> str:
    """Return the half-width of an interval of points; empty if there is none."""
    half = (estimate.high - estimate.low) / 2
    if math.isnan(half) or half == 0:
        return ""
    if math.isinf(half):
        return "?"
    if max_points < _FEW_POINTS:
        return f"{half:.2f}" if half >= 0.005 else f"{half:.3f}"
    return f"{half:,.0f}" if half >= 9.5 else f"{max(half, 0.1):.1f}"


def format_with_half(estimate: Estimate, max_points: int) -> str:
    """Return points with their interval in brackets: `120 (±3.1)`."""
    half = format_half(estimate, max_points)
    return format_points(estimate, max_points) + (f" (±{half})" if half else "")


def format_gap(estimate: Estimate, max_points: int) -> str:
    """Return the size of a difference of points, with its interval: `0.8 ±1.9`."""
    half = format_half(estimate, max_points)
    size = f"{abs(estimate.value):,.{2 if max_points < _FEW_POINTS else 1}f}"
    return f"{size} ±{half}" if half else size
