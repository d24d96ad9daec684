"""The command that fits the count of Kwajongen."""

from __future__ import annotations

import click

from kqj_sim.cli.options import Whole, config_option, quiet_option, screen_width
from kqj_sim.cli.progress import timed_lines

LEAST_DEALS = 10_000
"""With fewer the counts of a place that is seldom asked are chance."""


@click.command(
    epilog="""\b
Examples:
  kqj-sim train accept > counted.toml
  kqj-sim train accept --void-rule free --deals 1e6 --seed 2

\b
The file is a player of Kwajongen:
  kqj-sim compare --game kwajongen counted.toml standard
"""
)
@click.option(
    "--void-rule",
    type=click.Choice(["must_trump", "free"]),
    default="must_trump",
    show_default=True,
    help="Whether a player who is void in the suit led must play a trump.",
)
@click.option(
    "--playing", default="standard", show_default=True, metavar="SPEC", help="Who plays the cards."
)
@click.option(
    "--deals", type=Whole(LEAST_DEALS, "1e6"), default=300_000, show_default=True,
    help="Deals of the fit.",
)  # fmt: skip
@click.option(
    "--seed", type=Whole(0, "11"), default=11, show_default=True, help="Seed of the deals."
)
@config_option
@quiet_option
def accept(void_rule: str, playing: str, deals: int, seed: int, quiet: bool) -> None:
    """Fit the count of Kwajongen's standard: what cards count, and from when on to play.

    Prints a player's file, standard with the parameters that were found.
    """
    from kqj_sim.policies.player_files import write_parts
    from kqj_sim.policies.specification import player, read_specification
    from kqj_sim.rules import KwajongenRules
    from kqj_sim.training.accept import fit, play_deals

    player(playing, "kwajongen")
    say = timed_lines(quiet)
    say(f"playing {deals:,} deals")
    played = play_deals(KwajongenRules.from_dict({"void_rule": void_rule}), deals, seed, playing)
    say("fitting")
    values = {name: str(value) for name, value in fit(played).items()}
    parts = read_specification("standard", "kwajongen").changed(values, "standard")
    click.echo(write_parts(parts, screen_width() or 100), nl=False)
