"""The page about views has every field and every tool of the code, with meaning and unit."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.policies import tools
from kqj_sim.policies.binding import VIEW_OF_DECISION

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "views.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def find_section(decision: str) -> str:
    """Return the section whose heading names the function of a decision."""
    (found,) = (text for title, text in SECTIONS.items() if f"`choose_{decision}`" in title)
    return found


@pytest.mark.parametrize("decision", VIEW_OF_DECISION)
def test_every_field_of_a_view_is_listed_in_its_order(decision: str) -> None:
    view: Any = VIEW_OF_DECISION[decision]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", find_section(decision), re.M)
    assert [name for name, _, _ in rows] == [*view._fields]
    assert all(values.strip() and meaning.strip() for _, values, meaning in rows)


def test_every_tool_is_listed_with_its_arguments() -> None:
    listed = dict(
        re.findall(r"^\| `(\w+)\((.*?)\)` \| .+ \|$", SECTIONS[_TOOLS], re.M),
    )
    tree = ast.parse(Path(tools.__file__).read_text(encoding="utf-8"))
    functions = {
        node.name: ", ".join(argument.arg for argument in node.args.args)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert listed == {"count": "cards", **functions}


_TOOLS = "Functions for policies"
