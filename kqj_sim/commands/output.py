"""Output of the commands: options for it, files, pictures, and the terminal."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

import click
from click.core import ParameterSource

from kqj_sim.commands.stdout import get_stdout, write_line
from kqj_sim.messages import quote, suggest
from kqj_sim.options import speak_shell
from kqj_sim.output.formats import format_run, render
from kqj_sim.suffixes import PLOT_SUFFIXES, TABLE_SUFFIXES, choose_by_suffix

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kqj_sim.output.screen import Screen
    from kqj_sim.results import Result


def choose_tables(requested: str | None, titles: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the names of the tables that --tables asks for; None for the key figures.

    Raises:
        Exit: the names were asked for, and are written to stdout.
        UsageError: there is no such table.
    """
    if requested is None:
        return None
    if requested == "list":
        width = max(map(len, titles), default=0)
        write_line(
            "".join(f"{name:{width}}  {title}\n" for name, title in titles.items()), nl=False
        )
        raise click.exceptions.Exit
    names = (
        tuple(titles) if requested == "all" else tuple(re.split(r"[,\s]+", requested.strip(", ")))
    )
    for name in names:
        if name not in titles:
            hint = suggest(name, titles) or "--tables list shows the names"
            raise click.UsageError(f"--tables: there is no table {quote(name)}: {hint}")
    return names


def wants_color(choice: str) -> bool:
    """Return whether to write colours to stdout, given the value of --color."""
    if choice != "auto":
        return choice == "always"
    return get_stdout().isatty() and not os.environ.get("NO_COLOR")


def screen_width() -> int | None:
    """Return the width of stdout in characters: COLUMNS or the terminal's; None if unknown."""
    columns = os.environ.get("COLUMNS", "")
    is_known = get_stdout().isatty() or (columns.isdecimal() and int(columns) > 0)
    return shutil.get_terminal_size().columns if is_known else None


_TEXTS = ("table", "csv", "json", "markdown")
"""Formats of tables that are text."""


class Output:
    """The tables and the picture of a command, to files or to stdout.

    A context manager: files are opened before the run, so that no results are lost to a path that
    cannot be written, and completed at the end.

    Args:
        out: path of the tables; None for stdout.
        format: format of the tables; None to choose it by the suffix of `out`.

    Raises:
        InputError: a suffix stands for no format.
        UsageError: a binary format would go to a terminal.
    """

    def __init__(
        self,
        out: str | None,
        format: str | None,
        plot: str | None,
        color: str,
        suffixes: Mapping[str, str] = TABLE_SUFFIXES,
    ) -> None:
        if format is None:
            hint = ", or give --format"
            format = "table" if out is None else choose_by_suffix(out, suffixes, hint)
        if format == "parquet" and out is None and get_stdout().isatty():
            raise click.UsageError("--format parquet is not text for a terminal: give --out FILE")
        self.format = format
        self._out = out
        self._plot = plot
        self._color = color
        self._plot_format = None if plot is None else choose_by_suffix(plot, PLOT_SUFFIXES)
        self._stack = ExitStack()
        self._failure: OSError | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._tables_stack = stack.enter_context(ExitStack())
            self._tables_file = open_output(self._tables_stack, self._out)
            self._plot_file = open_output(stack, self._plot)
            # A damaged installation, or an upgrade meanwhile, should not cost results.
            from kqj_sim.output.loading import load_writers

            load_writers(self.format, self._plot_format)
            self._run_path: Path | None = None
            self._run_file = None
            if self.format == "csv" and self._out is not None:
                from kqj_sim.output.files import make_sidecar_path

                self._run_path = make_sidecar_path(self._out)
                self._run_file = open_output(stack, self._run_path)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if kind is None and self._failure is not None:
            raise self._failure

    def write_result(self, result: Result, shown: Collection[str] | None) -> None:
        """Write the tables of a result, those asked for, or its page, and its picture."""
        is_page = self.format in ("html", "json")
        screen = result.screen if is_page or shown is None else replace(result.screen, shown=shown)
        screen = replace(screen, headline=[speak_shell(line) for line in screen.headline])
        if self._tables_file is not None or is_page:
            content = result.render(self.format) if is_page else render(screen, self.format)
            if is_page:
                content = speak_shell(content.decode()).encode()
        if self._tables_file is not None:
            self._write_tables(content, screen)
        elif is_page:
            click.echo(content, get_stdout(), nl=False)
        else:
            print_tables(screen, self.format, self._color)
        if self._run_file is not None:
            self._run_file.write(format_run(screen.run, indent=1).encode() + b"\n")
            if not click.get_current_context().params.get("quiet"):
                write_line(f"Rules, players and seed: {self._run_path}", err=True)
        self._write_plot(result)

    def _write_tables(self, content: bytes, screen: Screen) -> None:
        """Complete the file; if that fails, as on a full disk, write the tables to stdout.

        The failure is raised at the end, after the picture.
        """
        assert self._tables_file is not None
        try:
            with self._tables_stack:
                self._tables_file.write(content)
        except OSError as error:
            self._failure = error
            print_tables(screen, self.format if self.format in _TEXTS else "table", self._color)

    def _write_plot(self, result: Result) -> None:
        """Draw the picture; if there is nothing to draw, write nothing and say so on stderr."""
        if self._plot_file is None or self._plot_format is None:
            return
        from kqj_sim.output.figures import NothingToDrawError

        try:
            self._plot_file.write(result.make_drawing().render(self._plot_format))
        except NothingToDrawError as error:
            write_line(f"Note: no picture: {error}", err=True)


def open_output(stack: ExitStack, path: str | Path | None) -> IO[bytes] | None:
    """Open a file that appears under its name when `stack` closes; None without a path."""
    if path is None:
        return None
    from kqj_sim.output.files import OutputFile

    return stack.enter_context(OutputFile(path))


def print_tables(screen: Screen, format: str, color: str) -> None:
    """Write tables to stdout, with colours and a width that suit it."""
    colored = format == "table" and wants_color(color)
    encoding = _get_stdout_encoding()
    text = render(screen, format, color=colored, width=screen_width(), encoding=encoding)
    click.echo(text, get_stdout(), nl=False, color=colored)


def print_screen(parts: Sequence[RenderableType], color: str) -> None:
    """Write tables and texts of Rich to stdout."""
    from kqj_sim.output.grid import replace_signs, to_screen

    colored = wants_color(color)
    text = to_screen(parts, color=colored, width=screen_width())
    text = replace_signs(text, _get_stdout_encoding())
    click.echo(text, get_stdout(), nl=False, color=colored)


def _get_stdout_encoding() -> str:
    return getattr(get_stdout(), "encoding", None) or "utf-8"


def list_command_words(ctx: click.Context, hidden: frozenset[str], with_config: bool) -> list[str]:
    """Return the words of a command line that gives the same results.

    Args:
        hidden: names of options to leave out.
        with_config: also write out the values that came from the file given by --config.
    """
    left_out = {ParameterSource.DEFAULT, *([] if with_config else [ParameterSource.DEFAULT_MAP])}
    words = ctx.command_path.split()
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name not in ctx.params or name in hidden or ctx.get_parameter_source(name) in left_out:
            continue
        value = ctx.params[name]
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter, click.Argument):
                words.append(str(item))
            elif isinstance(item, bool):
                words.append((parameter.opts if item else parameter.secondary_opts)[0])
            else:
                words += [parameter.opts[0], str(item)]
    return words
