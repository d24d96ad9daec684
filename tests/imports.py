"""The modules of the package, and what each of them imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kqj_sim"

GAME_PARTS = "what one game alone has"


def modules() -> list[Path]:
    """Return every module of the package but its `__init__`."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def name_of(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(path: Path) -> str:
    """Return the layer of a module; `games` has what describes a game, `GAME_PARTS` the rest."""
    layer, *inside = name_of(path).split(".")[1:]
    return GAME_PARTS if layer == "games" and inside[1:] else layer


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute dotted name of every import, those inside functions too.

    What a method of a game imports when it is called is a part of the game, not of its description.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    describes_game = path.is_relative_to(PACKAGE) and layer_of(path) == "games"
    for node in tree.body if describes_game else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parent.parts
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def list_imported_modules() -> dict[str, set[str]]:
    """Return the modules of the package that each of them imports."""
    names = {name_of(path): path for path in modules()}
    imported: dict[str, set[str]] = {}
    for name, path in names.items():
        targets = set()
        for _, target in imports_of(path):
            while target and target not in names:
                target = target.rpartition(".")[0]
            targets.add(target)
        imported[name] = targets - {"", name}
    return imported
