"""Checks that wrong input ends with one line that names it."""

from __future__ import annotations

import shlex

import pytest

import kqj_sim
from tests.command_line import expect_error, run


def check_command(words: str, named: str, status: int) -> None:
    """Check that a command line ends with this status and one line that has these words."""
    line = expect_error(run(*shlex.split(words), input=""), status)
    assert named in line
    assert len(line) < 400 and line.removesuffix("\n").isprintable()


def check_function(call: str, named: str) -> None:
    """Check that a call of a public function raises an error of one line that has these words."""
    names = {name: getattr(kqj_sim, name) for name in kqj_sim.__all__}
    with pytest.raises((ValueError, TypeError, OSError)) as error:
        eval(call, names)
    assert named in str(error.value)
    assert "\n" not in str(error.value)
