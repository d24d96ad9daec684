"""The commands `records` and `show`: single rounds as JSON and for people."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.commands.command import Command
from kqj_sim.commands.input import open_lines
from kqj_sim.commands.options import (
    WholeNumberType,
    count_options,
    experiment_options,
    pop_experiment,
    quiet_option,
)
from kqj_sim.commands.output import (
    color_option,
    open_output,
    print_screen,
    screen_width,
)
from kqj_sim.commands.progress import exit_interrupted
from kqj_sim.commands.say import say
from kqj_sim.commands.stdout import get_stdout
from kqj_sim.messages import visible
from kqj_sim.progress import InterruptHandler
from kqj_sim.record import PartialRecord, Record, RecordError, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FORMATS = ("json", "text")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim records --deals 1000 --out rounds.jsonl
  kqj-sim records --games 10 --teams 3 --policy greedy | kqj-sim check -
  kqj-sim records --from friday.txt --out friday.jsonl
  kqj-sim records --from rounds.jsonl --format text
""",
)
@click.option(
    "--deals", type=WholeNumberType(1, "1000"), help="Play this many deals.  [default: 10]"
)
@count_options
@experiment_options
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="Convert the rounds of this file, JSON or typed, instead of playing (- for stdin).",
)
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help="Write json, or text as people type it.  [default: text for --out NAME.txt, else json]",
)
@click.option("--out", metavar="FILE", help="Write the records to this file instead of stdout.")
@quiet_option
def records(
    deals: int | None, source: str | None, format: str | None, out: str | None, quiet: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Play deals and write each round as a line of JSON.

    A record holds the whole round: cards, calls, tricks, points and scores.  With --from, the
    rounds of a file are converted instead.
    """
    if deals is not None and options["games"] is not None:
        raise click.UsageError("--deals and --games: give one of them")
    if source is None:
        first: int = options.pop("first")
        games: int | None = options.pop("games")
        experiment = pop_experiment(options, quiet, deals=deals or 10, first=first, games=games)
        from kqj_sim.recording import play_records

        found: Iterator[Record] = play_records(experiment)
    else:
        names = click.get_current_context().params
        _reject_options([name for name in names if name not in _CONVERT_OPTIONS], _NO_PLAY)
        found = _read_records(source)
    written = 0
    with ExitStack() as stack:
        stream = open_output(stack, out) or get_stdout().buffer
        interruption = stack.enter_context(InterruptHandler())
        for text in _format_records(found, format or choose_record_format(out)):
            stream.write(text.encode())
            written += 1
            if interruption.stop_requested:
                break
        stream.flush()
    if written == 0 and source is not None:
        raise RecordError(f"{visible(source)} has no records")
    if interruption.stop_requested:
        exit_interrupted(f"{written:,} records were written")


def choose_record_format(out: str | None) -> str:
    """Return the format of a file's name: text for `.txt`, else JSON."""
    return "text" if out is not None and out.lower().endswith(".txt") else "json"


def _format_records(found: Iterator[Record], format: str) -> Iterator[str]:
    """Yield the text of each record in a format."""
    if format == "json":
        return (to_json(record) + "\n" for record in found)
    from kqj_sim.notation.write import format_records

    return format_records(found)


def _read_records(file: str) -> Iterator[Record]:
    """Yield the records of a file; raise RecordError for a round that is none."""
    from kqj_sim.notation.files import explain_missing, read_file

    with open_lines(file) as lines:
        for line, found in read_file(lines):
            if isinstance(found, RecordError):
                raise RecordError(f"{file}:{line}: {found}")
            if not isinstance(found, Record):
                raise RecordError(
                    f"{file}:{line}: this round is not known in full and cannot be a record: "
                    f"{explain_missing(found)}; show, check, odds and review read it as it is"
                )
            yield found


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim show --deal 4183
  kqj-sim show rounds.jsonl --line 12
  kqj-sim show friday.txt
  kqj-sim show --deal 4183 --seed 7 --bidding auction --policy greedy
  kqj-sim show --deal 74 --policy standard:take=45 --against standard
""",
)
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--line",
    type=WholeNumberType(1, "12"),
    default=1,
    help="Show the record on this line of FILE.  [default: 1]",
)
@click.option(
    "--deal",
    type=WholeNumberType(0, "42"),
    default=0,
    help="Show the deal of this number.  [default: 0]",
)
@click.option(
    "--against",
    metavar="SPEC",
    help="Play --policy against this policy, with the sides exchanged as in `kqj-sim compare`.",
)
@click.option(
    "--opponents",
    metavar="SPEC",
    help="With --against: seat this policy on the other sides instead.",
)
@experiment_options
@color_option
@quiet_option
def show(
    file: str | None, line: int, deal: int, against: str | None, opponents: str | None, color: str,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Show one round: hands, calls, tricks, points and scores.

    Plays the deal that --seed and --deal name, or shows a record of FILE (- for stdin).  With
    --against, each different outcome of the deal is shown, side by side where there is room.
    """
    if opponents is not None and against is None:
        raise click.UsageError("--opponents is for --against: name who is compared")
    title = ""
    if file is None:
        _reject_options(("line",), "is for a FILE of records: name the file")
        if against is not None:
            _show_versions(options, deal, against, opponents, color, quiet)
            return
        record, players = _play_record(options, deal, quiet)
    else:
        names = [name for name in click.get_current_context().params if name not in _FILE_OPTIONS]
        _reject_options(names, "is for a round that is played: leave it out, or the FILE")
        number, found, is_text = _read_round(file, line)
        title = f"Round on line {number}" if is_text else ""
        if not isinstance(found, Record):
            from kqj_sim.reporting.partial_rounds import render_partial_round

            print_screen(render_partial_round(found, title), color)
            return
        record, players = found, None
    from kqj_sim.analysis.people import name_people_in
    from kqj_sim.referee import check_record
    from kqj_sim.reporting.rounds import render_round

    print_screen(render_round(record, players, title=title), color)
    for discrepancy in check_record(record):
        text = name_people_in(discrepancy, record)
        say(f"Warning: against the rules: {text}", err=True)


def _show_versions(
    options: dict[str, Any], deal: int, against: str, opponents: str | None, color: str, quiet: bool
) -> None:
    """Show a deal as two policies play it, once for each different outcome."""
    given: tuple[str, ...] = options["policy"]
    if len(given) != 1 or given[0].startswith(("team", "seat")):
        raise click.UsageError("--against needs --policy SPEC, one policy for the whole side")
    if options["impose"] is not None:
        raise click.UsageError("--against and --impose: give one of them")
    experiment = pop_experiment(options, quiet, deals=1, first=deal)
    from kqj_sim.questions.compare.match import PairedMatch
    from kqj_sim.recording import play_records
    from kqj_sim.reporting.versions import render_versions

    players = (experiment.policies[0], against)
    match = PairedMatch(experiment.rules, players, opponents, experiment.seed)
    records = [next(iter(play_records(each))) for each in match.make_experiments(deal, 1)]
    print_screen(render_versions(records, match.list_seatings(), screen_width()), color)


_CONVERT_OPTIONS = ("source", "format", "out", "quiet")
_NO_PLAY = "is for rounds that are played: leave it out, or --from"
_FILE_OPTIONS = ("file", "line", "color", "quiet")


def _reject_options(names: Any, reason: str) -> None:
    """Raise UsageError if one of these options was given on the command line."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} {reason}")


def _play_record(
    options: dict[str, Any], deal: int, quiet: bool
) -> tuple[Record, Sequence[str] | None]:
    """Play a deal and return its record, and the seats' players as the user wrote them."""
    experiment = pop_experiment(options, quiet, deals=1, first=deal)
    from kqj_sim.recording import play_records

    return next(iter(play_records(experiment))), experiment.policies


def _read_round(file: str, line: int) -> tuple[int, Record | PartialRecord, bool]:
    """Return a round's first line, the round on a line of a file, and if it is in the notation.

    Raises:
        RecordError, OSError: there is no such round.
    """
    from kqj_sim.notation.files import find_round

    with open_lines(file) as lines:
        found = find_round(lines, line)
    if found is None:
        raise RecordError(f"{file} has no record on line {line}")
    if isinstance(found.record, RecordError):
        raise RecordError(f"{file}:{found.line}: {found.record}")
    return found.line, found.record, found.is_text
