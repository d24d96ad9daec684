"""Rounds as `kqj-sim show` prints them, and parts of that text."""

from __future__ import annotations

import re

from kqj_sim.cards import SUIT_SYMBOLS
from kqj_sim.output.grid import to_screen
from kqj_sim.questions.records.screen import render_round
from kqj_sim.record import Record


def print_round(record: Record, color: bool = False) -> str:
    return to_screen(render_round(record), color=color, width=None)


def with_symbol(card: str) -> str:
    """Return `Th` as `T♥`."""
    return card[0] + SUIT_SYMBOLS[card[1]]


def find_section(text: str, title: str) -> str:
    """Return the lines between a title and the next empty line."""
    return re.split(rf"^{title}$", text, maxsplit=1, flags=re.MULTILINE)[1].split("\n\n")[0]
