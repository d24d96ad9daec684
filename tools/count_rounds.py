"""The rounds of the default players, from which the chances to win a game are computed.

    python -m tools.count_rounds --deals 1000000

They are written to `kqj_sim/stats/equity.npz`: for each variant the scores that occur, how often,
the rules, the player, the seed, and a hash of the first deals, which a test plays again.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import click
import numpy as np

from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.stats.equity import STORED, CountedRounds, play_rounds, turn_to_dealer

CHECKED_DEALS = 600
"""First deals of which a hash is stored."""


def count_rounds(rules: KqjRules, deals: int, seed: int) -> tuple[Experiment, CountedRounds]:
    """Play deals, and return the rounds, turned so that team 0 deals."""
    experiment = Experiment(rules, deals=deals, seed=seed)
    counted, _ = play_rounds(experiment, None, lambda count: None)
    return experiment, turn_to_dealer(counted, rules.teams)


def hash_rounds(counted: CountedRounds) -> int:
    """Return a hash of counted rounds."""
    return zlib.crc32(counted.rounds.tobytes() + counted.counts.tobytes())


@click.command()
@click.option("--deals", default=1_000_000, help="Deals of each variant.")
@click.option("--seed", default=1, help="Seed of the deals.")
def main(deals: int, seed: int) -> None:
    """Count the rounds of each variant, and store them in the package."""
    arrays: dict[str, Any] = {}
    about: dict[str, Any] = {}
    for teams in (2, 3):
        for bidding in ("take", "auction"):
            name = f"{teams}-{bidding}"
            rules = KqjRules(teams=teams, bidding=bidding)
            experiment, counted = count_rounds(rules, deals, seed)
            arrays[f"{name}-rounds"] = counted.rounds.astype(np.int16)
            arrays[f"{name}-counts"] = counted.counts.astype(np.int32)
            _, checked = count_rounds(rules, CHECKED_DEALS, seed)
            player = experiment.players[0].text
            about[name] = [rules.to_dict(), player, seed, deals, hash_rounds(checked)]
            click.echo(f"{name}: {len(arrays[f'{name}-rounds']):,} rounds that differ")
    np.savez_compressed(STORED, about=json.dumps(about), **arrays)


if __name__ == "__main__":
    main()
