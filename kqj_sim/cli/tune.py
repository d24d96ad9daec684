"""The command that searches a policy's parameters."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.cli.field import field_options
from kqj_sim.cli.interrupt import Interruption, end_interrupted
from kqj_sim.cli.options import (
    Whole,
    announce,
    color_option,
    quiet_option,
    take_rules,
    threads_option,
)
from kqj_sim.cli.output import (
    check_terminal,
    command_words,
    confidence_option,
    open_output,
    plot_option,
    write_report,
)
from kqj_sim.cli.progress import timed_lines
from kqj_sim.messages import shell_join, visible
from kqj_sim.reporting.choices import FORMATS, PLOT_SUFFIXES, by_suffix

if TYPE_CHECKING:
    from kqj_sim.analysis.tune import Generation


@click.command(
    epilog="""\b
Examples:
  kqj-sim tune points:take=45,lap2=38+standard --parameters take=0:80,lap2=0:80
  kqj-sim tune points --parameters opening,outbid,risk --bidding auction --out bidder.toml
  kqj-sim tune my_policy.py:cautious --parameters courage --field standard --generations 10

\b
Then: kqj-sim simulate --policy bidder.toml
"""
)
@click.argument("policy", metavar="POLICY")
@click.option(
    "--parameters",
    multiple=True,
    required=True,
    metavar="NAME[=FROM:TO],...",
    help="What to search, each within its own range or the one given; "
    "`kqj-sim policies show POLICY` lists them.",
)
@click.option(
    "--deals",
    type=Whole(2, "1e4"),
    default=10_000,
    show_default=True,
    help="Deals for each candidate.",
)
@click.option(
    "--generations",
    type=Whole(1, "30"),
    default=30,
    show_default=True,
    help="Generations, at most; each has other deals.",
)
@click.option(
    "--candidates",
    type=Whole(3, "16"),
    help="Candidates in a generation.  [default: by the number of parameters, 8 for one]",
)
@click.option(
    "--confirm",
    type=Whole(2, "1e5"),
    default=100_000,
    show_default=True,
    help="Fresh deals on which what was found is held against where it began.",
)
@click.option(
    "--seed",
    type=Whole(0, "1"),
    default=1,
    show_default=True,
    help="Seed of the deals and of the search.",
)
@threads_option
@field_options
@click.option(
    "--format", type=click.Choice(FORMATS[:-1]), default="table", help="Format of what is printed."
)
@click.option(
    "--out",
    metavar="FILE.toml",
    default="tuned.toml",
    show_default=True,
    help="The policy with what was found, for --policy.",
)
@plot_option
@confidence_option
@color_option
@quiet_option
def tune(
    policy: str,
    parameters: tuple[str, ...],
    deals: int,
    generations: int,
    candidates: int | None,
    confirm: int,
    seed: int,
    field: str | None,
    first: int,
    threads: int | None,
    format: str,
    out: str,
    plot: str | None,
    confidence: float,
    color: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Search a policy's parameters for points a round against a field.

    An evolution strategy (CMA-ES) tries candidates, generation by generation, all candidates of one
    on the same deals.  What it finds is held against where it began on fresh deals, and written to
    a file that --policy accepts.  Ctrl-C ends the search with what was found so far.
    """
    if not out.lower().endswith(".toml"):
        raise click.UsageError(f"--out {out}: a player's file ends in .toml")
    check_terminal(format, None)
    if plot is not None:
        by_suffix(plot, PLOT_SUFFIXES)
    rules = take_rules(options)
    names = [each.strip() for text in parameters for each in text.split(",")]
    announce(rules, quiet)
    from kqj_sim.analysis.tune import tune
    from kqj_sim.analysis.words import WORDS
    from kqj_sim.policies.parameters import write_number
    from kqj_sim.reporting.tuning import player_file, tuning_report

    say, decimals = timed_lines(quiet), WORDS[rules.game].decimals

    def tell(generation: Generation) -> None:
        values = zip(names, generation.values, strict=True)
        text = ", ".join(f"{each.partition('=')[0]}={write_number(v)}" for each, v in values)
        say(
            f"generation {generation.number} of {generations}: {text}; candidates "
            f"{generation.points:+.{decimals}f} points a round"
        )

    with ExitStack() as stack:
        toml = open_output(stack, out)
        plot_file = open_output(stack, plot)
        with Interruption() as interruption:
            found = tune(
                policy,
                names,
                rules=rules,
                field=field,
                deals=deals,
                generations=generations,
                candidates=candidates,
                confirm=confirm,
                confidence=confidence,
                seed=seed,
                first=first,
                threads=threads,
                progress=tell,
                interrupted=lambda: interruption.asked,
            )
        if toml is not None:
            toml.write(player_file(found, out, command_words(click.get_current_context())))
        report = tuning_report(found, shell_join(["kqj-sim", "compare", out, policy]))
        write_report(report, format, None, color)
        if plot is not None and plot_file is not None:
            from kqj_sim.reporting.tuning_plot import draw_tuning

            plot_file.write(draw_tuning(found, report.run, by_suffix(plot, PLOT_SUFFIXES)))
    if not quiet:
        click.echo(f"{visible(out)} is written", err=True)
    if found.interrupted:
        done = len(found.generations)
        end_interrupted(
            f"{done} of {generations} generations, confirmed on {found.confirmed:,} of "
            f"{confirm:,} deals"
        )
