"""Commands about single rounds: write them, show one, hold them against the rules."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

import click

from kqj_sim.commands.checking import CheckedFiles
from kqj_sim.commands.options import (
    WholeNumberType,
    color_option,
    count_options,
    experiment_options,
    pop_experiment,
    quiet_option,
    screen_width,
    wants_color,
)
from kqj_sim.commands.progress import InterruptHandler, exit_interrupted
from kqj_sim.messages import visible

if TYPE_CHECKING:
    from kqj_sim.record import Record


@click.command(
    epilog="""\b
Examples:
  kqj-sim records --deals 1000 --out rounds.jsonl
  kqj-sim records --games 10 --teams 3 --policy greedy | kqj-sim check -
"""
)
@click.option(
    "--deals", type=WholeNumberType(1, "1000"), help="How many deals to play.  [default: 10]"
)
@count_options
@experiment_options
@click.option("--out", metavar="FILE", help="Write to this file instead of stdout.")
@quiet_option
def records(deals: int | None, out: str | None, quiet: bool, **options: Any) -> None:
    """Play deals, or whole games, and write each round: JSON Lines, one object a round."""
    if deals is not None and options["games"] is not None:
        raise click.UsageError("--deals and --games: give one of them")
    first: int = options.pop("first")
    games: int | None = options.pop("games")
    experiment = pop_experiment(options, quiet, deals=deals or 10, first=first, games=games)
    from kqj_sim.record import to_json
    from kqj_sim.records import play_records

    written = 0
    with ExitStack() as stack:
        stream: IO[bytes] = sys.stdout.buffer
        if out is not None:
            from kqj_sim.reporting.files import OutputFile

            stream = stack.enter_context(OutputFile(out))
        interruption = stack.enter_context(InterruptHandler())
        for record in play_records(experiment):
            stream.write(to_json(record).encode() + b"\n")
            written += 1
            if interruption.asked:
                break
        stream.flush()
    if interruption.asked:
        exit_interrupted(f"{written:,} records were written")


@click.command(
    epilog="""\b
Examples:
  kqj-sim show --seed 7 --deal 4183
  kqj-sim show --seed 7 --deal 4183 --teams 3 --bidding auction --policy greedy
  kqj-sim show rounds.jsonl --line 12
  kqj-sim show --deal 74 --policy standard:take=45 --against standard
"""
)
@click.argument("file", required=False)
@click.option(
    "--line", type=WholeNumberType(1, "12"), default=1, help="Line of the file.  [default: 1]"
)
@click.option(
    "--deal", type=WholeNumberType(0, "42"), default=0, help="Number of the deal.  [default: 0]"
)
@click.option(
    "--against",
    metavar="SPEC",
    help="The deal as `kqj-sim compare` plays it: --policy against this, in all arrangements.",
)
@click.option("--field", metavar="SPEC", help="With --against: each of them against this instead.")
@experiment_options
@color_option
@quiet_option
def show(
    file: str | None, line: int, deal: int, against: str | None, field: str | None, color: str,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Show one round: hands, calls, tricks, points and scores.

    Either a deal that is played by its number with --seed and --deal, or a line of a FILE of
    records (- for stdin).  With --against the deal is shown as often as it goes differently when
    two policies play it, side by side where there is room.
    """
    if field is not None and against is None:
        raise click.UsageError("--field is for --against: name who is compared")
    if file is None and against is not None:
        _reject_options(("line",), "is for a FILE of records: name the file")
        _show_versions(options, deal, against, field, color, quiet)
        return
    if file is None:
        _reject_options(("line",), "is for a FILE of records: name the file")
        record = _play_record(options, deal, quiet)
    else:
        names = [name for name in click.get_current_context().params if name not in _FILE_OPTIONS]
        _reject_options(names, "is for a round that is played: leave it out, or the FILE")
        record = _read_record(file, line)
    from kqj_sim.referee import check_record
    from kqj_sim.reporting.grid import to_screen
    from kqj_sim.reporting.rounds import render_round

    colored = wants_color(color)
    text = to_screen(render_round(record), color=colored, width=screen_width())
    click.echo(text, nl=False, color=colored)
    for discrepancy in check_record(record):
        click.echo(f"Warning: against the rules: {discrepancy}", err=True)


def _show_versions(
    options: dict[str, Any], deal: int, against: str, field: str | None, color: str, quiet: bool
) -> None:
    """Show a deal as two policies play it, a version for each way in which it goes."""
    given: tuple[str, ...] = options["policy"]
    if len(given) != 1 or given[0].startswith(("team", "seat")):
        raise click.UsageError("--against needs --policy SPEC, one policy for the whole side")
    if options["impose"] is not None:
        raise click.UsageError("--against and --impose: give one of them")
    experiment = pop_experiment(options, quiet, deals=1, first=deal)
    from kqj_sim.analysis.match import PairedMatch
    from kqj_sim.records import play_records
    from kqj_sim.reporting.rounds import render_versions

    players = (experiment.policies[0], against)
    contest = PairedMatch(experiment.rules, players, field, experiment.seed)
    records = [next(iter(play_records(each))) for each in contest.experiments(deal, 1)]
    colored, width = wants_color(color), screen_width()
    from kqj_sim.reporting.grid import to_screen

    parts = render_versions(records, contest.tables(), width)
    click.echo(to_screen(parts, color=colored, width=width), nl=False, color=colored)


_FILE_OPTIONS = ("file", "line", "color", "quiet")


def _reject_options(names: Any, reason: str) -> None:
    """Raise UsageError if one of these options was given on the command line."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} {reason}")


def _play_record(options: dict[str, Any], deal: int, quiet: bool) -> Record:
    experiment = pop_experiment(options, quiet, deals=1, first=deal)
    from kqj_sim.records import play_records

    return next(iter(play_records(experiment)))


def _read_record(file: str, line: int) -> Record:
    """The record on a line of a file; raises RecordError and OSError."""
    from kqj_sim.record import RecordError, read_records

    with click.open_file(file, "rb") as stream:
        found = (record for number, record in read_records(stream) if number == line)
        record = next(found, None)
    if record is None:
        raise RecordError(f"{file} has no record on line {line}")
    if isinstance(record, RecordError):
        raise RecordError(f"{file}:{line}: {record}")
    return record


@click.command(
    epilog="""\b
Examples:
  kqj-sim check rounds.jsonl
  kqj-sim records --deals 1000 | kqj-sim check -
  kqj-sim check --replay rounds.jsonl
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--replay",
    is_flag=True,
    help="Also play each round again from its rules, players, seed, deal, dealer and pending "
    "gratuity, and compare. Loads and runs the policy files that the records name.",
)
@quiet_option
def check(files: tuple[str, ...], replay: bool, quiet: bool) -> None:
    """Check recorded rounds against an independent referee.

    Prints each discrepancy with its file and line.  The exit status is 1 if there are any.

    The referee finds what the rules do not allow.  With --replay a change of the seed, the deal or
    the players is found, too, unless it leads to the same round.  Records whose policies are not
    known here are counted with the reason, and are no discrepancies.
    """
    checked = CheckedFiles(replay, quiet)
    for file in files:
        name = "stdin" if file == "-" else visible(file)
        with click.open_file(file, "rb") as stream:
            for line, discrepancy in checked.discrepancies(stream):
                click.echo(f"{name}:{line}: {discrepancy}")
    if not quiet:
        for told in checked.summary():
            click.echo(told, err=True)
    if checked.found:
        click.get_current_context().exit(1)
