"""The command `compare`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from kqj_sim.api.progress import InterruptHandler, ProgressLine
from kqj_sim.commands.command import Command
from kqj_sim.commands.options import (
    POINTS_TYPE,
    WholeNumberType,
    config_option,
    first_option,
    open_workers,
    pop_rules,
    print_rule_notes,
    quiet_option,
    rule_options,
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

if TYPE_CHECKING:
    from kqj_sim.analysis.compare import PolicyPair

_EXCLUSIVE_OPTIONS = (
    ("--deals", "--games"),
    ("--deals", "--precision"),
    ("--deals", "--max-deals"),
    ("--games", "--precision"),
    ("--games", "--max-deals"),
)
"""Options of which only one may say how much is played."""


class GameCountType(WholeNumberType):
    """A number of games, or `auto`."""

    name = "number|auto"

    def __init__(self) -> None:
        super().__init__(1, "1000, or auto")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or "auto"; raise BadParameter if it is neither."""
        return value if value == "auto" else super().convert(value, param, ctx)


class _PairWatch:
    """The lead of the pair that plays, its interval and its target, on the progress line.

    Args:
        progress: the line.
        pairs: number of all pairs.
    """

    def __init__(self, progress: ProgressLine, pairs: int) -> None:
        self._progress = progress
        self._pairs = pairs
        self._played: dict[tuple[int, int], int] = {}

    def show(self, pair: PolicyPair) -> None:
        """Show a pair that has played some more deals."""
        key, deals = (pair.one, pair.other), pair.tally.deals
        count = deals - self._played.get(key, 0)
        self._played[key] = deals
        number = len(self._played)
        before = sum(self._played.values()) - deals
        self._progress.expect(before + (self._pairs - number + 1) * pair.expected_deals)
        text = describe_progress(pair)
        several = f"pair {number} of {self._pairs}: " if text and self._pairs > 1 else ""
        self._progress.advance(count, several + text)


def describe_progress(pair: PolicyPair) -> str:
    """Return the lead so far and the width to reach: `+10.8 ±2.4, going on to ±2.2`."""
    from kqj_sim.analysis.games import get_analyzed_game
    from kqj_sim.analysis.sequences import FIRST_LOOK

    if pair.tally.deals < FIRST_LOOK or pair.half_width != pair.half_width:
        return ""
    game = get_analyzed_game(pair.match.rules.game)
    decimals = 1 if pair.match.games else game.terms.decimals
    unit = "%" if pair.match.games else ""
    text = f"{pair.lead.value:+.{decimals}f}{unit} ±{pair.half_width:.{decimals}f}"
    if pair.plan.deals is not None:
        return text
    return f"{text}, going on to ±{pair.target_width:.{decimals}f}"


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim compare standard:take=45 standard
  kqj-sim compare points+network points+greedy standard --plot ranking.png
  kqj-sim compare my_policy.py:cautious standard --bidding auction --deals 1e5
  kqj-sim compare --calling points standard --with network --precision 0.5
  kqj-sim compare standard greedy --games auto --target 500
  kqj-sim compare pimc standard --game kwajongen --deals 5000
""",
)
@click.argument("policies", nargs=-1, required=True, metavar="POLICIES...")
@click.option(
    "--calling", is_flag=True, help="Compare how the policies call; all play like --with."
)
@click.option(
    "--playing", is_flag=True, help="Compare how the policies play; all call like --with."
)
@click.option(
    "--with",
    metavar="SPEC",
    help="Fill the part that --calling or --playing leaves open.  [default: points+network; "
    "standard in Kwajongen]",
)
@click.option(
    "--opponents",
    metavar="SPEC",
    help="Seat this policy on the other sides.  [default: POLICIES play each other]",
)
@click.option("--deals", type=WholeNumberType(1, "1e5"), help="Play this many deals for each pair.")
@click.option(
    "--precision",
    type=POINTS_TYPE,
    help="Stop when the interval is at most ± this: points a round (percentage points of games "
    "won).",
)
@click.option(
    "--indifference",
    type=POINTS_TYPE,
    help="Treat policies within this many points a round as equal.  [default: 0.5; 0.01 in "
    "Kwajongen]",
)
@click.option(
    "--max-deals",
    type=WholeNumberType(1, "1e6"),
    help="Stop after this many deals (games) at most.  [default: 1e6 deals, 1e5 games]",
)
@click.option(
    "--games",
    type=GameCountType(),
    metavar="NUMBER|auto",
    help="Play this many whole games to the target instead of single deals; auto: as many as it "
    "takes.",
)
@seed_option
@first_option
@worker_options
@confidence_option
@config_option
@rule_options
@tables_option
@format_option
@out_option
@plot_option
@color_option
@quiet_option
def compare(
    policies: tuple[str, ...], calling: bool, playing: bool, opponents: str | None,
    deals: int | None, precision: float | None,
    indifference: float | None, max_deals: int | None, games: int | Literal["auto"] | None,
    seed: int, first: int, threads: int | None, cluster: str | None, confidence: float,
    tables: str | None, format: str | None, out: str | None, plot: str | None, color: str,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Compare policies on the same deals and rank them.

    Shows which policy is better, by how much and why.  Two policies play every deal against each
    other with the sides exchanged; more than two play in pairs.  Without --deals they go on until
    the lead is known to a fifth of itself or both are shown equal.

    POLICIES are specifications, see `kqj-sim policies --help`.
    """
    if len(policies) < 2:
        raise click.UsageError(f"{policies[0]} alone: name two policies or more")
    if calling and playing:
        raise click.UsageError("--calling and --playing: give one of them, or neither")
    other_part: str | None = options.pop("with")
    if other_part is not None and not (calling or playing):
        raise click.UsageError("--with is for --calling or --playing: give one of them")
    given = {
        "--deals": deals is not None,
        "--games": games not in (None, "auto"),
        "--precision": precision is not None,
        "--max-deals": max_deals is not None,
    }
    for one, other in _EXCLUSIVE_OPTIONS:
        if given[one] and given[other]:
            raise click.UsageError(f"{one} and {other}: give one of them")
    if deals is not None and games == "auto":
        raise click.UsageError(f"--deals and --games auto: write --games {deals} for that many")
    from kqj_sim.analysis.compare_tables import list_tables

    shown = choose_tables(tables, list_tables(len(policies) > 2, games is not None))
    output = Output(out, format, plot, color)
    rules = pop_rules(options)
    print_rule_notes(rules, quiet)
    from kqj_sim.analysis.compare import compare
    from kqj_sim.analysis.comparison_plan import DEFAULT_MAX_DEALS
    from kqj_sim.reporting.compare import make_comparison_report
    from kqj_sim.reporting.compare_plots import render_comparison

    pairs = len(policies) * (len(policies) - 1) // 2
    default = DEFAULT_MAX_DEALS // 10 if games else DEFAULT_MAX_DEALS
    exact = games if isinstance(games, int) else deals
    most = pairs * (exact or max_deals or default)
    with output:
        with (
            ProgressLine("games" if games else "deals", most, quiet) as progress,
            open_workers(threads, cluster, quiet) as workers,
            InterruptHandler() as interruption,
        ):
            watch = _PairWatch(progress, pairs)
            compared = compare(
                *policies,
                rules=rules,
                opponents=opponents,
                part="calling" if calling else "playing" if playing else "both",
                other_part=other_part,
                games=games,
                deals=deals,
                precision=precision,
                indifference=indifference,
                max_deals=max_deals,
                confidence=confidence,
                seed=seed,
                first=first,
                threads=workers,
                interrupted=lambda: interruption.stop_requested,
                watch=watch.show,
            )
        if not compared.pairs:
            raise click.Abort
        output.write_report(make_comparison_report(compared, shown))
        output.write_plot(partial(render_comparison, compared))
    if compared.interrupted:
        unit = "games" if games else "deals"
        exit_interrupted(
            f"{len(compared.pairs)} of {pairs} pairs, {compared.pairs[-1].tally.deals:,} {unit} of "
            f"the last pair; the intervals hold for the {unit} played"
        )
