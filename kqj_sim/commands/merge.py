"""The command `merge`."""

from __future__ import annotations

import click

from kqj_sim.commands.command import Command
from kqj_sim.commands.options import config_option
from kqj_sim.commands.output import (
    Output,
    color_option,
    confidence_option,
    format_option,
    out_option,
)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim simulate --deals 5e8 --checkpoint a.npz --quiet > /dev/null
  kqj-sim simulate --first 5e8 --deals 5e8 --checkpoint b.npz --quiet > /dev/null
  kqj-sim merge a.npz b.npz --out all.md
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option
@out_option
@click.option("--plot", metavar="FILE", help="Draw a picture, if the runs were made with --plot.")
@click.option("--checkpoint", metavar="FILE", help="Write a checkpoint of the merged run.")
@confidence_option
@config_option
@color_option
def merge(
    files: tuple[str, ...], format: str | None, out: str | None, plot: str | None,
    checkpoint: str | None, confidence: float, color: str,
) -> None:  # fmt: skip
    """Merge checkpoints of adjacent ranges into one run.

    The tables are those of one run over all ranges.  The files come from `kqj-sim simulate
    --checkpoint` with the same options but --first and --deals (or --games), on this machine or
    others.
    """
    output = Output(out, format, plot, color)
    from kqj_sim.reporting.checkpoint import merge_checkpoints, read_checkpoint, write_checkpoint
    from kqj_sim.reporting.run import Report

    merged = merge_checkpoints([(file, read_checkpoint(file)) for file in files], confidence)
    plot_counts = merged.aggregation.plot
    if plot is not None and plot_counts is None:
        raise click.UsageError(f"--plot {plot}: the files hold no picture; simulate with --plot")
    with output:
        output.write_report(Report(merged.run, merged.aggregation.tables(confidence)))
        if plot_counts is not None and plot is not None:
            from kqj_sim.reporting.plots import render_simulation

            output.write_plot(lambda format: render_simulation(plot_counts, merged.run, format))
    if checkpoint is not None:
        write_checkpoint(
            checkpoint, merged.counted, merged.first, merged.finished, merged.aggregation
        )
