"""KQJ without the second game: shared code names none of its modules."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.command_line import run_python

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("kqj_sim", "tests", "docs", "examples", "benchmarks", "tools", "reports")
LEFT_OUT = {
    "test_architecture.py": "the layers of the second game are listed, too",
    "test_readme.py": "the README and the pages have commands of both games",
    "test_reference.py": "the reference has columns and names of both games",
    "test_second_game.py": "this file",
    "test_site.py": "the site has pages of both games",
}
"""Test files outside the folder of the second game that are of both games, with the reason."""
RUN = tuple(f"tests/{name}" for name in ("core", "stats", "questions", "paired", "commands"))
"""The tests that show it: of what every game shares."""


def remove_lines(path: Path, pattern: str) -> None:
    """Remove the lines of a file that match a pattern, which has to be found."""
    text = path.read_text(encoding="utf-8")
    left = re.sub(rf"^.*{pattern}.*\n", "", text, flags=re.MULTILINE)
    assert left != text
    path.write_text(left, encoding="utf-8")


@pytest.mark.slow
def test_kqj_works_without_the_second_game(tmp_path: Path) -> None:
    """Without its folder, its line in `games/__init__.py` and its public name, KQJ works."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, tmp_path)
    shutil.rmtree(tmp_path / "kqj_sim" / "games" / "kwajongen")
    shutil.rmtree(tmp_path / "tests" / "games" / "kwajongen")
    games = tmp_path / "kqj_sim" / "games" / "__init__.py"
    remove_lines(games, "import Kwajongen")
    games.write_text(games.read_text("utf-8").replace("(KQJ, Kwajongen())", "(KQJ,)"), "utf-8")
    remove_lines(tmp_path / "kqj_sim" / "__init__.pyi", "KwajongenRules")
    for path in (tmp_path / "tests").rglob("*.py"):
        if path.name in LEFT_OUT:
            path.unlink()
        else:
            assert "kwajongen" not in path.read_text(encoding="utf-8").lower(), path
    command = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *RUN)
    done = run_python(*command, variables={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) > 1000
