"""What was found in an experiment, as the chapters of a report read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.table import Table
from kqj_sim.reporting.grid import Cell, Grid, format_number, table_grids
from kqj_sim.reporting.page import Picture

if TYPE_CHECKING:
    from kqj_sim.analysis.study import Study

FEW = 30
"""With fewer deals a number is neither drawn nor named in a sentence."""


@dataclass(frozen=True)
class Findings:
    """A study with what is needed to tell of it.

    `slug` sets its files apart from others' if there are several, and is empty if not; then its
    pictures have the scale that suits them alone.
    """

    study: Study
    slug: str = ""

    @property
    def tables(self) -> Mapping[str, Table]:
        """The study's tables by name."""
        return self.study.tables

    def estimate(self, table: str, quantity: str, *group: int | str) -> Estimate:
        """A number of a table; raises KeyError if it is not there."""
        return self.tables[table].estimates(quantity)[group]

    def cell(self, table: str, quantity: str, *group: int | str) -> Cell:
        """A number with its interval, as the tables on the page write it."""
        lines = self.tables[table].lines
        unit = next(unit for _, name, unit, _ in lines if name == quantity)
        return shown(self.estimate(table, quantity, *group), unit)

    def show(self, table: str, quantity: str, *group: int | str) -> str:
        """The same as text, for a sentence."""
        return str(self.cell(table, quantity, *group))

    def by(self, table: str, quantity: str) -> dict[Any, Estimate]:
        """The numbers of a table with a single group column, by its values."""
        found = self.tables[table].estimates(quantity)
        return {group[0]: each for group, each in found.items()}

    def picture(self, name: str, alt: str, svg: str) -> Picture:
        """A picture of this study."""
        return Picture(f"{self.slug}-{name}" if self.slug else name, alt, svg)

    def grids(self, *names: str) -> tuple[Grid, ...]:
        """Those of these tables that there are, for the page."""
        found = (self.tables[name] for name in names if name in self.tables)
        return tuple(grid for table in found for grid in table_grids(table))


def shown(estimate: Estimate, unit: str) -> Cell:
    """A number with its interval as tables write it."""
    return format_number(estimate.value, estimate.low, estimate.high, unit)


def well_known(numbers: Mapping[Any, Estimate]) -> dict[Any, Estimate]:
    """Those that stand on enough observations to be named in a sentence."""
    return {key: each for key, each in numbers.items() if each.observations >= FEW}


def all_tables(findings: Iterable[Findings]) -> dict[str, Table]:
    """Every table by the name of its file, without suffix."""
    return {
        f"{found.slug}/{name}" if found.slug else name: table
        for found in findings
        for name, table in found.tables.items()
    }
