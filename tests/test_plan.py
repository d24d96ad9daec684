"""A plan holds numbers in range only."""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.errors import InputError
from kqj_sim.paired.leads import ComparisonPlan
from kqj_sim.plan import Plan
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.questions.compare.play import SearchPlan


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"deals": 0}, "deals is 0: it should be 1 or more"),
        ({"precision": -1.0}, "precision is -1: it should be above 0"),
        ({"precision": float("nan")}, "precision is nan: it should be above 0"),
        ({"time": 0.0}, "time is 0: it should be above 0"),
        ({"time": float("inf")}, "time is inf: it should be above 0"),
        ({"seed": -1}, "seed is -1: it should be 0 to 9223372036854775807"),
        ({"first": -1}, "first is -1: it should be 0 or more"),
        ({"confidence": 1.0}, "confidence is 1, not between 0 and 1"),
    ],
)
@pytest.mark.parametrize("kind", [Plan, ComparisonPlan, EstimatePlan])
def test_numbers_out_of_range_raise(kind: type[Plan], values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**values)


def test_plans_check_what_they_add() -> None:
    with pytest.raises(InputError, match="give one of them"):
        ComparisonPlan(deals=5, precision=1.0)
    with pytest.raises(InputError, match="indifference is 0: it should be above 0"):
        ComparisonPlan(indifference=0.0)
    with pytest.raises(InputError, match=r"precision is 1\.5, not between 0 and 1"):
        EstimatePlan(precision=1.5)
    with pytest.raises(InputError, match="threads is 0: it should be 1 to 1024"):
        EstimatePlan(threads=0)
    with pytest.raises(InputError, match="confirm is 1: it should be 2 or more"):
        SearchPlan(deals=10, generations=1, candidates=None, confirm=1)
