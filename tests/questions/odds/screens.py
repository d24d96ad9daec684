"""Odds as a terminal of 80 columns shows them."""

from __future__ import annotations

from typing import Any

from kqj_sim.output.formats import render
from kqj_sim.questions.odds.screen import make_odds_report

MOST_LINES, WIDTH = 30, 80


def check_screen(odds: Any) -> None:
    """Check that odds fit a screen."""
    lines = render(make_odds_report(odds), "table", width=WIDTH).decode().splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH
