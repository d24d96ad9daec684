"""Matplotlib for files, without the user's settings."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def load_matplotlib() -> None:
    """Import matplotlib for files, whatever backend the user chose for windows.

    Commands do so before they play, since a damaged installation should not cost results.
    """
    if "matplotlib" not in sys.modules:
        # An unknown name there makes the import fail.
        chosen = os.environ.pop("MPLBACKEND", None)
        try:
            importlib.import_module("matplotlib")
        finally:
            if chosen is not None:
                os.environ["MPLBACKEND"] = chosen


@contextmanager
def apply_style(style: dict[Any, Any]) -> Iterator[None]:
    """Draw in this style alone: the user's settings of matplotlib do not count meanwhile."""
    load_matplotlib()
    import matplotlib

    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    with matplotlib.rc_context(defaults | style):
        yield
