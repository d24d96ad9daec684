"""Configuration of the documentation site; CONTRIBUTING.md has the command that builds it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

from kqj_sim.version import __version__  # noqa: E402

project = "kqj-sim"
author = "The kqj-sim authors"
release = version = __version__
language = "en"
_urls = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "urls"
]
smartquotes = False

extensions = ["myst_parser", "site_pages"]
exclude_patterns = ["build"]

html_theme = "furo"
html_title = f"kqj-sim {release}"
html_baseurl = _urls.get("Documentation", "")
if "Source" in _urls:
    # Each page links to its source.
    html_theme_options = {
        "source_repository": _urls["Source"], "source_branch": "main", "source_directory": "docs/",
    }  # fmt: skip
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
