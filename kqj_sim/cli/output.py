"""Where results go: the options for it that commands share, files, and the screen."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

import click
from click.core import ParameterSource

from kqj_sim.cli.options import Share, screen_width, wants_color
from kqj_sim.reporting.choices import FORMATS

if TYPE_CHECKING:
    from kqj_sim.reporting.report import Report

format_option = click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="Format of the tables.  [default: by the suffix of --out, else table]",
)
out_option = click.option(
    "--out", metavar="FILE", help="Write the tables to this file instead of stdout."
)
confidence_option = click.option(
    "--confidence",
    type=Share(0.01, 0.999999),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
plot_option = click.option("--plot", metavar="FILE", help="Draw a picture: .png, .svg or .pdf.")


def check_terminal(format: str, out: str | None) -> None:
    """Raise UsageError for a format that a terminal cannot show."""
    if format == "parquet" and out is None and sys.stdout.isatty():
        raise click.UsageError("--format parquet is nothing for a terminal: give --out FILE")


_NOT_OF_RESULTS = {"color", "format", "out", "plot", "quiet", "threads"}


def command_words(ctx: click.Context) -> list[str]:
    """The command line that gives the same results: what was set, wherever it came from."""
    words = ctx.command_path.split()
    for parameter in ctx.command.params:
        name = parameter.name or ""
        given = ctx.get_parameter_source(name)
        if name not in ctx.params or name in _NOT_OF_RESULTS or given is ParameterSource.DEFAULT:
            continue
        value = ctx.params[name]
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter, click.Argument):
                words.append(str(each))
            elif isinstance(each, bool):
                words.append((parameter.opts if each else parameter.secondary_opts)[0])
            else:
                words += [parameter.opts[0], str(each)]
    return words


def open_output(stack: ExitStack, path: str | None) -> IO[bytes] | None:
    """A file to be written, opened before the run: nothing is lost to one that cannot be."""
    if path is None:
        return None
    from kqj_sim.reporting.files import OutputFile

    return stack.enter_context(OutputFile(path))


def write_report(report: Report, format: str, stream: IO[bytes] | None, color: str) -> None:
    """Tables to a file, or to stdout with colours and a width that suit it."""
    from kqj_sim.reporting.formats import render

    if stream is not None:
        stream.write(render(report, format))
        return
    colored = format == "table" and wants_color(color)
    text = render(report, format, color=colored, width=screen_width())
    click.echo(text, nl=False, color=colored)
