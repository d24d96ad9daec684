"""The report of a simulation, of either game: its tables with the key figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kqj_sim.games import find_game
from kqj_sim.output.key_figures import make_key_figures
from kqj_sim.output.numbers import Numbers
from kqj_sim.output.run import Report, Run

if TYPE_CHECKING:
    from kqj_sim.stats.tables import Table


def make_simulation_report(run: Run, tables: Sequence[Table]) -> Report:
    """Return the report of a simulation with these tables."""
    found = make_key_figures(Numbers(run, tables), find_game(run.rules.game).part("figures"))
    # Without key figures the headline says everything.
    shown = None if found.grids else ()
    return Report(
        run, tables, found.headline, key_grids=found.grids, shown=shown, remarks=found.remarks
    )
