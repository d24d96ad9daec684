"""The command that plays deals and prints tables.

The command that puts the checkpoints of several ranges of deals together.

A simulation whose counts are saved all the time, so that it survives whatever ends it.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.commands.options import (
    WholeNumberType,
    check_terminal_format,
    color_option,
    confidence_option,
    config_option,
    count_options,
    experiment_options,
    format_option,
    open_output,
    open_workers,
    out_option,
    plot_option,
    pop_experiment,
    quiet_option,
    worker_options,
    write_report,
)
from kqj_sim.commands.progress import InterruptHandler, ProgressLine, exit_interrupted
from kqj_sim.core.block import LANES
from kqj_sim.experiment import Experiment
from kqj_sim.reporting.checkpoint import (
    Aggregation,
    AggregationPlan,
    CheckpointError,
    CountedRun,
    add_counts,
    read_checkpoint,
    write_checkpoint,
)
from kqj_sim.reporting.formats import (
    PLOT_SUFFIXES,
    ROW_SUFFIXES,
    choose_by_suffix,
    choose_table_format,
)
from kqj_sim.simulation import CHUNK_GAMES, CHUNK_ROWS, reduce_ranges, reduce_rows
from kqj_sim.workers import Workers, count_workers

if TYPE_CHECKING:
    from kqj_sim.analysis.where import Expression
    from kqj_sim.reporting.checkpoint import Aggregation, AggregationPlan, Checkpoint
    from kqj_sim.reporting.rows import RowsFile
    from kqj_sim.reporting.run import Run
    from kqj_sim.workers import Workers


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
    format = choose_table_format(out, format)
    check_terminal_format(format, out)
    if plot is not None:
        choose_by_suffix(plot, PLOT_SUFFIXES)
    from kqj_sim.reporting.checkpoint import merge_checkpoints, read_checkpoint, write_checkpoint
    from kqj_sim.reporting.run import Report

    parts: list[tuple[str, Checkpoint]] = [(file, read_checkpoint(file)) for file in files]
    whole = merge_checkpoints(parts, confidence)
    if plot is not None and whole.aggregation.plot is None:
        raise click.UsageError(f"--plot {plot}: the files hold no picture; simulate with --plot")
    with ExitStack() as stack:
        tables_file = open_output(stack, out)
        plot_file = open_output(stack, plot)
        report = Report(whole.run, whole.aggregation.tables(confidence))
        write_report(report, format, tables_file, color)
        if plot is not None and plot_file is not None and whole.aggregation.plot is not None:
            from kqj_sim.reporting.plots import render_simulation

            kind = choose_by_suffix(plot, PLOT_SUFFIXES)
            plot_file.write(render_simulation(whole.aggregation.plot, whole.run, kind))
    if checkpoint is not None:
        write_checkpoint(checkpoint, whole.counted, whole.first, whole.finished, whole.aggregation)


SPAN_SECONDS = 1.0
"""About so long deals are played between two looks at Ctrl-C and at the time of a checkpoint."""

SAVE_SECONDS = 2.0
"""A checkpoint is written after so long: as much is lost to what ends the program, at most."""


class SavedRun:
    """A run whose counts are saved all the time."""

    def __init__(self, path: str, counted: CountedRun, first: int, finished: int, total: int,
                 aggregation: Aggregation) -> None:  # fmt: skip
        self.path = path
        self.counted = counted
        self.first = first
        self.finished = finished
        self.total = total
        self.aggregation = aggregation

    @classmethod
    def open(
        cls, path: str, plan: AggregationPlan, imposed: str | None, aggregation: Aggregation
    ) -> SavedRun:
        """A run that goes on from a checkpoint, or makes one.

        Raises CheckpointError for a file that holds something else, OSError if it cannot be
        written.
        """
        experiment = plan.experiment
        counted = CountedRun.of(
            experiment, imposed, aggregation.tally.by, plan.where, plan.control,
            aggregation.layout,
        )  # fmt: skip
        total = experiment.games or experiment.deals
        saved = cls(path, counted, experiment.first, 0, total, aggregation)
        if not Path(path).exists():
            saved.save()
            return saved
        found = read_checkpoint(path)
        difference = counted.difference(found.counted)
        if not difference and found.first != experiment.first:
            difference = f"first {found.first} and not {experiment.first}"
        if not difference and found.finished > total:
            difference = f"{found.finished:,} {counted.unit} and not {total:,}"
        if difference:
            raise CheckpointError(
                f"{path} is the checkpoint of another run ({difference}): give the options it was "
                "made with, or another file"
            )
        add_counts(path, found, aggregation)
        saved.finished = found.finished
        return saved

    def save(self) -> None:
        """Write the checkpoint; raises OSError."""
        write_checkpoint(self.path, self.counted, self.first, self.finished, self.aggregation)

    def play(
        self, plan: AggregationPlan, threads: Workers, progress: ProgressLine
    ) -> tuple[Aggregation, bool]:
        """Play what is left; what was gathered, and whether Ctrl-C ended it early."""
        progress.resume(self.finished)
        written = time.monotonic()
        with (
            InterruptHandler() as interruption,
            closing(self._play_spans(plan, threads, progress)) as spans,
        ):
            for _ in spans:
                now = time.monotonic()
                if (
                    now - written > SAVE_SECONDS
                    or self.finished == self.total
                    or interruption.asked
                ):
                    self.save()
                    written = now
                if interruption.asked:
                    break
        return self.aggregation, self.finished < self.total

    def _play_spans(
        self, plan: AggregationPlan, threads: Workers, progress: ProgressLine
    ) -> Generator[None]:
        """Play what is left span by span, in order; each is gathered when it is finished."""
        if threads is None or isinstance(threads, int):
            yield from self._play_spans_in_threads(plan, count_workers(threads), progress)
        elif self.finished < self.total:
            for part in reduce_ranges(self._make_next_span(plan), plan.start, threads):
                self.aggregation.add_numbers(part.numbers)
                self.finished += part.count
                progress.advance(part.count)
                yield

    def _play_spans_in_threads(
        self, plan: AggregationPlan, threads: int, progress: ProgressLine
    ) -> Generator[None]:
        """The same in threads."""
        in_games = self.counted.unit == "games"
        span = 2 * threads * (LANES if in_games else 4 * LANES)
        largest = CHUNK_GAMES if in_games else CHUNK_ROWS
        while self.finished < self.total:
            experiment = self._make_next_span(plan, span)
            began = time.monotonic()
            chunk = min(largest, max(1, span // (2 * threads)))
            folded = reduce_rows(experiment, plan.start, threads, chunk, progress.advance)
            self.aggregation.merge(folded.result)
            self.finished += experiment.games or experiment.deals
            if 2 * (time.monotonic() - began) < SPAN_SECONDS:
                span *= 2
            yield

    def _make_next_span(self, plan: AggregationPlan, most: int | None = None) -> Experiment:
        """What is not finished, or the first part of it."""
        left = self.total - self.finished
        count = left if most is None else min(most, left)
        in_games = self.counted.unit == "games"
        return replace(
            plan.experiment,
            first=self.first + self.finished,
            deals=1 if in_games else count,
            games=count if in_games else None,
        )


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
@click.option(
    "--deals", type=WholeNumberType(1, "1e6"), help="How many deals to play.  [default: 100000]"
)
@count_options
@worker_options
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
    format = choose_table_format(out, format)
    check_terminal_format(format, out)
    if rows is not None:
        choose_by_suffix(rows, ROW_SUFFIXES)
    if plot is not None:
        choose_by_suffix(plot, PLOT_SUFFIXES)
    if rows is not None and checkpoint is not None:
        raise click.UsageError(
            "--rows and --checkpoint: rows are not kept in checkpoints; write them range by range "
            "with --first and --deals"
        )
    imposed: str | None = options["impose"]
    expression = _compile_where(where, games is not None, options["game"])
    experiment = pop_experiment(
        options, quiet, deals=deals or DEFAULT_DEALS, first=first, games=games
    )
    from kqj_sim.reporting.checkpoint import AggregationPlan
    from kqj_sim.reporting.run import Report, Run

    gathering = AggregationPlan(experiment, by, where, expression, plot is not None, control)
    # Whatever is wrong with them is told before anything is played.
    started = gathering.start()
    saved = None
    if checkpoint is not None:
        saved = SavedRun.open(checkpoint, gathering, imposed, started)
    with ExitStack() as stack:
        tables_file = open_output(stack, out)
        plot_file = open_output(stack, plot)
        rows_stack = stack.enter_context(ExitStack())
        rows_file = _open_rows_file(rows_stack, rows)
        crew = stack.enter_context(open_workers(threads, cluster, quiet))
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
        failure = _close_rows_file(rows_stack, rows_file, run, failure)
        write_report(Report(run, gathered.tables(confidence)), format, tables_file, color)
        if plot is not None and plot_file is not None and gathered.plot is not None:
            from kqj_sim.reporting.plots import render_simulation

            plot_file.write(
                render_simulation(gathered.plot, run, choose_by_suffix(plot, PLOT_SUFFIXES))
            )
    if failure is not None:
        click.echo(f"The rows were not written: the tables hold {run.deals:,} deals", err=True)
        raise OSError(failure.errno, f"cannot be written: {failure.strerror or failure}", rows)
    if interrupted:
        asked = f"{experiment.deals:,} deals" if games is None else f"the deals of {games:,} games"
        told = "" if checkpoint is None else "; the same command goes on"
        exit_interrupted(f"the tables hold {run.deals:,} of {asked}{told}")


def _play(
    plan: AggregationPlan, rows_file: RowsFile | None, saved: SavedRun | None, threads: Workers,
    quiet: bool,
) -> tuple[Aggregation, bool, OSError | None]:  # fmt: skip
    """Play the experiment; what was gathered, whether Ctrl-C ended it early, what failed."""
    from kqj_sim.simulation import reduce_rows

    experiment = plan.experiment
    what = "deals" if experiment.games is None else "games"
    with ProgressLine(what, experiment.games or experiment.deals, quiet) as progress:
        if rows_file is not None:
            return _write_rows(plan, rows_file, threads, progress)
        if saved is not None:
            return (*saved.play(plan, threads, progress), None)
        folded = reduce_rows(experiment, plan.start, threads, progress=progress.advance)
    return folded.result, folded.interrupted, None


def _write_rows(
    plan: AggregationPlan, rows_file: RowsFile, threads: Workers, progress: ProgressLine
) -> tuple[Aggregation, bool, OSError | None]:
    """Play the experiment in order of deal, write its rows and gather them.

    Rows that cannot be written end it: what was gathered by then is not lost.
    """
    from kqj_sim.simulation import iterate_row_chunks

    gathered, expression = plan.start(), plan.expression
    with InterruptHandler() as interruption:
        for rows in iterate_row_chunks(plan.experiment, threads):
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


def _close_rows_file(
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


def _compile_where(where: str | None, games: bool, game: str) -> Expression | None:
    if where is None:
        return None
    from kqj_sim.analysis.where import compile_expression

    return compile_expression(where, games=games, game=game)


def _open_rows_file(stack: ExitStack, path: str | None) -> RowsFile | None:
    if path is None:
        return None
    from kqj_sim.reporting.rows import RowsFile

    return stack.enter_context(RowsFile(path))
