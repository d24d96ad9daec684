"""Tables within a table: what a policy needs that plays hands out with other policies.

Such a policy has as its resource an int64 array: the rules, then one table for each policy that it
names in its parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray
from numpy.typing import NDArray

from kqj_sim.core.asking import MEMBERS
from kqj_sim.core.compile import float64_at, int64_at, scalar
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Table
from kqj_sim.core.state import SEATS

RULES = len(Rules._fields)
STAGES, RESUME = 3, 3
TABLE = 7
"""Numbers of a table: four addresses of arrays, the number of policies, the seats, another one."""


def nest(rules: Rules, tables: list[Table | None]) -> NDArray[np.int64]:
    """The resource of a policy; the tables' arrays must outlive it, None is for one left out."""
    numbers = list(rules)
    for table in tables:
        if table is None:
            numbers += [0] * TABLE
            continue
        numbers += [
            table.functions.ctypes.data, table.parameters.ctypes.data, table.resources.ctypes.data,
            table.stages.ctypes.data, table.resume.ctypes.data, table.distinct, table.seats,
        ]  # fmt: skip
    return np.array(numbers, dtype=np.int64)


@scalar
def nested_rules(resource: Any) -> Rules:
    """The rules in a resource (a pointer to int64)."""
    return Rules(
        resource[0], resource[1], resource[2], resource[3], resource[4], resource[5], resource[6],
        resource[7], resource[8],
    )  # fmt: skip


@scalar
def nested_table(resource: Any, number: int) -> Table:
    """A table in a resource (a pointer to int64); nothing is imposed, remembered or described.

    `distinct` is 0 for none.
    """
    at = RULES + TABLE * number
    return Table(
        carray(int64_at(resource[at]), MEMBERS * SEATS),
        carray(float64_at(resource[at + 1]), MEMBERS * SEATS * MAX_PARAMETERS),
        carray(int64_at(resource[at + 2]), MEMBERS * SEATS),
        resource[at + 5],
        resource[at + 6],
        carray(int64_at(resource[at + 3]), STAGES),
        carray(int64_at(resource[at + 4]), RESUME),
        -1,
        -1,
        0,
        0,
        carray(int64_at(resource[at + 4]), 0),
    )
