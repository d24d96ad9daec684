"""Configuration of the documentation site; CONTRIBUTING.md has the command that builds it."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

from kqj_sim.version import __version__  # noqa: E402

project = "kqj-sim"
author = "The kqj-sim authors"
release = version = __version__
language = "en"
smartquotes = False

extensions = ["myst_parser", "site_pages"]
exclude_patterns = ["build"]

html_theme = "furo"
html_title = f"kqj-sim {release}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
