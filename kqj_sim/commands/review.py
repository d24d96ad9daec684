"""The command `review`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kqj_sim.commands.command import Command
from kqj_sim.commands.input import open_lines
from kqj_sim.commands.options import (
    SECONDS_TYPE,
    WholeNumberType,
    announce_compiling,
    count_options,
    experiment_options,
    pop_experiment,
    quiet_option,
    threads_option,
)
from kqj_sim.commands.output import (
    Output,
    choose_tables,
    color_option,
    confidence_option,
    out_option,
    tables_option,
)
from kqj_sim.commands.say import say
from kqj_sim.messages import visible
from kqj_sim.reporting.formats import FORMATS, TABLE_SUFFIXES
from kqj_sim.rules import RULES_BY_GAME
from kqj_sim.signals import get_exit_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kqj_sim.analysis.review.reading import UnreadRound
    from kqj_sim.api.review_run import ReviewedRounds, ReviewOptions
    from kqj_sim.experiment import Experiment

_PAGE_FORMAT = "html"
_SUFFIXES = {**TABLE_SUFFIXES, ".html": _PAGE_FORMAT}
_RULES = ("game", *(name for each in RULES_BY_GAME.values() for name in each.__dataclass_fields__))
_OF_POLICIES = (*_RULES, "impose", "first", "games")
"""Options of rounds that are played."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim review round.jsonl
  kqj-sim review friday.txt --out review.html
  kqj-sim review season.jsonl --out season.json
  kqj-sim review rounds.jsonl --line 12 --seat dealer --worst 5
  kqj-sim records --deals 5 --policy greedy | kqj-sim review -
  kqj-sim review --policy standard --deals 100 --by trick,kind
""",
)
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--line", type=WholeNumberType(1, "12"), help="Review only the record on this line of FILE."
)
@click.option(
    "--deals",
    type=WholeNumberType(1, "1000"),
    help="With FILE, as --samples; with --policy, play and review this many deals.  [default: 20]",
)
@click.option(
    "--samples",
    type=WholeNumberType(1, "1e4"),
    help="Sample this many deals for each decision, on average.  [default: 1000]",
)
@click.option(
    "--time",
    type=SECONDS_TYPE,
    metavar="SECONDS",
    help="Stop after this many seconds.",
)
@click.option(
    "--reference",
    metavar="SPEC",
    help="Let this policy play every round on.  [default: points+network; standard in Kwajongen]",
)
@click.option(
    "--seat",
    multiple=True,
    metavar="PLAYER",
    help="Grade this player only: Ann or 3rd (repeatable).",
)
@click.option(
    "--worst",
    type=WholeNumberType(0, "5"),
    default=3,
    show_default=True,
    help="Describe this many worst decisions.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN,...",
    help="Group the losses by trick, role, kind, contract, player, seat, place, result or line.",
)
@click.option(
    "--ignore-calls", is_flag=True, help="Deal the hidden cards regardless of the calls so far."
)
@click.option("--ignore-plays", is_flag=True, help="Do not weigh hidden cards by the cards played.")
@count_options
@experiment_options
@threads_option
@confidence_option
@click.option(
    "--format",
    type=click.Choice([*FORMATS, _PAGE_FORMAT]),
    metavar="FORMAT",
    help=f"Write {', '.join(FORMATS)} or {_PAGE_FORMAT}.  [default: by --out, else table]",
)
@tables_option
@out_option
@color_option
@quiet_option
def review(
    file: str | None, line: int | None, deals: int | None, samples: int | None,
    time: float | None, reference: str | None, seat: tuple[str, ...], worst: int,
    by: tuple[str, ...], ignore_calls: bool, ignore_plays: bool, threads: int | None,
    confidence: float,
    format: str | None, tables: str | None, out: str | None, color: str, quiet: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Grade recorded rounds: where were the points lost?

    FILE holds records (- for stdin), as `kqj-sim records` writes them.  Each decision is graded
    from what the player knew, by deals that agree with it; a mistake is marked only where it is
    shown.  With --policy, rounds of a policy are played and reviewed.
    """
    from kqj_sim.analysis.review.tables import TABLES
    from kqj_sim.api.review import (
        DEFAULT_ROUNDS,
        count_played_rounds,
        count_rounds,
        parse_columns,
        play_reviewed_rounds,
        read_review_rounds,
    )
    from kqj_sim.api.review_run import ReviewOptions, make_records_command

    shown = choose_tables(tables, TABLES)
    columns = parse_columns(by)
    # Refuses wrong suffixes before anything is graded.
    Output(out, format, None, color, _SUFFIXES)
    seed: int = options["seed"]
    experiment: Experiment | None = None
    if options["policy"]:
        if file is not None or line is not None:
            raise click.UsageError("FILE and --policy: give one of them")
        first, games = options.pop("first"), options.pop("games")
        if deals is not None and games is not None:
            raise click.UsageError("--deals and --games: give one of them")
        experiment = pop_experiment(
            options, quiet, deals=deals or DEFAULT_ROUNDS, first=first, games=games
        )
    else:
        if file is None:
            raise click.UsageError(
                "FILE is missing: name a file of records, - for stdin, or give --policy"
            )
        _reject_played_options()
        samples = samples or deals
        if not quiet:
            announce_compiling()
    chosen = ReviewOptions(
        reference,
        samples,
        time,
        seed,
        confidence,
        threads,
        ignore_calls,
        ignore_plays,
        seat or None,
    )
    with Output(out, format, None, color, _SUFFIXES) as output:
        if experiment is not None:
            source = make_records_command(experiment)
            rounds = play_reviewed_rounds(experiment)
            found = _review(rounds, count_played_rounds(experiment), chosen, source, quiet)
        else:
            assert file is not None
            source = file
            with open_lines(file) as lines:
                rounds = _require(read_review_rounds(lines, line), file)
                found = _review(rounds, count_rounds(file, line), chosen, file, quiet)
        _write(found, chosen, source, columns, worst, shown, output, experiment is not None)
    if found.without_player:
        total = f"{found.without_player:,} of {found.without_player + len(found.reviews):,} rounds"
        say(f"Left out: {total}, without {' or '.join(seat)} at the table", err=True)
    if (end := found.describe_end()) is not None:
        say(end, err=True)
    if found.interrupted:
        click.get_current_context().exit(get_exit_status())
    if found.errors or not found.reviews:
        click.get_current_context().exit(1)


def _reject_played_options() -> None:
    """Raise UsageError if an option of rounds that are played was given with FILE."""
    context = click.get_current_context()
    for name in _OF_POLICIES:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = name.replace("_", "-")
            raise click.UsageError(
                f"--{option} is for rounds that are played: leave it out, or give --policy"
            )


def _require(rounds: Iterator[UnreadRound], file: str) -> Iterator[UnreadRound]:
    """Yield the rounds of a file; raise RecordError if there are none."""
    from kqj_sim.record import RecordError

    number = 0
    for number, each in enumerate(rounds, start=1):  # noqa: B007
        yield each
    if number == 0:
        raise RecordError(f"{visible(file)} has no records")


def _review(
    rounds: Iterator[UnreadRound], count: int | None, options: ReviewOptions, file: str,
    quiet: bool,
) -> ReviewedRounds:  # fmt: skip
    """Review rounds; write a line on stderr for each that cannot be."""
    from kqj_sim.api.review_run import run_review

    name = "stdin" if file == "-" else visible(file)

    def tell(line: int, text: str) -> None:
        say(f"{name}:{line}: {text}", err=True)

    return run_review(rounds, count, options, not quiet, tell)


def _write(
    found: ReviewedRounds, options: ReviewOptions, source: str, by: tuple[str, ...], worst: int,
    shown: tuple[str, ...] | None, output: Output, played: bool,
) -> None:  # fmt: skip
    """Write the review."""
    if not found.reviews:
        return
    from kqj_sim.api.review_run import make_run
    from kqj_sim.reporting.review import make_review_report, render_review

    run = make_run(found, options, source, by, played)
    report = replace(make_review_report(found.reviews, run, worst), shown=shown)
    if output.format in ("json", _PAGE_FORMAT):
        output.write_page(render_review(report, found.reviews, output.format), report)
    else:
        output.write_report(report)
