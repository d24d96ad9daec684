"""The examples of the guide to Python run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_examples_of_the_guide_run(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, str(GUIDE), "exec"), {"__name__": "guide"})
    assert capsys.readouterr().out.strip()
