"""The parts of the documentation site that are not pages of docs/, as a Sphinx extension.

Pages of docs/ read well in the repository, too.  What the site adds:

- a page whose whole text is a link to a file outside docs/ becomes that file (`changelog.md`);
- a comment `<!-- commands -->`, `<!-- columns kqj -->` or `<!-- api NAME ... -->` becomes the
  reference that the sources hold;
- links to other files of the repository lead to their pages in the site, or to copies of them.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.cli import main
from kqj_sim.commands.command import Command
from kqj_sim.commands.listings import describe_values
from kqj_sim.games import get_columns

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

STAND_IN = re.compile(r"\A# .*\n\n\[[^\]]*\]\((\.\./[^)]+\.(?:md|ipynb))\)\n\Z")
"""A page that stands for a file outside docs/: a title and a link."""
MARK = re.compile(
    r"^<!-- (commands|columns|api)\s*(.*?)\s*-->(?:\n\n\*The site lists [^\n]*)?$", re.M | re.S
)
"""A comment that becomes a reference, with the line that stands for it in the repository."""
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
    text = MARK.sub(lambda mark: "\n".join(_WRITERS[mark[1]](mark[2])), text)
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
    if path.name == "report.md":
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


def write_commands(_: str) -> Iterator[str]:
    """Yield the reference of the commands, in Markdown."""
    program = click.Context(main, info_name="kqj-sim")
    for name in main.list_commands(program):
        yield from _write_command(program, name)


def _write_command(parent: click.Context, name: str) -> Iterator[str]:
    """Yield the reference of a command, and of its commands if it is a group."""
    assert isinstance(parent.command, click.Group)
    command = parent.command.commands[name]
    context = click.Context(command, parent=parent, info_name=name)
    yield from ("", f"## {context.command_path}", "")
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield from ("```text", " ".join([context.command_path, *_list_usage(context)]), "```", "")
    yield from _write_help(command.help or "")
    yield from (f"```{{program}} {context.command_path}", "```", "")
    assert isinstance(command, Command)
    for title, rows in command.list_all_sections(context):
        if title != "Help":
            yield from ("", f"### {title}", "")
            for option, text in rows:
                yield from ("````{option} " + option, "", _escape(text), "````", "")
    yield from _write_help(command.epilog or "")
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from _write_command(context, each)


def _list_usage(context: click.Context) -> list[str]:
    return context.command.collect_usage_pieces(context)


def _write_help(text: str) -> Iterator[str]:
    """Yield paragraphs of help in Markdown; those that Click does not wrap as they are."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"^ {4}", "", text.strip("\n"), flags=re.M)):
        if paragraph.startswith("\b"):
            head, *lines = paragraph[1:].strip("\n").split("\n")
            if lines and all(line.startswith("  ") for line in lines):
                commands = [line[2:] for line in lines]
                yield from (_escape(head), "", "```sh", *commands, "```", "")
                continue
        yield from (_escape(" ".join(paragraph.strip("\b").split())), "")


def write_columns(game: str) -> Iterator[str]:
    """Yield the table of a game's columns, in Markdown."""
    yield from ("| column | values | meaning |", "|---|---|---|")
    for column in get_columns(game):
        yield f"| `{column.name}` | {describe_values(column)} | {_escape(column.meaning)} |"


def write_api(names: str) -> Iterator[str]:
    """Yield the reference of public names, from their docstrings."""
    import kqj_sim

    for name in names.split():
        value = getattr(kqj_sim, name)
        if isinstance(value, type):
            yield from (
                "", f"### {name}", "", "```{eval-rst}",
                f".. autoclass:: kqj_sim.{name}{_hide(value)}",
                "   :members:", "   :inherited-members: Exception, tuple", "```", "",
            )  # fmt: skip
        elif callable(value):
            signature = _find_signature(value)
            yield from (
                "", f"### {name}", "", "```{eval-rst}",
                f".. autofunction:: kqj_sim.{name}{signature}", "```", "",
            )  # fmt: skip
        else:
            yield from ("```{py:data} kqj_sim." + name, "```", "")


def _hide(kind: type) -> str:
    """Return no arguments for the results, which only the functions make."""
    return "" if dataclasses.is_dataclass(kind) else "()"


def _find_signature(value: object) -> str:
    """Return the arguments of a function that numba has wrapped; empty for others."""
    function = getattr(value, "py_func", None)
    if function is None:
        return ""
    code = function.__code__
    return f"({', '.join(code.co_varnames[: code.co_argcount])})"


def _escape(text: str) -> str:
    """Return text in which Markdown's signs are no signs, but for code: options, and backticks."""
    parts = re.split(r"(`[^`]*`|(?<![\w-])--[a-z][\w-]*)", text)
    for number, part in enumerate(parts):
        if part.startswith("--"):
            parts[number] = f"`{part}`"
        elif not part.startswith("`"):
            parts[number] = re.sub(r"([*<>\[\]|])", r"\\\1", part)
    return "".join(parts)


_WRITERS = {"commands": write_commands, "columns": write_columns, "api": write_api}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    stand_ins = find_stand_ins()

    def read(app: Sphinx, name: str, source: list[str]) -> None:
        page = DOCS / f"{name}.md"
        if page.is_file():
            source[0] = write_page(page, source[0], stand_ins)

    app.connect("source-read", read)
    app.connect("build-finished", _copy_reports)
    return {"parallel_read_safe": True}


def _copy_reports(app: Sphinx, error: Exception | None) -> None:
    """Copy the reports, which are pages already."""
    if error is None:
        shutil.copytree(ROOT / "reports", app.outdir / "reports", dirs_exist_ok=True)
