"""The strength of the policies: python benchmarks/strength.py

Every policy plays against every other on the same deals with sides exchanged, in each variant;
all call alike.  Then the policies that call, likewise, all playing alike.  The results are
printed and written as Markdown.  Each pair has the same time (`--seconds`), so that slow policies
play fewer deals.  Run it on a quiet machine: the times are measured too.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import machine, sheets, strength_sheets
from benchmarks.matches import Limit, Match, play_alone, play_match
from benchmarks.speed import QUIET
from benchmarks.strength_sheets import Contest, Strength
from kqj_sim.errors import InputError, RunError
from kqj_sim.policies import weights
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.workers import count_processors

STRENGTH = Path(__file__).resolve().with_name("STRENGTH.md")

VARIANTS: dict[str, tuple[str, KqjRules]] = {
    "take-2": ("two teams, taking", KqjRules()),
    "take-3": ("three teams, taking", KqjRules(teams=3)),
    "auction-2": ("two teams, auctions", KqjRules(bidding="auction")),
    "auction-3": ("three teams, auctions", KqjRules(teams=3, bidding="auction")),
    "random-2": ("random partners, two teams, taking", KqjRules(partners="random")),
    "random-3": ("random partners, three teams, taking", KqjRules(teams=3, partners="random")),
    "auction-random-2": (
        "random partners, two teams, auctions",
        KqjRules(partners="random", bidding="auction"),
    ),
    "auction-random-3": (
        "random partners, three teams, auctions",
        KqjRules(teams=3, partners="random", bidding="auction"),
    ),
}
USUAL = tuple(VARIANTS)[:4]

LADDER = ("random", "greedy", "standard", "network", "pimc")
"""Who plays cards, from the weakest to the strongest."""

CALLERS = ("points", "always", "never", "random")
"""Who calls; the first is whom the others are measured against."""

BASE = "standard"
"""Whom those who play cards are measured against."""

CALLING, PLAYING = "points", "network"
"""How all call who are compared as players, and how all play who are compared as callers."""

SEED = 1
"""No policy is trained or fitted on its deals: those seeds begin at 10**9."""


def contest(
    variant: str, players: dict[str, str], base: str, limit: Limit, seed: int, threads: int
) -> Contest:
    """Play everybody against everybody; `players` are specifications by display name."""
    name, rules = VARIANTS[variant]
    alone = {}
    for one, written in players.items():
        click.echo(f"{name}: {one} alone", err=True)
        alone[one] = play_alone(rules, written, limit, seed, threads)
    matches: dict[tuple[str, str], Match] = {}
    for one, other in combinations(players, 2):
        match = play_match(rules, players[one], players[other], limit, seed, threads)
        matches[one, other] = match
        found = f"{match.points:+.2f} ±{match.error:.2f}, {match.deals:,} deals"
        click.echo(f"{name}: {one} against {other}: {found}", err=True)
    base = base if base in players else next(iter(players))
    return Contest(name, [*players], base, alone, matches)


def weights_in_use(rules: KqjRules, specification: str) -> Iterator[str]:
    """Return the weights of a player, and those of its playouts, with versions.

    Raises:
        InputError: there is no such player.
        RunError: the weights are not there.
    """
    who = parse_player(specification)
    for chosen in (who.calling, who.playing):
        if chosen.policy.weights is not None:
            name = weights.file_name(chosen.policy.weights, rules.teams, rules.bidding)
            yield f"{name} {chosen.values_by_name['weights']}"
        for other in chosen.others:
            yield from weights_in_use(rules, other)


def put_summary(path: Path, table: str, mark: str = "strength") -> None:
    """Put a table between the marks of a file.

    Raises:
        click.ClickException: the file has no marks.
    """
    marks = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
    text, found = marks.subn(rf"\g<1>{table}\g<2>", path.read_text(encoding="utf-8"))
    if not found:
        raise click.ClickException(f"{path} has no <!-- {mark} --> ... <!-- /{mark} -->")
    path.write_text(text, encoding="utf-8")


def _command(context: click.Context) -> str:
    """Return the command with the options given."""
    given = ["python", "benchmarks/strength.py"]
    for option in context.command.params:
        name, value = option.name or "", context.params[option.name or ""]
        source = context.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE and name not in ("out", "page"):
            values: Sequence[Any] = value if isinstance(value, tuple) else [value]
            for each in values:
                given += [option.opts[0]] if each is True else [option.opts[0], str(each)]
    return shlex.join(given)


@click.command()
@click.option("--player", multiple=True, default=LADDER, help="Who plays cards; repeatable.")
@click.option("--caller", multiple=True, default=CALLERS, help="Who calls; repeatable.")
@click.option("--calling", default=CALLING, show_default=True, help="How the players call.")
@click.option("--playing", default=PLAYING, show_default=True, help="How the callers play.")
@click.option(
    "--contest",
    "kinds",
    type=click.Choice(["cards", "calls"]),
    multiple=True,
    default=("cards", "calls"),
    help="What is compared; repeatable.",
)
@click.option(
    "--variant",
    "variants",
    type=click.Choice([*VARIANTS]),
    multiple=True,
    default=USUAL,
    help="What is played; repeatable.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=20.0,
    show_default=True,
    help="Time of each pair, and of each player alone.",
)
@click.option("--deals", type=click.IntRange(1), help="Deals a pair, whatever the time.")
@click.option("--seed", type=click.IntRange(0, 10**9 - 1), default=SEED, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="Threads; all processors by default.")
@click.option("--quick", is_flag=True, help="A few deals, to see that it works.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=STRENGTH,
    help="Where the tables go; benchmarks/STRENGTH.md if not given.",
)
@click.option(
    "--page",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Write the short table to this page, such as docs/strength.md, between its marks "
    "<!-- strength -->.",
)
@click.pass_context
def main(
    context: click.Context, player: tuple[str, ...], caller: tuple[str, ...], calling: str,
    playing: str, kinds: tuple[str, ...], variants: tuple[str, ...], seconds: float,
    deals: int | None, seed: int, threads: int | None, quick: bool, out: Path, page: Path | None,
) -> None:  # fmt: skip
    """Measure how well the policies play."""
    load = machine.load()
    if load > QUIET and not quick:
        click.echo(f"The machine is busy (load {load:.1f}): the times will be too long", err=True)
    limit = Limit(0.0, 24, 0.001) if quick else Limit(seconds, deals)
    threads = threads or count_processors()
    players = {each: f"{calling}+{each}" for each in player}
    callers = {each: f"{each}+{playing}" for each in caller}
    try:
        used = {
            weight: None
            for variant in variants
            for written in (*players.values(), *callers.values())
            for weight in weights_in_use(VARIANTS[variant][1], written)
        }
    except (InputError, RunError) as error:
        raise click.ClickException(str(error)) from None
    cards, calls = (
        [contest(variant, who, base, limit, seed, threads) for variant in variants]
        if kind in kinds
        else []
        for kind, who, base in (("cards", players, BASE), ("calls", callers, caller[0]))
    )
    made = {
        "sides": "each deal in all arrangements: with two teams each side has each team once; with "
        "three each has each team once, alone against the other's two",
        "unit": "the deal, with the mean of its arrangements",
        "deals": f"seed {seed}, from 0",
        "calls of those who play cards": calling,
        "cards of those who call": playing,
        "weights, and their versions": ", ".join(used) or "none",
        **machine.describe(),
        "threads": f"{threads} for the matches, 1 for the times",
        "load before": f"{load:.2f}",
    }
    strength = Strength(_command(context), made, cards, calls)
    tables = strength_sheets.make(strength)
    sheets.show(tables)
    out.write_text(sheets.to_markdown("Strength", strength.command, tables), encoding="utf-8")
    if page is not None and cards:
        put_summary(page, sheets.markdown_rows(strength_sheets.summary(strength)))


if __name__ == "__main__":
    main()
