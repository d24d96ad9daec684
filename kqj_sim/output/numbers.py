"""The numbers of a run's tables, looked up by table, quantity and group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from kqj_sim.output.grid import EMPTY_CELL_TEXT, MIN_OBSERVATIONS, Cell, format_symmetric
from kqj_sim.output.screen import Run
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import Unit, find_quantity
from kqj_sim.stats.tables import Table

Group = tuple[Any, ...]
"""The values of group columns."""


class KeyFigure(NamedTuple):
    """A number for people: its name, and its place in the tables."""

    name: str
    table: str
    quantity: str
    group: Group = ()

    def locate(self, group: Group) -> tuple[Any, ...]:
        """Return its place in the tables by a group of --by, as arguments of `Numbers.get`."""
        return self.table, self.quantity, *group, *self.group


@dataclass(frozen=True)
class Numbers:
    """The numbers of a run's tables."""

    run: Run
    tables: Sequence[Table] = field(repr=False)

    @cached_property
    def _numbers(self) -> dict[tuple[str, str, Group], Estimate]:
        return {
            (table.name, quantity, group): estimate
            for table in self.tables
            for group, quantity, estimate in table.lines
        }

    @cached_property
    def tables_by_name(self) -> dict[str, Table]:
        """The tables by name."""
        return {table.name: table for table in self.tables}

    def __contains__(self, table: str) -> bool:
        return table in self.tables_by_name

    def estimate(self, table: str, quantity: str, *group: Any) -> Estimate:
        """Return a number; raise KeyError if it is not there."""
        return self._numbers[table, quantity, group]

    def estimates(self, table: str, quantity: str) -> dict[Group, Estimate]:
        """Return the numbers of a quantity by group, in the order of the table, if there is one."""
        return self.tables_by_name[table].estimates(quantity) if table in self else {}

    def get_unit(self, quantity: str) -> Unit:
        """Return the unit of a quantity."""
        return find_quantity(quantity, self.run.rules.game).unit

    def find_highest(self, table: str, quantity: str) -> tuple[Group, Estimate]:
        """Return the highest number of a quantity, with its group."""
        return max(self.estimates(table, quantity).items(), key=lambda item: item[1].value)

    def find_extremes(self, table: str, quantity: str) -> tuple[Any, Any]:
        """Return the group column's values with the highest and lowest number by `find_extremes`.

        Numbers of too few observations do not count.
        """
        return find_extremes(
            {
                group[0]: estimate
                for group, estimate in self.estimates(table, quantity).items()
                if estimate.observations >= MIN_OBSERVATIONS
            }
        )

    def get(self, table: str, quantity: str, *group: Any) -> Estimate | None:
        """Return a number, None if it is not there or of no observations."""
        estimate = self._numbers.get((table, quantity, group))
        return None if estimate is None or math.isnan(estimate.value) else estimate

    def cell(self, table: str, quantity: str, *group: Any, most_decimals: int = 2) -> Cell:
        """Return a number with its interval; a dash if there is none."""
        estimate = self.get(table, quantity, *group)
        if estimate is None:
            return Cell(EMPTY_CELL_TEXT)
        return format_symmetric(estimate, self.get_unit(quantity), most_decimals)

    def text(self, table: str, quantity: str, *group: Any) -> str:
        """Return a number with its interval for a sentence."""
        return self.cell(table, quantity, *group).words

    def value(self, table: str, quantity: str, *group: Any) -> float:
        """Return the value of a number, 0 if there is none."""
        estimate = self.get(table, quantity, *group)
        return 0.0 if estimate is None else estimate.value

    def count(self, table: str, quantity: str, *group: Any) -> int:
        """Return the number of observations behind a number, 0 if there is none."""
        estimate = self.get(table, quantity, *group)
        return 0 if estimate is None else estimate.observations

    def sum_deals(self, table: str, quantity: str) -> int:
        """Return the number of observations behind a quantity, of all groups together."""
        return sum(
            estimate.observations
            for place, estimate in self._numbers.items()
            if place[:2] == (table, quantity)
        )

    def list_groups(self, table: str) -> list[Group]:
        """Return the groups of a table, in its order."""
        return list(dict.fromkeys(group for group, *_ in self.tables_by_name[table].lines))

    @property
    def players_differ(self) -> bool:
        """True if the seats have different players."""
        return len(set(self.run.policies)) > 1

    @property
    def scorers(self) -> tuple[str, int]:
        """The holders of scores, `team` or `seat`, and their number."""
        rules = self.run.rules
        return ("seat" if rules.partners == "random" else "team"), rules.score_count


def find_extremes(numbers: Mapping[Any, Estimate]) -> tuple[Any, Any]:
    """Return the keys of the highest and of the lowest number, None where it is not shown.

    Its interval has to lie beyond those of all others.
    """
    if len(numbers) < 2:
        return None, None
    top = max(numbers, key=lambda key: numbers[key].low)
    bottom = min(numbers, key=lambda key: numbers[key].high)
    highest = max(estimate.high for key, estimate in numbers.items() if key != top)
    lowest = min(estimate.low for key, estimate in numbers.items() if key != bottom)
    return (
        top if numbers[top].low > highest else None,
        bottom if numbers[bottom].high < lowest else None,
    )
