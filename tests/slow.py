"""Parameters of tests of which some are fast, and the others run with `--slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


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
