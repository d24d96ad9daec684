"""The command `tune`."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.api.arguments import MAX_CANDIDATES
from kqj_sim.api.progress import InterruptHandler
from kqj_sim.commands.command import Command
from kqj_sim.commands.options import (
    WholeNumberType,
    opponents_options,
    pop_rules,
    print_rule_notes,
    quiet_option,
    seed_option,
    threads_option,
)
from kqj_sim.commands.output import (
    Output,
    choose_tables,
    color_option,
    confidence_option,
    format_option,
    list_command_words,
    open_output,
    out_option,
    plot_option,
    tables_option,
)
from kqj_sim.commands.progress import exit_interrupted, make_timed_printer
from kqj_sim.messages import shell_join

if TYPE_CHECKING:
    from kqj_sim.analysis.tune import Generation


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim tune points+standard --parameters take=0:80,lap2=0:80
  kqj-sim tune points --parameters opening --bidding auction --save bid.toml
  kqj-sim tune my_policy.py:cautious --parameters courage --generations 10

\b
Then: kqj-sim simulate --policy bid.toml
""",
)
@click.argument("policy", metavar="POLICY")
@click.option(
    "--parameters",
    multiple=True,
    required=True,
    metavar="NAME[=FROM:TO],...",
    help="Search these parameters, each within its own range or the one given.",
)
@click.option(
    "--deals",
    type=WholeNumberType(2, "1e4"),
    default=10_000,
    show_default=True,
    help="Play this many deals for each candidate.",
)
@click.option(
    "--generations",
    type=WholeNumberType(1, "30"),
    default=30,
    show_default=True,
    help="Search at most this many generations, each on other deals.",
)
@click.option(
    "--candidates",
    type=WholeNumberType(3, "16", MAX_CANDIDATES),
    help="Try this many candidates in a generation.  [default: by the number of parameters]",
)
@click.option(
    "--confirm",
    type=WholeNumberType(2, "1e5"),
    default=100_000,
    show_default=True,
    help="Compare the result with the start on this many fresh deals.",
)
@seed_option
@threads_option
@opponents_options
@tables_option
@format_option
@out_option
@click.option(
    "--save",
    metavar="FILE",
    default="tuned.toml",
    show_default=True,
    help="Save the policy with the best parameters to this .toml file, for --policy.",
)
@plot_option
@confidence_option
@color_option
@quiet_option
def tune(
    policy: str, parameters: tuple[str, ...], deals: int, generations: int,
    candidates: int | None, confirm: int, seed: int, opponents: str | None,
    first: int, threads: int | None, tables: str | None, format: str | None, out: str | None,
    save: str, plot: str | None, confidence: float, color: str, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Search a policy's parameters for more points a round.

    An evolution strategy (CMA-ES) plays candidates against --opponents, generation by generation.
    The best is compared with POLICY on fresh deals and saved; Ctrl-C ends the search early.
    `kqj-sim policies show POLICY` lists the parameters.
    """
    if not save.lower().endswith(".toml"):
        raise click.UsageError(f"--save {save}: a player's file ends in .toml")
    if out is not None and out.lower().endswith(".toml"):
        raise click.UsageError(f"--out is for the tables: write --save {out} for the policy")
    from kqj_sim.reporting.tune import TABLES

    shown = choose_tables(tables, TABLES)
    output = Output(out, format, plot, color)
    rules = pop_rules(options)
    names = [each.strip() for text in parameters for each in text.split(",")]
    print_rule_notes(rules, quiet)
    from kqj_sim.analysis.games import get_analyzed_game
    from kqj_sim.analysis.tune import tune
    from kqj_sim.policies.parameters import format_parameter_number
    from kqj_sim.reporting.tune import make_tuning_report, render_player_file, render_tuning

    print_line, decimals = make_timed_printer(quiet), get_analyzed_game(rules.game).terms.decimals

    def report_generation(generation: Generation) -> None:
        values = zip(names, generation.values, strict=True)
        text = ", ".join(
            f"{each.partition('=')[0]}={format_parameter_number(v)}" for each, v in values
        )
        print_line(
            f"generation {generation.number} of {generations}: {text}; mean lead "
            f"{generation.points:+.{decimals}f}"
        )

    with ExitStack() as stack:
        toml = open_output(stack, save)
        stack.enter_context(output)
        with InterruptHandler() as interruption:
            found = tune(
                policy,
                names,
                rules=rules,
                opponents=opponents,
                deals=deals,
                generations=generations,
                candidates=candidates,
                confirm=confirm,
                confidence=confidence,
                seed=seed,
                first=first,
                threads=threads,
                progress=report_generation,
                interrupted=lambda: interruption.stop_requested,
            )
        report = make_tuning_report(
            found, save, shell_join(["kqj-sim", "compare", save, policy]), shown
        )
        output.write_report(report)
        output.write_plot(partial(render_tuning, found, report.run))
        if toml is not None:
            toml.write(
                render_player_file(
                    found, save, shell_join(list_command_words(click.get_current_context()))
                )
            )
    if found.interrupted:
        done = len(found.generations)
        exit_interrupted(
            f"{done} of {generations} generations, confirmed on {found.confirmed:,} of "
            f"{confirm:,} deals"
        )
