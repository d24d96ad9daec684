"""The command that puts the checkpoints of several ranges of deals together."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from kqj_sim.cli.options import color_option, config_option
from kqj_sim.cli.output import (
    check_terminal,
    confidence_option,
    format_option,
    open_output,
    out_option,
    write_report,
)
from kqj_sim.reporting.choices import PLOT_SUFFIXES, by_suffix, table_format

if TYPE_CHECKING:
    from kqj_sim.reporting.checkpoint import Checkpoint


@click.command(
    epilog="""\b
Examples:
  kqj-sim simulate --deals 5e8 --checkpoint a.npz --quiet > /dev/null
  kqj-sim simulate --first 5e8 --deals 5e8 --checkpoint b.npz --quiet > /dev/null
  kqj-sim merge a.npz b.npz --out all.md
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option
@out_option
@click.option("--plot", metavar="FILE", help="Draw a picture, if the runs had one.")
@click.option("--checkpoint", metavar="FILE", help="Write a checkpoint of the whole.")
@confidence_option
@config_option
@color_option
def merge(
    files: tuple[str, ...],
    format: str | None,
    out: str | None,
    plot: str | None,
    checkpoint: str | None,
    confidence: float,
    color: str,
) -> None:
    """Put checkpoints of neighbouring ranges together: the tables of one run over all of them.

    The files are made by `kqj-sim simulate --checkpoint` with the same options but --first and
    --deals (or --games), on this machine or others.
    """
    format = table_format(out, format)
    check_terminal(format, out)
    if plot is not None:
        by_suffix(plot, PLOT_SUFFIXES)
    from kqj_sim.reporting.checkpoint import read_checkpoint, write_checkpoint
    from kqj_sim.reporting.merging import merged
    from kqj_sim.reporting.report import Report

    parts: list[tuple[str, Checkpoint]] = [(file, read_checkpoint(file)) for file in files]
    whole = merged(parts, confidence)
    if plot is not None and whole.gathered.plot is None:
        raise click.UsageError(f"--plot {plot}: the files hold no picture; simulate with --plot")
    with ExitStack() as stack:
        tables_file = open_output(stack, out)
        plot_file = open_output(stack, plot)
        report = Report(whole.run, whole.gathered.tables(confidence))
        write_report(report, format, tables_file, color)
        if plot is not None and plot_file is not None and whole.gathered.plot is not None:
            from kqj_sim.reporting.plots import draw

            kind = by_suffix(plot, PLOT_SUFFIXES)
            plot_file.write(draw(whole.gathered.plot, whole.run, kind))
    if checkpoint is not None:
        write_checkpoint(checkpoint, whole.counted, whole.first, whole.finished, whole.gathered)
