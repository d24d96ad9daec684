"""The command that compares policies on the same deals."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from kqj_sim.commands.options import (
    WholeNumberType,
    check_terminal_format,
    color_option,
    confidence_option,
    config_option,
    first_option,
    format_option,
    open_output,
    open_workers,
    out_option,
    pop_rules,
    print_rule_notes,
    quiet_option,
    rule_options,
    seed_option,
    worker_options,
    write_report,
)
from kqj_sim.commands.progress import InterruptHandler, ProgressLine, exit_interrupted
from kqj_sim.reporting.formats import PLOT_SUFFIXES, choose_by_suffix, choose_table_format


class PositiveNumberType(click.ParamType[float]):
    """A number above 0, also written ±0.5."""

    name = "points"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a usage error."""
        try:
            width = float(str(value).strip().lstrip("±"))
        except ValueError:
            width = 0.0
        if not 0 < width < float("inf"):
            self.fail(f"it is a number above 0, such as 0.5, not {value}", param, ctx)
        return width


@click.command(
    epilog="""\b
Examples:
  kqj-sim compare standard:take=45 standard
  kqj-sim compare points+network points+greedy standard --teams 3 --plot ranking.png
  kqj-sim compare --calling points standard --with network --until 0.5
  kqj-sim compare --playing greedy my_policy.py:cautious --bidding auction --deals 1e5
  kqj-sim compare standard standard:take=40 --field points+network --out compared.json
  kqj-sim compare standard greedy --games --target 500
  kqj-sim compare --game kwajongen pimc standard --deals 5000
  kqj-sim compare pimc network --cluster tcp://192.168.1.5:8786
"""
)
@click.argument("policies", nargs=-1, required=True, metavar="A B [C ...]")
@click.option("--calling", is_flag=True, help="Compare the calling: all play as --with does.")
@click.option("--playing", is_flag=True, help="Compare the playing: all call as --with does.")
@click.option(
    "--with",
    "other_part",
    metavar="SPEC",
    help="Who does the other part, with --calling or --playing.  [default: the default player]",
)
@click.option(
    "--field",
    metavar="SPEC",
    help="Everybody else is SPEC, and each policy in turn plays one side of the same deals.  "
    "[default: they play each other, sides exchanged]",
)
@click.option(
    "--deals", type=WholeNumberType(1, "1e5"), help="Deals (games) of each pair, no more or less."
)
@click.option(
    "--until",
    type=PositiveNumberType(),
    help="Stop when the interval reaches so far to either side: points a round (per cent of the "
    "games).",
)
@click.option(
    "--indifference",
    type=PositiveNumberType(),
    help="With neither --deals nor --until: stop when one is shown better, or both are shown equal "
    "within this.  [default: 0.5; points of kwajongen 0.01]",
)
@click.option(
    "--cap",
    type=WholeNumberType(1, "1e6"),
    help="The most deals (games).  [default: 1e6 deals, 1e5 games]",
)
@click.option("--games", is_flag=True, help="Whole games to the target, by who wins them.")
@seed_option
@first_option
@worker_options
@confidence_option
@config_option
@rule_options
@format_option
@out_option
@click.option("--plot", metavar="FILE", help="Draw the differences: .png, .svg or .pdf.")
@color_option
@quiet_option
def compare(
    policies: tuple[str, ...], calling: bool, playing: bool, other_part: str | None,
    field: str | None, deals: int | None, until: float | None, indifference: float | None,
    cap: int | None, games: bool, seed: int, first: int, threads: int | None, cluster: str | None,
    confidence: float, format: str | None, out: str | None, plot: str | None, color: str,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Which policy is better, by how much, how sure, and why: all on the same deals.

    Two policies play each other, every deal in all arrangements of the sides; more of them each
    against each, with a ranking.  It is played until one is shown better or both are shown equal,
    as sure as the intervals say whenever that is; or as long as --deals or --until ask for.

    POLICIES are names, files or NAME:PARAMETER=VALUE,... as in `kqj-sim policies`.
    """
    if len(policies) < 2:
        raise click.UsageError(f"{policies[0]} alone: name two policies or more")
    if calling and playing:
        raise click.UsageError("--calling and --playing: give one of them, or neither")
    if other_part is not None and not (calling or playing):
        raise click.UsageError("--with is for --calling or --playing: give one of them")
    if deals is not None and until is not None:
        raise click.UsageError("--deals and --until: give one of them")
    if deals is not None and cap is not None:
        raise click.UsageError("--deals and --cap: give one of them")
    format = choose_table_format(out, format)
    check_terminal_format(format, out)
    picture = None if plot is None else choose_by_suffix(plot, PLOT_SUFFIXES)
    rules = pop_rules(options)
    print_rule_notes(rules, quiet)
    from kqj_sim.analysis.compare import DEFAULT_CAP, compare
    from kqj_sim.reporting.compare import make_comparison_report

    pairs = len(policies) * (len(policies) - 1) // 2
    most = pairs * (deals or cap or (DEFAULT_CAP // 10 if games else DEFAULT_CAP))
    with ExitStack() as stack:
        tables_file = open_output(stack, out)
        plot_file = open_output(stack, plot)
        with (
            ProgressLine("games" if games else "deals", most, quiet) as progress,
            open_workers(threads, cluster, quiet) as crew,
            InterruptHandler() as interruption,
        ):
            compared = compare(
                *policies,
                rules=rules,
                field=field,
                part="calling" if calling else "playing" if playing else "both",
                other_part=other_part,
                games=games,
                deals=deals,
                until=until,
                indifference=indifference,
                cap=cap,
                confidence=confidence,
                seed=seed,
                first=first,
                threads=crew,
                progress=progress.advance,
                interrupted=lambda: interruption.asked,
            )
        if not compared.pairs:
            raise click.Abort
        write_report(make_comparison_report(compared), format, tables_file, color)
        if plot_file is not None and picture is not None:
            from kqj_sim.reporting.compare import render_comparison

            plot_file.write(render_comparison(compared, picture))
    if compared.interrupted:
        told = f"{compared.pairs[-1].sums.deals:,} {'games' if games else 'deals'} of the last pair"
        exit_interrupted(
            f"{len(compared.pairs)} of {pairs} pairs, {told}; the intervals are those of what was "
            "played"
        )
