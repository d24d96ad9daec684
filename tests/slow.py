"""Parameters of tests of which some are fast, and the others run with `--slow`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest

from kqj_sim.rules import GameRules


def slow_after(count: int, values: Iterable[Any]) -> list[Any]:
    """Return the parameters, all but the first `count` of them marked slow."""
    return [
        value if number < count else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def slow_rows_after(count: int, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return rows of several parameters, all but the first `count` of them marked slow."""
    return [
        row if number < count else pytest.param(*row, marks=pytest.mark.slow)
        for number, row in enumerate(rows)
    ]


def slow_between(step: int, values: Iterable[Any]) -> list[Any]:
    """Return the parameters, all but every `step`-th one marked slow."""
    return [
        value if number % step == 0 else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def slow_rules(count: int, rules: Iterable[GameRules]) -> list[Any]:
    """Return rules, all but the first `count` of each game marked slow."""
    by_game = groupby(rules, key=lambda each: each.game)
    return [value for _, of_game in by_game for value in slow_after(count, of_game)]
