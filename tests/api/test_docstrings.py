"""The examples of the public docstrings run, and every public name has one."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import kqj_sim

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "python_reference.md"
DOCUMENTED = [name for name in kqj_sim.__all__ if not isinstance(getattr(kqj_sim, name), int | str)]
"""The names with docstrings; constants have examples in the reference."""


def run_examples(text: str, name: str) -> list[doctest.Example]:
    """Run the examples of a text and return them; raise AssertionError if one fails."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0
    return test.examples


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_public_names_run(name: str) -> None:
    examples = run_examples(inspect.getdoc(getattr(kqj_sim, name)) or "", name)
    assert len(examples) >= 2, f"{name} has no example"
    assert any(each.want for each in examples)


def test_examples_of_constants_run() -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", REFERENCE.read_text(encoding="utf-8"), re.S)
    code = "".join(each.source for block in blocks for each in run_examples(block, "reference"))
    used = {*re.findall(r"kqj\.(\w+)", code)}
    assert {*kqj_sim.__all__} - {*DOCUMENTED} <= used


def test_the_reference_lists_every_public_name_once() -> None:
    marks = re.findall(r"<!-- api\s(.*?)-->", REFERENCE.read_text(encoding="utf-8"), re.S)
    assert sorted(name for mark in marks for name in mark.split()) == sorted(kqj_sim.__all__)


def test_names_of_commands_are_functions() -> None:
    """No module of the package hides a function of the same name once it is imported."""
    import kqj_sim.recording
    import kqj_sim.simulation

    for name in ("simulate", "odds", "compare", "sweep", "tune", "report", "records", "play"):
        assert inspect.isfunction(getattr(kqj_sim, name)), name
