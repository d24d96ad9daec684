"""A table of results: numbers with their intervals, in long form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kqj_sim.analysis.intervals import Estimate

if TYPE_CHECKING:
    import pandas as pd

Unit: TypeAlias = Literal["share", "points", "count", "amount", "rounds", "change"]
"""A `change` is one of a score of a few points, of which hundredths are shown."""

Line: TypeAlias = tuple[tuple[int | str, ...], str, Unit, Estimate]
"""A row of a table: its group (a value for each group column), quantity, unit, number."""

Lines: TypeAlias = Iterable[Line]


@dataclass(frozen=True)
class Table:
    """A named table.

    Attributes:
        name, title: what it is called by programs and by people.
        groups: names of the group columns.
        lines: its rows, a number each.
        note: what people should know of it.
        counted: whether people are shown the number of observations behind each number.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""
    counted: bool = True

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The lines as a frame with a row a number.

        Its columns are those of `groups` (text or int), then `quantity` (text), `unit` ("share"
        from 0 to 1, "points", "count", "amount" or "rounds"), `value`, `low` and `high` (floats;
        the bounds are NaN where an interval has no meaning), and `deals`, the number of
        observations behind the number: deals, or games where the title says so.
        """
        # Here and not above: whoever only reads the lines need not wait for it.
        import pandas as pd

        data: dict[str, list[object]] = {
            column: [group[place] for group, *_ in self.lines]
            for place, column in enumerate(self.groups)
        }
        data["quantity"] = [quantity for _, quantity, _, _ in self.lines]
        data["unit"] = [unit for _, _, unit, _ in self.lines]
        for column in ("value", "low", "high"):
            data[column] = [getattr(estimate, column) for *_, estimate in self.lines]
        data["deals"] = [estimate.observations for *_, estimate in self.lines]
        return pd.DataFrame(data)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The different quantities, in the order of the table."""
        return tuple(dict.fromkeys(quantity for _, quantity, _, _ in self.lines))

    def estimates(self, quantity: str) -> dict[tuple[Any, ...], Estimate]:
        """The numbers of a quantity by group, in the order of the table."""
        return {
            group: Estimate(float(each.value), float(each.low), float(each.high), each.observations)
            for group, name, _, each in self.lines
            if name == quantity
        }


def make_table(
    name: str,
    title: str,
    groups: tuple[str, ...],
    lines: Lines,
    note: str = "",
    counted: bool = True,
) -> Table:
    """The table of these lines, in their order."""
    return Table(name, title, groups, tuple(lines), note, counted)
