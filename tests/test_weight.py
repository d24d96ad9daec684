"""The weight of the package and its tests, held by the limits of `weight.toml`."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.imports import PACKAGE, ROOT

LIMITS: dict[str, int] = tomllib.loads((ROOT / "tests/weight.toml").read_text(encoding="utf-8"))
VALUE_CLASS = re.compile(r"dataclass|NamedTuple|Struct|TypedDict")
MANY_PARAMETERS = 8
SLACK = 0.01
"""The share by which a limit may lie above the weight before it has to be lowered."""


def count_lines(folder: Path) -> tuple[int, int]:
    """Return the files and the lines of all Python below a folder."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    return len(texts), sum(text.count("\n") for text in texts)


def weigh(tree: ast.Module) -> Counter[str]:
    """Return import lines, value classes and functions of many parameters of a module."""
    weight: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            weight["import_lines"] += (node.end_lineno or node.lineno) - node.lineno + 1
        elif isinstance(node, ast.ClassDef):
            words = [ast.unparse(base) for base in (*node.decorator_list, *node.bases)]
            weight["value_classes"] += any(map(VALUE_CLASS.search, words))
        elif isinstance(node, ast.FunctionDef):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = sum(parameter.arg not in {"self", "cls"} for parameter in parameters)
            weight["functions_with_many_parameters"] += count >= MANY_PARAMETERS
    return weight


@pytest.fixture(scope="module")
def weight() -> Counter[str]:
    """Return the weight of the checkout, by the names of the limits."""
    total: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        total += weigh(ast.parse(path.read_text(encoding="utf-8")))
    total["files"], total["lines"] = count_lines(PACKAGE)
    total["test_lines"] = count_lines(ROOT / "tests")[1]
    return total


@pytest.mark.parametrize("name", LIMITS)
def test_weight_is_at_its_limit(name: str, weight: Counter[str]) -> None:
    limit = LIMITS[name]
    assert weight[name] <= limit, (
        f"{name}: {weight[name]}, limit {limit}: remove as much as was added, or raise the limit "
        "in tests/weight.toml with the reason beside it: what a user gets for it"
    )
    lowest = limit - max(1, int(limit * SLACK))
    assert weight[name] >= lowest, f"{name}: {weight[name]}: lower the limit in tests/weight.toml"


def test_every_weight_has_a_limit(weight: Counter[str]) -> None:
    assert {*weight} == {*LIMITS}


def test_weigh_counts_each_kind() -> None:
    source = """
from a import (
    b,
)
class C(NamedTuple):
    def f(self, a, b, c, d, e, f, /, g, *, h): ...
    def g(self, a, b, c, d, e, f, g): ...
"""
    assert weigh(ast.parse(source)) == {
        "import_lines": 3,
        "value_classes": 1,
        "functions_with_many_parameters": 1,
    }
