"""The command `report`."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.api.progress import ProgressLine
from kqj_sim.commands.command import Command
from kqj_sim.commands.config import CONFIG_KEY, EXPERIMENTS_KEY, parse_option_values
from kqj_sim.commands.options import (
    WholeNumberType,
    experiment_options,
    first_option,
    open_workers,
    pop_experiment,
    quiet_option,
    worker_options,
)
from kqj_sim.commands.output import confidence_option, list_command_words
from kqj_sim.commands.progress import exit_interrupted
from kqj_sim.commands.say import say
from kqj_sim.messages import quote, shell_join, visible
from kqj_sim.reporting.formats import make_slug
from kqj_sim.rules import RULES_BY_GAME

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.paired_differences import FigureKey
    from kqj_sim.analysis.study import Study, StudyPlan
    from kqj_sim.reporting.files import OutputFolder
    from kqj_sim.workers import Workers

DEFAULT_DEALS = 100_000
DEFAULT_GAMES = 2_000
DEFAULT_CHART_DEALS = 100_000
DEFAULT_COMPARE_DEALS = 20_000

MAX_EXPERIMENTS = 50
"""With more experiments than this side by side, nobody reads the page, and it takes minutes."""

EXPERIMENT_OPTIONS = (
    "game",
    *(rule.name for rules in RULES_BY_GAME.values() for rule in fields(rules)),
    "policy", "impose", "seed", "deals", "first", "games", "chart_deals", "compare",
    "compare_deals",
)  # fmt: skip
"""Options that an [[experiment]] may set for itself."""

_HIDDEN_OPTIONS = frozenset({"quiet", "threads", "cluster", "force"})
"""Options without effect on the results, left out of the command that a report shows."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim report --out taking
  kqj-sim report --out auctions --bidding auction --teams 3 --deals 1e6
  kqj-sim report --out players --compare standard --compare greedy
  kqj-sim report --out variants --config variants.toml

\b
The tables [[experiment]] of a --config file are experiments side by side:
  [[experiment]]
  name = "three teams"
  teams = 3
""",
)
@click.option("--out", metavar="FOLDER", required=True, help="Write the report to this folder.")
@click.option("--title", metavar="TEXT", help="Set the title of the report.")
@click.option(
    "--deals",
    type=WholeNumberType(1, "1e6"),
    default=DEFAULT_DEALS,
    show_default=True,
    help="Play this many deals.",
)
@first_option
@click.option(
    "--games",
    type=WholeNumberType(0, "1000"),
    default=DEFAULT_GAMES,
    show_default=True,
    help="Play this many whole games to the target as well; 0 for none.",
)
@click.option(
    "--chart-deals",
    type=WholeNumberType(0, "1e5"),
    default=DEFAULT_CHART_DEALS,
    show_default=True,
    help="Play this many deals for the chart of when to take; 0 for no chart.",
)
@click.option(
    "--compare",
    multiple=True,
    metavar="SPEC",
    help="Compare this policy with the others so named; give it twice or more.",
)
@click.option(
    "--compare-deals",
    type=WholeNumberType(1, "1e5"),
    default=DEFAULT_COMPARE_DEALS,
    show_default=True,
    help="Play this many deals for each pair of policies compared.",
)
@worker_options
@confidence_option
@click.option("--save-rows", is_flag=True, help="Write one row per deal to rows.parquet, too.")
@click.option("--force", is_flag=True, help="Replace files of the same names in the folder.")
@experiment_options
@quiet_option
def report(
    out: str, title: str | None, threads: int | None, cluster: str | None, confidence: float,
    save_rows: bool, force: bool, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Play deals and write a report with tables and plots.

    Writes the report as a single page that needs no network (report.html) and as Markdown, with
    every picture, every table as CSV and all data as JSON.
    """
    begun = time.monotonic()
    ctx = click.get_current_context()
    config: tuple[str, str] | None = ctx.meta.get(CONFIG_KEY)
    command = _format_command(ctx, config)
    from kqj_sim.reporting.files import OutputFolder

    with OutputFolder(out, force) as folder, open_workers(threads, cluster, quiet) as workers:
        plans = _make_plans(ctx, options, confidence, quiet)
        studies: list[Study] = []
        for plan in plans:
            rows_folder = folder if save_rows else None
            studies.append(_run_study(plan, rows_folder, len(plans) > 1, workers, quiet))
            if studies[-1].interrupted:
                break
        if studies[-1].deals == 0:
            studies.pop()
            if not studies:
                raise click.Abort
        interrupted = len(studies) < len(plans) or studies[-1].interrupted
        from kqj_sim.reporting.study import Provenance, iterate_files

        made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {time.monotonic() - begun:.0f} s"
        making = Provenance(visible(title or _make_title(plans)), command, made, config)
        differences = [] if interrupted else _pair_experiments(plans, workers, quiet)
        for name, content in iterate_files(studies, making, differences):
            folder.write(name, content)
    if not quiet:
        say(visible(f"{Path(out) / 'report.html'}"))
    if interrupted:
        exit_interrupted(
            f"the report holds {sum(study.deals for study in studies):,} of "
            f"{sum(plan.experiment.deals for plan in plans):,} deals"
        )


def _format_command(ctx: click.Context, config: tuple[str, str] | None) -> str:
    """Return the command that makes the same report, with every option that was given."""
    program, name, *words = list_command_words(ctx, _HIDDEN_OPTIONS, with_config=False)
    return shell_join([program, name, *(["--config", config[0]] if config else []), *words])


def _make_plans(
    ctx: click.Context, options: dict[str, Any], confidence: float, quiet: bool
) -> list[StudyPlan]:
    """Return the plan of each experiment: one, or those of the file given by --config."""
    tables: list[dict[str, Any]] = ctx.meta.get(EXPERIMENTS_KEY, [])
    if not tables:
        return [_make_plan("", options, confidence, quiet)]
    plans: list[StudyPlan] = []
    path = ctx.meta[CONFIG_KEY][0]
    if len(tables) > MAX_EXPERIMENTS:
        raise click.UsageError(
            f"{path}: {len(tables):,} [[experiment]] tables: at most {MAX_EXPERIMENTS} fit in "
            "a report"
        )
    for number, table in enumerate(tables, start=1):
        where = f"{path}: [[experiment]] {number}"
        name = table.get("name")
        if not isinstance(name, str) or not make_slug(name):
            raise click.UsageError(f'{where} has no name: write such as name = "three teams"')
        if make_slug(name) in [make_slug(plan.name) for plan in plans]:
            raise click.UsageError(f"{where}: {quote(name)} is the name of two experiments")
        given = {key: value for key, value in table.items() if key != "name"}
        own = parse_option_values(ctx, where, given, EXPERIMENT_OPTIONS)
        try:
            plans.append(_make_plan(name, options | own, confidence, quiet or bool(plans)))
        except click.UsageError as error:
            raise click.UsageError(f"{where} ({name}): {error.format_message()}") from None
        except ValueError as error:
            raise click.UsageError(f"{where} ({name}): {error}") from None
    return plans


def _make_plan(name: str, options: dict[str, Any], confidence: float, quiet: bool) -> StudyPlan:
    """Return the plan of an experiment with these options."""
    given = dict(options)
    counts = {field: given.pop(field) for field in ("deals", "first")}
    games, chart_deals = given.pop("games"), given.pop("chart_deals")
    compared, compare_deals = given.pop("compare"), given.pop("compare_deals")
    if len(compared) == 1:
        raise click.UsageError(f"--compare {compared[0]} alone: name two policies or more")
    experiment = pop_experiment(given, quiet, **counts)
    if compared:
        from kqj_sim.analysis.compare import compose_players

        compose_players(compared, experiment.rules)  # Raises errors before anything is played.
    from kqj_sim.analysis.study import StudyPlan

    return StudyPlan(name, experiment, games, chart_deals, compared, compare_deals, confidence)


def _run_study(
    plan: StudyPlan, folder: OutputFolder | None, several: bool, threads: Workers, quiet: bool
) -> Study:
    """Play a plan; with a folder, write its rows there."""
    from kqj_sim.analysis.study import run_study

    def progress(unit: str, total: int) -> ProgressLine:
        return ProgressLine(f"{unit}{f' of {plan.name}' if plan.name else ''}", total, quiet)

    if folder is None:
        return run_study(plan, progress, threads)
    from kqj_sim.reporting.rows import RowsFile
    from kqj_sim.reporting.study import make_run

    with ExitStack() as stack:
        name = f"rows_{make_slug(plan.name)}.parquet" if several else "rows.parquet"
        rows_file = stack.enter_context(RowsFile(folder.get_path(name)))
        found = run_study(plan, progress, threads, rows_file.write)
        rows_file.finish(make_run(found))
    return found


def _pair_experiments(
    plans: list[StudyPlan], workers: Workers, quiet: bool
) -> list[dict[FigureKey, Estimate]]:
    """Play experiments that have the same deals side by side; return their differences."""
    from kqj_sim.analysis.paired_differences import have_same_deals, measure_paired_differences

    experiments = [plan.experiment for plan in plans]
    if not have_same_deals(experiments):
        return []
    with ProgressLine("deals, to pair the experiments", experiments[0].deals, quiet) as progress:
        return measure_paired_differences(
            experiments, plans[0].confidence, workers, progress.advance
        )


def _make_title(plans: list[StudyPlan]) -> str:
    """Return the title of a report that was given none."""
    from kqj_sim.reporting.run import GAME_NAMES, describe_rules

    if len(plans) > 1:
        games = dict.fromkeys(GAME_NAMES[plan.experiment.rules.game] for plan in plans)
        return f"{' and '.join(games)}: {', '.join(plan.name for plan in plans)}"
    return describe_rules(plans[0].experiment.rules)
