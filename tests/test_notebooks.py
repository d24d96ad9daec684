"""The notebooks run, their stored outputs are those of this version, and they are small."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from tests.notebooks import NOTEBOOKS, execute, list_texts

MAX_BYTES = 300_000


def test_the_notebooks_are_small_and_have_outputs() -> None:
    assert [path.name for path in NOTEBOOKS] == ["statistics.ipynb", "tour.ipynb"]
    for path in NOTEBOOKS:
        assert path.stat().st_size < MAX_BYTES
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        texts = list_texts(notebook)
        assert sum(map(bool, texts)) > 6
        assert any("picture" in each for each in texts)
        assert any("text/html" in str(cell.get("outputs")) for cell in notebook.cells)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_give_the_outputs_that_are_stored(path: Path) -> None:
    stored = list_texts(nbformat.read(path, as_version=4))
    found = list_texts(execute(path))
    assert [[_drop_times(text) for text in cell] for cell in found] == [
        [_drop_times(text) for text in cell] for cell in stored
    ]


def _drop_times(text: str) -> str:
    return re.sub(r"[\d.]+ (µs|s)\b", "TIME", text)
