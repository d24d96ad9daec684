"""The reference pages: commands, columns and the names of the Python package, from the sources.

`python docs/write_reference.py` replaces what stands in the pages between `<!-- commands -->`,
`<!-- columns GAME -->` or `<!-- names NAME ... -->` and `<!-- end -->`.
"""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import kqj_sim
from kqj_sim.arguments import RuleArguments
from kqj_sim.cli import main
from kqj_sim.commands.command import Command
from kqj_sim.commands.listings import list_columns
from kqj_sim.rules import GameRules

DOCS = Path(__file__).resolve().parent
PAGES = tuple(DOCS / f"{name}.md" for name in ("commands", "columns", "python_reference"))

GENERATED = re.compile(
    r"(?P<start>^<!-- (?P<kind>commands|columns|names)\s*(?P<names>[^>]*?)\s*-->\n)"
    r".*?^(?P<end><!-- end -->)$",
    re.M | re.S,
)
"""A part of a page that this script writes."""

WIDTH, LINE = 76, 110
"""Characters in a line of code, and of prose."""

SECTIONS = {"Args", "Attributes", "Returns", "Yields", "Raises", "Example"}
"""The sections of docstrings."""


NOT_LISTED = {
    "advance", "compile_seating", "describe_end", "describe_interruption", "expect",
    "explain_illegal_choice", "for_call", "imposed_text", "make_drawing", "report", "resume",
    "start", "tell", "tell_error",
}  # fmt: skip
"""Members of public classes that the package alone uses."""


def write_page(text: str) -> str:
    """Return the text of a page with its generated parts written anew."""

    def write(match: re.Match[str]) -> str:
        lines = _WRITERS[match["kind"]](match["names"].split())
        content = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
        return f"{match['start']}\n{content}\n\n{match['end']}"

    return GENERATED.sub(write, text)


def write_commands(_: Iterable[str]) -> Iterator[str]:
    """Yield the reference of the commands, in Markdown."""
    program = click.Context(main, info_name="kqj-sim")
    for name in main.list_commands(program):
        yield from _write_command(program, name)


def _write_command(parent: click.Context, name: str) -> Iterator[str]:
    """Yield the reference of a command, and of its commands if it is a group."""
    assert isinstance(parent.command, click.Group)
    command = parent.command.commands[name]
    assert isinstance(command, Command)
    context = click.Context(command, parent=parent, info_name=name)
    yield from ("", f"## {context.command_path}", "")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from ("```text", usage, "```", "")
    yield from _write_help(command.help or "")
    for title, rows in command.list_all_sections(context):
        if title != "Help":
            yield from _write_table(
                (title, "meaning"),
                ((f"`{option}`", _escape(" ".join(text.split()))) for option, text in rows),
            )
    yield from _write_help(command.epilog or "")
    if isinstance(command, click.Group):
        for subcommand in command.list_commands(context):
            yield from _write_command(context, subcommand)


def _write_help(text: str) -> Iterator[str]:
    """Yield paragraphs of help in Markdown; those that Click does not wrap as they are."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"^ {4}", "", text.strip("\n"), flags=re.M)):
        if paragraph.startswith("\b"):
            head, *lines = paragraph[1:].strip("\n").split("\n")
            if lines and all(line.startswith("  ") for line in lines):
                commands = [line[2:] for line in lines]
                yield from (_escape(head), "", "```sh", *commands, "```", "")
                continue
        yield from (_fill(_escape(paragraph.strip("\b"))), "")


def write_columns(games: Iterable[str]) -> Iterator[str]:
    """Yield the tables of the columns of games, in Markdown."""
    for game in games:
        yield from _write_table(
            ("column", "values", "meaning"),
            (
                (f"`{name}`", values, _escape(meaning))
                for name, values, meaning in list_columns(game)
            ),
        )


def write_names(names: Iterable[str]) -> Iterator[str]:
    """Yield the reference of public names from their docstrings, in Markdown.

    Names of a module are written `env.make_player`.
    """
    values = {name.rpartition(".")[2]: pkgutil.resolve_name(f"kqj_sim.{name}") for name in names}
    constants = [name for name, value in values.items() if not callable(value)]
    for name, value in values.items():
        if isinstance(value, type):
            yield from _write_class(name, value)
        elif callable(value):
            yield from _write_callable(f"### {name}", name, value)
    if constants:
        yield from ("", _fill(", ".join(f"`{name}`" for name in constants)))


def _write_class(name: str, kind: type) -> Iterator[str]:
    """Yield the reference of a class: its docstring, and what it defines beside it."""
    public = {getattr(kqj_sim, each) for each in kqj_sim.__all__ if each[0].isupper()} - {kind}
    bases = [each for each in kind.__mro__ if each.__module__.startswith("kqj_sim")]
    yield from _write_callable(f"### {name}", name, kind)
    inherited = [each.__name__ for each in bases if each in public]
    if inherited:
        links = " and ".join(f"[{each}](#{each.lower()})" for each in inherited)
        yield from ("", f"Has the attributes and methods of {links}, too.")
    members: dict[str, Any] = {}
    for base in reversed([each for each in bases if each not in public]):
        members |= vars(base)
    for member, value in members.items():
        function = inspect.unwrap(getattr(value, "__func__", value))
        text = inspect.getdoc(value)
        if member.startswith("_") or member in NOT_LISTED or not text:
            continue
        if inspect.isfunction(function):
            yield from _write_callable(f"#### {name}.{member}()", member, function)
        elif isinstance(value, property):
            yield from ("", f"#### {name}.{member}", "", *_write_docstring(text, {}))


def _write_callable(heading: str, name: str, value: Any) -> Iterator[str]:
    """Yield the reference of a function, or of a class; only some classes are called by users."""
    parameters = _read_parameters(value)
    text = inspect.getdoc(value) or ""
    is_described = re.search(r"^(Args|Attributes):$", text, re.M) is not None
    is_called = not isinstance(value, type) or all(" = " in each for each in parameters.values())
    yield from ("", heading, "")
    if parameters and is_called:
        listed = parameters if is_described else parameters.values()
        yield from ("```python", _wrap_call(name, list(listed)), "```", "")
    yield from _write_docstring(text, {key.lstrip("*"): each for key, each in parameters.items()})


def _read_parameters(value: Any) -> dict[str, str]:
    """Return the parameters of a call, with their types and defaults, by name with its stars."""
    made = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    factories = {field.name: field.default_factory for field in made}
    found: dict[str, str] = {}
    may_be_positional = True
    for name, parameter in inspect.signature(value).parameters.items():
        if name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and may_be_positional:
            found["*"] = "*"
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL):
            may_be_positional = False
        plain = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))
        kind = parameter.annotation  # A text, but of a named tuple a reference that holds one.
        typed = "" if kind is parameter.empty else f": {getattr(kind, '__forward_arg__', kind)}"
        default = parameter.default
        if callable(factory := factories.get(name)):
            default = factory()
        if isinstance(default, GameRules):
            text = f" = {type(default).__name__}()"
        else:
            text = "" if default is parameter.empty else f" = {default!r}"
        found[plain] = f"{plain}{typed}{text}"
    return found


def _wrap_call(name: str, parameters: list[str]) -> str:
    """Return a call in lines of at most WIDTH characters, broken between arguments."""
    whole = f"{name}({', '.join(parameters)})"
    if len(whole) <= WIDTH:
        return whole
    inside = textwrap.fill(
        ", ".join(parameter.replace(" ", "\0") for parameter in parameters), WIDTH,
        initial_indent=" " * 4, subsequent_indent=" " * 4,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return f"{name}(\n{inside}\n)".replace("\0", " ")


def _write_docstring(text: str, parameters: Mapping[str, str]) -> Iterator[str]:
    """Yield a docstring in Markdown.

    Args:
        text: the docstring.
        parameters: parameters with types and defaults by name, for its lists of them.
    """
    for section, lines in _split_sections(text):
        content = textwrap.dedent("\n".join(lines)).strip("\n")
        if section in ("Args", "Attributes", "Raises"):
            yield from ("", f"{section.replace('Args', 'Arguments')}:", "")
            items = [re.split(r":\s+", item, maxsplit=1) for item in re.split(r"\n(?=\S)", content)]
            rules = [*RuleArguments.__annotations__]
            if {*rules} <= {names for names, _ in items}:  # Explained once, not by each question.
                items = [[names, meaning] for names, meaning in items if names not in rules]
                items.append([", ".join(rules), "fields of [the rules](rules.md)."])
            for names, meaning in items:
                shown = ", ".join(f"`{parameters.get(n, n)}`" for n in names.split(", "))
                yield _fill(f"- {shown}: {_escape(meaning)}", "  ")
        elif section in ("Returns", "Yields"):
            yield from ("", _fill(f"{section}: {_escape(content)}"))
        else:
            for paragraph in re.split(r"\n\s*\n", content):
                if paragraph.startswith(">>>"):
                    yield from ("", "```pycon", paragraph, "```")
                else:
                    yield from ("", _fill(_escape(paragraph)))


def _split_sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sections of a docstring with their lines; those between them as ""."""
    section, lines = "", list[str]()
    for line in text.splitlines():
        title = line.removesuffix(":")
        is_title = line.endswith(":") and title in SECTIONS
        if is_title or (section and line[:1].strip()):
            if lines:
                yield section, lines
            section, lines = (title, []) if is_title else ("", [line])
        else:
            lines.append(line)
    if lines:
        yield section, lines


def _write_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield a table in Markdown."""
    yield from ("", f"| {' | '.join(headings)} |", f"|{'---|' * len(tuple(headings))}")
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def _fill(text: str, indent: str = "") -> str:
    """Return a paragraph in lines of at most LINE characters."""
    return textwrap.fill(
        " ".join(text.split()), LINE, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _escape(text: str) -> str:
    """Return text in which Markdown's signs are no signs, but for code: options, and backticks."""
    parts = re.split(r"(`[^`]*`|(?<![\w-])--[a-z][\w-]*)", text)
    for number, part in enumerate(parts):
        if part.startswith("--"):
            parts[number] = f"`{part}`"
        elif not part.startswith("`"):
            parts[number] = re.sub(r"([*<>])", r"\\\1", part)
    return "".join(parts)


_WRITERS = {"commands": write_commands, "columns": write_columns, "names": write_names}


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(write_page(page.read_text(encoding="utf-8")), encoding="utf-8")
