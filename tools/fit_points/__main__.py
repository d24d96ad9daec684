"""Fit the count of `points` and write it as a player's file and as a page."""

from __future__ import annotations

from pathlib import Path

import click

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.errors import InputError
from kqj_sim.policies.players import parse_player
from kqj_sim.version import __version__
from tools import SEED_OFFSET
from tools.fit_points.fit import TEAMS, PointsPlan, fit_points
from tools.fit_points.page import describe_first_lap, render_points_page


@click.command()
@click.option("--player", default="network", show_default=True, help="Play the cards like this.")
@click.option(
    "--deals",
    type=make_number_type(1000, "1e5"),
    default=100_000,
    show_default=True,
    help="Play this many deals in each of 14 situations, about 120 times as many in all.",
)
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="fit",
    show_default=True,
    help="Write points.toml and points.md to this folder.",
)
def main(player: str, deals: int, seed: int, out: Path) -> None:
    """Fit the point count: the values of cards, when to take, and how to bid."""
    try:
        plays = parse_player(f"points+{player}").playing
    except InputError as error:
        raise click.UsageError(str(error)) from None
    out.mkdir(parents=True, exist_ok=True)
    fit = fit_points(PointsPlan.of(player, deals, seed), lambda line: click.echo(line, err=True))
    made_by = {
        "made by": f"`python -m tools.fit_points --player {player} --deals {deals} --seed {seed}`",
        "version": f"kqj-sim {__version__}",
        "player of the cards": plays.text if plays.policy.weights else player,
        "seed": f"{seed} (deals from seed {SEED_OFFSET + seed:,} on)",
    }
    (out / "points.toml").write_text(fit.to_toml(), encoding="utf-8")
    (out / "points.md").write_text(render_points_page(fit, made_by), encoding="utf-8")
    for teams in TEAMS:
        click.echo(describe_first_lap(fit.thresholds[teams], teams))
    click.echo(f"{out / 'points.toml'} and {out / 'points.md'} are written")


if __name__ == "__main__":
    main()
