"""The page as it is served, written once for all tests of a process."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from kqj_sim.web.make import PAGE, write_site

_FOLDER = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


@cache
def get_page() -> Path:
    """Return the page's file, in a folder with all that stands beside it."""
    write_site(Path(_FOLDER.name))
    return Path(_FOLDER.name, PAGE)
