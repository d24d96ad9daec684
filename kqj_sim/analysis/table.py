"""A table of results: numbers with their intervals, in long form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from kqj_sim.analysis.intervals import Estimate

if TYPE_CHECKING:
    import pandas as pd

Unit: TypeAlias = Literal["share", "points", "count", "amount", "rounds"]

Line: TypeAlias = tuple[tuple[int | str, ...], str, Unit, Estimate]
"""A row of a table: its group (a value for each group column), quantity, unit, number."""

Lines: TypeAlias = Iterable[Line]


@dataclass(frozen=True)
class Table:
    """A named table.

    `frame` has a row a number: the columns of `groups` (text or int), then `quantity` (text),
    `unit` ("share" from 0 to 1, "points", "count", "amount" or "rounds"), `value`, `low` and
    `high` (floats; the bounds are NaN where an interval has no meaning), and `deals`, the
    number of observations behind the number: deals, or games where the title says so.  People
    are shown these numbers if `counted`.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    frame: pd.DataFrame
    note: str = ""
    counted: bool = True


def make_table(
    name: str,
    title: str,
    groups: tuple[str, ...],
    lines: Lines,
    note: str = "",
    counted: bool = True,
) -> Table:
    """The table of these lines, in their order."""
    import pandas as pd

    lines = list(lines)
    data: dict[str, list[object]] = {
        column: [group[place] for group, *_ in lines] for place, column in enumerate(groups)
    }
    data["quantity"] = [quantity for _, quantity, _, _ in lines]
    data["unit"] = [unit for _, _, unit, _ in lines]
    for column in ("value", "low", "high"):
        data[column] = [getattr(estimate, column) for *_, estimate in lines]
    data["deals"] = [estimate.observations for *_, estimate in lines]
    return Table(name, title, groups, pd.DataFrame(data), note, counted)
