"""The examples of the public docstrings run, and every public name has one."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import kqj_sim
from tests.command_line import run_python

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "python_reference.md"
DOCUMENTED = [name for name in kqj_sim.__all__ if not isinstance(getattr(kqj_sim, name), int | str)]
"""The names with docstrings; constants have examples in the reference."""


def run_examples(text: str, name: str) -> list[doctest.Example]:
    """Run the examples of a text and return them; raise AssertionError if one fails."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0
    return test.examples


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if "eview" in name or "check_" in name else ())
        for name in DOCUMENTED
    ],
)
def test_examples_of_public_names_run(name: str) -> None:
    examples = run_examples(inspect.getdoc(getattr(kqj_sim, name)) or "", name)
    assert len(examples) >= 2, f"{name} has no example"
    assert any(each.want for each in examples)


def test_examples_of_constants_run() -> None:
    section = REFERENCE.read_text(encoding="utf-8").split("\n### Constants\n")[1]
    (block,) = re.findall(r"```pycon\n(.*?)```", section, re.S)
    code = "".join(each.source for each in run_examples(block, "reference"))
    used = {*re.findall(r"kqj\.(\w+)", code)}
    assert {*kqj_sim.__all__} - {*DOCUMENTED} <= used


def test_names_of_commands_are_functions() -> None:
    """No module of the package hides a function of the same name once it is imported."""
    import kqj_sim.simulation.recording
    import kqj_sim.simulation.run

    for name in ("simulate", "odds", "compare", "sweep", "tune", "report", "records", "show"):
        assert inspect.isfunction(getattr(kqj_sim, name)), name


SHELL_WORDS = r"(?<!\w)--\w|stdin|repeatable|\b(?:CARDS|FILE|POLICIES|exit status)\b"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstrings_speak_python(name: str) -> None:
    shown = getattr(kqj_sim, name)
    texts = [inspect.getdoc(each) for each in (shown, *vars(shown).values())]
    assert not [text for text in texts if re.search(SHELL_WORDS, text or "")]


def test_a_tour_by_someone_new_is_short() -> None:
    """From the import to a policy compared and its lead drawn; tests/test_readme.py runs it."""
    page = REFERENCE.with_name("quick_start.md").read_text(encoding="utf-8")
    (tour,) = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len([line for line in tour.splitlines() if line.strip()]) <= 15
    assert all(word in tour for word in ("import kqj_sim", "@kqj.policy", "compare", "plot()"))


def test_the_import_takes_no_time() -> None:
    program = (
        "import time; before = time.process_time(); import kqj_sim; "
        "print(time.process_time() - before)"
    )
    assert min(float(run_python("-c", program).stdout) for _ in range(5)) <= 0.05


def test_experiments_take_one_policy_for_all_seats() -> None:
    """The type checker, too, accepts a text, a policy, and one for each seat."""
    low = kqj_sim.policy(_play_low)
    experiments = [
        kqj_sim.Experiment(players="greedy", deals=1),
        kqj_sim.Experiment(players=low, deals=1),
        kqj_sim.Experiment(players=("greedy", low) * 3, deals=1),
    ]
    assert [[player.given for player in each.players] for each in experiments] == [
        ["greedy"] * 6,
        ["_play_low"] * 6,
        ["greedy", "_play_low"] * 3,
    ]


def _play_low(view: Any) -> Any:
    return kqj_sim.lowest(view.legal)
