"""Copies of functions in which some names stand for something else."""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.core.jit import kernel, rebind_globals, scalar

STEP = 1


@scalar
def _change(number: int) -> int:
    return number + STEP


def climb(number: int) -> int:
    """Two steps."""
    steps: int = _change(_change(number))
    return steps


def test_a_copy_differs_in_the_names_that_are_bound() -> None:
    larger: Any = scalar(rebind_globals("larger", _change, STEP=10))
    compiled = [kernel(cache=False)(rebind_globals(name, climb, _change=each))
                for name, each in (("one", _change), ("ten", larger))]  # fmt: skip
    assert [each(0) for each in compiled] == [2, 20]
    assert climb(0) == 2 and STEP == 1
    copy = rebind_globals("one", climb, _change=larger)
    assert (copy.__name__, copy.__qualname__, copy.__doc__) == ("one", "one", climb.__doc__)
    assert copy.__module__ == climb.__module__


def test_a_name_that_a_function_does_not_use_is_refused() -> None:
    with pytest.raises(NameError, match="climb uses no name 'STEP'"):
        rebind_globals("other", climb, STEP=2)
