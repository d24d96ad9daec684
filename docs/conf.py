"""Configuration of the documentation site; CONTRIBUTING.md has the command that builds it."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

from kqj_sim import __version__  # noqa: E402

project = "kqj-sim"
author = "The kqj-sim authors"
release = version = __version__
language = "en"
default_role = "code"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "site_pages"]
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

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# References to other projects would need their inventories from the network, and types that are
# not public have no page.
nitpick_ignore_regex = [("py:.*", r"(?!kqj_sim\.\w+$).*")]
