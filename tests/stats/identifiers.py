"""Identifiers of quantities in what a command prints."""

from __future__ import annotations

import json
import re

from kqj_sim.stats.quantities import list_quantities
from tests.command_line import run

FEW = ("--deals", "40", "--format", "json")


def check_identifiers(game: str, *words: str) -> None:
    """Check that each quantity of a command's tables has a heading.

    Args:
        game: name of the game.
        words: a command line that prints JSON.
    """
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    tables = json.loads(done.stdout)["tables"]
    assert tables
    for table in tables:
        for quantity in {row["quantity"] for row in table["rows"]}:
            assert re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", quantity), (table["name"], quantity)
            assert quantity in list_quantities(game), (table["name"], quantity)
