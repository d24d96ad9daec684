"""Where commands write what they found."""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

import click

from kqj_sim.cli.options import screen_width, wants_color

if TYPE_CHECKING:
    from kqj_sim.reporting.report import Report


def open_output(stack: ExitStack, path: str | None) -> IO[bytes] | None:
    """A file to be written, opened before the run: nothing is lost to one that cannot be."""
    if path is None:
        return None
    from kqj_sim.reporting.files import OutputFile

    return stack.enter_context(OutputFile(path))


def write_tables(report: Report, format: str, stream: IO[bytes] | None, color: str) -> None:
    """Tables to a file, or to stdout with colours and a width that suit it."""
    from kqj_sim.reporting.formats import render

    if stream is not None:
        stream.write(render(report, format))
        return
    colored = format == "table" and wants_color(color)
    text = render(report, format, color=colored, width=screen_width())
    click.echo(text, nl=False, color=colored)
