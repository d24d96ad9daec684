"""Contracts made by the count with which they are taken, to choose the thresholds of `points`.

    python benchmarks/thresholds.py --deals 1000000

All players take from the thresholds of `points`, but the player at seat 0 takes in the first lap
with any hand.  Their takes show which share of the contracts is made around the threshold; with
`--lap 2` all players take in the second lap with any hand.  Two teams, taking.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    FIRST_FIVE,
    KEY,
    LANES,
    STRIDE,
    UPCARD,
    allocate_block,
    cell_index,
    pad_lanes,
)
from kqj_sim.core.cards import NO_TRUMP, trailing_zeros
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import BEGIN_STAGE, call_stage, start_deals
from kqj_sim.policies.points import FITTED_TWO, count_points
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.intervals import estimate_share

BAND = 5
"""Counts that are summarised together."""


@kernel
def _count_takers(
    state: Any, seed: int, rules: Any, seating: Any, place: Any, contract: Any, p: Any, counts: Any
) -> None:
    """Write the count of the taker's hand in the contract taken, with its offset, (deals,)."""
    log = np.empty(0, np.int64)
    for start in range(0, len(place), LANES):
        lanes = min(LANES, len(place) - start)
        start_deals(state, start, lanes)
        for i in range(pad_lanes(lanes)):
            state[KEY + i] = rng.derive_deal_key(seed, state[DEAL_NUMBER + i])
        call_stage(seating.stages[BEGIN_STAGE], (state, lanes, rules, seating, log))
        for i in range(lanes):
            n = start + i
            if place[n] >= 0:
                upcard, taken = state[UPCARD + i], contract[n]
                hand = state[cell_index(FIRST_FIVE + place[n] * STRIDE, i)] | upcard
                counts[n] = count_points(hand, taken, p)
                if taken > NO_TRUMP:
                    counts[n] += p.all_trumps
                elif taken == NO_TRUMP:
                    counts[n] += p.no_trump
                elif taken != trailing_zeros(upcard) >> 4:
                    counts[n] += p.other


@click.command()
@click.option("--deals", default=1_000_000, show_default=True, help="Deals to play.")
@click.option("--lap", default=1, show_default=True, help="Lap of the takes, 1 or 2.")
@click.option("--seed", default=1, show_default=True, help="Seed.")
def main(deals: int, lap: int, seed: int) -> None:
    """Print the share of contracts made by count."""
    first, others = ("bold:lap2=40", "points") if lap == 1 else ("points:lap2=0",) * 2
    policies = (f"{first}+network", *(f"{others}+network",) * (SEATS - 1))
    experiment = Experiment(KqjRules(), policies, deals, seed)
    rows = simulate(experiment)
    counts = np.zeros(deals)
    columns = [rows.column(name).astype(np.int64) for name in ("place", "contract")]
    rules, seating = experiment.compile_seating()
    _count_takers(allocate_block(), seed, rules, seating, *columns, FITTED_TWO, counts)
    chosen = (rows.column("lap") == lap) & ((lap == 2) | (rows.column("sender") == 0))
    made = rows.column("result") == 0
    click.echo("| count | takes | made |\n|---|--:|--:|")
    for low in range(0, 100, BAND):
        band = chosen & (counts >= low) & (counts < low + BAND)
        if band.any():
            share = 100 * estimate_share(int(made[band].sum()), int(band.sum()))
            click.echo(
                f"| {low} to {low + BAND - 1} | {share.observations:,} "
                f"| {share.value:.1f}% ({share.low:.1f} to {share.high:.1f}) |"
            )


if __name__ == "__main__":
    main()
