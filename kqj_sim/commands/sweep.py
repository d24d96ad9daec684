"""The command `sweep`."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from kqj_sim.api.progress import InterruptHandler, ProgressLine
from kqj_sim.commands.command import Command
from kqj_sim.commands.options import (
    POINTS_TYPE,
    WholeNumberType,
    open_workers,
    opponents_options,
    pop_rules,
    print_rule_notes,
    quiet_option,
    seed_option,
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
)
from kqj_sim.commands.progress import exit_interrupted


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim sweep points --vary take=0:60:10 --plot take.png
  kqj-sim sweep points --vary take=30:60:5 --vary lap2=20:60:10 --deals 1e5
  kqj-sim sweep my_policy.py:cautious --vary courage=1,2,3 --precision 0.5
  kqj-sim sweep pimc --vary prior=none,network --teams 3 --deals 2000
  kqj-sim sweep standard --game kwajongen --vary dealer=10:25:3
""",
)
@click.argument("policy", metavar="POLICY")
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="PARAMETER=VALUES",
    help="Vary a parameter over FROM:TO:STEP or VALUE,VALUE (repeatable).",
)
@click.option(
    "--deals",
    type=WholeNumberType(2, "1e5"),
    help="Play this many deals for each setting.  [default: 20000]",
)
@click.option(
    "--precision",
    type=POINTS_TYPE,
    help="Stop when the interval of every setting is at most ± this: points a round.",
)
@seed_option
@worker_options
@opponents_options
@tables_option
@format_option
@out_option
@plot_option
@confidence_option
@color_option
@quiet_option
def sweep(
    policy: str, vary: tuple[str, ...], opponents: str | None, deals: int | None,
    precision: float | None, seed: int, first: int, threads: int | None, cluster: str | None,
    tables: str | None, format: str | None, out: str | None, plot: str | None, confidence: float,
    color: str, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Vary a policy's parameters and score every setting.

    One side plays POLICY against --opponents; all settings play the same deals.  The answer names
    the best setting and those statistically tied with it.  `kqj-sim policies show POLICY` lists the
    parameters.
    """
    if deals is not None and precision is not None:
        raise click.UsageError("--deals and --precision: give one of them")
    from kqj_sim.reporting.sweep import TABLES

    shown = choose_tables(tables, TABLES)
    output = Output(out, format, plot, color)
    rules = pop_rules(options)
    print_rule_notes(rules, quiet)
    from kqj_sim.analysis.comparison_plan import DEFAULT_MAX_DEALS
    from kqj_sim.analysis.sweep import DEFAULT_DEALS, sweep
    from kqj_sim.analysis.vary import ParameterizedPolicy, list_combinations, parse_parameter_values
    from kqj_sim.reporting.sweep import MAX_PARAMETERS, make_sweep_report, render_sweep

    sets = list_combinations(
        [parse_parameter_values(text, ParameterizedPolicy(policy, rules)) for text in vary]
    )
    if plot is not None and len(vary) > MAX_PARAMETERS:
        raise click.UsageError(f"--plot draws at most {MAX_PARAMETERS} parameters, not {len(vary)}")
    most = deals or (DEFAULT_DEALS if precision is None else DEFAULT_MAX_DEALS)
    with output:
        with (
            ProgressLine("deals", most * len(sets), quiet) as progress,
            open_workers(threads, cluster, quiet) as workers,
            InterruptHandler() as interruption,
        ):
            found = sweep(
                policy,
                vary,
                rules=rules,
                opponents=opponents,
                deals=deals,
                precision=precision,
                confidence=confidence,
                seed=seed,
                first=first,
                threads=workers,
                progress=progress.advance,
                interrupted=lambda: interruption.stop_requested,
            )
        report = make_sweep_report(found, shown)
        output.write_report(report)
        output.write_plot(partial(render_sweep, found, report.run))
    if found.interrupted:
        exit_interrupted(f"the tables hold {found.deals:,} deals of each")
