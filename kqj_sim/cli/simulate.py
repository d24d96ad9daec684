"""The command that plays deals and prints tables."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.cli.crew import crew_options, take_crew
from kqj_sim.cli.interrupt import Interruption, end_interrupted
from kqj_sim.cli.options import (
    Whole,
    color_option,
    count_options,
    experiment_options,
    quiet_option,
    take_experiment,
)
from kqj_sim.cli.output import (
    check_terminal,
    confidence_option,
    format_option,
    open_output,
    out_option,
    plot_option,
    write_report,
)
from kqj_sim.cli.progress import ProgressLine
from kqj_sim.reporting.choices import (
    PLOT_SUFFIXES,
    ROW_SUFFIXES,
    by_suffix,
    table_format,
)

if TYPE_CHECKING:
    from kqj_sim.analysis import Expression
    from kqj_sim.cli.saved import Saved
    from kqj_sim.crew import Threads
    from kqj_sim.reporting.gathered import Gathered, Gathering
    from kqj_sim.reporting.report import Run
    from kqj_sim.reporting.rows import RowsFile


DEFAULT_DEALS = 100_000


@click.command(
    epilog="""\b
Examples:
  kqj-sim simulate --deals 1e6
  kqj-sim simulate --teams 3 --partners random --policy greedy --policy seat0=standard
  kqj-sim simulate --bidding auction --by contract --where "amount >= 200" --out high.csv
  kqj-sim simulate --games 10000 --target 2000 --format json
  kqj-sim simulate --game kwajongen --by turned_rank
  kqj-sim simulate --impose 0:h --where "sender_trumps >= 4" --plot hearts.png --rows rows.parquet
  kqj-sim simulate --deals 1e10 --cluster tcp://192.168.1.5:8786 --checkpoint week.npz
"""
)
@click.option("--deals", type=Whole(1, "1e6"), help="How many deals to play.  [default: 100000]")
@count_options
@crew_options
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Group the tables by this column (repeatable)."
)
@click.option(
    "--where",
    metavar="EXPRESSION",
    help="Keep the deals for which this holds, such as \"lap == 2 and contract != 'NT'\".  "
    "`kqj-sim columns` lists the columns.",
)
@format_option
@out_option
@click.option("--rows", metavar="FILE", help="Write the rows, one a deal: .parquet or .csv.")
@plot_option
@click.option(
    "--control",
    metavar="SPEC",
    help="Correct what each team scores more than the others, and with --games who wins, for the "
    "luck of the cards: this policy, a fast one such as standard, plays every deal again at all "
    "seats, and what it scores is a control variate.  The plain means stay; it costs the time of "
    "the second play.",
)
@click.option(
    "--checkpoint",
    metavar="FILE",
    help="Save the counts to this file all the time, and go on from it if it is there; "
    "`kqj-sim merge` puts such files of several ranges together.",
)
@confidence_option
@experiment_options
@color_option
@quiet_option
def simulate(
    deals: int | None,
    first: int,
    games: int | None,
    threads: int | None,
    cluster: str | None,
    by: tuple[str, ...],
    where: str | None,
    format: str | None,
    out: str | None,
    rows: str | None,
    plot: str | None,
    control: str | None,
    checkpoint: str | None,
    confidence: float,
    color: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Play deals and print tables: who takes what, what is made, bonuses and scores.

    Every number comes with its interval and the number of deals behind it.
    """
    if deals is not None and games is not None:
        raise click.UsageError("--deals and --games: give one of them")
    if control is not None and where is not None:
        raise click.UsageError(
            "--control needs all deals, as its own mean is known of all: leave --where out"
        )
    format = table_format(out, format)
    check_terminal(format, out)
    if rows is not None:
        by_suffix(rows, ROW_SUFFIXES)
    if plot is not None:
        by_suffix(plot, PLOT_SUFFIXES)
    if rows is not None and checkpoint is not None:
        raise click.UsageError(
            "--rows and --checkpoint: rows are not kept in checkpoints; write them range by range "
            "with --first and --deals"
        )
    imposed: str | None = options["impose"]
    expression = _expression(where, games is not None, options["game"])
    experiment = take_experiment(
        options, quiet, deals=deals or DEFAULT_DEALS, first=first, games=games
    )
    from kqj_sim.reporting.gathered import Gathering
    from kqj_sim.reporting.report import Report, Run

    gathering = Gathering(experiment, by, where, expression, plot is not None, control)
    # Whatever is wrong with them is told before anything is played.
    started = gathering.start()
    saved = None
    if checkpoint is not None:
        from kqj_sim.cli.saved import Saved

        saved = Saved.open(checkpoint, gathering, imposed, started)
    with ExitStack() as stack:
        tables_file = open_output(stack, out)
        plot_file = open_output(stack, plot)
        rows_stack = stack.enter_context(ExitStack())
        rows_file = _open_rows(rows_stack, rows)
        crew = stack.enter_context(take_crew(threads, cluster, quiet))
        gathered, interrupted, failure = _play(gathering, rows_file, saved, crew, quiet)
        run = Run(
            command="simulate",
            rules=experiment.rules,
            policies=tuple(player.name for player in experiment.players),
            players=tuple(player.text for player in experiment.players),
            seed=experiment.seed,
            first=first,
            deals=gathered.tally.deals,
            confidence=confidence,
            games=games,
            imposed=imposed,
            by=by,
            where=where,
            interrupted=interrupted,
        )
        failure = _close_rows(rows_stack, rows_file, run, failure)
        write_report(Report(run, gathered.tables(confidence)), format, tables_file, color)
        if plot is not None and plot_file is not None and gathered.plot is not None:
            from kqj_sim.reporting.plots import draw

            plot_file.write(draw(gathered.plot, run, by_suffix(plot, PLOT_SUFFIXES)))
    if failure is not None:
        click.echo(f"The rows were not written: the tables hold {run.deals:,} deals", err=True)
        raise OSError(failure.errno, f"cannot be written: {failure.strerror or failure}", rows)
    if interrupted:
        asked = f"{experiment.deals:,} deals" if games is None else f"the deals of {games:,} games"
        told = "" if checkpoint is None else "; the same command goes on"
        end_interrupted(f"the tables hold {run.deals:,} of {asked}{told}")


def _play(
    gathering: Gathering, rows_file: RowsFile | None, saved: Saved | None, threads: Threads,
    quiet: bool,
) -> tuple[Gathered, bool, OSError | None]:  # fmt: skip
    """Play the experiment; what was gathered, whether Ctrl-C ended it early, what failed."""
    from kqj_sim.simulation import fold

    experiment = gathering.experiment
    what = "deals" if experiment.games is None else "games"
    with ProgressLine(what, experiment.games or experiment.deals, quiet) as progress:
        if rows_file is not None:
            return _write_rows(gathering, rows_file, threads, progress)
        if saved is not None:
            return (*saved.play(gathering, threads, progress), None)
        folded = fold(experiment, gathering.start, threads, progress=progress.advance)
    return folded.result, folded.interrupted, None


def _write_rows(
    gathering: Gathering, rows_file: RowsFile, threads: Threads, progress: ProgressLine
) -> tuple[Gathered, bool, OSError | None]:
    """Play the experiment in order of deal, write its rows and gather them.

    Rows that cannot be written end it: what was gathered by then is not lost.
    """
    from kqj_sim.simulation import row_chunks

    gathered, expression = gathering.start(), gathering.expression
    with Interruption() as interruption:
        for rows in row_chunks(gathering.experiment, threads):
            gathered.add(rows)
            if rows.ended is not None:
                gathered.add_games(rows.ended)
            try:
                rows_file.write(rows, None if expression is None else expression.mask(rows))
            except OSError as error:
                return gathered, interruption.asked, error
            progress.advance(len(rows) if rows.ended is None else len(rows.ended))
            if interruption.asked:
                break
    return gathered, interruption.asked, None


def _close_rows(
    stack: ExitStack, rows_file: RowsFile | None, run: Run, failure: OSError | None
) -> OSError | None:
    """Complete the file of rows, or drop it; what goes wrong with it must not cost the tables."""
    try:
        if failure is not None:
            raise failure
        if rows_file is not None:
            rows_file.finish(run)
        stack.close()
    except OSError as error:
        with suppress(OSError):
            stack.__exit__(type(error), error, error.__traceback__)
        return error
    return None


def _expression(where: str | None, games: bool, game: str) -> Expression | None:
    if where is None:
        return None
    from kqj_sim.analysis import compile_expression

    return compile_expression(where, games=games, game=game)


def _open_rows(stack: ExitStack, path: str | None) -> RowsFile | None:
    if path is None:
        return None
    from kqj_sim.reporting.rows import RowsFile

    return stack.enter_context(RowsFile(path))
