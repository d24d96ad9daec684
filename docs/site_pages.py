"""The parts of the documentation site that are not pages of docs/, as a Sphinx extension.

Pages of docs/ read well in the repository, too.  What the site adds:

- a page whose whole text is a link to a file outside docs/ becomes that file (`changelog.md`);
- links to other files of the repository lead to their pages in the site, or to copies of them;
- rows of tables in outputs have a class: on phones they scroll, while sentences wrap.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kqj_sim.web.make import write_site

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

STAND_IN = re.compile(r"\A# .*\n\n\[[^\]]*\]\((\.\./[^)]+\.(?:md|ipynb))\)\n\Z")
"""A page that stands for a file outside docs/: a title and a link."""
ROW = re.compile(r'<span class="go">(?=[^\n]*(?:  |───))')
"""The beginning of a row, in a paragraph of output that has a line below its headings."""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")


def find_stand_ins() -> dict[Path, str]:
    """Return the pages that stand for files outside docs/, by file."""
    found = {}
    for page in sorted(DOCS.glob("*.md")):
        match = STAND_IN.match(page.read_text(encoding="utf-8"))
        if match:
            found[(DOCS / match[1]).resolve()] = page.name
    return found


def write_page(page: Path, text: str, stand_ins: dict[Path, str]) -> str:
    """Return the text of a page of the site."""
    source = page
    match = STAND_IN.match(text)
    if match:
        source = (DOCS / match[1]).resolve()
        text = source.read_text(encoding="utf-8")
        if source.suffix == ".ipynb":
            text = "\n".join(write_notebook(json.loads(text)))
    return LINK.sub(lambda link: _write_link(link, source, stand_ins), text)


def _write_link(link: re.Match[str], source: Path, stand_ins: dict[Path, str]) -> str:
    """Return a link of a source file as a link of the site."""
    image, text, target, anchor = link[1], link[2], link[3], link[4] or ""
    if not target:
        return link[0]
    path = (source.parent / target).resolve()
    if path.parent == DOCS and path.suffix == ".md":
        return f"{image}[{text}]({path.name}{anchor})"
    if path in stand_ins:
        return f"{image}[{text}]({stand_ins[path]}{anchor})"
    if path == ROOT / "README.md":
        return f"[{text}](index.md)"
    if path.name == "report.md" or path.suffix == ".html":
        page = path.relative_to(ROOT).with_suffix(".html").as_posix()
        return f'<a href="{page}">{text}</a>'
    return f"{image}[{text}]({os.path.relpath(path, DOCS)})"


def write_notebook(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield a notebook with its stored outputs, in Markdown."""
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from (text, "")
            continue
        yield from ("```python", text, "```", "")
        for output in cell["outputs"]:
            shown = output.get("data", {"text/plain": output.get("text", "")})
            if "image/png" in shown:
                image = "".join(shown["image/png"]).strip()
                yield from (_write_html(f'<img src="data:image/png;base64,{image}" alt="Plot">'))
            elif "text/html" in shown:
                yield from _write_html("".join(shown["text/html"]))
            else:
                yield from ("```text", "".join(shown["text/plain"]).rstrip("\n"), "```", "")


def _write_html(html: str) -> tuple[str, ...]:
    return ("````{raw} html", f'<div class="output">{html}</div>', "````", "")


def mark_rows(html: str) -> str:
    """Return a page in which rows of tables have a class of their own."""
    parts = html.split("\n\n")
    return "\n\n".join(ROW.sub('<span class="go row">', p) if "───" in p else p for p in parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    stand_ins = find_stand_ins()

    def read(app: Sphinx, name: str, source: list[str]) -> None:
        page = DOCS / f"{name}.md"
        if page.is_file():
            source[0] = write_page(page, source[0], stand_ins)

    def mark(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: object) -> None:
        context["body"] = mark_rows(context.get("body", ""))

    app.connect("source-read", read)
    app.connect("html-page-context", mark)
    app.connect("build-finished", _copy_reports)
    return {"parallel_read_safe": True}


def _copy_reports(app: Sphinx, error: Exception | None) -> None:
    """Copy the reports, which are pages already, and write the page to tap cards in."""
    if error is None:
        write_site(Path(app.outdir))
        shutil.copytree(ROOT / "reports", app.outdir / "reports", dirs_exist_ok=True)
