"""The command that fits the point count."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path

import click

from kqj_sim import __version__
from kqj_sim.cli.options import Whole, config_option, quiet_option
from kqj_sim.cli.progress import timed_lines

LEAST_DEALS = 1000
"""With fewer some holdings do not occur."""


@click.command(
    epilog="""\b
Examples:
  kqj-sim train points --out fit
  kqj-sim train points --playing standard --deals 1e4 --out fit

\b
The file points.toml takes the place of the package's own one by being copied to the folder
kqj_sim/policies of the sources; for a single run --policy FOLDER/points.toml calls by it.
"""
)
@click.option(
    "--playing",
    default="network",
    show_default=True,
    metavar="SPEC",
    help="The policy that plays the cards.",
)
@click.option(
    "--deals",
    type=Whole(LEAST_DEALS, "1e5"),
    default=100_000,
    show_default=True,
    help="Rounds in each of 14 situations for the count; the other parts are in proportion, in "
    "all about 120 times as many.",
)
@click.option(
    "--seed",
    type=Whole(0, "1"),
    default=1,
    show_default=True,
    help="Seed of the fit; the deals' are 1,000,000,000 more and higher.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    default="fit",
    show_default=True,
    help="Folder for points.toml and points.md.",
)
@config_option
@quiet_option
def points(playing: str, deals: int, seed: int, out: str, quiet: bool) -> None:
    """Fit the point count: what cards count, when to take, and how to bid.

    Writes FOLDER/points.toml, every parameter of the policy points, and FOLDER/points.md, the
    count as a page for people, with how well it tells what a hand will make.
    """
    from kqj_sim.policies.specification import player
    from kqj_sim.reporting.files import OutputFile
    from kqj_sim.reporting.points import points_page, statement
    from kqj_sim.training.points import TEAMS, Plan, fit_points
    from kqj_sim.training.run import SEEDS

    if seed >= SEEDS:
        raise click.UsageError(f"--seed {seed}: it is below {SEEDS:,}")
    plays = player(f"points+{playing}").playing
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        toml, page = (
            files.enter_context(OutputFile(folder / name)) for name in ("points.toml", "points.md")
        )
        fit = fit_points(Plan.of(playing, deals, seed), timed_lines(quiet))
        made_by = {
            "made by": f"`kqj-sim train points --playing {shlex.quote(playing)} --deals {deals} "
            f"--seed {seed}`",
            "version": f"kqj-sim {__version__}",
            "player of the cards": plays.text if plays.policy.weights else playing,
            "seed": f"{seed} (deals from seed {SEEDS + seed:,} on)",
        }
        toml.write(fit.toml().encode())
        page.write(points_page(fit, made_by).encode())
    for teams in TEAMS:
        click.echo(statement(fit.thresholds[teams], teams))
    click.echo(f"{folder / 'points.toml'} and {folder / 'points.md'} are written")
