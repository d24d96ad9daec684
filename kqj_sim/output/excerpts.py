"""Excerpts of tables: what a first screen shows of them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kqj_sim.output.grid import Grid, make_grids

if TYPE_CHECKING:
    from kqj_sim.stats.tables import Table


@dataclass(frozen=True)
class Excerpt:
    """Some columns and rows of a table, with numbers as short as a screen needs them.

    Attributes:
        quantities: the columns, in order; those that the table does not have are left out.
        without: group columns that are left out, since others say the same.
        title: the heading; None for that of the table.
        note: the remark below; None for that of the table.
        most: number of rows at most, the first ones.
        sorted_by: a quantity by which the rows fall; empty for the order of the table.
    """

    table: str
    quantities: tuple[str, ...]
    without: tuple[str, ...] = ()
    title: str | None = None
    note: str | None = None
    most: int | None = None
    sorted_by: str = ""

    def make_grids(self, tables: Mapping[str, Table], width: int | None = None) -> list[Grid]:
        """Return the excerpt as grids of a width; none if its table is not there."""
        table = tables.get(self.table)
        if table is None:
            return []
        rows = list(dict.fromkeys(group for group, *_ in table.lines))
        if self.sorted_by:
            numbers = table.estimates(self.sorted_by)
            rows.sort(key=lambda group: -numbers[group].value)
        shown = [at for at, group in enumerate(table.groups) if group not in self.without]
        numbers_by_place = {(group, name): estimate for group, name, estimate in table.lines}
        lines = [
            (tuple(group[at] for at in shown), name, numbers_by_place[group, name])
            for name in self.quantities
            for group in rows[: self.most]
            if (group, name) in numbers_by_place
        ]
        excerpt = replace(
            table,
            title=table.title if self.title is None else self.title,
            groups=tuple(table.groups[at] for at in shown),
            lines=lines,
            note=table.note if self.note is None else self.note,
        )
        return make_grids(excerpt, width, brief=True)
