"""HTML from Jinja templates: whole pages, and fragments for notebooks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kqj_sim.messages import capitalize, visible
from kqj_sim.output.grid import Grid

if TYPE_CHECKING:
    from jinja2 import Environment


def render_html(template: str, **values: Any) -> str:
    """Return the HTML of a template of the package, such as "output/templates/page.html"."""
    html = _make_environment().get_template(template).render(values)
    # Bytes of file names that are not UTF-8.
    return re.sub("[\ud800-\udfff]", lambda byte: visible(byte[0]), html)


@functools.cache
def read_templates() -> Mapping[str, str]:
    """Return all templates of the package by their paths: an upgrade may replace the files."""
    package = Path(__file__).parents[1]
    return {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("kwajongen", "output", "questions")
        for path in (package / folder).rglob("*.*")
        if path.suffix in (".j2", ".html", ".css", ".js")
    }


@functools.cache
def _make_environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader(read_templates()),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["breakable"] = _mark_line_breaks
    environment.filters["joined"] = join_intervals
    environment.filters["css"] = quote_css
    environment.filters["capital"] = capitalize
    return environment


def _mark_line_breaks(text: str) -> str:
    """Return a text as HTML, with line breaks allowed after the punctuation of policy names."""
    return re.sub(r"([:,+=/])(?=\w)", r"\1<wbr>", escape(text, quote=False))


def join_intervals(text: str) -> str:
    """Return a sentence whose numbers stay on the line of their intervals."""
    return re.sub(r"(?<=[\d%]) (?=±)|(?<=[\d%]) (?=\([-\d.,]+ to )", "\u00a0", text)


def quote_css(text: str) -> str:
    """Return a text as a string of CSS."""
    return '"' + re.sub(r'["\\\n]', lambda match: f"\\{ord(match[0]):x} ", text) + '"'


def to_html_fragment(
    headline: Sequence[str],
    described: Iterable[str] = (),
    grids: Iterable[Grid] = (),
    text: str = "",
) -> str:
    """Return results as HTML that can stand anywhere on a page, in the colours of its text.

    Args:
        headline: sentences on top, in bold.
        described: lines in a quieter colour.
        grids: tables.
        text: preformatted text at the end.
    """
    return render_html(
        "output/templates/fragment.html",
        headline=headline, described=described, grids=grids, text=text,
    )  # fmt: skip
