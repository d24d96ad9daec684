"""The reference pages and the page about views: up to date, with every name, option and field."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import click
import pytest

import kqj_sim
from docs.write_reference import GENERATED, PAGES, write_page
from kqj_sim.columns import SENDER_HAND
from kqj_sim.games import GAMES, get_columns
from kqj_sim.policies import tools
from kqj_sim.policies.binding import VIEW_OF_DECISION
from tests.command_line import find_commands

TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reference_pages_are_up_to_date(page: Path) -> None:
    text = TEXTS[page.stem]
    assert GENERATED.search(text)
    assert write_page(text) == text, "stale: run `python docs/write_reference.py`"


def test_what_stands_in_a_generated_part_is_replaced() -> None:
    text = TEXTS["columns"]
    assert write_page(text.replace("| column |", "| something |")) == text


def test_every_public_name_has_an_entry_and_no_other() -> None:
    text = TEXTS["python_reference"]
    listed = re.findall(r"^### (\w+)$", text, re.M)
    constants = re.findall(r"`(\w+)`", text.split("-->")[-2])
    environments = ["BatchEnvironment", "CardGameEnvironment", "make_player"]
    assert sorted([*listed, *constants]) == sorted([*kqj_sim.__all__, *environments, "Constants"])


def test_every_option_stands_below_its_command() -> None:
    parts = dict(re.findall(r"^## (kqj-sim.*?)\n(.*?)(?=^## |\Z)", TEXTS["commands"], re.M | re.S))
    commands = find_commands()
    assert {*parts} == {f"kqj-sim {words}" for words in commands}
    options = 0
    for words, command in commands.items():
        for option in command.params:
            if isinstance(option, click.Option):
                assert re.search(
                    rf"^\| `(-\w, )?{option.opts[0]}\b", parts[f"kqj-sim {words}"], re.M
                )
                options += 1
    assert options > 150


def test_every_column_has_a_row() -> None:
    named = re.findall(r"^\| `(\w+)` \|", TEXTS["columns"], re.M)
    columns = [[*(column.name for column in get_columns(game)), SENDER_HAND] for game in GAMES]
    assert named == [name for names in columns for name in names]


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
