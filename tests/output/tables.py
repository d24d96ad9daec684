"""Tables as the analysis makes them, small enough to be checked by eye."""

from __future__ import annotations

import math
from typing import Any

from kqj_sim.output.screen import Run, Screen
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow

NAN = math.nan


def run(**changes: object) -> Run:
    fields: dict[str, object] = {
        "command": "simulate",
        "rules": KqjRules(),
        "policies": ("standard",) * 6,
        "seed": 1,
        "first": 0,
        "deals": 1_000_000,
        "confidence": 0.95,
        **changes,
    }
    return Run(**fields)  # type: ignore[arg-type]


def table(
    name: str, groups: tuple[str, ...], rows: list[tuple[object, ...]], note: str = ""
) -> Table:
    """A table from rows of group values, quantity, value, low, high, deals."""
    title = f"The {name.replace('_', ' ')}"
    lines = [line(len(groups), *row) for row in rows]
    return Table(name, title, groups, lines, note, game="kqj")


def line(groups: int, *row: Any) -> TableRow:
    """A line from the values of so many groups, quantity, value, low, high, deals."""
    quantity, *numbers = row[groups:]
    return row[:groups], quantity, Estimate(*numbers)


TAKEN = table(
    "taken",
    (),
    [
        ("taken_share", 0.671, 0.670, 0.672, 1_000_000),
        ("passed_out_share", 0.329, 0.328, 0.330, 1_000_000),
        ("games_count", 1_000_000.0, NAN, NAN, 1_000_000),
    ],
)
RESULTS = table(
    "results_by_contract",
    ("lap", "contract"),
    [
        (1, "h", "win_share", 0.7, 0.65, 0.75, 400),
        (1, "h", "own_total_mean", 141.25, 140.0, 142.5, 400),
        (1, "AT", "win_share", 0.0, 0.0, 0.004, 900),
        (1, "AT", "own_total_mean", NAN, NAN, NAN, 0),
        (2, "NT", "win_share", 0.5, 0.4, 0.6, 90),
        (2, "NT", "own_total_mean", 120.5, 110.5, 130.5, 90),
    ],
    note="A note.",
)
REPORT = Screen(run(), [TAKEN, RESULTS])
