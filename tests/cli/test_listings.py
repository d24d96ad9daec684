"""The commands that list columns and policies."""

from __future__ import annotations

from kqj_sim.columns import COLUMNS
from kqj_sim.policies import describe
from tests.cli.test_program import run


def test_columns_lists_every_column() -> None:
    lines = run("columns", "--format", "markdown").output.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [c.name for c in COLUMNS]
    for line, column in zip(lines[2:], COLUMNS, strict=True):
        assert column.meaning in line
        assert all(label in line for label in column.labels)
    shown = run("columns").output
    assert all(f"\n{column.name} " in shown for column in COLUMNS)


def test_policies_lists_every_policy_with_its_parameters() -> None:
    shown = run("policies", "--format", "markdown").output
    for policy in describe():
        (line,) = [line for line in shown.splitlines() if line.startswith(f"| {policy.name} |")]
        assert policy.summary in line
        for name, parameter in policy.parameters.items():
            assert f"{name}={parameter.write(parameter.default)}" in line


def test_colours_follow_the_option() -> None:
    assert "\x1b[" not in run("columns").output
    assert "\x1b[" in run("columns", "--color", "always").output
