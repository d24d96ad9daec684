"""The command `merge`."""

from __future__ import annotations

import click

from kqj_sim.commands.command import Command
from kqj_sim.commands.options import config_option
from kqj_sim.commands.output import (
    Output,
    choose_tables,
    color_option,
    confidence_option,
    format_option,
    out_option,
    plot_option,
    tables_option,
)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim simulate --deals 5e8 --checkpoint a.npz --out a.json
  kqj-sim simulate --first 5e8 --deals 5e8 --checkpoint b.npz --out b.json
  kqj-sim merge a.npz b.npz --out all.md
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option
@out_option
@tables_option
@plot_option
@click.option(
    "--checkpoint", metavar="FILE", help="Save the counts of the merged run to this file."
)
@confidence_option
@config_option
@color_option
def merge(
    files: tuple[str, ...], format: str | None, out: str | None, tables: str | None,
    plot: str | None, checkpoint: str | None, confidence: float, color: str,
) -> None:  # fmt: skip
    """Merge checkpoints of adjacent ranges into one run.

    The tables are those of one run over all ranges.  The files come from `kqj-sim simulate
    --checkpoint`, on any machines, with the same options apart from --first, --deals and --games.
    """
    output = Output(out, format, plot, color)
    from kqj_sim.reporting.checkpoint import merge_checkpoints, read_checkpoint, write_checkpoint
    from kqj_sim.reporting.simulation import make_simulation_report

    merged = merge_checkpoints([(file, read_checkpoint(file)) for file in files], confidence)
    shown = choose_tables(tables, merged.tally.list_titles())
    with output:
        output.write_report(
            make_simulation_report(merged.run, merged.tally.tables(confidence), shown)
        )
        if plot is not None:
            from kqj_sim.reporting.plots import render_simulation

            output.write_plot(lambda format: render_simulation(merged.tally, merged.run, format))
    if checkpoint is not None:
        write_checkpoint(checkpoint, merged.counted, merged.first, merged.finished, merged.tally)
