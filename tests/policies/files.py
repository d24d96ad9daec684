"""Policy files of tests."""

from __future__ import annotations

from pathlib import Path


def write_policy(folder: Path, text: str, name: str = "own.py") -> str:
    """Write a policy file, in which the usual import stands before the text; return its path."""
    path = folder / name
    path.write_text(f"from kqj_sim import highest, lowest, policy\n{text}", encoding="utf-8")
    return str(path)
