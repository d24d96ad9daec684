"""The examples of the public docstrings run, and every public function has one."""

from __future__ import annotations

import doctest
import inspect

import pytest

import kqj_sim

FUNCTIONS = [
    name
    for name in kqj_sim.__all__
    if getattr(getattr(kqj_sim, name), "__module__", "").startswith("kqj_sim.api.")
    and inspect.isfunction(getattr(kqj_sim, name))
]
"""The functions for questions; those to write policies with are in docs/policies.md."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_public_functions_run(name: str) -> None:
    function = getattr(kqj_sim, name)
    found = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    examples = [example for each in found for example in each.examples]
    assert len(examples) >= 2, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for each in found:
        assert runner.run(each).failed == 0


def test_names_of_commands_are_functions() -> None:
    """No module of the package hides a function of the same name once it is imported."""
    import kqj_sim.recording
    import kqj_sim.simulation

    for name in ("simulate", "odds", "compare", "sweep", "tune", "report", "records", "play"):
        assert inspect.isfunction(getattr(kqj_sim, name)), name
