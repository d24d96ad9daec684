"""Syntax trees of users' functions whose files are not what they were."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.policies.user_code import find_use, parse_function

SOURCE = "def choose_card(view):\n    return lowest(view.legal)\n"


@pytest.mark.parametrize(
    "now", ["", "call(\n", "'''\n", "def other(view):\n    return 1\n", "x = 1\n"]
)
def test_a_function_whose_file_has_changed_has_no_known_mistake(now: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.py"
    names: dict[str, Any] = {"lowest": min}
    file.write_text(SOURCE)
    exec(compile(SOURCE, str(file), "exec"), names)
    function = names["choose_card"]
    assert find_use(function, "lowest") == 2
    file.write_text(now)
    linecache.checkcache(str(file))
    assert parse_function(function.__code__) is None
    assert find_use(function, "lowest") == 0
