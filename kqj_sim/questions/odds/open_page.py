"""The page as a file, opened in a browser."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from kqj_sim.errors import InputError
from kqj_sim.output.files import OutputFile
from kqj_sim.web.make import PAGE, make_page, write_link

if TYPE_CHECKING:
    from kqj_sim.positions.position import Position
    from kqj_sim.rules import GameRules


def write_page(
    rules: GameRules, position: Position | None, out: str | os.PathLike[str] | None
) -> Path:
    """Write the page to a file, or to one of the user's cache and open that; return its path.

    Raises:
        InputError: the page does not know the rules, or there is no browser.
        OSError: the file cannot be written.
    """
    link = write_link(rules, position)
    path = _choose_path() if out is None else Path(out)
    with OutputFile(path) as stream:
        stream.write(make_page(link).encode())
    if out is None and not webbrowser.open(path.as_uri()):
        raise InputError(f"no browser was found: open {path} in one, or name a file with `out`")
    return path


def _choose_path() -> Path:
    """Return a file that is always the same, so that the browser keeps the results of quizzes."""
    try:
        folder = Path(platformdirs.user_cache_dir("kqj-sim", appauthor=False))
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise InputError(f"no folder can be made for the page ({error}): give `out`") from None
    return folder / PAGE
