"""The command `simulate`."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.arguments import split_items
from kqj_sim.commands.command import Command
from kqj_sim.commands.options import (
    WholeNumberType,
    count_options,
    experiment_options,
    open_workers,
    pop_experiment,
    quiet_option,
    worker_options,
)
from kqj_sim.commands.output import (
    Output,
    choose_tables,
    color_option,
    confidence_option,
    format_option,
    out_option,
    plot_option,
    tables_option,
    tell_sidecar,
)
from kqj_sim.commands.progress import exit_interrupted
from kqj_sim.commands.say import say
from kqj_sim.progress import InterruptHandler, ProgressLine
from kqj_sim.reporting.formats import ROW_SUFFIXES, choose_by_suffix

if TYPE_CHECKING:
    from kqj_sim.analysis.tally import Tally
    from kqj_sim.commands.saved_run import SavedRun
    from kqj_sim.reporting.rows import RowsFile
    from kqj_sim.reporting.run import Run
    from kqj_sim.workers import Workers

DEFAULT_DEALS = 100_000
"""Deals to play unless told otherwise."""


def _split_columns(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the columns of all --by, of which each may have several after commas."""
    return tuple(split_items(values))


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim simulate --deals 1e6
  kqj-sim simulate --policy greedy --policy seat0=standard --teams 3
  kqj-sim simulate --by contract --where "lap == 2 and contract != 'NT'"
  kqj-sim simulate --bidding auction --games 10000 --out games.json
  kqj-sim simulate --impose opener:h --plot hearts.png --rows rows.parquet
  kqj-sim simulate --game kwajongen --by turned_rank
""",
)
@click.option(
    "--deals", type=WholeNumberType(1, "1e6"), help="Play this many deals.  [default: 100000]"
)
@count_options
@worker_options
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN,...",
    callback=_split_columns,
    help="Show one row per value of these columns.",
)
@click.option(
    "--where",
    metavar="EXPRESSION",
    help="Count only the deals for which this holds; `kqj-sim columns` lists the columns.",
)
@format_option
@out_option
@tables_option
@click.option("--rows", metavar="FILE", help="Write one row per deal to a .parquet or .csv file.")
@plot_option
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Save the counts to this file during the run and resume from it.",
)
@confidence_option
@experiment_options
@color_option
@quiet_option
def simulate(
    deals: int | None, first: int, games: int | None, threads: int | None, cluster: str | None,
    by: tuple[str, ...], where: str | None, format: str | None, out: str | None,
    tables: str | None, rows: str | None, plot: str | None, checkpoint: str | None,
    confidence: float, color: str, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Play deals and summarise the results in tables.

    Shows how often deals are taken, made and failed, by whom and with what scores.  Every number
    comes with its interval and its number of deals.
    """
    if deals is not None and games is not None:
        raise click.UsageError("--deals and --games: give one of them")
    output = Output(out, format, plot, color)
    if rows is not None:
        choose_by_suffix(rows, ROW_SUFFIXES)
    if rows is not None and checkpoint is not None:
        raise click.UsageError(
            "--rows and --checkpoint: rows are not kept in checkpoints; write them range by range "
            "with --first and --deals"
        )
    experiment = pop_experiment(
        options, quiet, deals=deals or DEFAULT_DEALS, first=first, games=games
    )
    from kqj_sim.analysis.tally import Tally
    from kqj_sim.reporting.run import Run
    from kqj_sim.reporting.simulation import make_simulation_report

    # Made before anything is played, so that wrong options are reported at once.
    tally = Tally(experiment, by, where)
    shown = choose_tables(tables, tally.list_titles())
    with output, ExitStack() as stack:
        rows_stack = stack.enter_context(ExitStack())
        rows_file = _open_rows_file(rows_stack, rows)
        saved = None
        if checkpoint is not None:
            from kqj_sim.commands.saved_run import SavedRun

            saved = SavedRun(checkpoint, tally)
        workers = stack.enter_context(open_workers(threads, cluster, quiet))
        tally, interrupted, failure = _play(tally, rows_file, saved, workers, quiet)
        run = Run(
            command="simulate",
            rules=experiment.rules,
            policies=tuple(player.name for player in experiment.players),
            players=tuple(player.text for player in experiment.players),
            seed=experiment.seed,
            first=first,
            deals=tally.deals,
            confidence=confidence,
            games=games,
            imposed=experiment.imposed_text,
            by=by,
            where=where,
            interrupted=interrupted,
        )
        failure = _close_rows_file(rows_stack, rows_file, run, failure)
        output.write_report(make_simulation_report(run, tally.tables(confidence), shown))
        if plot is not None:
            from kqj_sim.reporting.plots import render_simulation

            output.write_plot(lambda format: render_simulation(tally, run, format))
    if failure is not None:
        say(f"The rows were not written: the tables hold {run.deals:,} deals", err=True)
        raise OSError(failure.errno, f"cannot be written: {failure.strerror or failure}", rows)
    if interrupted:
        wanted = f"{experiment.deals:,} deals" if games is None else f"the deals of {games:,} games"
        hint = "" if checkpoint is None else "; the same command goes on"
        exit_interrupted(f"the tables hold {run.deals:,} of {wanted}{hint}")


def _play(
    empty: Tally, rows_file: RowsFile | None, saved: SavedRun | None, workers: Workers, quiet: bool
) -> tuple[Tally, bool, OSError | None]:
    """Play the experiment; return its counts, True if Ctrl-C ended it, and what failed."""
    from kqj_sim.analysis.tally import Tally
    from kqj_sim.simulation import reduce_rows

    experiment = empty.experiment
    unit = "deals" if experiment.games is None else "games"
    with ProgressLine(unit, experiment.games or experiment.deals, quiet) as progress:
        if rows_file is not None:
            return _write_rows(empty, rows_file, workers, progress)
        if saved is not None:
            return (*saved.play(workers, progress), None)
        start = partial(Tally, experiment, empty.by, empty.where)
        reduced = reduce_rows(experiment, start, workers, progress=progress.advance)
    return reduced.result, reduced.interrupted, None


def _write_rows(
    tally: Tally, rows_file: RowsFile, workers: Workers, progress: ProgressLine
) -> tuple[Tally, bool, OSError | None]:
    """Play the experiment in order of deal; write its rows and count them.

    A failure to write ends the run; the counts up to then are returned with it.
    """
    from kqj_sim.simulation import iterate_row_chunks

    expression = tally.expression
    with InterruptHandler() as interruption:
        for rows in iterate_row_chunks(tally.experiment, workers):
            tally.add(rows)
            if rows.finished_games is not None:
                tally.add_games(rows.finished_games)
            try:
                rows_file.write(rows, None if expression is None else expression.mask(rows))
            except OSError as error:
                return tally, interruption.stop_requested, error
            progress.advance(len(rows) if rows.finished_games is None else len(rows.finished_games))
            if interruption.stop_requested:
                break
    return tally, interruption.stop_requested, None


def _close_rows_file(
    stack: ExitStack, rows_file: RowsFile | None, run: Run, failure: OSError | None
) -> OSError | None:
    """Complete the file of rows, or drop it; return its error, which must not cost the tables."""
    try:
        if failure is not None:
            raise failure
        if rows_file is not None:
            rows_file.finish(run)
        stack.close()
        if rows_file is not None:
            tell_sidecar(rows_file.sidecar)
    except OSError as error:
        with suppress(OSError):
            stack.__exit__(type(error), error, error.__traceback__)
        return error
    return None


def _open_rows_file(stack: ExitStack, path: str | None) -> RowsFile | None:
    """Open the file of rows, which `stack` completes or removes; None without a path."""
    if path is None:
        return None
    from kqj_sim.reporting.rows import RowsFile

    return stack.enter_context(RowsFile(path))
