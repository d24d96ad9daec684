"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.api.progress import ProgressLine
from kqj_sim.commands.command import Command
from kqj_sim.commands.config import CONFIG_KEY
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
from kqj_sim.messages import shell_join, visible

if TYPE_CHECKING:
    from kqj_sim.analysis.study import StudyPlan

DEFAULT_DEALS = 100_000
DEFAULT_GAMES = 2_000
DEFAULT_CHART_DEALS = 100_000
DEFAULT_COMPARE_DEALS = 20_000

_HIDDEN_OPTIONS = frozenset({"quiet", "threads", "cluster", "force"})
"""Options without effect on the results, left out of the command that a report shows."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim report --out taking
  kqj-sim report --out auctions --bidding auction --teams 3 --deals 1e6
  kqj-sim report --out players --compare standard --compare greedy
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
    ctx = click.get_current_context()
    config: tuple[str, str] | None = ctx.meta.get(CONFIG_KEY)
    command = _format_command(ctx, config)
    from kqj_sim.reporting.files import OutputFolder

    with OutputFolder(out, force) as folder, open_workers(threads, cluster, quiet) as workers:
        plan = _make_plan(options, confidence, quiet)
        from kqj_sim.api.report import write_report
        from kqj_sim.reporting.run import describe_rules

        study, _ = write_report(
            plan, folder, visible(title or describe_rules(plan.experiment.rules)), command, config,
            save_rows=save_rows, workers=workers,
            progress=lambda unit, total: ProgressLine(unit, total, quiet),
        )  # fmt: skip
    if not quiet:
        say(visible(f"{Path(out) / 'report.html'}"))
    if study.interrupted:
        exit_interrupted(f"the report holds {study.deals:,} of {plan.experiment.deals:,} deals")


def _format_command(ctx: click.Context, config: tuple[str, str] | None) -> str:
    """Return the command that makes the same report, with every option that was given."""
    program, name, *words = list_command_words(ctx, _HIDDEN_OPTIONS, with_config=False)
    return shell_join([program, name, *(["--config", config[0]] if config else []), *words])


def _make_plan(options: dict[str, Any], confidence: float, quiet: bool) -> StudyPlan:
    """Return the plan of the experiment with these options."""
    counts = {field: options.pop(field) for field in ("deals", "first")}
    games, chart_deals = options.pop("games"), options.pop("chart_deals")
    compared, compare_deals = options.pop("compare"), options.pop("compare_deals")
    if len(compared) == 1:
        raise click.UsageError(f"--compare {compared[0]} alone: name two policies or more")
    experiment = pop_experiment(options, quiet, **counts)
    if compared:
        from kqj_sim.analysis.compare import compose_players

        compose_players(compared, experiment.rules)  # Raises errors before anything is played.
    from kqj_sim.analysis.study import StudyPlan

    return StudyPlan(experiment, games, chart_deals, compared, compare_deals, confidence)
